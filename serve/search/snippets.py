"""The piece of a section that shows where the words of a query were found."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from docshelf.serve.search.forms import WordForms
from docshelf.serve.search.plain import body, page_texts
from docshelf.serve.search.words import fold, token_words

_CHARACTERS = 200
_BEFORE = 50
_READ = 100_000
_MARKS_READ = 200
_START = 4


@dataclass(frozen=True, slots=True)
class Snippet:
    """One line of plain text."""

    text: str
    marks: tuple[tuple[int, int], ...]
    """Start and end of each found word in the text."""
    page: int | None
    """PDF page on which the first of the words around which it was cut stands; None where none was found."""


class Finder:
    """Finds the words of a query in texts."""

    def __init__(self, words: Sequence[Collection[str]], forms: WordForms) -> None:
        """`words`: for each word of the query, the words of the index that it may mean."""
        self._forms = forms
        self._groups: dict[str, int] = {}
        for number, meanings in enumerate(words):
            for word in meanings:
                self._groups.setdefault(word, number)
        # A pattern sifts the text quickly; what it lets through is cut by the rules and compared.
        starts = sorted({_start(word) for word in self._groups}, key=lambda start: (-len(start), start))
        joined = "|".join(map(re.escape, starts)).replace("е", "[её]") or r"(?!)"
        self._pattern = re.compile(rf"(?<![^\W_])(?:{joined})\w*(?:[-._/:@]{{1,2}}\w+)*", re.IGNORECASE)

    def found(self, text: str) -> list[tuple[int, int, int]]:
        """Start, end and number of the query's word for each word found in `text`, in order."""
        return [
            (match.start(), match.end(), group)
            for match in self._pattern.finditer(text)
            if (group := self._group(match[0])) is not None
        ]

    def snippet(self, markdown: str) -> Snippet:
        """The piece of a section's text that holds most of the query's words, about 200 characters."""
        pages = list(page_texts(body(markdown)[:_READ]))
        text = " ".join(text for _, text in pages)
        found = self.found(text)[:_MARKS_READ]
        wanted = _best_start(found)
        start, end = _piece(text, wanted)
        before, after = "… " if start else "", "…" if end < len(text) else ""
        moved = len(before) - start
        marks = tuple((s + moved, e + moved) for s, e, _ in found if s >= start and e <= end)
        return Snippet(f"{before}{text[start:end]}{after}", marks, _page_at(pages, wanted) if found else None)

    def _group(self, written: str) -> int | None:
        token = token_words(fold(written))
        for word in token.whole:
            if word in self._groups:
                return self._groups[word]
        for word in token.words:
            stem = self._forms.stem(word)
            if stem in self._groups:
                return self._groups[stem]
        return None


def _page_at(pages: Sequence[tuple[int, str]], position: int) -> int | None:
    """The page whose text holds a position in all texts, joined by spaces; None before the first page mark."""
    starts = list(accumulate((len(text) + 1 for _, text in pages), initial=0))
    return pages[bisect_right(starts, position) - 1][0] or None


def _start(word: str) -> str:
    """Letters that every form of a word of the index begins with."""
    return word[:_START] if len(word) > _START else word[: max(1, len(word) - 1)]


def _best_start(found: Sequence[tuple[int, int, int]]) -> int:
    """Where the piece with most of the query's words begins."""
    best, best_value = 0, (0, 0)
    for at, (start, _, _) in enumerate(found):
        near = [group for begin, _, group in found[at:] if begin < start + _CHARACTERS - _BEFORE]
        value = (len(set(near)), len(near))
        if value > best_value:
            best, best_value = start, value
    return best


def _piece(text: str, wanted: int) -> tuple[int, int]:
    """Start and end of about 200 characters around `wanted`, cut between words."""
    start = max(0, min(wanted - _BEFORE, len(text) - _CHARACTERS))
    if start:
        start = text.find(" ", start, wanted) + 1 or start
    end = min(len(text), start + _CHARACTERS)
    if end < len(text):
        cut = text.rfind(" ", wanted, end)
        end = cut if cut > wanted else end
    return start, end
