"""What one document gives to the search index: its words by section, and what is shown of each section.

Pure and made once per document, so that a build keeps it beside the document's other files; `merging`
puts the documents of a shelf together.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
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
_KNOWN_TOKENS = 100_000


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
    postings: dict[str, list[tuple[int, int]]] = {}
    for number, section in enumerate(sections):
        first = section is meta.sections[0]
        for word, level in _levels(section, texts[section.path], meta.title, first, speller):
            postings.setdefault(word, []).append((number, level))
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
    """The searched words of tokens; texts repeat themselves, so each token is looked at once."""

    def __init__(self) -> None:
        self._stem = WordForms().stem
        self._known: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def count(self, text: str) -> dict[str, int]:
        """How often each searched word stands in a text."""
        counted: dict[str, int] = {}
        for token, times in Counter(tokens(fold(text))).items():
            for word in self._spelled(token)[0]:
                counted[word] = counted.get(word, 0) + times
        return counted

    def pairs(self, text: str, words: int) -> set[str]:
        """Each two of its first `words` words that follow each other but for stop words."""
        cut = tokens(fold(text[: words * LONGEST_WORD]))
        stems = list(islice((stem for token in cut for stem in self._spelled(token)[1]), words))
        return set(map(pair, stems, stems[1:]))

    def _spelled(self, token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """All words that a token is found by, and those that may stand in pairs."""
        known = self._known.get(token)
        if known is None:
            found = token_words(token)
            stems = tuple(self._stem(word) for word in found.words if word not in STOPS)
            stopped = (self._stem(word) for word in found.words if word in STOPS)
            known = ((*found.whole, *stems, *stopped), stems)
            if len(self._known) < _KNOWN_TOKENS:
                self._known[token] = known
        return known


@cache
def _speller() -> _Speller:
    """One for all documents that a worker makes."""
    return _Speller()


def _levels(
    section: SectionEntry, markdown: str, document: str, first: bool, speller: _Speller
) -> Iterator[tuple[str, int]]:
    """Every word of a section with its level: how often it stands there, and whether in a heading or title."""
    text = body(markdown)
    counted = speller.count(f"{section.title}\n{plain(text)}")
    length = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * sum(counted.values()) / _ORDINARY_LENGTH)
    values = {word: times * (_SATURATION + 1) / (times + length) for word, times in counted.items()}
    above = [(_TITLE, section.title), (_HEADING if first else _DOCUMENT, document)]
    for weight, title in (*above, *((_HEADING, title) for title in headings(text))):
        named = speller.count(title)
        for word in named:
            values[word] = values.get(word, 0) + weight / (1 + _LONG_TITLE * len(named))
        for both in speller.pairs(title, _TITLE_WORDS):
            values[both] = values.get(both, 0) + weight * _PAIR
    for line in listing_lines(text):
        for both in speller.pairs(line, _COMMAND_WORDS):
            values.setdefault(both, _COMMAND)
    for word, value in values.items():
        yield word, level_of(value)
