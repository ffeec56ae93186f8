"""The files of a shelf's search index, byte for byte, and the words of a shelf read back from them.

Where a shard ends is decided by the words near that place alone, so a change in one document leaves the
shards that hold none of its words as they are.
"""

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from docshelf.build.searching.merging import ShelfWords
from docshelf.build.searching.stops import STOPS
from docshelf.build.searching.words import Place
from docshelf.serve.search.forms import RULES
from docshelf.serve.search.shards import (
    CATALOG,
    Catalog,
    Row,
    read_catalog,
    read_shard,
    shard_path,
    write_catalog,
    write_shard,
)

_TERMS_SIZE, _TERMS_EVERY = 24_000, 256
_TAILS_SIZE, _TAILS_EVERY = 16_000, 1024
_PLACES_SIZE, _PLACES_EVERY = 24, 12
_TAIL_LEAST = 4
"""Words with fewer letters are not looked for by their ends: too many are one letter away."""

_Shard = tuple[str, str, bytes]
"""First key, name, content."""


def search_files(shelf: ShelfWords) -> dict[str, bytes]:
    """Shelf path → content of the index of these words."""
    postings, places = shelf.postings, shelf.places
    words = sorted(postings)
    ends = sorted(word[::-1] for word in words if len(word) >= _TAIL_LEAST and word.isalpha())
    paths = [place.path for _, place in places]
    word_sizes = [len(word) + len(postings[word]) for word in words]
    groups = list(_cut(paths, [1] * len(paths), _PLACES_SIZE, _PLACES_EVERY))
    numbers = list(accumulate(map(len, groups), initial=0))
    terms = [_terms_shard(postings, group) for group in _cut(words, word_sizes, _TERMS_SIZE, _TERMS_EVERY)]
    tails = [_tails_shard(group) for group in _cut(ends, map(len, ends), _TAILS_SIZE, _TAILS_EVERY)]
    shown = [_places_shard(places[first:end]) for first, end in pairwise(numbers)]
    catalog = Catalog(
        sections=len(places),
        terms=_row(terms),
        tails=_row(tails),
        places=_row(shown),
        numbers=tuple(numbers[:-1]),
        rules=RULES,
        stops=tuple(sorted(STOPS)),
    )
    shards = {shard_path(name): content for _, name, content in (*terms, *tails, *shown)}
    return {shard_path(CATALOG): write_catalog(catalog), **shards}


def read_words(read: Callable[[str], bytes]) -> ShelfWords:
    """The words of the shelf whose files `read` gives by shelf path.

    Raises: ShelfDamaged; whatever `read` raises.
    """
    catalog = read_catalog(read(shard_path(CATALOG)))
    postings: dict[str, str] = {}
    for name in catalog.terms.names:
        words, texts = read_shard(name, read(shard_path(name)))
        postings.update(zip(words.split(" "), texts.split(" "), strict=True))
    places: list[tuple[str, Place]] = []
    for name in catalog.places.names:
        for title, rows in read_shard(name, read(shard_path(name))):
            places += [
                (title, Place(path, own, tuple(pages), tuple(labels), opening))
                for path, own, pages, labels, opening in rows
            ]
    return ShelfWords(tuple(places), postings)


def _row(shards: Sequence[_Shard]) -> Row:
    return Row(tuple(first for first, _, _ in shards), tuple(name for _, name, _ in shards))


def _terms_shard(postings: Mapping[str, str], words: Sequence[str]) -> _Shard:
    value = [" ".join(words), " ".join(postings[word] for word in words)]
    return words[0], *write_shard("terms", value)


def _tails_shard(words: Sequence[str]) -> _Shard:
    return words[0], *write_shard("tails", " ".join(words))


def _places_shard(places: Sequence[tuple[str, Place]]) -> _Shard:
    documents: list[tuple[str, list[object]]] = []
    for title, it in places:
        if not documents or documents[-1][0] != title:
            documents.append((title, []))
        documents[-1][1].append([it.path, it.title, it.pages, it.labels, it.opening])
    return places[0][1].path, *write_shard("places", documents)


def _cut(keys: Sequence[str], sizes: Iterable[int], size: int, every: int) -> Iterator[Sequence[str]]:
    """The keys in groups of about `size`, from half to twice of it; a key larger than that stands alone.

    A group ends before a key whose hash says so, about one in `every`, wherever the groups before ended.
    """
    before = list(accumulate(sizes, initial=0))
    start = 0
    while start < len(keys):
        least = bisect_left(before, before[start] + size // 2, start + 1)
        most = max(start + 1, bisect_right(before, before[start] + 2 * size) - 1)
        ends = (at for at in range(least, most) if zlib.crc32(keys[at].encode()) % every == 0)
        end = next(ends, most)
        yield keys[start:end]
        start = end
