"""Words printed with a space after every letter, put together again where it is plain that they are words."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from docshelf.build.characters import name_alphabet

_RUN = re.compile(r"(?<!\w)(?:[^\W\d_] {1,3}){3,}[^\W\d_](?!\w)")
_VOWELS = frozenset("аеёиоуыэюяіїєaeiouy")
MAX_LETTERS = 18
"""Letters of one run; a longer one is several words whose borders are lost."""
SHORT = 3
"""Letters of a word that needs a longer one beside it: what it says alone is no proof."""
MIN_LETTERS = {"cyrillic": 5, "latin": 6, "greek": 6}
"""Letters from which a run is a word; single Latin letters in a row are mostly formulas."""
_Source = TypeVar("_Source")


def close_letters(parts: Sequence[tuple[str, _Source]]) -> list[tuple[str, _Source]]:
    """The parts of a row without the spaces inside of spaced-out words; where words meet, one space stays."""
    text = "".join(part for part, _ in parts)
    gone = {at for found in _RUN.finditer(text) for at in _needless(found)}
    if not gone:
        return list(parts)
    closed, offset = list[tuple[str, _Source]](), 0
    for part, source in parts:
        kept = "".join(char for at, char in enumerate(part, start=offset) if at not in gone)
        offset += len(part)
        if kept:
            closed.append((kept, source))
    return closed


def _needless(run: re.Match[str]) -> Iterator[int]:
    """Places of the spaces to leave out: those inside words, and all but one between words."""
    usual = min(map(len, re.findall(r" +", run[0])))
    words, start = list[tuple[int, int]](), 0
    for gap in re.finditer(f" {{{usual + 1},}}", run[0]):
        words.append((start, gap.start()))
        start = gap.end()
    words.append((start, len(run[0])))
    letters = [run[0][a:b].replace(" ", "") for a, b in words]
    if not any(map(_is_word, letters)) or not all(_is_word(word) or len(word) <= SHORT for word in letters):
        return
    for a, b in words:
        yield from (run.start() + at for at in range(a, b) if run[0][at] == " ")
    for (_, end), (following, _) in pairwise(words):
        yield from range(run.start() + end, run.start() + following - 1)


def _is_word(letters: str) -> bool:
    alphabets = {name_alphabet(letter) for letter in letters}
    if len(alphabets) != 1 or not MIN_LETTERS.get(min(alphabets), 99) <= len(letters) <= MAX_LETTERS:
        return False
    if not (letters.isupper() or letters[1:].islower()):
        return False
    lower = letters.lower()
    is_row = all(ord(b) - ord(a) in (0, 1) for a, b in pairwise(lower))
    vowels = sum(letter in _VOWELS for letter in lower)
    return not is_row and 0.15 * len(lower) < vowels < 0.65 * len(lower)
