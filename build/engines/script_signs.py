"""Raised and lowered signs: exponents, indices and marks of notes, told from the text they stand beside."""

import re

from docshelf.build.engines.pieces import Piece

_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_FIGURES = re.compile(r"\d{1,3}(?:, ?\d{1,3})*")
"""What a mark of a note is printed as, or marks of several."""
_SIGNS = re.compile(r"[∗⋆†‡§¶#$+]{1,4}")
"""Marks of authors; a plain star is one wherever it stands, and in commands it stands for any name."""
_TERM = re.compile(r"\(?\w{1,3}\)?(?:[-+−=]\(?\w{1,3}\)?)+")
"""An exponent that is more than a figure: x+y."""
RAISED_FIGURES = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_BEFORE_MARK = ".,:;!?…>)]»”’\"'" + RAISED_FIGURES
MAX_SCRIPT_LETTERS = 8
"""A longer raised run is a line of its own that happens to overlap, not an exponent."""
RISE, SINK = 0.18, 0.08
"""Shares of the text's size by which a sign stands above or below its baseline."""
SMALLER = 0.85
"""Share of the text's size up to which a sign is small enough."""


def is_mark(piece: Piece, base: Piece, before: Piece | None, last: str, after: Piece | None) -> bool:
    """Whether a piece is the mark of a note that belongs to the word before it, be there a space or not.

    `before` is the piece before it that shows something, `last` the sign before it that does, `after` the piece
    that follows at once; `base` sets the row's size and baseline.
    """
    text = piece.text.strip()
    if before is None or piece.size > SMALLER * base.size or not _FIGURES.fullmatch(text):
        return False
    if not last or _rise(piece, base) <= RISE * base.size or not (last.isalpha() or last in _BEFORE_MARK):
        return False
    if not -0.5 < (piece.box[0] - before.box[2]) / base.size < 0.6:
        return False
    return after is None or not _is_held(piece, after, base)


def _is_held(piece: Piece, after: Piece, base: Piece) -> bool:
    """Whether a raised figure belongs to what follows it: above a line (1/4, ½) or before a letter (¹⁴C)."""
    if piece.text[-1:].isspace() or after.text[:1].isspace():
        return False
    if after.text[:1] in "/⁄":
        return True
    gap = after.box[0] - piece.box[2]
    return gap < 0.1 * base.size and (after.text[:1].isalnum() or gap < -0.1 * base.size)


def script_text(piece: Piece, base: Piece, tail: str) -> str:
    """The piece's text; as a raised or lowered one where it stands so beside `tail`, the text before it."""
    text = piece.text.strip()
    if (
        not text
        or len(text) > MAX_SCRIPT_LETTERS
        or piece.size > SMALLER * base.size
        or (tail and not tail[-1:].strip())
        or (not tail and not text[0].isdigit())
        or (text.isalpha() and not tail[-1:].isdigit())
    ):
        return piece.text
    rise = _rise(piece, base)
    space = piece.text[len(piece.text.rstrip()) :]
    if rise > RISE * base.size:
        return (text if base.mono and _SIGNS.fullmatch(text) else raised(text, tail)) + space
    if rise < -SINK * base.size and text[0].isdigit() and (tail[-1:].isdigit() or _is_index(text, tail)):
        return text.translate(_LOWERED) + space
    return piece.text


def _is_index(text: str, tail: str) -> bool:
    return text.isdigit() and len(text) < 3 and tail[-1:].isalpha()


def raised(text: str, tail: str) -> str:
    """A raised text as it is written after `tail`: with raised figures, else behind a `^` where it could mislead."""
    if all(char in "0123456789+-−–=()" or (char in "ni" and len(text) == 1) for char in text):
        return text.translate(_RAISED)
    if _FIGURES.fullmatch(text):
        return text.translate(_RAISED)
    if _SIGNS.fullmatch(text) and tail[-1:].isalpha():
        return f"^{text}"
    if tail[-1:].isdigit() and text[0].isalnum() and text.lower() not in ("st", "nd", "rd", "th"):
        return f"^{text}" if len(text) == 1 else f"^({text})"
    if _TERM.fullmatch(text) and tail[-1:].isalnum():
        return f"^({text})"
    return text


def _rise(piece: Piece, base: Piece) -> float:
    """Points by which the piece stands above the baseline of the row.

    MuPDF (1.28) gives a run that begins with a space it added itself the baseline of the run before: there the
    feet of the boxes tell.
    """
    rise = base.baseline - piece.baseline
    if rise or not base.text[:1].isspace() or piece.box[0] > base.box[0]:
        return rise
    return (base.box[3] - piece.box[3]) - 0.3 * (base.size - piece.size)
