"""Builds on a small file system of its own that is full or read-only, and prints what became of it as JSON.

As a program, in a mount namespace where it is root: `full_disk.py MOUNT_POINT FIRST_SOURCE SECOND_SOURCE`.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from docshelf.serve.check import check_release
from docshelf.serve.manifest import read_shelf
from docshelf.serve.releases.kept import current_id

FREE_KB = (0, 256, 640)
"""How much room a build finds: from none to nearly what it needs."""
SIZE_MB = 32
TIDY = {".cache", ".lock", "current", "index.html", "releases"}


@dataclass(frozen=True)
class Outcome:
    """A build that may not write as much as it needs, and the next one, which may."""

    what: str
    status: int
    stderr: str
    kept: bool
    """Whether the release before it is current and whole."""
    litter: list[str]
    repaired: list[str]
    """The sources in the whole release that the next build publishes."""


def main(mount: Path, first: Path, second: Path) -> Iterator[Outcome]:
    """What becomes of a build with each amount of room, and of one on a read-only file system."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "none", str(mount)], check=True)
    for free_kb in FREE_KB:
        yield _hindered(f"{free_kb} KB", _left_free(mount, free_kb), mount / "site", first, second)
    yield _hindered("read-only", _read_only(mount), mount / "site", first, second)


def _hindered(
    what: str, hindrance: AbstractContextManager[None], site: Path, first: Path, second: Path
) -> Outcome:
    _build(first, site).check_returncode()
    before = current_id(site)
    # Without it everything is converted anew, and the workers too need room.
    shutil.rmtree(site / ".cache")
    with hindrance:
        ended = _build(second, site)
    kept = current_id(site) == before and _is_whole(site)
    litter = sorted(
        {file.name for file in site.iterdir()} - TIDY
        | {file.name for file in (site / "releases").iterdir() if len(file.name) != 16}
    )
    _build(second, site).check_returncode()
    shelf = read_shelf((site / "current/shelf.json").read_bytes())
    repaired = [document.source for document in shelf.documents] if _is_whole(site) else []
    return Outcome(what, ended.returncode, ended.stderr, kept, litter, repaired)


@contextmanager
def _left_free(mount: Path, free_kb: int) -> Iterator[None]:
    """Fills the file system up to so many free KB."""
    room = os.statvfs(mount)
    ballast = mount / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - free_kb * 1024)
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def _read_only(mount: Path) -> Iterator[None]:
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(mount)], check=True)


def _build(source: Path, site: Path) -> "subprocess.CompletedProcess[str]":
    command = ["-m", "docshelf.build.cli", "build", str(source), "-o", str(site), "--jobs", "1"]
    return subprocess.run(
        [sys.executable, *command], check=False, capture_output=True, text=True, timeout=180
    )


def _is_whole(site: Path) -> bool:
    return list(check_release((site / "current").resolve())) == []


if __name__ == "__main__":
    outcomes = [asdict(outcome) for outcome in main(*map(Path, sys.argv[1:]))]
    json.dump(outcomes, sys.stdout)
