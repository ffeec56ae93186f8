"""Publishes a tree: written to a private folder, fsynced, verified, renamed, then the link is switched.

Readers see the old release or the new one, whole, whatever happens in between. Nothing is changed in
place: unchanged files are hard links to the release before, and a changed file never keeps its time.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content, Known, measure
from docshelf.build.releasing.disk import exchange, fsync_file, fsync_folder, write_failed, write_file
from docshelf.build.releasing.pruning import PRIVATE, clear_private, private_folder
from docshelf.build.releasing.writing import Tree
from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    FileRow,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
)
from docshelf.serve.media import media_type
from docshelf.serve.releases.kept import current_id

_STUB = b"""<!doctype html>
<meta charset="utf-8">
<title>DocShelf</title>
<meta http-equiv="refresh" content="0; url=current/index.html">
<a href="current/index.html">current/index.html</a>
"""


@dataclass(frozen=True, slots=True)
class Published:
    """What a build left as the current release."""

    manifest: ShelfManifest
    changed: bool
    """False where the release that was current already held just this."""
    rows: Mapping[str, FileRow]
    """Every file that files.tsv lists."""

    @property
    def files(self) -> int:
        """How many files there are."""
        return len(self.rows)

    @property
    def size_bytes(self) -> int:
        """Of all of them."""
        return sum(row.bytes for row in self.rows.values())


def publish(
    output: Path,
    files: Mapping[str, Content],
    manifest: ShelfManifest,
    previous: CurrentRelease | None,
) -> Published:
    """Makes `files` the current release of `output`, whose lock the caller holds.

    Raises: BuildError where the disk refuses; it says what is current now, as a rule what was before.
    """
    releases = output / "releases"
    before = current_id(output)
    try:
        clear_private(output)
        rows, staying = _rows(files, previous)
        listing = write_files(rows)
        named = with_release(manifest, release_id(manifest, listing))
        changed = previous is None or previous.release.id != named.release or not _holds(previous, staying)
        if changed:
            with private_folder(releases) as private:
                tree = Tree(private, previous, staying, _kept_folders(releases))
                tree.write(files, rows)
                tree.write_manifest(named, listing)
                tree.flush()
                _switch(output, private, named.release)
    except OSError as exc:
        raise write_failed(output, exc, switch_outcome(before, current_id(output))) from exc
    return Published(named, changed, {row.path: row for row in rows})


def switch_outcome(before: str | None, now: str | None) -> str:
    """What a switch left that failed, by the releases that were current before and are now."""
    if now == before:
        return "nothing was published"
    return f"the release {now} is current, but the disk may lose it"


def _rows(
    files: Mapping[str, Content], previous: CurrentRelease | None
) -> tuple[list[FileRow], frozenset[str]]:
    """The line of each file, by path, and the paths where the release before holds the same bytes."""
    rows: list[FileRow] = []
    staying: set[str] = set()
    for path in sorted(files):
        content = files[path]
        if previous is not None and _is_kept(path, content, previous):
            row = previous.release.files[path]
            staying.add(path)
        else:
            row = FileRow(path, *measure(content), media_type(path))
            if previous is not None and previous.same_file(path, row.bytes, row.sha256) is not None:
                staying.add(path)
        rows.append(row)
    return rows, frozenset(staying)


def _is_kept(path: str, content: Content, previous: CurrentRelease) -> bool:
    """Whether the content is the release's own file at this path, which the caller knows to be whole."""
    return (
        isinstance(content, Known)
        and content.path == path
        and (content.folder is previous.folder or content.folder == previous.folder)
    )


def _kept_folders(releases: Path) -> list[Path]:
    return [Path(entry.path) for entry in os.scandir(releases) if not entry.name.startswith(".")]


def _switch(output: Path, private: Path, release: str) -> None:
    """Names the private folder after its release and makes it current."""
    target = output / "releases" / release
    if target.exists():
        # An earlier or damaged release of the same content; readers may be in it.
        exchange(private, target)
    else:
        private.rename(target)
    fsync_folder(target.parent)
    make_current(output, release)


def make_current(output: Path, release: str) -> None:
    """Lets `current` lead to a release that is there, in one step; the caller holds the lock.

    Raises: OSError. What was current still is, unless the new link itself could not be flushed.
    """
    stub = output / "index.html"
    if not stub.is_file() or stub.read_bytes() != _STUB:
        _replace(stub, _write_stub)
    _replace(output / "current", lambda new: new.symlink_to(f"releases/{release}"))
    fsync_folder(output)


def _write_stub(new: Path) -> None:
    write_file(new, _STUB)
    fsync_file(new)


def _replace(place: Path, make: Callable[[Path], None]) -> None:
    """Makes something under a private name, then gives it the place of what is there."""
    new = place.with_name(f"{PRIVATE}{place.name}")
    new.unlink(missing_ok=True)
    try:
        make(new)
        new.replace(place)
    except OSError:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def _holds(current: CurrentRelease, staying: frozenset[str]) -> bool:
    """Whether these files, which are whole in the release, are all it lists."""
    unlisted = {SHELF_FILE, FILES_FILE, RELEASE_SCRIPT}
    return RELEASE_SCRIPT in current.release.files and current.release.files.keys() - unlisted == staying
