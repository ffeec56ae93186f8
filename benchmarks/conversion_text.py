"""Markdown and printed text brought to one form, so that engines are compared by what they say.

Escapes, entities, emphasis, links and the HTML tags that converters write are undone; the same is done to
the truth. What an engine gets wrong (order, lost spaces of listings, merged cells) is not touched here.
"""

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_TAG = re.compile(
    r"</?(?:br|sup|sub|b|i|u|s|em|strong|table|thead|tbody|tr|td|th|p|div|span|mark|code|a)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<sup>(.*?)</sup>", re.IGNORECASE | re.DOTALL)
_RAISED_SIGNS = {ord(sign): plain for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ", "0123456789+-ni", strict=True)}
_RAISED_RUN = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱ]+")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_PRIVATE = 0xE000
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LEADER = re.compile(r"(?:[.·…․\ufffd]\s?){4,}")
_DASHES = dict.fromkeys(map(ord, "‐‑‒−–—"), "-")
_SIGNS = {
    **_DASHES,
    ord("∗"): "*",
    ord("\u00ad"): "",
    ord("’"): "'",
    ord("‘"): "'",
    ord("“"): '"',
    ord("”"): '"',
    ord("µ"): "μ",
    ord("∆"): "Δ",
    ord("⁄"): "/",
}


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of Markdown."""

    text: str
    """As written; page marks are gone."""
    fence: int
    """0 outside of listings, else the number of the fence on its page."""


def read_lines(markdown: str) -> Iterator[TextLine]:
    """The lines of a page's Markdown with the listing each belongs to, fence lines left out."""
    number, closing = 0, ""
    for text in markdown.splitlines():
        mark = _FENCE.match(text)
        if closing:
            if mark and mark[1].startswith(closing) and not text.strip().strip(closing[0]):
                closing = ""
            else:
                yield TextLine(text, number)
        elif mark:
            number, closing = number + 1, mark[1]
        elif not text.startswith("<!-- p"):
            yield TextLine(text, 0)


def plain(markdown: str) -> str:
    """The text that a line or page of Markdown shows; raised signs become `^` and plain ones."""
    text = _ESCAPE.sub(lambda found: chr(_PRIVATE + ord(found[1])), markdown)
    text = _RAISED.sub(r"^\1", text)
    text = _LINK.sub(r"\1", text)
    text = _TAG.sub(" ", text)
    text = re.sub(r"\*\*|__|~~|`", "", text)
    text = re.sub(r"(?<![^\W_])_(?=\S)|(?<=\S)_(?![^\W_])", "", text)
    text = "".join(chr(ord(char) - _PRIVATE) if 0xE000 <= ord(char) < 0xE080 else char for char in text)
    text = _RAISED_RUN.sub(lambda found: "^" + found[0].translate(_RAISED_SIGNS), html.unescape(text))
    return unicodedata.normalize("NFKC", text).translate(_SIGNS)


def key(text: str, *, marked: bool = True) -> str:
    """What two texts are compared by: no case, spaces, hyphens, underscores, emphasis or dotted leaders.

    `marked` says that `text` is Markdown; truth and printed text are not.
    """
    shown = plain(text) if marked else unicodedata.normalize("NFKC", _raised(text)).translate(_SIGNS)
    return re.sub(r"[\s\-_*^`\\]", "", _LEADER.sub("", shown.casefold()))


def formula_key(text: str, *, marked: bool = True) -> str:
    """As `key`, with raised signs told from plain ones (`^`) and hyphens and stars kept."""
    shown = plain(text) if marked else unicodedata.normalize("NFKC", _raised(text)).translate(_SIGNS)
    shown = re.sub(r"[\s_`\\]", "", shown.casefold())
    shown = re.sub(r"\^\^+", "^", shown)
    shown = re.sub(r"\[\^(\w+)\]:?", r"^\1", shown)
    shown = re.sub(r"\^[({]([^(){}]*)[)}]", r"^\1", shown)
    return shown.replace("...", "…").replace("…", "...")


def _raised(text: str) -> str:
    return _RAISED_RUN.sub(lambda found: "^" + found[0].translate(_RAISED_SIGNS), text)


def cells(line: str) -> list[str] | None:
    """The cells of a pipe row, as written; None for other lines."""
    text = line.strip()
    if not text.startswith("|") or text.count("|") < 2:
        return None
    inner = re.sub(r"(?<!\\)\|$", "", text[1:])
    return [cell.replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]
