"""Size and sha256 of bytes, in memory or on disk."""

import hashlib
import os
from io import BufferedReader, FileIO
from pathlib import Path

Content = bytes | Path
"""What a file of the tree holds, or where its bytes lie now."""


def measure(content: Content) -> tuple[int, str]:
    """Size in bytes and sha256 in hex.

    Raises: OSError where a file cannot be read.
    """
    if isinstance(content, bytes):
        return len(content), hashlib.sha256(content).hexdigest()
    with open_file(content) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest


def open_file(file: Path) -> BufferedReader:
    """The file opened for reading; a pipe in its place does not hold the caller."""
    return BufferedReader(FileIO(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)))
