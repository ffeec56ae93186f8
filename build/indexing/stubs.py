"""What stands at addresses that fell away: a page that leads to where its text went.

Servers that know releases redirect by moved.tsv; a plain file server or object storage shows the stub.
"""

import html
import posixpath
import re
from collections.abc import Collection, Iterable, Mapping

from docshelf.build.cutting.markdown import heading, link
from docshelf.build.wording import Wording
from docshelf.serve.manifest import MOVED_FILE, write_moved
from docshelf.serve.releases.addresses import ROOT_INDEX, SUBINDEX, is_index

_NUMBERED = re.compile(r"[0-9]{3,}-(?P<slug>[a-z0-9-]+)\.md")


def moved_addresses(
    before: Iterable[str], moved_before: Mapping[str, str], now: Collection[str]
) -> dict[str, str]:
    """Where each Markdown address of the release before that is not in `now` leads, by the old address.

    A section is found by its slug in its document, else its document, else the nearest category index.
    `moved_before` are the addresses that had fallen away already; they are kept while they lead somewhere.
    """
    gone = {path for path in {*before, *moved_before}.difference(now) if _was_address(path, moved_before)}
    if not gone:
        return {}
    by_slug = {
        (posixpath.dirname(path), found["slug"]): path
        for path in sorted(now)
        if (found := _NUMBERED.fullmatch(posixpath.basename(path)))
    }
    return {path: _target(path, by_slug, now) for path in sorted(gone) if not _is_nested_index(path)}


def stub_files(moved: Mapping[str, str], titles: Mapping[str, str], words: Wording) -> dict[str, bytes]:
    """The stubs of all moved addresses, as Markdown and HTML, and the list that servers read.

    `titles` names what stands at the targets; a target without a title goes by its address.
    """
    files: dict[str, bytes] = {}
    for path, target in moved.items():
        title = titles.get(target, target)
        to = posixpath.relpath(target, posixpath.dirname(path))
        files[path] = f"{heading(1, title)}\n\n{words.moved} {link(title, to)}\n".encode()
        page = f"{to.removesuffix('.md')}.html"
        files[f"{path.removesuffix('.md')}.html"] = _page(title, page, words)
    if moved:
        files[MOVED_FILE] = write_moved(moved)
    return files


def _was_address(path: str, moved_before: Collection[str]) -> bool:
    return (path.startswith("docs/") and path.endswith(".md")) or path in moved_before


def _target(path: str, by_slug: Mapping[tuple[str, str], str], now: Collection[str]) -> str:
    folder, name = posixpath.split(path)
    found = _NUMBERED.fullmatch(name)
    if found and (folder, found["slug"]) in by_slug:
        return by_slug[folder, found["slug"]]
    for candidate in (f"{path.removesuffix('.md')}{SUBINDEX}", f"{folder}{SUBINDEX}", f"{folder}.md"):
        if candidate in now:
            return candidate
    while folder and f"{folder}/{ROOT_INDEX}" not in now:
        folder = posixpath.dirname(folder)
    return f"{folder}/{ROOT_INDEX}" if folder and folder != "docs" else ROOT_INDEX


def _is_nested_index(path: str) -> bool:
    """Nested pages come and go with the size of an index; nothing cites them."""
    return is_index(path) and not path.endswith(("/index.md", SUBINDEX))


def _page(title: str, to: str, words: Wording) -> bytes:
    safe, address = html.escape(title), html.escape(to)
    return (
        f'<!DOCTYPE html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n<title>{safe}</title>\n'
        f'<link rel="canonical" href="{address}">\n<meta http-equiv="refresh" content="0; url={address}">\n</head>\n'
        f'<body>\n<p>{html.escape(words.moved)} <a href="{address}">{safe}</a></p>\n</body>\n</html>\n'
    ).encode()
