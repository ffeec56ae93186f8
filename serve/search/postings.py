"""Postings: in which sections a word stands and how much it says there, as a string that both readers decode.

One sign per section: `(DISTANCE << 4 | LEVEL) + 35`, where the distance is from the number of the section
before (from 0 for the first) and the level is 1 to 15. Level 0 only goes further, for distances that do not
fit. So a list holds no quote mark, no surrogate and no control character, gzip sees repeating bytes, and a
reader turns it into numbers without a step per bit.
"""

import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate, pairwise

LEVEL_VALUES = (0, 3, 4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60, 76)
"""What a level is worth, in tenths of a word that stands once in a text of ordinary length; by level."""

_BETWEEN_LEVELS = tuple((low + high) / 2 for low, high in pairwise(LEVEL_VALUES[1:]))
_BITS = 4
_LEVELS = (1 << _BITS) - 1
_FIRST = 35
_FURTHEST = (0xD7FF - _FIRST) >> _BITS
_NATIVE = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"


def level_of(value: float) -> int:
    """The level whose value is nearest to `value` (in whole words, not tenths), 1 to 15."""
    return bisect_right(_BETWEEN_LEVELS, value * 10) + 1


def encode(postings: Iterable[tuple[int, int]], before: int = 0) -> str:
    """The string of (section number, level) pairs in rising order; `before` is the number it goes on from."""
    signs: list[str] = []
    for number, level in postings:
        signs.append(_sign(number - before, level))
        before = number
    return "".join(signs)


def shifted(text: str, distance: int) -> str:
    """A string whose first section is `distance` further on; negative: nearer."""
    first = ord(text[0]) - _FIRST
    if not first & _LEVELS:
        return encode((number + distance, level) for number, level in zip(*decode(text), strict=True))
    return _sign((first >> _BITS) + distance, first & _LEVELS) + text[1:]


def decode(text: str) -> tuple[list[int], list[int]]:
    """Section numbers in rising order, and the level in each.

    Raises: UnicodeEncodeError where the text holds a lone surrogate.
    """
    codes = array("H")
    codes.frombytes(text.encode(_NATIVE))
    numbers = list(accumulate([(code - _FIRST) >> _BITS for code in codes]))
    levels = [(code - _FIRST) & _LEVELS for code in codes]
    if 0 in levels:
        kept = [at for at, level in enumerate(levels) if level]
        return [numbers[at] for at in kept], [levels[at] for at in kept]
    return numbers, levels


def _sign(distance: int, level: int) -> str:
    if distance < _FURTHEST:
        return chr((distance << _BITS | level) + _FIRST)
    further, rest = divmod(distance, _FURTHEST)
    return chr((_FURTHEST << _BITS) + _FIRST) * further + chr((rest << _BITS | level) + _FIRST)
