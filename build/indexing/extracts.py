"""What a text is about, in its own words: its first sentence that says something. No model is used."""

import re
from collections.abc import Iterable

_LINK = re.compile(r"!?\[((?:[^\]\\]|\\.)*)\]\([^)\s]*\)")
_CODE = re.compile(r"(?<!\\)`")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SENTENCE_END = re.compile(r"[.!?…](?=[\s\"»”)]+[^\W\d_a-zа-яё]|\s*$)")
_NOT_PROSE = ("```", "| ", "![", "<!--", "- ", "#")
_CAPTION = re.compile(
    r"(table|figure|fig\.|таблица|табл\.|рисунок|рис\.|note|примечание|внимание|caution|warning|copyright|©)\W",
    re.IGNORECASE,
)
_LEAST_WORDS = 5
_NUMBER = re.compile(
    r"^(?:(?i:chapter|part|appendix|section|глава|часть|приложение|раздел)\s+(?:[A-ZА-Я]|[IVX]+|[0-9]+(?:\.[0-9]+)*)"
    r"|[A-ZА-Я]?[0-9]+(?:\.[0-9]+)*|[A-ZА-Я](?:\.[0-9]+)+|[IVX]{2,}|[A-ZА-Я](?=[.:]))[.:]?\s+"
)
_PART = re.compile(r" \([0-9]+/[0-9]+\)$")


def extract(markdown: Iterable[str], limit: int) -> str:
    """The first sentence of the first paragraph that is prose, at most `limit` characters, as plain text.

    "" where no block is prose of at least five words; captions, notes, lists and listings are none.
    """
    for block in markdown:
        if block.startswith(_NOT_PROSE) or not block:
            continue
        text = plain(block)
        if _CAPTION.match(text) or len(text.split()) < _LEAST_WORDS or not text[0].isalpha():
            continue
        end = _SENTENCE_END.search(text, 20)
        return shorten(text[: end.end()] if end else text, limit)
    return ""


def plain(markdown: str) -> str:
    """One block of our Markdown as a reader sees it: links by their words, no escapes, no marks of code."""
    return _ESCAPE.sub(r"\1", _CODE.sub("", _LINK.sub(r"\1", markdown))).replace("\n", " ").strip()


def bare_title(title: str) -> str:
    """A title without number and part: «Глава 5 Загрузка» → «Загрузка», "8.3 PPPoE (1/2)" → "PPPoE"."""
    return _NUMBER.sub("", _PART.sub("", title)) or title


def shorten(text: str, limit: int) -> str:
    """`text` on one line with at most `limit` characters, cut at a word and marked with "…"."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    at = text.rfind(" ", limit // 2, limit)
    return text[: at if at > 0 else limit - 1].rstrip(" ,;:—-.…") + "…"
