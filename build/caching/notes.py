"""What each document was last made of and what came out, kept between builds.

A document whose note says that all that goes into it is as it was is not made again: its files stay in the
current release, from which a new one links them. The notes hold no text; they are safe to delete.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.build.indexing.keywords import Words
from docshelf.build.releasing.digests import Known
from docshelf.build.releasing.release import CurrentRelease
from docshelf.serve.manifest import FileRow, Finding


@dataclass(frozen=True, slots=True)
class NotedFile:
    """One file of a document as the release holds it."""

    path: str
    size_bytes: int
    sha256: str
    mtime_ns: int
    """It never changes in a release: one that did is no longer the file that was written."""


@dataclass(frozen=True, slots=True)
class Note:
    """One document."""

    source: str
    key: str
    """Of everything that decides what stands in its files (`cache.cache_key`)."""
    conversion: str
    """Key of the conversion it was made of."""
    sha256: str
    """Of the source's bytes."""
    findings: tuple[Finding, ...]
    """What composing it found."""
    about: str
    words: Words
    """Of its titles."""
    files: tuple[NotedFile, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of a shelf, one small file per document in `folder`."""

    folder: Path

    def read(self, source: str) -> Note | None:
        """The note of a document; None where there is none, or it is damaged or another's."""
        note = _from_json(read_sealed(self.folder / _name(source)))
        return note if note is not None and note.source == source else None

    def write(self, note: Note) -> None:
        """Keeps a note.

        Raises: OSError.
        """
        write_sealed(self.folder / _name(note.source), _to_json(note))

    def keep_only(self, sources: Iterable[str]) -> None:
        """Forgets all documents but these."""
        wanted = {_name(source) for source in sources}
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                if entry.name not in wanted:
                    Path(entry.path).unlink(missing_ok=True)


def kept_files(note: Note, current: CurrentRelease) -> dict[str, Known] | None:
    """The document's files in the current release; None where one is missing or is not what was written."""
    files: dict[str, Known] = {}
    for noted in note.files:
        known = kept_file(noted, current)
        if known is None:
            return None
        files[noted.path] = known
    return files


def kept_file(noted: NotedFile, current: CurrentRelease) -> Known | None:
    """The file in the current release, where that holds what was noted.

    It is not read: a file is known by its line in files.tsv, its size and its time.
    """
    row = current.release.files.get(noted.path)
    if row is None or (row.bytes, row.sha256) != (noted.size_bytes, noted.sha256):
        return None
    try:
        facts = os.lstat(
            f"{current.folder}/{noted.path}"
        )  # Of 40,000 files: Path takes longer than the kernel.
    except OSError:
        return None
    # An archive, such as the cache of a CI, may keep whole seconds only.
    times = (noted.mtime_ns, noted.mtime_ns // 10**9 * 10**9)
    if facts.st_size != row.bytes or facts.st_mtime_ns not in times or not stat.S_ISREG(facts.st_mode):
        return None
    return Known(current.folder, noted.path, row.bytes, row.sha256)


def note_files(paths: Iterable[str], rows: Mapping[str, FileRow], release: Path) -> Iterator[NotedFile]:
    """What the files of a document are in the release that was published in the folder `release`.

    Raises: OSError where one is not there.
    """
    for path in paths:
        row = rows[path]
        yield NotedFile(path, row.bytes, row.sha256, (release / path).lstat().st_mtime_ns)


def _name(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:32]


def _to_json(note: Note) -> dict[str, Any]:
    """Files and findings as rows: a thousand notes are read on each build."""
    return {
        **{name: getattr(note, name) for name in ("source", "key", "conversion", "sha256", "about")},
        "findings": [astuple(finding) for finding in note.findings],
        "words": asdict(note.words),
        "files": [astuple(file) for file in note.files],
    }


def _from_json(values: Any) -> Note | None:
    try:
        return Note(
            **{
                **values,
                "findings": tuple(Finding(*row) for row in values["findings"]),
                "words": Words(**values["words"]),
                "files": tuple(NotedFile(*row) for row in values["files"]),
            }
        )
    except (KeyError, TypeError):
        return None
