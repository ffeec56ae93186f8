"""A small shelf in numbered versions, published as a build does it or, as a control, in place.

As a program: `publisher.py release|in-place SITE [NUMBER …]` publishes these versions, or where none are named
those that come on stdin, one a line, with a large section and source; it prints each release. The exit status
is that of the command.
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from small_shelf import page
from written_shelf import switch, whole_release

from docshelf.build.releasing.current import current_release
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.pruning import drop_old_releases, remove_retired
from docshelf.build.releasing.release import publish
from docshelf.serve.config import Budget, Keep
from docshelf.serve.errors import ShelfError
from docshelf.serve.manifest import ShelfManifest

INDEX, SUBINDEX, SECTION = "index.md", "docs/router/subindex.md", "docs/router/001-begin.md"
CHAIN = (INDEX, SUBINDEX, SECTION)
"""The way to a section; each file names its version in its first line."""
UNCHANGED = "docs/router/002-unchanged.md"
COMES_AND_GOES = "docs/even.md"
SOURCE = "sources/router.pdf"

LARGE = {"section_bytes": 200_000, "source_bytes": 400_000}
"""Sizes that no server reads or sends in one piece."""

_VERSION = re.compile(rb"version ([0-9]{6})")


def version_files(number: int, section_bytes: int = 0, source_bytes: int = 0) -> dict[str, bytes]:
    """The files of one version, of the same size in each; one file comes and goes with even numbers.

    The section and the source are filled up to the sizes given.
    """
    version = f"version {number:06d}"
    begin = f"# Begin, {version}\n\nPlug in the router.\n"
    files = {
        INDEX: _index(f"Shelf, {version}", SUBINDEX),
        SUBINDEX: _index(f"Router, {version}", "001-begin.md", "002-unchanged.md"),
        SECTION: begin + "Wait for the light. " * ((section_bytes - len(begin)) // 20),
        UNCHANGED: "# Unchanged\n\nThe router is grey.\n",
        "index.html": page(f"Shelf, {version}"),
    }
    if number % 2 == 0:
        files[COMES_AND_GOES] = f"# Even, {version}\n"
    source = f"%PDF-1.7\n% {version}\n"
    return {path: text.encode() for path, text in files.items()} | {
        SOURCE: source.encode().ljust(source_bytes)
    }


def version_of(content: bytes) -> int | None:
    """The version that a file's content names; None where it names none."""
    found = _VERSION.search(content)
    return int(found[1]) if found else None


def publish_version(site: Path, number: int, keep: Keep, **sizes: int) -> str:
    """Makes one version current as a build does, and gives its release.

    Raises: BuildError.
    """
    with output_lock(site):
        files = version_files(number, **sizes)
        release = publish(site, dict(files), _manifest(), current_release(site)).manifest.release
        drop_old_releases(site, release, keep)
    remove_retired(site)
    return release


def publish_in_place(site: Path, number: int, **sizes: int) -> str:
    """The control: writes one version over the files that readers see."""
    release, contents = whole_release(_manifest(), version_files(number, **sizes))
    folder = site / "releases" / ("0" * 16)
    for path, content in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as target:
            for begin in range(0, len(content), 1 << 16):
                target.write(content[begin : begin + (1 << 16)])
                target.flush()
    for file in folder.rglob("*"):
        if file.is_file() and file.relative_to(folder).as_posix() not in contents:
            file.unlink()
    if not (site / "current").exists():
        switch(site, folder.name)
    return release


def _index(title: str, *links: str) -> str:
    lines = "".join(f"- [{link}]({link}): 1 page\n" for link in links)
    return f"# {title}\n\n> A shelf for tests.\n\nRead one section.\n\n## Documents\n\n{lines}"


def _manifest() -> ShelfManifest:
    return ShelfManifest("shelf", "", "en", "", None, Budget(), (), ())


def main(how: str, site: Path, numbers: Iterable[int], keep: Keep, **sizes: int) -> int:
    """Publishes each version in turn and prints its release."""
    try:
        for number in numbers:
            if how == "release":
                release = publish_version(site, number, keep, **sizes)
            else:
                release = publish_in_place(site, number, **sizes)
            print(release, flush=True)  # noqa: T201
    except ShelfError as exc:
        print(exc, file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    if sys.argv[3:]:
        sys.exit(main(sys.argv[1], Path(sys.argv[2]), map(int, sys.argv[3:]), Keep(2, 0)))
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), map(int, sys.stdin), Keep(5, 3600), **LARGE))
