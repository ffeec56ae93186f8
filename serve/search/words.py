"""Words of a text as search knows them: folded, cut at white space and signs, identifiers kept whole.

The build and both readers (this one and `search-core.js`) cut by the same rules, so what is found is what
was written. Text is folded first, cut into tokens then, and made lower case last: `nextUpdate` is found by
its parts, too.
"""

import re
import unicodedata
from dataclasses import dataclass

LONGEST_WORD = 64
"""Characters of a word that count; longer ones are cut."""

PAIR_SIGN = "!"
"""Stands in no word, and before all signs of words: pairs stand right behind their first word."""

_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u0305\u0307-\u036f]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_TOKEN = re.compile(r"\w+(?:[-._/:@]{1,2}\w+)*(?:(?:\+{1,2}|#)(?!\w))?")
_OUTER = re.compile(r"[/:@]+")
_INNER = re.compile(r"[-._+#]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LATIN = re.compile(r"[a-z]")
_CYRILLIC = re.compile(r"[а-я]")
_NUMBERED = re.compile(r"[\d_]")
_LATIN_TWINS, _CYRILLIC_TWINS = "abekmhopctyxisj", "авекмнорстухіѕј"
_TO_CYRILLIC = str.maketrans(_LATIN_TWINS, _CYRILLIC_TWINS)
_TO_LATIN = str.maketrans(_CYRILLIC_TWINS, _LATIN_TWINS)


@dataclass(frozen=True, slots=True)
class Token:
    """What one token of a text is found by."""

    whole: tuple[str, ...]
    """An identifier in one piece (`net.ipv4.ip_forward`, `10.0.0.1`), with and without its dashes; else ()."""
    words: tuple[str, ...]
    """Its words in lower case: one for plain words, the parts for identifiers."""


def fold(text: str) -> str:
    """`text` without accents, invisible signs and compatibility forms, й kept apart from и; case stays.

    So ё is е, a ligature is its letters and U+00B2 is 2. Signs beyond U+FFFF become spaces: the order of
    words is then the same in Python and in JavaScript.
    """
    if text.isascii():
        return text
    bare = _DROPPED.sub("", unicodedata.normalize("NFKD", text))
    return _ASTRAL.sub(" ", unicodedata.normalize("NFC", bare))


def tokens(folded: str) -> list[str]:
    """The tokens of a folded text in order, in their own case: feed each to `token_words`."""
    return _TOKEN.findall(folded)


def token_words(token: str) -> Token:
    """What a token of `tokens` is found by."""
    lower = token.lower()[:LONGEST_WORD]
    if lower.isalpha():
        return Token((), (one_script(lower), *_camel_parts(token)))
    if lower.isalnum():
        return Token((), (lower,))
    pieces = _OUTER.split(token)
    words: list[str] = []
    for piece in pieces:
        words += _piece_words(piece, nested=len(pieces) > 1)
    whole: tuple[str, ...] = () if _is_prose(lower) else (lower,)
    if whole and lower.count("-") == 1 and lower.replace("-", "").isalpha():
        whole = (lower, lower.replace("-", ""))
    return Token(whole, tuple(dict.fromkeys(word[:LONGEST_WORD] for word in words)))


def pair(first: str, second: str) -> str:
    """How the index writes two stems that follow each other in a title or in a line of a listing."""
    return f"{first}{PAIR_SIGN}{second}"


def one_script(word: str) -> str:
    """A word that mixes Latin and Cyrillic letters of the same shape, in the script that most letters have."""
    latin, cyrillic = len(_LATIN.findall(word)), len(_CYRILLIC.findall(word))
    if not latin or not cyrillic:
        return word
    mended = word.translate(_TO_CYRILLIC if cyrillic >= latin else _TO_LATIN)
    mixed = _LATIN.search(mended) and _CYRILLIC.search(mended)
    return word if mixed else mended


def other_script(word: str) -> str:
    """The word in letters of the same shape from the other script; "" where one has no twin there."""
    twin = word.translate(_TO_CYRILLIC if _LATIN.search(word) else _TO_LATIN)
    mixed = _LATIN.search(twin) and _CYRILLIC.search(twin)
    return "" if mixed or twin == word else twin


def _is_prose(lower: str) -> bool:
    """Whether a compound is words with a dash or a slash between them, found by its parts alone."""
    return bool(_CYRILLIC.search(lower)) and not _NUMBERED.search(lower)


def _piece_words(piece: str, nested: bool) -> list[str]:
    """The words of `sshd_config` in `etc/ssh/sshd_config`: the piece itself, if it is no word, and its parts."""
    lower = piece.lower()
    parts = [part for part in _INNER.split(piece) if part]
    if parts == [piece]:
        return _part_words(piece)
    words = [lower] if nested and not _is_prose(lower) else []
    if all(part.isdecimal() for part in parts):
        return words
    for part in parts:
        words += _part_words(part)
    return words


def _part_words(part: str) -> list[str]:
    lower = part.lower()
    if not lower.isalpha():
        return [lower] if len(lower) > 1 else []
    return [one_script(lower), *_camel_parts(part)]


def _camel_parts(word: str) -> list[str]:
    """`next`, `update` of `nextUpdate`; nothing for words without a capital inside."""
    parts = _CAMEL.split(word)
    return [part.lower() for part in parts if len(part) > 1] if len(parts) > 1 else []
