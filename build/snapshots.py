"""The bytes of a source as they stood at one moment, so that what was read and what is published agree."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.digests import measure, open_file
from docshelf.build.release import CurrentRelease
from docshelf.serve.errors import SourceError

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A source's bytes in a file that nobody edits."""

    file: Path
    sha256: str
    size_bytes: int


def take_snapshot(source: Path, place: Path, current: CurrentRelease | None, published: str) -> Snapshot:
    """The source's bytes: in the current release where they did not change, else copied to `place`.

    `published` is the shelf path of the source's copy in a release, "" where releases hold none.

    Raises: SourceError `unreadable` where the file cannot be read.
    """
    try:
        if current is not None and published in current.release.files:
            size, digest = measure(source)
            same = current.same_file(published, size, digest)
            if same is not None:
                return Snapshot(same, digest, size)
        return _copy(source, place)
    except OSError as exc:
        raise SourceError(
            "unreadable", f"cannot be read ({exc.strerror}); mend its rights or remove it"
        ) from exc


def _copy(source: Path, place: Path) -> Snapshot:
    """Hashes just the bytes that it copies: the source may be edited meanwhile."""
    hasher = hashlib.sha256()
    size = 0
    with open_file(source) as reader, place.open("wb") as writer:
        while block := reader.read(_BLOCK):
            hasher.update(block)
            writer.write(block)
            size += len(block)
    return Snapshot(place, hasher.hexdigest(), size)
