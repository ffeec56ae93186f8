"""Search in one release: reads the shards that a query needs, ranks sections, shows where words were found."""

import threading
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from docshelf.serve.errors import BadRequest, NotOnShelf, ShelfDamaged
from docshelf.serve.releases.addresses import is_index
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.forms import WordForms
from docshelf.serve.search.hits import Hit
from docshelf.serve.search.postings import decode
from docshelf.serve.search.queries import understood
from docshelf.serve.search.ranking import Found, ranked
from docshelf.serve.search.shards import CATALOG, Catalog, read_catalog, read_shard, shard_path
from docshelf.serve.search.snippets import Finder
from docshelf.serve.search.vocabulary import PAIR, Terms, Vocabulary

HITS = 10
HITS_MOST = 50

_KEPT_BYTES = 8 * 1024 * 1024
_LAST = "\uffff"


@dataclass(frozen=True, slots=True)
class _Place:
    """What is shown of a section."""

    path: str
    title: str
    pages: tuple[int, int]
    labels: tuple[str, str]
    document: str


class SearchIndex:
    """The search of one release; nothing is read before the first query. Safe between threads."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._shards = _Shards(release)

    def search(self, query: str, limit: int = HITS, path: str = "") -> list[Hit]:
        """The best sections for `query`, best first; [] where nothing on the shelf answers.

        Any text is a query; of a long one the first 400 characters and 16 words count. `path` narrows the
        search to a category or document ("" is the whole shelf). `limit` is 1 to 50.

        Raises: BadRequest; NotOnShelf where `path` is no address, or where the release was built without
        search; ShelfDamaged.
        """
        if not 1 <= limit <= HITS_MOST:
            raise BadRequest(f"limit must be 1 to {HITS_MOST}.")
        within = self._numbers(path)
        asked = understood(query, self._vocabulary, self._stops)
        words = [[self._found(it, weight) for it, weight in word.items()] for word in asked.words]
        pairs = [found for it in asked.pairs if (found := self._found(it, PAIR)).numbers]
        finder = Finder(asked.words, self._forms)
        best = ranked(words, pairs, self._catalog.sections, within, limit) if words else []
        return [self._hit(number, score, finder) for number, score in best]

    @cached_property
    def _catalog(self) -> Catalog:
        path = shard_path(CATALOG)
        if path not in self._release.files:
            raise NotOnShelf(
                "This release holds no search data; build the shelf again, or use list and fetch."
            )
        return read_catalog(self._release.read(path))

    @cached_property
    def _forms(self) -> WordForms:
        return WordForms(self._catalog.rules)

    @cached_property
    def _stops(self) -> frozenset[str]:
        return frozenset(self._catalog.stops)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._catalog, self._forms, self._shards.terms, self._shards.tails)

    def _found(self, word: str, weight: int) -> Found:
        return Found(weight, *decode(self._vocabulary.postings(word)))

    def _numbers(self, path: str) -> range:
        """The numbers of the sections below an address: they are numbered in the order of their paths."""
        if not path.strip("/"):
            return range(self._catalog.sections)
        key, _ = self._release.addresses.key(path)
        if not is_index(key):
            return range(self._place_before(key), self._place_before(key + _LAST))
        folder = key.rpartition("/")[0]
        if not folder:
            return range(self._catalog.sections)
        return range(self._place_before(f"{folder}/"), self._place_before(f"{folder}/{_LAST}"))

    def _place_before(self, path: str) -> int:
        """How many sections have a path before `path`."""
        row = self._catalog.places
        if not row.names:
            return 0
        at = row.at(path)
        return self._catalog.numbers[at] + bisect_left(
            [place.path for place in self._shards.places(row.names[at])], path
        )

    def _hit(self, number: int, score: int, finder: Finder) -> Hit:
        at = bisect_right(self._catalog.numbers, number) - 1
        places = self._shards.places(self._catalog.places.names[at])
        place = places[number - self._catalog.numbers[at]]
        snippet = finder.snippet(self._release.read(place.path).decode("utf-8", "replace"))
        return Hit(
            path=place.path,
            title=place.title,
            document=place.document,
            pages=place.pages,
            labels=place.labels,
            snippet=snippet.text,
            marks=snippet.marks,
            page=snippet.page,
            score=score,
        )


class _Shards:
    """The shards of a release, read when first needed; those not used for longest go past 8 MB."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._kept: OrderedDict[str, tuple[int, Any]] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def terms(self, name: str) -> Terms:
        """A shard of words."""
        found: Terms = self._read(name, _terms)
        return found

    def tails(self, name: str) -> tuple[str, ...]:
        """A shard of words written backwards, sorted."""
        found: tuple[str, ...] = self._read(name, _tails)
        return found

    def places(self, name: str) -> list[_Place]:
        """A shard of sections, by path."""
        found: list[_Place] = self._read(name, _places)
        return found

    def _read(self, name: str, understand: Callable[[Any], Any]) -> Any:
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name][1]
        path = shard_path(name)
        content = self._release.read(path)
        try:
            value = understand(read_shard(name, content))
        except (AttributeError, TypeError, ValueError) as exc:
            raise ShelfDamaged(f"{path}: {exc}; build the shelf again") from exc
        with self._lock:
            if name not in self._kept:
                self._kept[name] = (len(content), value)
                self._kept_bytes += len(content)
            while self._kept_bytes > _KEPT_BYTES and len(self._kept) > 1:
                self._kept_bytes -= self._kept.popitem(last=False)[1][0]
        return value


def _terms(value: Any) -> Terms:
    words, postings = value
    return Terms(tuple(words.split(" ")), tuple(postings.split(" ")))


def _tails(value: Any) -> tuple[str, ...]:
    return tuple(value.split(" "))


def _places(value: Any) -> list[_Place]:
    return [
        _Place(path, title, (first, last), (first_label, last_label), document)
        for document, places in value
        for path, title, (first, last), (first_label, last_label), _ in places
    ]
