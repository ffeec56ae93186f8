"""Which sections answer a query best. Whole numbers only: both readers come to the same order."""

import heapq
import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.serve.search.postings import LEVEL_VALUES

_RARITY_STEPS = 64
_COUNTED = 1 << 40
"""Above every possible score, so that one number holds how many words were found and what they are worth."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where one word of the index stands."""

    weight: int
    """Sixteenths of its worth that count."""
    numbers: Sequence[int]
    """Sections, rising."""
    levels: Sequence[int]


def ranked(
    words: Sequence[Sequence[Found]], pairs: Sequence[Found], sections: int, within: range, limit: int
) -> list[tuple[int, int]]:
    """The best `limit` sections as (section, score), best first, ties by number; only those `within`.

    Each element of `words` is one word of the query with the words of the index it may mean: the best of
    them counts in a section, times the word's rarity on the shelf. A section that holds only some of the
    query's words keeps two fifths of that and more. Pairs of words add to what their words brought.
    """
    totals: dict[int, int] = {}
    for meanings in words:
        rarity = _rarity(max(len(it.numbers) for it in meanings), sections)
        for number, value in _best(meanings, within).items():
            totals[number] = totals.get(number, 0) + value * rarity + _COUNTED
    for found in pairs:
        rarity = _rarity(len(found.numbers), sections)
        for number, value in _best([found], within).items():
            if number in totals:
                totals[number] += value * rarity
    asked = len(words)
    scores = (
        (-(total % _COUNTED * (2 * asked + 3 * (total // _COUNTED)) // (5 * asked)), number)
        for number, total in totals.items()
    )
    return [(number, -score) for score, number in heapq.nsmallest(limit, scores)]


def _best(meanings: Sequence[Found], within: range) -> dict[int, int]:
    """Section → what the best of the meanings is worth in it."""
    best: dict[int, int] = {}
    for found in sorted(meanings, key=lambda it: -it.weight):
        first, end = bisect_left(found.numbers, within.start), bisect_left(found.numbers, within.stop)
        values = [value * found.weight for value in LEVEL_VALUES]
        worths = [values[level] for level in found.levels[first:end]]
        if not best:
            best = dict(zip(found.numbers[first:end], worths, strict=True))
            continue
        for number, worth in zip(found.numbers[first:end], worths, strict=True):
            if worth > best.get(number, 0):
                best[number] = worth
    return best


def _rarity(frequency: int, sections: int) -> int:
    """How much a word that stands in `frequency` of the shelf's sections says (BM25's idf), in 64ths."""
    said = math.log(1 + (sections - frequency + 0.5) / (frequency + 0.5))
    return math.floor(said * _RARITY_STEPS + 0.5)
