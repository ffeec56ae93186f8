"""Cyrillic that was read as Latin: which code page its bytes are in, and the text mended.

A PDF font without a Unicode map hands over bytes; read as Western they give `Ðóêîâîäñòâî` for `Руководство`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MIN_LETTERS = 12
"""Fewer letters than this prove nothing on their own."""
MIN_HIGH_SHARE = 0.45
"""Share of letters from U+0080 up; no Western language has that many accented letters (Czech: 0.2)."""

_COMMON = (
    " и в на не что для с по это как из или от к при за то его все если может можно быть так уже после но а у о до"
    " под над без был была были будет также чтобы только где когда есть нет вы мы он она они их ее её том этом"
    " та що це від або як які бути є са се ли ще да "
)
_FREQUENT_PAIRS = (
    "ст но то на ен ов ни ра во ко по ро ре пр ал ли ер та не ка ан ть от ет ос ва ла да ор ти ат ом де те ог го ес"
    " ле ел ил ло ит ри за со ии ия ый ой ая ое ие ск ци ус тр ны ис об ма ав ол ми ви нн тв"
)
SAMPLE = 4000
"""Characters that are looked at."""
_WORD = re.compile(r"(?:[^\W\d_]|[×÷])+")
_CYRILLIC_WORD = re.compile(r"[А-яЁёЄєІіЇїҐґЂ-џ]+")
_LETTER = "[А-яЁёЄєІіЇїҐґЂ-џ]"
_BORROWED_I = re.compile(rf"\b(?=[iI]*{_LETTER})(?=\w*[iI])(?:{_LETTER}|[iI])+\b")
"""A word of Cyrillic letters and Latin i."""
_LONE_I = re.compile(rf"(?<={_LETTER} )i(?= {_LETTER})")
_CYRILLIC_I = str.maketrans("iI", "іІ")
_SOURCES = ("cp1252", "latin-1", "mac-roman")
_TARGETS = ("cp1251", "koi8-r", "mac-cyrillic", "t2a")
_T2A = {
    0x7F: "-",
    0x10: "“",
    0x11: "”",
    0x12: "„",
    0x15: "–",
    0x16: "—",
    **dict(
        zip((0x80, 0x82, 0x83, 0x87, 0x88, 0x8F, 0x92, 0x96, 0x99, 0x9B, 0x9C), "ҐЂЋЉЇЅЎЏЄЊЁ", strict=True)
    ),
    **dict(
        zip((0xA0, 0xA2, 0xA3, 0xA7, 0xA8, 0xAF, 0xB2, 0xB6, 0xB9, 0xBB, 0xBC), "ґђћљїѕўџєњё", strict=True)
    ),
    **dict(zip((0x9D, 0x9F, 0xBD, 0xBE, 0xBF), "№§„«»", strict=True)),
}
"""Where the encoding T2A of Cyrillic TeX fonts differs from cp1251 (LaTeX base, t2aenc.dfu)."""


def find_encoding(text: str) -> str | None:
    """The pair "read as>written in" (such as "cp1252>cp1251") that makes Cyrillic of `text`, or None.

    Sure or silent: the letters must be mostly high ones, and what comes out must look like written language:
    usual words or pairs of letters, and capitals where capitals belong.
    """
    if text.isascii():
        return None
    letters = [char for char in text if char.isalpha()]
    high = _count_high(text)
    if len(letters) < MIN_LETTERS or high < MIN_HIGH_SHARE * len(letters):
        return None
    if sum(char > "\u036f" for char in letters) > 0.02 * len(letters):
        return None
    sample = text[:SAMPLE]
    high = _count_high(sample)
    scores = {pair: _likeness(mended, high) for pair, mended in _candidates(sample)}
    if "\x7f" in text:
        scores["cp1252>t2a"] *= 1.1
    best = max(scores, key=lambda pair: scores[pair])
    return best if scores[best] >= 0.5 else None


def mend(text: str, pair: str) -> str:
    """`text` with its characters taken back to bytes and read in the right code page."""
    source, target = pair.split(">")
    if target == "t2a":
        return "".join(_T2A.get(ord(char), "") or _turn_t2a(char, source) for char in text)
    return "".join(char if char.isascii() else _turn(char, source, target) for char in text)


@dataclass(frozen=True, slots=True)
class Mends:
    """How the text of one document is to be mended."""

    fonts: Mapping[str, str] = field(default_factory=dict)
    """Pair by font, for the fonts whose sample left no doubt."""
    usual: str = ""
    """The pair of most of the mended text; "" where nothing is to be mended."""

    def mended(self, font: str, text: str) -> str:
        """The text of a run; of a font without a verdict only words that become plain Cyrillic as a whole."""
        if not self.usual or (text.isascii() and "\x7f" not in text):
            return text
        if pair := self.fonts.get(font):
            mended = mend(text, pair)
        else:
            mended = _WORD.sub(lambda match: _mended_word(match[0], self.usual), text)
        return mended if mended == text else _with_cyrillic_i(mended)


def find_mends(samples: Mapping[str, str]) -> Mends:
    """What to mend in a document of which `samples` holds text by font.

    Fonts of one document were made by one program: a font follows the most usual pair where that reads nearly as
    well as its own best.
    """
    found = {font: pair for font, text in samples.items() if (pair := find_encoding(text))}
    if not found:
        return Mends()
    weights = dict[str, int]()
    for font, pair in sorted(found.items()):
        weights[pair] = weights.get(pair, 0) + len(samples[font])
    usual = max(weights, key=lambda pair: weights[pair])
    for font, pair in found.items():
        text = samples[font][:SAMPLE]
        high = _count_high(text)
        if pair != usual and _likeness(mend(text, usual), high) >= 0.8 * _likeness(mend(text, pair), high):
            found[font] = usual
    return Mends(found, usual)


def _with_cyrillic_i(text: str) -> str:
    """`text` with the Latin i that old Ukrainian fonts lend to Cyrillic words taken back: `лiтер` is `літер`.

    An i on its own becomes one between Cyrillic words of a text that has another inside a word.
    """
    whole = _BORROWED_I.sub(lambda match: match[0].translate(_CYRILLIC_I), text)
    return whole if whole == text else _LONE_I.sub("і", whole)


def _mended_word(word: str, pair: str) -> str:
    high = _count_high(word)
    if high < 2 or high < 0.6 * len(word):
        return word
    whole = mend(word, pair)
    return whole if all(char.isascii() or _CYRILLIC_WORD.fullmatch(char) for char in whole) else word


def _count_high(text: str) -> int:
    """Letters that a Western code page has beyond ASCII."""
    return sum(
        "\u00bf" < char <= "\u02ff" or (char > "\x7f" and char.isalpha() and char <= "\u02ff")
        for char in text
    )


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    for source in _SOURCES:
        for target in _TARGETS:
            pair = f"{source}>{target}"
            yield pair, mend(text, pair)


def _turn(char: str, source: str, target: str) -> str:
    for read_as in (source, "latin-1"):
        try:
            return char.encode(read_as).decode(target)
        except UnicodeError:
            continue
    return char


def _turn_t2a(char: str, source: str) -> str:
    if char.isascii():
        return char
    byte = _turn(char, source, "latin-1")
    return _T2A.get(ord(byte), "") or _turn(byte, "latin-1", "cp1251")


def _likeness(text: str, high: int) -> float:
    """How much `text` looks like written Cyrillic, 0 to about 2: words, pairs of letters, capitals.

    `high` is the number of letters that were to become Cyrillic; those that did not speak against it.
    """
    words = _CYRILLIC_WORD.findall(text)
    letters = sum(map(len, words))
    cased = [word for word in words if len(word) > 2]
    proper = [word for word in cased if word[1:].islower() or word.isupper()]
    if letters < 0.9 * high or len(proper) < 0.8 * len(cased):
        return 0.0
    lower = [word.lower() for word in words]
    common = sum(f" {word} " in _COMMON for word in lower) / max(1, len(lower))
    pairs = [word[i : i + 2] for word in lower for i in range(len(word) - 1)]
    usual = sum(pair in _FREQUENT_PAIRS for pair in pairs) / max(1, len(pairs))
    lowered = sum(word[1:].islower() for word in cased) / max(1, len(cased))
    cased_well = len(proper) / max(1, len(cased))
    return float(usual + common + 0.1 * lowered + 0.5 * cased_well - 0.4) * min(1.0, letters / max(1, high))
