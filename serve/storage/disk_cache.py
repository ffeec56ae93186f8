"""Files kept on disk by the hash of their content, least recently used first out."""

import hashlib
import io
import os
import re
import secrets
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from docshelf.serve.errors import ConfigError
from docshelf.serve.releases.tree import SMALL_BYTES

LIMIT_BYTES = 2 * 1024**3
_PART = ".docshelf-part-"
_PART_AGE_S = 3600
"""Nobody writes to a part for so long: a server that was killed has left it. Its process number would not tell,
for containers have numbers of their own.
"""
_NAME = re.compile(r"[0-9a-f]{64}")
_LOCKS = 64


class DiskCache:
    """A folder of files; several processes may share it. Safe between threads."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        """Looks at what `folder` holds already, and makes it where it is missing.

        Raises: ConfigError where it cannot be used.
        """
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._filling = [threading.Lock() for _ in range(_LOCKS)]
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sizes = OrderedDict(_files(folder))
            tempfile.NamedTemporaryFile(dir=folder, prefix=_PART).close()
        except OSError as exc:
            raise ConfigError([f"--cache {folder}: cannot be used ({exc.strerror}); name another"]) from exc
        self._size_bytes = sum(self._sizes.values())

    def filling(self, sha256: str) -> threading.Lock:
        """What to hold while a file is fetched, so that it is fetched once."""
        return self._filling[int(sha256[:4], 16) % _LOCKS]

    def open(self, sha256: str, size_bytes: int) -> BinaryIO | None:
        """The file with this hash; None where it is not kept, or not whole any more.

        Small files are hashed again, for they are read seldom: who reads them keeps them in memory.
        """
        try:
            file = (self._folder / sha256).open("rb")
        except OSError:
            return None
        if os.fstat(file.fileno()).st_size != size_bytes:
            file.close()
            return None
        if size_bytes <= SMALL_BYTES:
            with file:
                content = file.read()
            if hashlib.sha256(content).hexdigest() != sha256:
                return None
            self._used(sha256, size_bytes)
            return io.BytesIO(content)
        self._used(sha256, size_bytes)
        return file

    def add(self, sha256: str, size_bytes: int, chunks: Iterable[bytes]) -> BinaryIO | None:
        """Keeps a file and opens it; None where the chunks are not what the hash and size say.

        Raises: OSError where the disk refuses, and what `chunks` raises.
        """
        part = self._folder / f"{_PART}{secrets.token_hex(8)}"
        digest, left = hashlib.sha256(), size_bytes
        try:
            with part.open("xb") as file:
                for chunk in chunks:
                    left -= len(chunk)
                    if left < 0:
                        return None
                    digest.update(chunk)
                    file.write(chunk)
            if left or digest.hexdigest() != sha256:
                return None
            opened = part.open("rb")
            part.replace(self._folder / sha256)
        finally:
            part.unlink(missing_ok=True)
        self._used(sha256, size_bytes)
        return opened

    def _used(self, sha256: str, size_bytes: int) -> None:
        """Notes that a file was used, and drops others past the limit."""
        with self._lock:
            if sha256 not in self._sizes:
                self._sizes[sha256] = size_bytes
                self._size_bytes += size_bytes
            self._sizes.move_to_end(sha256)
            while self._size_bytes > self._limit_bytes and len(self._sizes) > 1:
                name, dropped = self._sizes.popitem(last=False)
                self._size_bytes -= dropped
                with suppress(OSError):
                    (self._folder / name).unlink()


def _files(folder: Path) -> list[tuple[str, int]]:
    """Names and sizes of what is kept, the oldest first; parts that nobody writes any more are removed."""
    found = []
    before_s = time.time() - _PART_AGE_S
    for entry in os.scandir(folder):
        facts = entry.stat(follow_symlinks=False)
        if entry.name.startswith(_PART):
            if facts.st_mtime < before_s:
                with suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108  a name of scandir
        elif entry.is_file(follow_symlinks=False) and _NAME.fullmatch(entry.name):
            found.append((facts.st_mtime_ns, entry.name, facts.st_size))
    return [(name, size_bytes) for _, name, size_bytes in sorted(found)]
