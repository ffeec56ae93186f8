"""The searched words of documents, kept between builds: safe to delete, and what is damaged is made again.

A document's words are kept under a key of its meta, which holds the hash of each section, and of our own
code that cuts them. Beside them stands what the last index was made of, so that the next one can be made
from it where little changed.
"""

import functools
import os
import unicodedata
from collections.abc import Collection
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path

from docshelf.build.caching.cache import cache_key
from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.build.caching.versions import code_version
from docshelf.build.searching.words import DocumentWords, words_from_json

_LAST = "last"


@dataclass(frozen=True, slots=True)
class Part:
    """One document's share of an index."""

    key: str
    """Of its words in the store."""
    first: str
    """Path of its first section."""
    sections: int


@dataclass(frozen=True, slots=True)
class LastIndex:
    """The index that was made last."""

    catalog: str
    """sha256 of its index.js."""
    parts: tuple[Part, ...]
    """In the order of their paths."""


@dataclass(frozen=True, slots=True)
class WordStore:
    """One small file per document in `folder`; only one build writes at a time (the output's lock)."""

    folder: Path

    def file(self, key: str) -> Path:
        """Where the words with this key stand, or will."""
        return self.folder / key

    def read(self, key: str) -> DocumentWords | None:
        """The words with this key; None where there are none, or they are not what was written."""
        values = read_sealed(self.file(key))
        try:
            return words_from_json(values) if values is not None else None
        except (KeyError, TypeError, ValueError):
            return None

    def last(self) -> LastIndex | None:
        """What the last index was made of, if that is known."""
        values = read_sealed(self.folder / _LAST)
        try:
            return LastIndex(values["catalog"], tuple(Part(*row) for row in values["parts"]))
        except (KeyError, TypeError):
            return None

    def remember(self, last: LastIndex) -> None:
        """Keeps what an index was made of, and forgets the words of all other documents.

        Raises: OSError.
        """
        write_sealed(
            self.folder / _LAST, {"catalog": last.catalog, "parts": [astuple(part) for part in last.parts]}
        )
        self._keep_only({_LAST, *(part.key for part in last.parts)})

    def _keep_only(self, names: Collection[str]) -> None:
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                if entry.name not in names:
                    Path(entry.path).unlink(missing_ok=True)


def words_key(meta_sha256: str) -> str:
    """The key of the words of a document, by the sha256 of its meta file."""
    return cache_key({"meta": meta_sha256, "code": _version()})


@functools.cache
def _version() -> str:
    """Changes with everything that turns sections into words."""
    code = code_version("build/searching", "serve/search")
    return f"Unicode {unicodedata.unidata_version}, code {code}"
