"""Characters: which of them carry text, which alphabet a letter is of, and text as plain as it reads."""

import re
import unicodedata

_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile(
    # Zero width, and what turns the direction of text.
    "[\u200b\u2060\ufeff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    # Fillers of Hangul and Khmer, signs of Mongolian, invisible operators, notes between lines, of music.
    "\u034f\u115f\u1160\u3164\uffa0\u17b4\u17b5\u180b-\u180f\u2061-\u2065\u206a-\u206f\ufff9-\ufffb\U0001d173-\U0001d17a"
    # Selectors of variants and tags: each can stand for a byte or a letter that nobody sees.
    "\ufe00-\ufe0f\U000e0000-\U000e0fff]"
    # Joiners, but for scripts and pictures whose letters they shape.
    "|(?<![\u0590-\u1fff\u2190-\U0010ffff])[\u200c\u200d]+"
)
"""Characters without a shape of their own (Unicode, Default_Ignorable_Code_Point, without the soft hyphen)."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_LEFTWARD = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LEADERS = re.compile("\ufffd{4,}")
"""Dots that lead to a page number, of a font without a Unicode map."""
_SYMBOL_FONT = {
    0xF0B7: "•",
    0xF0A7: "▪",
    0xF0A8: "□",
    0xF0D8: "➢",
    0xF0FC: "✓",
    0xF02D: "−",
    0xF0B0: "°",
    0xF0B1: "±",
    0xF0B4: "×",
    0xF0A3: "≤",
    0xF0B3: "≥",
    0xF0AE: "→",
    0xF06D: "μ",
    0xF057: "Ω",
}
"""Private-use codes under which Symbol and Wingdings signs are stored by word processors."""

_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\U000f0000-\U0010ffff"
    f"{''.join(chr(code) for code in range(0xE000, 0xF900) if code not in _SYMBOL_FONT)}]"
)

_ALPHABETS = (
    ("latin", 0x41, 0x24F),
    ("greek", 0x370, 0x3FF),
    ("cyrillic", 0x400, 0x52F),
    ("hebrew", 0x590, 0x5FF),
    ("arabic", 0x600, 0x77F),
    ("latin", 0x1E00, 0x1EFF),
    ("greek", 0x1F00, 0x1FFF),
    ("kana", 0x3040, 0x30FF),
    ("han", 0x3400, 0x9FFF),
    ("hangul", 0xAC00, 0xD7AF),
    ("hebrew", 0xFB1D, 0xFB4F),
    ("arabic", 0xFB50, 0xFDFF),
    ("arabic", 0xFE70, 0xFEFC),
)


def plain_text(text: str) -> str:
    """`text` in NFC with every kind of space as U+0020 and without control and invisible characters.

    Soft hyphens stay: only who joins lines knows what they mean. Spaces are not folded.
    """
    if text.isascii():
        return _CONTROLS.sub("", text.replace("\t", " ")) if not text.isprintable() else text
    text = _SPACES.sub(" ", text.replace("\t", " "))
    text = _LEADERS.sub(" ", text)
    text = _CONTROLS.sub("", drop_invisible(text))
    return unicodedata.normalize("NFC", text.translate(_SYMBOL_FONT))


def drop_invisible(text: str) -> str:
    """`text` without characters that nobody sees, also those that turn its direction."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def count_invisible(text: str) -> int:
    """Characters that `drop_invisible` leaves out."""
    return len(text) - len(drop_invisible(text))


def count_unreadable(text: str) -> int:
    """Characters that stand for nothing: replacement, control and private-use characters."""
    return len(_UNREADABLE.findall(text))


def name_alphabet(char: str) -> str:
    """The alphabet a letter is of: `latin`, `greek`, `cyrillic`, …, `other`; "" for what is no letter."""
    if not char.isalpha():
        return ""
    code = ord(char)
    if code in (0xAA, 0xB5, 0xBA, 0x2126):
        return ""
    for name, first, last in _ALPHABETS:
        if first <= code <= last:
            return name
    return "other"


def mixes_alphabets(word: str) -> bool:
    """Whether the letters of one word come from more than one of the alphabets that look alike.

    Parts around hyphens and digits are words of their own: "USB-порт" and "x86-сборка" mix nothing.
    """
    if word.isascii():
        return False
    return any(_is_mixed(part) for part in re.split(r"[\W\d_]+", word))


def _is_mixed(part: str) -> bool:
    found = {name_alphabet(char) for char in part}
    return len(found & {"latin", "greek", "cyrillic", "other", "hebrew", "arabic"}) > 1


def is_right_to_left(text: str) -> bool:
    """Whether more of the letters are Hebrew or Arabic than of any left-to-right alphabet."""
    if text.isascii() or not _LEFTWARD.search(text):
        return False
    alphabets = [name_alphabet(char) for char in text]
    leftward = alphabets.count("hebrew") + alphabets.count("arabic")
    return leftward > 0 and 2 * leftward > sum(bool(name) for name in alphabets)
