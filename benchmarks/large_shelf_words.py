"""Words for a large shelf: Russian-looking sections whose words are as rare as in real text, and their search data."""

import random
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from itertools import accumulate, product

from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.build.searching.words import DocumentWords

VOCABULARY = 60_000
SECTION_WORDS = 74
_BEGINS = ("за", "пере", "на", "при", "раз", "со", "из", "под", "вы", "об", "до", "про")
_MIDDLES = (
    "вод",
    "стро",
    "груз",
    "лин",
    "каб",
    "мер",
    "связ",
    "пит",
    "рез",
    "клю",
    "тор",
    "бал",
    "ход",
    "зон",
)
_JOINTS = ("", "о", "ир", "ен", "ов", "ат", "ел", "ич", "ан", "ус")
_ENDS = ("ка", "ние", "тель", "ность", "ный", "ать", "ом", "ы", "ия", "ок")


def section_words(number: int) -> str:
    """The words of a section, the same on every call: by Zipf's law, and two codes that stand nowhere else."""
    pick = random.Random(number)
    words, bounds = _vocabulary()
    chosen = [words[bisect_left(bounds, pick.random() * bounds[-1])] for _ in range(SECTION_WORDS)]
    chosen += [f"ВР-{number}", f"E{number:06}"]
    lines = (" ".join(chosen[at : at + 33]).capitalize() for at in range(0, len(chosen), 33))
    return ".\n\n".join(lines) + "."


def query_words(number: int) -> str:
    """What somebody may ask whom section `number` answers: two of its words, neither the commonest."""
    words = sorted(section_words(number).lower().replace(".", "").split(), key=_rank)
    return f"{words[SECTION_WORDS // 2]} {words[SECTION_WORDS - 10]}"


def search_data(documents: Iterable[DocumentWords]) -> dict[str, bytes]:
    """Shelf path → content of the search data that a build writes of these documents, in any order."""
    return search_files(merged(sorted(documents, key=lambda it: it.places[0].path)))


def _rank(word: str) -> int:
    return _ranks().get(word, VOCABULARY)


@cache
def _ranks() -> dict[str, int]:
    return {word: rank for rank, word in enumerate(_vocabulary()[0])}


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Words, the commonest first, and the sums of their frequencies."""
    parts = product(_BEGINS, _MIDDLES, _JOINTS, _MIDDLES, _ENDS)
    words = random.Random(2026).sample(sorted({"".join(it) for it in parts}), VOCABULARY)
    return words, list(accumulate(1 / (rank + 2.7) for rank in range(VOCABULARY)))
