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
from typing import Any, NamedTuple

from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.build.indexing.keywords import Words
from docshelf.build.planning.references import (
    NO_REFERENCES,
    References,
    references_from_json,
    references_to_json,
)
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Known
from docshelf.serve.manifest import FileRow, Finding

_Identity = tuple[int, ...]


class NotedFile(NamedTuple):
    """One file of a document as the release holds it: a tuple, since a build reads tens of thousands."""

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
    references: References = NO_REFERENCES


class Notes:
    """The notes of a shelf, one small file per document in `folder`.

    A note that was read stays in memory as long as its file is the same.
    """

    def __init__(self, folder: Path) -> None:
        """Nothing is read before it is asked for."""
        self.folder = folder
        self._read: dict[str, tuple[_Identity, Note | None]] = {}

    def read(self, source: str) -> Note | None:
        """The note of a document; None where there is none, or it is damaged or another's."""
        file = self.folder / _name(source)
        try:
            identity = _identity(file.stat())
        except OSError:
            return None
        known = self._read.get(source)
        if known is None or known[0] != identity:
            note = _from_json(read_sealed(file))
            known = self._read[source] = identity, note if note and note.source == source else None
        return known[1]

    def write(self, note: Note) -> None:
        """Keeps a note.

        Raises: OSError.
        """
        write_sealed(self.folder / _name(note.source), _to_json(note))

    def keep_only(self, sources: Iterable[str]) -> None:
        """Forgets all documents but these."""
        wanted = {_name(source): source for source in sources}
        for source in self._read.keys() - wanted.values():
            del self._read[source]
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                if entry.name not in wanted:
                    Path(entry.path).unlink(missing_ok=True)


def kept_files(note: Note, current: CurrentRelease) -> dict[str, Known] | None:
    """The document's files in the current release; None where one is missing or is not what was written."""
    rows, root = current.release.files, str(current.folder)
    files: dict[str, Known] = {}
    for noted in note.files:
        if not _is_as_noted(noted, rows.get(noted.path), root):
            return None
        files[noted.path] = Known(current.folder, noted.path, noted.size_bytes, noted.sha256)
    return files


def kept_file(noted: NotedFile, current: CurrentRelease) -> Known | None:
    """The file in the current release, where that holds what was noted.

    It is not read: a file is known by its line in files.tsv, its size and its time.
    """
    if not _is_as_noted(noted, current.release.files.get(noted.path), str(current.folder)):
        return None
    return Known(current.folder, noted.path, noted.size_bytes, noted.sha256)


def _is_as_noted(noted: NotedFile, row: FileRow | None, root: str) -> bool:
    """Asked of tens of thousands of files: by text, since pathlib takes longer than the kernel."""
    path, size_bytes, sha256, mtime_ns = noted
    if row is None or row.sha256 != sha256 or row.bytes != size_bytes:
        return False
    try:
        facts = os.lstat(f"{root}/{path}")
    except OSError:
        return False
    if facts.st_size != size_bytes or not stat.S_ISREG(facts.st_mode):
        return False
    # An archive, such as the cache of a CI, may keep whole seconds only.
    return facts.st_mtime_ns == mtime_ns or facts.st_mtime_ns == mtime_ns // 10**9 * 10**9


def note_files(paths: Iterable[str], rows: Mapping[str, FileRow], release: Path) -> Iterator[NotedFile]:
    """What the files of a document are in the release that was published in the folder `release`.

    Raises: OSError where one is not there.
    """
    for path in paths:
        row = rows[path]
        yield NotedFile(path, row.bytes, row.sha256, (release / path).lstat().st_mtime_ns)


def _identity(facts: os.stat_result) -> _Identity:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _name(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:32]


def _to_json(note: Note) -> dict[str, Any]:
    """Files and findings as rows: a thousand notes are read on each build."""
    return {
        **{name: getattr(note, name) for name in ("source", "key", "conversion", "sha256", "about")},
        "findings": [astuple(finding) for finding in note.findings],
        "words": asdict(note.words),
        "files": note.files,
        "references": references_to_json(note.references),
    }


def _from_json(values: Any) -> Note | None:
    try:
        return Note(
            **{
                **values,
                "findings": tuple(Finding(*row) for row in values["findings"]),
                "words": Words(**values["words"]),
                "files": tuple(NotedFile(*row) for row in values["files"]),
                "references": references_from_json(values["references"]),
            }
        )
    except (KeyError, TypeError, ValueError):
        return None
