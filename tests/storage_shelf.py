"""A shelf in numbered versions whose sections move: for tests that publish it to an object storage.

Each version drops a section, adds one and so gives new addresses to the others; what leads to them is changed
at the address that it had.

As a program it publishes in a process of its own for each line of stdin, which is PLACE, ENDPOINT, SITE,
the releases to keep below r/ (with commas, or none) and the time, with tabs between them.
"""

import os
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from written_shelf import put, switch, whole_release

from docshelf.serve.config import Budget
from docshelf.serve.manifest import ShelfManifest
from docshelf.serve.releases.tree import Release, Site

SECTIONS = 3
INDEX, SUBINDEX, OVERVIEW = "index.md", "docs/router/subindex.md", "docs/router/overview.md"
UNCHANGED = "docs/router/grey.md"
SOURCE = "sources/router.pdf"

_LINK = re.compile(rb'(?:\]\(|href=")([^)"#]+)')


def section_path(number: int, place: int, ending: str = "md") -> str:
    """Where a version has its section at `place`, from 1; its slug stays, its number does not."""
    return f"docs/router/{place:03d}-step-{number + place}.{ending}"


def version_files(number: int) -> dict[str, bytes]:
    """The files of a version that its files.tsv lists."""
    places = range(1, SECTIONS + 1)
    lines = "".join(
        f"- [Step {number + it}]({section_path(number, it).rpartition('/')[2]}): 1 page\n" for it in places
    )
    first = section_path(number, 1).rpartition("/")[2]
    files = {
        INDEX: f"# Shelf {number}\n\n> Tests.\n\nRead.\n\n## Documents\n\n- [Router]({SUBINDEX}): 1 page\n",
        "index.html": f'<a href="docs/router/subindex.html">Router {number}</a>\n',
        SUBINDEX: f"# Router {number}\n\n> Tests.\n\nRead.\n\n## Sections\n\n{lines}- [Over](overview.md): 1 page\n",
        "docs/router/subindex.html": "".join(
            f'<a href="{section_path(number, it, "html").rpartition("/")[2]}">{it}</a>\n' for it in places
        ),
        OVERVIEW: f"# Overview {number}\n\nBegin with [this]({first}).\n",
        UNCHANGED: "# Grey\n\nThe router is grey.\n",
    }
    for place in places:
        following = section_path(number, place % SECTIONS + 1).rpartition("/")[2]
        page = following.replace(".md", ".html")
        files[section_path(number, place)] = f"# Step {number + place}\n\nThen [next]({following}).\n"
        files[section_path(number, place, "html")] = f'<h1>{number + place}</h1><a href="{page}">next</a>\n'
    source = f"%PDF-1.7\n% version {number}\n".encode().ljust(300_000)
    return {path: text.encode() for path, text in files.items()} | {SOURCE: source}


@cache
def _release(number: int) -> tuple[str, dict[str, bytes]]:
    manifest = ShelfManifest("shelf", "", "en", "", None, Budget(), (), ())
    return whole_release(manifest, version_files(number))


def all_files(number: int) -> dict[str, bytes]:
    """The whole tree of a version."""
    return _release(number)[1]


def write_version(site: Path, number: int) -> Release:
    """Makes a version current below `site`, and gives its release."""
    release, files = _release(number)
    put(site / "releases" / release, files)
    switch(site, release)
    return Site(site).current()


def crawl(read: Callable[[str], bytes | None]) -> tuple[dict[str, bytes], list[str]]:
    """All that links lead to from the root, by path, and the links that lead to nothing as `FROM: TO`.

    `read` gives what stands at a path, None where nothing does.
    """
    found: dict[str, bytes] = {}
    dead: list[str] = []
    ahead = [("", "index.md"), ("", "index.html")]
    while ahead:
        origin, path = ahead.pop()
        if path in found:
            continue
        content = read(path)
        if content is None:
            if origin:
                dead.append(f"{origin}: {path}")
            continue
        found[path] = content
        folder = path.rpartition("/")[0]
        for link in _LINK.findall(content):
            target = link.decode()
            ahead.append((path, f"{folder}/{target}" if folder else target))
    return found, dead


def main() -> None:
    """Publishes in a child for each line of stdin; prints the child, then how it ended (0 is well)."""
    from docshelf.serve.storage.bucket import PUBLISHING, open_bucket
    from docshelf.serve.storage.environment import storage_environment
    from docshelf.serve.storage.location import parse_location
    from docshelf.serve.storage.publishing import Order, publish

    for line in sys.stdin:
        place, endpoint, folder, keep, now_s = line.rstrip("\n").split("\t")
        # The parent never uses the client, whose threads would not be in a child.
        child = os.fork()
        if child == 0:
            bucket = open_bucket(parse_location(place), storage_environment(), endpoint, None, PUBLISHING)
            kept = frozenset(keep.split(",")) if keep else None
            publish(bucket, Order(Site(Path(folder)).current(), kept), partial(float, now_s))
            os._exit(0)
        print(child, flush=True)  # noqa: T201
        print(os.waitpid(child, 0)[1], flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
