"""The files of a release's search index: how they are written, and what they hold when read.

Each file is a script that hands its name and one JSON value to a function, `docshelfShard("NAME",VALUE);`,
so that a page that was opened from a disk may load it too. `index.js` is the catalog: it says which shard
holds which words, and carries the rules by which words were cut. A shard's name ends in a hash of its
content: one that did not change keeps its name in the next release.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.search.forms import FormRules

SEARCH_FOLDER = "assets/search"
CATALOG = "index"
FORMAT = 1

_CALL = "docshelfShard("
_DIGEST_LETTERS = 8


@dataclass(frozen=True, slots=True)
class Row:
    """The shards of one kind, in the order of what they hold."""

    firsts: tuple[str, ...]
    """The first word, or path, of each shard; rising."""
    names: tuple[str, ...]

    def at(self, key: str) -> int:
        """Which shard holds `key` if any does; 0 for keys before the first."""
        return max(0, bisect_right(self.firsts, key) - 1)

    def between(self, first: str, last: str) -> range:
        """Which shards may hold keys from `first` to `last`."""
        return range(self.at(first), self.at(last) + 1) if self.firsts else range(0)


@dataclass(frozen=True, slots=True)
class Catalog:
    """index.js."""

    sections: int
    """How many sections are searched; they are numbered from 0 in the order of their paths."""
    terms: Row
    """Shards of words with their postings."""
    tails: Row
    """Shards of words written backwards, for errors at a word's beginning."""
    places: Row
    """Shards of what is shown of each section."""
    numbers: tuple[int, ...]
    """Number of the first section of each shard of places."""
    rules: tuple[FormRules, ...]
    stops: tuple[str, ...]
    """Words that are searched only where a query holds no other."""


def shard_path(name: str) -> str:
    """Shelf path of a shard."""
    return f"{SEARCH_FOLDER}/{name}.js"


def write_shard(kind: str, value: object) -> tuple[str, bytes]:
    """Name and content of a shard; `kind` is what its name begins with."""
    text = _json(value)
    name = f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LETTERS]}"
    return name, _script(name, text)


def write_catalog(catalog: Catalog) -> bytes:
    """The content of index.js."""
    values = asdict(catalog) | {
        "format": FORMAT,
        "stops": " ".join(catalog.stops),
        "terms": [" ".join(catalog.terms.firsts), " ".join(catalog.terms.names)],
        "tails": [" ".join(catalog.tails.firsts), " ".join(catalog.tails.names)],
        "places": [" ".join(catalog.places.firsts), " ".join(catalog.places.names)],
    }
    return _script(CATALOG, _json(values))


def read_catalog(content: bytes) -> Catalog:
    """The catalog in the bytes of index.js.

    Raises: ShelfDamaged; build the shelf again.
    """
    values = read_shard(CATALOG, content)
    try:
        if values["format"] != FORMAT:
            raise ValueError(f"format {values['format']!r} is not {FORMAT}")
        return Catalog(
            sections=int(values["sections"]),
            terms=_row(values["terms"]),
            tails=_row(values["tails"]),
            places=_row(values["places"]),
            numbers=tuple(values["numbers"]),
            rules=tuple(
                FormRules(it["letters"], tuple(it["stem"]), tuple(it["root"]), tuple(it["swaps"]))
                for it in values["rules"]
            ),
            stops=tuple(values["stops"].split()),
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise ShelfDamaged(f"{shard_path(CATALOG)}: {exc}; build the shelf again") from exc


def read_shard(name: str, content: bytes) -> Any:
    """The value in the bytes of the shard `name`.

    Raises: ShelfDamaged; build the shelf again.
    """
    start = f'{_CALL}"{name}",'.encode()
    try:
        if not content.startswith(start) or not content.endswith(b");\n"):
            raise ValueError("is no shard")
        return json.loads(content[len(start) : -3])
    except (ValueError, RecursionError) as exc:
        raise ShelfDamaged(f"{shard_path(name)}: {exc}; build the shelf again") from exc


def _row(value: Sequence[str]) -> Row:
    firsts, names = value
    return Row(tuple(firsts.split()), tuple(names.split()))


def _script(name: str, text: str) -> bytes:
    return f'{_CALL}"{name}",{text});\n'.encode()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
