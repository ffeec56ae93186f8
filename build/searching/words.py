"""What one document gives to the search index: its words by section, and what is shown of each section.

Pure and made once per document, so that a build keeps it beside the document's other files; `merging`
puts the documents of a shelf together.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from functools import cache
from itertools import islice
from typing import Any

from docshelf.build.searching.stops import STOPS
from docshelf.serve.manifest import DocumentMeta, SectionEntry
from docshelf.serve.search.forms import WordForms
from docshelf.serve.search.plain import beginning, body, headings, listing_lines, plain
from docshelf.serve.search.postings import encode, level_of
from docshelf.serve.search.words import LONGEST_WORD, fold, pair, token_words, tokens

_ORDINARY_LENGTH = 700
"""Words of a section, about. A constant, so that a document's levels do not depend on the others."""

# BM25's k1 and b, and what a word in a title counts beside one in the text. Chosen on 96 questions in other
# words than the documents' (benchmarks/questions.tsv): 87 lead to their section among five, 74 with titles
# and headings that count twice as much (2026-11-30).
_SATURATION = 1.7
_LENGTH_SHARE = 0.6
_TITLE, _HEADING, _DOCUMENT = 2.5, 0.8, 0.5
_LONG_TITLE = 0.3
_PAIR, _COMMAND = 0.25, 1.5
_TITLE_WORDS, _COMMAND_WORDS = 16, 4
_OPENING_CHARACTERS = 160
_KNOWN_PIECES = 100_000


@dataclass(frozen=True, slots=True)
class Place:
    """What is shown of a section."""

    path: str
    title: str
    pages: tuple[int, int]
    labels: tuple[str, str]
    opening: str
    """The beginning of its text, for pages that cannot load the section itself."""


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """One document's part of the index."""

    title: str
    places: tuple[Place, ...]
    """Its sections, by path; postings count them from 0."""
    postings: Mapping[str, tuple[str, int]]
    """Word → its postings in this document, and the last section among them."""


def document_words(meta: DocumentMeta, texts: Mapping[str, str]) -> DocumentWords:
    """The part of the document that `meta` describes; `texts` holds the Markdown of its sections by path."""
    speller = _speller()
    sections = sorted(meta.sections, key=lambda section: section.path)
    above = speller.title(meta.title, _DOCUMENT)
    postings: dict[str, list[tuple[int, int]]] = {}
    for number, section in enumerate(sections):
        named = speller.title(meta.title, _HEADING) if section is meta.sections[0] else above
        for word, value in _values(section, texts[section.path], named, speller).items():
            postings.setdefault(word, []).append((number, level_of(value)))
    return DocumentWords(
        title=meta.title,
        places=tuple(
            Place(it.path, it.title, it.pages, it.labels, beginning(texts[it.path], _OPENING_CHARACTERS))
            for it in sections
        ),
        postings={word: (encode(found), found[-1][0]) for word, found in sorted(postings.items())},
    )


def words_to_json(words: DocumentWords) -> dict[str, Any]:
    """A JSON value that `words_from_json` reads back; places as rows, since many are read."""
    places = [astuple(place) for place in words.places]
    return {"title": words.title, "places": places, "postings": words.postings}


def words_from_json(value: Mapping[str, Any]) -> DocumentWords:
    """The part that `words_to_json` wrote."""
    return DocumentWords(
        title=value["title"],
        places=tuple(
            Place(path, title, tuple(pages), tuple(labels), opening)
            for path, title, pages, labels, opening in value["places"]
        ),
        postings={word: (text, last) for word, (text, last) in value["postings"].items()},
    )


class _Speller:
    """The searched words of texts; texts repeat themselves, so what stands between spaces is looked at once.

    That is as good as looking at the whole text: no token and no accent reaches over a space.
    """

    def __init__(self) -> None:
        self._stem = WordForms().stem
        self._known: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def count(self, text: str) -> dict[str, int]:
        """How often each searched word stands in a text."""
        counted: dict[str, int] = {}
        for piece, times in Counter(text.split()).items():
            for word in self._spelled(piece)[0]:
                counted[word] = counted.get(word, 0) + times
        return counted

    def pairs(self, text: str, words: int) -> set[str]:
        """Each two of its first `words` words that follow each other but for stop words."""
        pieces = text[: words * LONGEST_WORD].split()
        stems = list(islice((stem for piece in pieces for stem in self._spelled(piece)[1]), words))
        return set(map(pair, stems, stems[1:]))

    def title(self, text: str, weight: float) -> dict[str, float]:
        """What each word and pair of a title or heading adds to the section below it."""
        named = self.count(text)
        values = dict.fromkeys(named, weight / (1 + _LONG_TITLE * len(named)))
        return values | dict.fromkeys(self.pairs(text, _TITLE_WORDS), weight * _PAIR)

    def _spelled(self, piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All words that the tokens of a piece are found by, and those that may stand in pairs."""
        known = self._known.get(piece)
        if known is None:
            words: list[str] = []
            paired: list[str] = []
            for token in tokens(fold(piece)):
                found = token_words(token)
                stems = [self._stem(word) for word in found.words if word not in STOPS]
                words += (*found.whole, *stems, *(self._stem(word) for word in found.words if word in STOPS))
                paired += stems
            known = tuple(words), tuple(paired)
            if len(self._known) < _KNOWN_PIECES:
                self._known[piece] = known
        return known


@cache
def _speller() -> _Speller:
    """One for all documents that a worker makes."""
    return _Speller()


def _values(
    section: SectionEntry, markdown: str, above: Mapping[str, float], speller: _Speller
) -> dict[str, float]:
    """What every word of a section says there: by how often it stands in the text, in headings and titles.

    `above` is what the document's title adds.
    """
    text = body(markdown)
    counted = speller.count(f"{section.title}\n{plain(text)}")
    length = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * sum(counted.values()) / _ORDINARY_LENGTH)
    values = {word: times * (_SATURATION + 1) / (times + length) for word, times in counted.items()}
    titles = [speller.title(title, _HEADING) for title in headings(text)]
    for named in (speller.title(section.title, _TITLE), above, *titles):
        for word, value in named.items():
            values[word] = values.get(word, 0) + value
    for line in listing_lines(text):
        for both in speller.pairs(line, _COMMAND_WORDS):
            values.setdefault(both, _COMMAND)
    return values
