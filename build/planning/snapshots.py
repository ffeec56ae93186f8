"""The bytes of a source as they stood at one moment, so that what was read and what is published agree.

A source that did not change is known by its stat (size, times, inode) and costs nothing more. Any other
is copied and hashed in one go: what is converted and published is that copy, which nobody edits.
"""

import hashlib
import os
import time
from io import BufferedReader
from pathlib import Path

from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.build.releasing.digests import Known, open_file
from docshelf.serve.errors import SourceError

RACY_NS = 2_000_000_000
"""A file whose stat is younger may change again without another stat: clocks of file systems tick in steps
of up to 2 s (FAT). It is hashed on the next build too, as git does with its index."""

_BLOCK = 1 << 20

_Stat = tuple[int, int, int, int, int]


class SourceMemo:
    """The sha256 of each source by its stat, kept between builds; without it sources are hashed again."""

    def __init__(self, file: Path) -> None:
        """`file` is where it is kept; a damaged one is as good as none."""
        self._file = file
        self._before = _entries(read_sealed(file))
        self._now: dict[str, tuple[_Stat, str]] = {}

    def find(self, path: str, file: Path) -> tuple[int, str]:
        """Size and sha256 of the source `path`, which stands in `file`; the hash is "" until it is copied.

        A file that cannot even be looked at has no bytes; who copies it learns why.
        """
        try:
            facts = file.stat()
        except OSError:
            return 0, ""
        stat, sha256 = self._before.get(path, (None, ""))
        if stat != _stat(facts):
            return facts.st_size, ""
        self._now[path] = _stat(facts), sha256
        return facts.st_size, sha256

    def copy(self, path: str, file: Path, place: Path, name: str) -> Known:
        """The source's bytes in the file `name` of the folder `place`; its stat is remembered.

        Raises: SourceError `unreadable` where the source cannot be read; OSError where the copy cannot be
            written.
        """
        self._now.pop(path, None)
        begun_ns = time.time_ns()
        hasher, size = hashlib.sha256(), 0
        with _opened(file) as reader, (place / name).open("wb") as writer:
            before = os.fstat(reader.fileno())
            while block := _read(reader):
                hasher.update(block)
                writer.write(block)
                size += len(block)
            after = os.fstat(reader.fileno())
        sha256 = hasher.hexdigest()
        settled = begun_ns - max(before.st_mtime_ns, before.st_ctime_ns) > RACY_NS
        if settled and _stat(before) == _stat(after):
            self._now[path] = _stat(before), sha256
        return Known(place, name, size, sha256)

    def save(self) -> None:
        """Keeps what this build has seen, and nothing of sources that are gone.

        Raises: OSError.
        """
        if self._now != self._before:
            write_sealed(self._file, {path: [*stat, sha256] for path, (stat, sha256) in self._now.items()})


def _opened(file: Path) -> BufferedReader:
    try:
        return open_file(file)
    except OSError as exc:
        raise _unreadable(exc) from exc


def _read(reader: BufferedReader) -> bytes:
    try:
        return reader.read(_BLOCK)
    except OSError as exc:
        raise _unreadable(exc) from exc


def _entries(values: object) -> dict[str, tuple[_Stat, str]]:
    if not isinstance(values, dict):
        return {}
    try:
        return {path: ((a, b, c, d, e), sha256) for path, (a, b, c, d, e, sha256) in values.items()}
    except (TypeError, ValueError):
        return {}


def _stat(facts: os.stat_result) -> _Stat:
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_dev


def _unreadable(error: OSError) -> SourceError:
    return SourceError("unreadable", f"cannot be read ({error.strerror}); mend its rights or remove it")
