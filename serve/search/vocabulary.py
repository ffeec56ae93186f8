"""The words of a release's index, and which of them a word of a query may mean."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from docshelf.serve.search.forms import WordForms
from docshelf.serve.search.shards import Catalog
from docshelf.serve.search.words import PAIR_SIGN

EXACT, RELATED, BEGUN, BEGINNING, MISTYPED, UNKNOWN_FORM, PAIR = 16, 11, 9, 5, 10, 8, 8
"""Sixteenths of its worth that a word of the index keeps when it is: the query's word; derived from the same
root; its continuation; its continuation beside words already found; it with one error mended; it with an
ending that no rule knows; two of its words in a row."""

_LAST = "\uffff"
_ROOT_RANGE = 4
_RELATED_LEAST = 3
_BEGINNING_LEAST = 2
_MISTYPED_LEAST = 4
_ENDING_MOST = 4
_SHARDS_MOST = 3
_WORDS_MOST = 40
_MENDED_MOST = 4

Meanings = dict[str, int]
"""Words of the index with the sixteenths they count."""


@dataclass(frozen=True, slots=True)
class Terms:
    """One shard of words."""

    words: tuple[str, ...]
    """Sorted by code point."""
    postings: tuple[str, ...]

    def of(self, word: str) -> str:
        """The postings of a word, "" where the shard does not hold it."""
        at = bisect_left(self.words, word)
        return self.postings[at] if at < len(self.words) and self.words[at] == word else ""

    def beginning(self, start: str) -> Iterator[tuple[str, str]]:
        """The words, no pairs, that begin with `start`, in order, with their postings."""
        for at in range(bisect_left(self.words, start), len(self.words)):
            word = self.words[at]
            if not word.startswith(start):
                return
            if PAIR_SIGN not in word:
                yield word, self.postings[at]


class Vocabulary:
    """Looks words up; loads the shards they may stand in, at most three for one look."""

    def __init__(
        self,
        catalog: Catalog,
        forms: WordForms,
        terms: Callable[[str], Terms],
        tails: Callable[[str], tuple[str, ...]],
    ) -> None:
        self._catalog = catalog
        self._forms = forms
        self._terms = terms
        self._tails = tails
        self._swapped = [swap.split("/")[0] for rules in catalog.rules for swap in rules.swaps]

    def stem(self, word: str) -> str:
        """What the index writes for the forms of a word."""
        return self._forms.stem(word)

    def postings(self, word: str) -> str:
        """The postings of a word of the index, "" where there is none."""
        row = self._catalog.terms
        return self._terms(row.names[row.at(word)]).of(word) if row.names else ""

    def known(self, word: str) -> Meanings:
        """The word's own stem and the words of its root."""
        stem = self._forms.stem(word)
        found = {stem: EXACT} if self.postings(stem) else {}
        if word.isalpha() and len(stem) >= _RELATED_LEAST:
            for other in self._related(stem):
                found.setdefault(other, RELATED)
        return found

    def identifier(self, whole: str) -> Meanings:
        """An identifier as it stands."""
        return {whole: EXACT} if self.postings(whole) else {}

    def begun(self, typed: str, weight: int) -> Meanings:
        """The words that `typed` is the beginning of; of very many, those in most sections."""
        if len(typed) < _BEGINNING_LEAST:
            return {}
        found = [(-len(postings), word) for word, postings in self._beginning(typed)]
        return dict.fromkeys((word for _, word in sorted(found)[:_WORDS_MOST]), weight)

    def mistyped(self, typed: str) -> Meanings:
        """The words that are one error away from `typed`, or of which it is a form that no rule knows."""
        if len(typed) < _MISTYPED_LEAST or not typed.isalpha():
            return {}
        found: Meanings = {}
        stem = self._forms.stem(typed)
        # An error leaves one end of the word as it is; two letters in each other's place may be in the middle.
        whole = max(1, (len(stem) - 1) // 2)
        for word, _ in self._beginning(typed[:whole]):
            weight = _distance_weight(typed, word)
            if weight:
                found[word] = weight
        for word in self._ending(stem[-whole:]):
            if word not in found and one_error(stem, word) == 0:
                found[word] = MISTYPED
        best = sorted(found, key=lambda word: (-found[word], -len(word), word))[:_MENDED_MOST]
        mended = {word: found[word] for word in best}
        for word in best:
            for other in self._related(word):
                mended.setdefault(other, found[word] * RELATED // EXACT)
        return mended

    def _related(self, stem: str) -> Iterator[str]:
        roots = self._forms.roots(stem)
        for start in sorted({root[:_ROOT_RANGE] for root in roots}):
            for word, _ in self._beginning(start):
                near = word.startswith(roots) or any(ending in word for ending in self._swapped)
                if near and word != stem and not set(roots).isdisjoint(self._forms.roots(word)):
                    yield word

    def _beginning(self, start: str) -> Iterator[tuple[str, str]]:
        row = self._catalog.terms
        for at in row.between(start, start + _LAST)[:_SHARDS_MOST]:
            yield from self._terms(row.names[at]).beginning(start)

    def _ending(self, end: str) -> Iterator[str]:
        row = self._catalog.tails
        start = end[::-1]
        for at in row.between(start, start + _LAST)[:_SHARDS_MOST]:
            words = self._tails(row.names[at])
            for place in range(bisect_left(words, start), len(words)):
                if not words[place].startswith(start):
                    break
                yield words[place][::-1]


def one_error(typed: str, word: str) -> int | None:
    """How many letters of `typed` follow when its beginning is `word` but for at most one error, else None.

    An error is a wrong, missing or needless letter, or two letters in each other's place.
    """
    if typed.startswith(word):
        return len(typed) - len(word)
    same = 0
    for ours, theirs in zip(typed, word, strict=False):
        if ours != theirs:
            break
        same += 1
    rest, wanted = typed[same:], word[same:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    for tried, expected in (
        (rest[1:], wanted[1:]),
        (rest, wanted[1:]),
        (rest[1:], wanted),
        (swapped, wanted),
    ):
        if tried.startswith(expected):
            return len(tried) - len(expected)
    return None


def _distance_weight(typed: str, word: str) -> int:
    """What `word` counts where `typed` was meant to be a form of it; 0 where it was not."""
    if not _MISTYPED_LEAST <= len(word) <= len(typed) + 1 or len(word) < len(typed) - _ENDING_MOST - 1:
        return 0
    left = one_error(typed, word)
    if left is None or left > _ENDING_MOST:
        return 0
    return UNKNOWN_FORM if typed.startswith(word) else MISTYPED
