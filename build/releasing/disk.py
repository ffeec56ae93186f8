"""What a release asks of the disk: files and names that are there for good, and what to say where it refuses."""

import ctypes
import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from docshelf.serve.errors import BuildError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_NO_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS})
"""What renameat2 says where the file system (NFS, for one) or the kernel cannot exchange names."""

_FREE_SPACE = "free some space (SITE/.cache may go, a lower keep.count drops old releases) and build again"
_NO_RIGHT = "give the user {user} the right to write there, or name another folder with -o"
_ADVICE = {
    errno.ENOSPC: _FREE_SPACE,
    errno.EDQUOT: _FREE_SPACE,
    errno.EACCES: _NO_RIGHT,
    errno.EPERM: _NO_RIGHT,
    errno.EROFS: "name a folder that can be written with -o, or mount this one for writing",
    errno.EIO: "the disk or share fails; look into the kernel's log (dmesg), mend it and build again",
    errno.ENOTDIR: "name a folder with -o",
    errno.EEXIST: "name a folder with -o",
}
_COPY_BYTES = 1 << 20


def write_file(target: Path, content: bytes | Path, *, time_ns: int | None = None) -> None:
    """Writes a new file; who needs its bytes on the disk syncs it.

    `time_ns` is the time it shall have, since 1970; None means now.

    Raises: OSError that names a file, also where the disk became full.
    """
    try:
        with target.open("xb") as file:
            if isinstance(content, Path):
                with content.open("rb") as source:
                    shutil.copyfileobj(source, file, _COPY_BYTES)
            else:
                file.write(content)
            file.flush()
            if time_ns is not None:
                os.utime(file.fileno(), ns=(time_ns, time_ns))
    except OSError as exc:
        exc.filename = exc.filename or str(target)
        raise


def make_folder(folder: Path) -> None:
    """Makes the folder and those above it, where they are missing, for good.

    Raises: OSError.
    """
    missing = [it for it in (folder, *folder.absolute().parents) if not it.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        # One may be allowed to make a name in a folder and not to list it.
        with suppress(PermissionError):
            fsync_folder(made.parent)


def fsync_file(file: Path) -> None:
    """Waits until the bytes of `file` are on the disk."""
    _fsync(file, os.O_RDONLY)


def sync_file_system(folder: Path) -> None:
    """Waits until all that was written to the file system of `folder` is on the disk, names among it.

    One call for any number of new folders: to fsync each makes the disk flush its cache as often (1,000
    folders: 3.4 s instead of 0.04).

    Raises: OSError.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if ctypes.CDLL(None, use_errno=True).syncfs(descriptor):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(folder))
    finally:
        os.close(descriptor)


def fsync_folder(folder: Path) -> None:
    """Waits until the names in `folder` are on the disk."""
    _fsync(folder, os.O_RDONLY | os.O_DIRECTORY)


def exchange(one: Path, other: Path) -> None:
    """Gives each of two folders the other's name, in one step: at no moment is either name missing.

    Where the file system has no such step there is a moment without `other`.

    Raises: OSError; both have the names they had.
    """
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    number = errno.ENOSYS
    if renameat2 is not None:
        names = os.fsencode(one), os.fsencode(other)
        if renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
            return
        number = ctypes.get_errno()
    if number not in _NO_EXCHANGE:
        raise OSError(number, os.strerror(number), str(other))
    aside = one.with_name(f"{one.name}-aside")
    other.rename(aside)
    one.rename(other)
    aside.rename(one)


def write_failed(output: Path, error: OSError, outcome: str = "nothing was published") -> BuildError:
    """The error that says where the disk refused, why, what that left behind, and what to do."""
    advice = _ADVICE.get(error.errno or 0, "mend this and build again").format(user=os.geteuid())
    where = error.filename or output
    return BuildError(f"{where}: {error.strerror or error}; {outcome}: {advice}")


def _fsync(file: Path, flags: int) -> None:
    descriptor = os.open(file, flags | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as exc:
        exc.filename = exc.filename or str(file)
        raise
    finally:
        os.close(descriptor)
