"""Size and sha256 of bytes, in memory or on disk."""

import hashlib
import os
from io import BufferedReader, FileIO
from pathlib import Path
from typing import NamedTuple


class Known(NamedTuple):
    """A file that nobody edits, with what is known of its bytes: nobody has to hash them again.

    A tuple, since a build makes tens of thousands.
    """

    folder: Path
    path: str
    """Inside `folder`, with "/"."""
    size_bytes: int
    sha256: str

    @property
    def file(self) -> Path:
        """Where its bytes lie."""
        return self.folder / self.path


Content = bytes | Path | Known
"""What a file of the tree holds, or where its bytes lie now."""


def measure(content: Content) -> tuple[int, str]:
    """Size in bytes and sha256 in hex; what is known is not read.

    Raises: OSError where a file cannot be read.
    """
    if isinstance(content, Known):
        return content.size_bytes, content.sha256
    if isinstance(content, bytes):
        return len(content), hashlib.sha256(content).hexdigest()
    with open_file(content) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest


def read_content(content: Content) -> bytes:
    """All bytes.

    Raises: OSError where a file cannot be read.
    """
    if isinstance(content, bytes):
        return content
    with open_file(content.file if isinstance(content, Known) else content) as file:
        return file.read()


def open_file(file: Path) -> BufferedReader:
    """The file opened for reading; a pipe in its place does not hold the caller."""
    return BufferedReader(FileIO(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)))
