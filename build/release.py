"""Publishes a tree: written to a private folder, fsynced, verified, renamed, then the link is switched.

Readers see the old release or the new one, whole, whatever happens in between. Nothing is changed in
place: unchanged files are hard links to the release before, and a changed file never keeps its time.
"""

import errno
import fcntl
import logging
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.digests import Content, measure
from docshelf.serve.config import Keep
from docshelf.serve.errors import BuildError, ShelfDamaged
from docshelf.serve.kept_releases import pinned_ids
from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    FileRow,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_shelf,
)
from docshelf.serve.media import media_type
from docshelf.serve.tree import Release

log = logging.getLogger(__name__)

_PRIVATE = ".tmp-"
_BLOCK = 1 << 20
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
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CurrentRelease:
    """The release before the one that is being built."""

    folder: Path
    release: Release

    def same_file(self, path: str, size_bytes: int, sha256: str) -> Path | None:
        """The release's own file at `path` where it is listed and still holds just these bytes."""
        row = self.release.files.get(path)
        if row is None or (row.bytes, row.sha256) != (size_bytes, sha256):
            return None
        file = self.folder / path
        return file if _is_whole(file, row) else None


@contextmanager
def output_lock(output: Path) -> Iterator[None]:
    """Holds the output folder for one build; makes it where it is missing.

    Raises: BuildError where another build holds it or the folder cannot be written.
    """
    try:
        (output / "releases").mkdir(parents=True, exist_ok=True)
        lock = os.open(output / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as exc:
        raise write_failed(output, exc) from exc
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
        yield
    except BlockingIOError as exc:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "unknown"
        raise BuildError(f"{output}: another build (process {holder}) writes here; wait for it") from exc
    finally:
        os.close(lock)


def current_release(output: Path) -> CurrentRelease | None:
    """The release that readers see, or None where there is none or its manifest is damaged."""
    folder = (output / "current").resolve()
    if folder.parent != (output / "releases").resolve():
        return None
    with suppress(ShelfDamaged):
        return CurrentRelease(folder, Release(folder))
    return None


def publish(
    output: Path,
    files: Mapping[str, Content],
    manifest: ShelfManifest,
    previous: CurrentRelease | None,
    keep: Keep,
) -> Published:
    """Makes `files` the current release of `output`, whose lock the caller holds.

    Raises: BuildError where the disk refuses; the release that was current still is.
    """
    releases = output / "releases"
    private = releases / f"{_PRIVATE}{os.getpid()}"
    try:
        _clear_private(releases)
        private.mkdir()
        rows = [_write(private, path, files[path], previous) for path in sorted(files)]
        listing = write_files(rows)
        named = with_release(manifest, release_id(manifest, listing))
        size = sum(row.bytes for row in rows)
        if previous is not None and previous.release.id == named.release and _holds(previous, rows):
            shutil.rmtree(private)
            return Published(named, False, len(rows), size)
        _write_new(private / FILES_FILE, listing)
        _write_new(private / SHELF_FILE, write_shelf(named))
        _write_new(private / RELEASE_SCRIPT, f'window.docshelfRelease = "{named.release}";\n'.encode())
        _switch(output, private, named.release)
    except OSError as exc:
        shutil.rmtree(private, ignore_errors=True)
        raise write_failed(output, exc) from exc
    try:
        _clear_private(releases)
        _prune(output, named.release, keep)
    except OSError as exc:
        log.warning("%s: an old release could not be removed: %s", exc.filename, exc.strerror)
    return Published(named, True, len(rows), size)


def _write(private: Path, path: str, content: Content, previous: CurrentRelease | None) -> FileRow:
    """Writes one file of the tree, or links the same bytes of the release before."""
    target = private / path
    target.parent.mkdir(parents=True, exist_ok=True)
    size, digest = measure(content)
    row = FileRow(path, size, digest, media_type(path))
    same = previous.same_file(path, size, digest) if previous is not None else None
    if same is not None:
        with suppress(OSError):
            os.link(same, target)
            return row
    _write_new(target, content)
    if measure(target) != (size, digest):
        raise OSError(errno.EIO, f"{path}: what was written is not what the disk holds")
    if previous is not None and path in previous.release.files:
        # Servers that compare size and time would answer 304 for a quick rebuild (measured: 37 of 40).
        with suppress(FileNotFoundError):
            later = max(int(target.stat().st_mtime), int((previous.folder / path).stat().st_mtime) + 1)
            os.utime(target, (later, later))
    return row


def _write_new(target: Path, content: Content) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        if isinstance(content, Path):
            with content.open("rb") as source:
                shutil.copyfileobj(source, file, _BLOCK)
        else:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _switch(output: Path, private: Path, release: str) -> None:
    """Names the private folder after its release and makes it current."""
    for folder, _, _ in os.walk(private):
        fsync_folder(Path(folder))
    target = output / "releases" / release
    if target.exists():
        # An earlier or damaged release of the same content: it makes room in one step.
        target.rename(private.with_name(f"{_PRIVATE}old-{os.getpid()}"))
    private.rename(target)
    fsync_folder(target.parent)
    make_current(output, release)


def make_current(output: Path, release: str) -> None:
    """Lets `current` lead to a release that is there, in one step; the caller holds the lock.

    Raises: OSError; what was current still is.
    """
    link = output / ".current"
    link.unlink(missing_ok=True)
    link.symlink_to(f"releases/{release}")
    link.replace(output / "current")
    stub = output / "index.html"
    if not stub.is_file() or stub.read_bytes() != _STUB:
        new = output / ".index.html"
        new.write_bytes(_STUB)
        new.replace(stub)
    fsync_folder(output)


def _prune(output: Path, current: str, keep: Keep) -> None:
    """Removes releases past `keep.count` that are older than `keep.age_s`.

    The current one and the pinned ones always stay; the pinned ones do not count.
    """
    releases = output / "releases"
    staying = {current, *pinned_ids(output)}
    others = [entry for entry in os.scandir(releases) if entry.name not in staying and entry.name[0] != "."]
    others.sort(key=lambda entry: (entry.stat().st_ctime_ns, entry.name), reverse=True)
    oldest = time.time() - keep.age_s
    for entry in others[keep.count - 1 :]:
        if entry.stat().st_ctime < oldest:
            doomed = releases / f"{_PRIVATE}old-{entry.name}"
            Path(entry.path).rename(doomed)
            shutil.rmtree(doomed)


def _clear_private(releases: Path) -> None:
    for entry in os.scandir(releases):
        if entry.name.startswith(_PRIVATE):
            shutil.rmtree(entry.path)


def _holds(current: CurrentRelease, rows: list[FileRow]) -> bool:
    """Whether the release on disk still holds these files whole, and no others."""
    listed = current.release.files.keys() - {SHELF_FILE, FILES_FILE, RELEASE_SCRIPT}
    return (
        listed == {row.path for row in rows}
        and RELEASE_SCRIPT in current.release.files
        and all(current.same_file(row.path, row.bytes, row.sha256) for row in rows)
    )


def _is_whole(file: Path, row: FileRow) -> bool:
    try:
        return not file.is_symlink() and measure(file) == (row.bytes, row.sha256)
    except OSError:
        return False


def fsync_folder(folder: Path) -> None:
    """Waits until the names in `folder` are on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_failed(output: Path, error: OSError) -> BuildError:
    """The error that says where the disk refused, why, and what to do."""
    advice = {
        errno.ENOSPC: "free some space and build again",
        errno.EDQUOT: "free some space and build again",
        errno.EACCES: "give this user the right to write there, or name another folder with -o",
        errno.EPERM: "give this user the right to write there, or name another folder with -o",
        errno.EROFS: "name a folder that can be written with -o",
        errno.ENOTDIR: "name a folder with -o",
        errno.EEXIST: "name a folder with -o",
    }.get(error.errno or 0, "mend this and build again")
    where = error.filename or output
    return BuildError(f"{where}: {error.strerror or error}; nothing was published: {advice}")
