"""Levels of headings, from their numbers first and their look second."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.build.headings.titles import Numbering

MAX_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Title:
    """What a level is decided by."""

    number: Numbering | None
    rank: int
    """Place of its look among all looks: 0 is the largest size, or the smallest indent."""


def even_levels(levels: Sequence[int]) -> list[int]:
    """Levels counted from 1 to 6, none more than one deeper than the one before."""
    even: list[int] = []
    above: list[int] = [min(levels)] if levels and levels[0] > min(levels) else []
    for level in levels:
        while above and above[-1] >= level:
            above.pop()
        above.append(level)
        even.append(min(MAX_LEVEL, len(above)))
    return even


def title_levels(titles: Sequence[Title]) -> list[int]:
    """A level for each title: 4.2 is one below 4, a chapter one below its part, the rest goes by its look."""
    scheme = _Scheme.of(titles)
    numbered = [scheme.level(title.number) if title.number else None for title in titles]
    by_rank: dict[int, Counter[int]] = defaultdict(Counter)
    for title, level in zip(titles, numbered, strict=True):
        if level is not None:
            by_rank[title.rank][level] += 1
    usual = {rank: max(counts, key=lambda level: (counts[level], -level)) for rank, counts in by_rank.items()}
    looks = _look_levels(sorted({title.rank for title in titles}), usual)
    chosen = [
        looks[title.rank] if level is None else level for title, level in zip(titles, numbered, strict=True)
    ]
    return even_levels(chosen)


def _look_levels(ranks: Sequence[int], usual: dict[int, int]) -> dict[int, int]:
    """A level for each rank: that of the numbered titles of the same look, else between its neighbours'."""
    levels: dict[int, int] = {}
    above = 0
    for place, rank in enumerate(ranks):
        if rank in usual:
            level = usual[rank]
        else:
            below = [usual[other] for other in ranks[place + 1 :] if other in usual]
            level = min(above + 1, max(1, min(below) - 1)) if below else above + 1
        levels[rank] = level
        above = max(above, level)
    return levels


@dataclass(frozen=True, slots=True)
class _Scheme:
    """How a document counts its parts."""

    labels: tuple[str, ...]
    """Words for parts in use, the upper ones first."""
    base: int
    """Level of what a plain number such as 4 would be, less one."""

    @classmethod
    def of(cls, titles: Sequence[Title]) -> "_Scheme":
        numbers = [title.number for title in titles if title.number]
        labels = tuple(
            dict.fromkeys(number.label for number in numbers if number.label and number.label != "appendix")
        )
        plain = sum(number.label is None and number.depth == 1 for number in numbers)
        return cls(labels, len(labels) if plain > 1 else max(0, len(labels) - 1))

    def level(self, number: Numbering) -> int:
        if number.label is None:
            return self.base + number.depth
        if number.label in self.labels:
            return self.labels.index(number.label) + number.depth
        top = 2 if self.labels[:1] == ("part",) and (len(self.labels) > 1 or self.base) else 1
        return top + number.depth - 1
