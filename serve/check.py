"""Holds a release on disk against its manifest: hashes, links, budgets, and nothing that is not listed."""

import hashlib
import os
import posixpath
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.llms import parse_index
from docshelf.serve.manifest import (
    FILES_FILE,
    MOVED_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    DocumentMeta,
    FileRow,
    Finding,
    ShelfManifest,
    read_files,
    read_meta,
    read_moved,
    read_shelf,
    release_id,
)
from docshelf.serve.releases.addresses import is_index, linked_path
from docshelf.serve.releases.checkout import checkout_rows

UNLISTED = frozenset({FILES_FILE, SHELF_FILE, RELEASE_SCRIPT})
"""Files of a release that files.tsv leaves out."""


def check_release(folder: Path) -> Iterator[Finding]:
    """What is wrong with the release in `folder`, as it is found; nothing for a whole one.

    Of a git checkout of one, documents, indexes and links are checked: it has no files.tsv.

    Raises: ShelfDamaged where there is no manifest to hold it against.
    """
    manifest = read_shelf(_manifest(folder, SHELF_FILE))
    if manifest.release or (folder / FILES_FILE).exists():
        listing = _manifest(folder, FILES_FILE)
        rows = read_files(listing)
        if release_id(manifest, listing) != manifest.release:
            yield _fault(SHELF_FILE, "release", "its release is not the hash of what it holds")
        yield from _check_files(folder, rows)
    else:
        rows = {row.path: row for row in checkout_rows(folder)}
    yield from _check_documents(folder, manifest, rows)
    moved = read_moved((folder / MOVED_FILE).read_bytes()) if MOVED_FILE in rows else {}
    for path, target in moved.items():
        if path not in rows or target not in rows:
            yield _fault(MOVED_FILE, "moved", f"leads from {path} to {target}; one of them is not there")
    yield from _check_indexes(folder, manifest, rows, moved)
    yield from _check_links(folder, rows)


def _manifest(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as exc:
        raise ShelfDamaged(
            f"{folder / name}: {exc.strerror}; this is no release, run docshelf build"
        ) from exc


def _check_files(folder: Path, rows: dict[str, FileRow]) -> Iterator[Finding]:
    found = set(_walk(folder))
    for path in sorted(found - rows.keys() - UNLISTED):
        yield _fault(path, "extra", "is not listed in files.tsv; remove it")
    for path in sorted(UNLISTED - found):
        yield _fault(path, "missing", "is missing; build the shelf again")
    for path, row in sorted(rows.items()):
        if path not in found:
            yield _fault(path, "missing", "is listed in files.tsv and is not there; build the shelf again")
            continue
        with (folder / path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            if (file.tell(), digest) != (row.bytes, row.sha256):
                yield _fault(path, "hash", "is not what files.tsv says; build the shelf again")


def _check_documents(folder: Path, manifest: ShelfManifest, rows: dict[str, FileRow]) -> Iterator[Finding]:
    whole = {finding.source for finding in manifest.findings if finding.code == "not-split"}
    for entry in manifest.documents:
        absent = [path for path in (entry.path, entry.meta) if path not in rows]
        if absent:
            yield _fault(absent[0], "missing", f"{SHELF_FILE} names it for {entry.source}; build again")
            continue
        try:
            meta = read_meta((folder / entry.meta).read_bytes(), entry.meta)
        except (OSError, ShelfDamaged) as exc:
            yield _fault(entry.meta, "meta", str(exc))
            continue
        yield from _check_sections(meta, rows, manifest.budget.section_max_bytes, entry.source in whole)


def _check_sections(
    meta: DocumentMeta, rows: dict[str, FileRow], most: int, is_whole: bool
) -> Iterator[Finding]:
    for section in meta.sections:
        row = rows.get(section.path)
        if row is None or (row.bytes, row.sha256) != (section.bytes, section.sha256):
            yield _fault(section.path, "section", f"is not what the meta of {meta.source} says; build again")
        elif section.bytes > most and not is_whole:
            yield _fault(section.path, "budget", f"has {section.bytes} bytes, more than {most}")
    known = {section.path for section in meta.sections}
    for heading in meta.outline:
        if heading.path not in known:
            yield _fault(
                heading.path, "outline", f"{meta.source} names it in its outline, but has no such section"
            )


def _check_indexes(
    folder: Path, manifest: ShelfManifest, rows: dict[str, FileRow], moved: Mapping[str, str]
) -> Iterator[Finding]:
    for path in sorted(rows):
        name = posixpath.basename(path)
        if path in moved or not (is_index(path) or name == "llms.txt"):
            continue
        try:
            text = (folder / path).read_text("utf-8")
            index = parse_index(text)
        except (OSError, ValueError) as exc:
            yield _fault(path, "index", f"is no index that strict readers take: {exc}")
            continue
        if len(text.encode()) > manifest.budget.index_bytes and len(index.links) > 1 and name != "llms.txt":
            yield _fault(path, "budget", f"is larger than {manifest.budget.index_bytes} bytes")
        for line in index.links:
            target = linked_path(path, line.url)
            if target is not None and target not in rows:
                yield _fault(path, "link", f"leads to {line.url}, which is not there")


def _check_links(folder: Path, rows: dict[str, FileRow]) -> Iterator[Finding]:
    """Every link of every page, with its anchor, inside the tree."""
    pages: dict[str, _Page] = {}
    for path in sorted(rows):
        if path.endswith(".html"):
            try:
                pages[path] = _Page.read(folder / path)
            except OSError as exc:
                yield _fault(path, "page", f"cannot be read: {exc.strerror}")
    for path, page in pages.items():
        for url in dict.fromkeys(page.urls):
            target = linked_path(path, url)
            if target is None:
                continue
            if target not in rows and target not in UNLISTED:
                yield _fault(path, "link", f"leads to {url}, which is not there")
                continue
            anchor = unquote(urlsplit(url).fragment)
            if anchor and target in pages and anchor not in pages[target].ids:
                yield _fault(path, "anchor", f"leads to {url}, where there is no such place")


class _Page(HTMLParser):
    """Addresses and ids of one HTML page."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []
        self.ids: set[str] = set()

    @classmethod
    def read(cls, file: Path) -> "_Page":
        page = cls()
        page.feed(file.read_text("utf-8", "replace"))
        page.close()
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.urls.append(value)
            elif name == "id" and value:
                self.ids.add(value)


def _walk(folder: Path, prefix: str = "") -> Iterator[str]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}"


def _fault(path: str, code: str, text: str) -> Finding:
    return Finding(path, 0, "error", code, text)
