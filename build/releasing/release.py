"""Publishes a tree: written to a private folder, fsynced, verified, renamed, then the link is switched.

Readers see the old release or the new one, whole, whatever happens in between. Nothing is changed in
place: unchanged files are hard links to the release before, and a changed file never keeps its time.
"""

import errno
import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from docshelf.build.releasing.digests import Content, Known, measure
from docshelf.build.releasing.disk import (
    exchange,
    fsync_file,
    fsync_folder,
    sync_file_system,
    write_failed,
    write_file,
)
from docshelf.build.releasing.links import link_files, make_folders
from docshelf.build.releasing.pruning import PRIVATE, clear_private, private_folder
from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    DocumentMeta,
    FileRow,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_shelf,
)
from docshelf.serve.media import media_type
from docshelf.serve.releases.kept import current_id
from docshelf.serve.releases.tree import Release

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


@dataclass(frozen=True, slots=True)
class CurrentRelease:
    """The release before the one that is being built."""

    folder: Path
    release: Release
    metas: dict[str, DocumentMeta] = field(default_factory=dict)
    """Those that were read, by sha256; they are the same in other releases that hold these bytes."""

    def meta(self, path: str) -> DocumentMeta:
        """The document's meta that stands at `path`; one that was read before is not read again.

        Raises: NotOnShelf; ShelfDamaged.
        """
        sha256 = self.release.row(path).sha256
        meta = self.metas.get(sha256)
        if meta is None:
            meta = self.metas[sha256] = self.release.meta(path)
        return meta

    def same_file(self, path: str, size_bytes: int, sha256: str) -> Path | None:
        """The release's own file at `path` where it is listed and still holds just these bytes."""
        row = self.release.files.get(path)
        if row is None or (row.bytes, row.sha256) != (size_bytes, sha256):
            return None
        file = self.folder / path
        return file if _is_whole(file, row) else None


def current_release(output: Path) -> CurrentRelease | None:
    """The release that readers see, or None where there is none or its manifest is damaged or unreadable."""
    name = current_id(output)
    if name is None:
        return None
    folder = (output / "releases" / name).resolve()
    with suppress(ShelfDamaged, OSError):
        return CurrentRelease(folder, Release(folder))
    return None


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
                tree = _Tree(private, previous, staying, _kept_folders(releases))
                tree.write(files, rows)
                tree.write_manifest(named, listing)
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


@dataclass(frozen=True, slots=True)
class _Tree:
    """A release while it is written."""

    folder: Path
    previous: CurrentRelease | None
    staying: frozenset[str]
    """Paths where the release before holds the same bytes."""
    kept: Collection[Path]
    """The folders of all releases that readers may know."""

    def write(self, files: Mapping[str, Content], rows: list[FileRow]) -> None:
        """Links what stays to the release before, and writes the rest."""
        make_folders(self.folder, [row.path for row in rows] + [RELEASE_SCRIPT])
        linked = self._link([row.path for row in rows if row.path in self.staying])
        for row in rows:
            if row.path not in linked:
                self._write(row, files[row.path])

    def write_manifest(self, named: ShelfManifest, listing: bytes) -> None:
        """Writes the three files that files.tsv leaves out, and waits until the whole tree is on the disk."""
        script = f'window.docshelfRelease = "{named.release}";\n'.encode()
        for path, content in (
            (FILES_FILE, listing),
            (SHELF_FILE, write_shelf(named)),
            (RELEASE_SCRIPT, script),
        ):
            write_file(self.folder / path, content, time_ns=self._time_ns(path))
        sync_file_system(self.folder)

    def _link(self, paths: list[str]) -> set[str]:
        """Links these files of the release before, in order of their folders; gives those that were linked."""
        return link_files(self.previous.folder, self.folder, paths) if self.previous is not None else set()

    def _write(self, row: FileRow, content: Content) -> None:
        """Writes one file; a copy that the build made for itself is linked instead."""
        target, time_ns = self.folder / row.path, self._time_ns(row.path)
        if self._link_known(target, content):
            if time_ns is not None:
                os.utime(target, ns=(time_ns, time_ns))
            fsync_file(target)
            return
        write_file(target, content.file if isinstance(content, Known) else content, time_ns=time_ns)
        if measure(target) != (row.bytes, row.sha256):
            raise OSError(errno.EIO, "what was written is not what the disk holds", str(target))

    def _link_known(self, target: Path, content: Content) -> bool:
        """Whether a known file was linked to `target`; never one of a release, whose time may not change."""
        if not isinstance(content, Known) or (self.previous and content.folder == self.previous.folder):
            return False
        try:
            os.link(content.file, target)
        except OSError:
            return False
        return True

    def _time_ns(self, path: str) -> int | None:
        """The time that the file has to have, since 1970; None where any will do.

        Servers that compare size and time would answer 304 for a quick rebuild (measured: 37 of 40). So a
        changed file is later, by whole seconds, than all that kept releases hold at its path: readers know
        them too. What stays, where it could not be linked, keeps its time.
        """
        if self.previous is not None and path in self.staying:
            return (self.previous.folder / path).stat().st_mtime_ns
        times = []
        for folder in self.kept:
            with suppress(OSError):
                times.append(int((folder / path).stat().st_mtime))
        return max(int(time.time()), max(times) + 1) * 10**9 if times else None


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
        _replace(stub, lambda new: write_file(new, _STUB))
    _replace(output / "current", lambda new: new.symlink_to(f"releases/{release}"))
    fsync_folder(output)


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


def _is_whole(file: Path, row: FileRow) -> bool:
    try:
        return not file.is_symlink() and measure(file) == (row.bytes, row.sha256)
    except OSError:
        return False
