"""The files of a release in a folder.

They are opened below the folder one name at a time without following links, so a tree that was tampered with
does not lead out of itself.
"""

import errno
import os
import stat
import weakref
from pathlib import Path
from typing import BinaryIO

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.manifest import FileRow

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe in the place of a file must not hold the server; regular files ignore it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Folder:
    """A release's folder.

    It is held open, so a release that was renamed or removed stays itself for whoever reads it; it is closed
    when nothing refers to the object any more.
    """

    def __init__(self, folder: Path) -> None:
        """Raises: ShelfDamaged where there is no such folder."""
        try:
            self._folder_fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as exc:
            raise ShelfDamaged(f"{folder} is no shelf: run docshelf build ({exc.strerror})") from exc
        weakref.finalize(self, os.close, self._folder_fd)

    def open(self, row: FileRow) -> BinaryIO:
        """The file of a row of files.tsv.

        Raises: OSError where it is missing, no regular file or of another size.
        """
        descriptor = self._descriptor(row.path)
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size != row.bytes:
            os.close(descriptor)
            raise OSError(errno.EINVAL, "no regular file of the right size", row.path)
        return os.fdopen(descriptor, "rb")

    def unlisted(self, path: str) -> bytes | None:
        """A file that files.tsv leaves out; None where it is not there."""
        try:
            descriptor = self._descriptor(path)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None

    def _descriptor(self, path: str) -> int:
        """`path` opened below the folder, no link followed on the way."""
        *folders, name = path.split("/")
        at, opened = self._folder_fd, []
        try:
            for folder in folders:
                at = os.open(folder, _DIRECTORY, dir_fd=at)
                opened.append(at)
            return os.open(name, _FILE, dir_fd=at)
        finally:
            for descriptor in opened:
                os.close(descriptor)
