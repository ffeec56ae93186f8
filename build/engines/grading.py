"""How far the text of a page can be trusted, by what it holds and never by where it came from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from docshelf.build.characters import count_unreadable, mixes_alphabets, name_alphabet
from docshelf.build.converting.converted import Grade
from docshelf.build.engines.visibility import VisibleText, count_signs

MAX_UNREADABLE = 0.2
"""Share of characters without a meaning from which a page's text says nothing."""
SCANNED_COVER = 0.6
"""Share of the page under pictures from which a few words are a stamp on a scan."""
STAMP_SIGNS = 250
"""Characters up to which text on a scanned page counts as a stamp or running head."""
STAMP_ROWS = 5
MIN_MIXED_WORDS, MIN_MIXED_SHARE = 3, 0.15
_WORD = re.compile(r"[^\W\d_]{4,}")
_PLAIN = re.compile("[A-Za-z]+|[\u0400-\u052f]+")
"""Words of one alphabet, told without a look at each letter."""
_FAR = re.compile("[\u0530-\u1dff\u2c00-\ud7ff]")
"""Letters beyond Latin, Greek and Cyrillic."""
_EXOTIC_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Verdict:
    """The grade of a page and why."""

    grade: Grade
    code: str = ""
    """Code of the notice that says why it is no A, "" for an A."""
    readable: bool = True
    """Whether the text may be published."""


def grade_page(text: VisibleText, cover: float, drawn: bool) -> Verdict:
    """The verdict on a page whose pictures cover the share `cover`; `drawn` where lines or fills are on it."""
    signs = count_signs(text.pieces)
    if not signs:
        has_picture = cover > 0.02 or drawn
        return Verdict("C", "no-text-layer", readable=False) if has_picture else Verdict("A", readable=False)
    words = " ".join("".join(p.text for p in strip) for _, strip in groupby(text.pieces, lambda p: p.strip))
    if _is_unreadable(words, signs):
        return Verdict("C", "no-unicode-map", readable=False)
    rows = {round(piece.baseline) for piece in text.pieces}
    is_stamp = signs < STAMP_SIGNS and len(rows) <= STAMP_ROWS
    if cover >= SCANNED_COVER and not text.recognised and is_stamp:
        return Verdict("C", "scanned-body")
    if _is_doubtful(_WORD.findall(words)):
        return Verdict("B", "doubtful-text")
    return Verdict("A")


def _is_unreadable(text: str, signs: int) -> bool:
    """Too many signs without a meaning (leaders of replacement characters aside), or letters from everywhere."""
    body = re.sub("\ufffd{12,}", "", text)
    unreadable = count_unreadable(body)
    if len(body) < len(text) and len(body.split()) < 5:
        return True
    if unreadable > MAX_UNREADABLE * signs:
        return True
    return bool(_FAR.search(text)) and _is_gibberish(text)


def _is_gibberish(text: str) -> bool:
    """Letters of many scripts that no page uses together: glyph numbers passed off as characters."""
    alphabets = [name for char in text if (name := name_alphabet(char))]
    exotic = alphabets.count("other")
    kinds = {char >> 7 for char in map(ord, text) if char > 0x52F and chr(char).isalpha()}
    return exotic > _EXOTIC_SHARE * max(1, len(alphabets)) and len(kinds) >= 6 and len(set(alphabets)) >= 3


def _is_doubtful(words: Sequence[str]) -> bool:
    mixed = sum(_mixes(word) for word in words if not _PLAIN.fullmatch(word))
    return mixed >= MIN_MIXED_WORDS and mixed >= MIN_MIXED_SHARE * len(words)


def _mixes(word: str) -> bool:
    """One Greek letter beside Latin ones is a unit or a formula (`kΩ`, `Δx`), not a fault of reading."""
    if not mixes_alphabets(word):
        return False
    names = [name_alphabet(char) for char in word]
    return names.count("cyrillic") > 0 or names.count("greek") > 2
