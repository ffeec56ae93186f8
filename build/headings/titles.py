"""What a heading says: its key for comparison, its number, its clean form."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Label = Literal["part", "chapter", "section", "appendix"]

_LABELS: dict[str, Label] = {
    "part": "part",
    "часть": "part",
    "частина": "part",
    "teil": "part",
    "chapter": "chapter",
    "глава": "chapter",
    "розділ": "chapter",
    "kapitel": "chapter",
    "chapitre": "chapter",
    "capítulo": "chapter",
    "раздел": "section",
    "section": "section",
    "приложение": "appendix",
    "додаток": "appendix",
    "appendix": "appendix",
    "annex": "appendix",
    "anhang": "appendix",
    "annexe": "appendix",
}
_LABEL = "|".join(_LABELS)
_LABELLED = re.compile(
    rf"({_LABEL})\s+(\d{{1,3}}(?:\.\d{{1,3}})*|[IVXLC]{{1,6}}|[A-ZА-Я])\b[.:)]?\s*", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:§\s*)?((?:\d{1,3}|[A-ZА-Я](?=\.\d))(?:\.\d{1,3})*)(?:[.):]|(?=\s))\s*")
_ROMAN = re.compile(r"([IVX]{1,5})\.\s+")
_LETTERED = re.compile(r"([A-ZА-Я])[.):]?\s+(?=\S)")
_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_SPELLED_OUT = str.maketrans({**_LIGATURES, "\u00ad": "", "\u200b": "", "\u2060": "", "\ufeff": ""})
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Numbering:
    """The number a heading begins with."""

    numbers: tuple[str, ...]
    """("4", "2") for 4.2; roman and lettered numbers are kept as letters."""
    label: Label | None = None
    """The word before it: part, chapter, section or appendix."""
    end: int = 0
    """Where the title proper begins; equals the length of the text where the number stands alone."""

    @property
    def depth(self) -> int:
        """1 for "4", 2 for "4.2"."""
        return len(self.numbers)


def numbering(text: str) -> Numbering | None:
    """The number at the begin of a heading such as "4.2 Ports", "Глава 5. Порты" or "Appendix A"."""
    start = len(text) - len(text.lstrip())
    if match := _LABELLED.match(text, start):
        numbers = tuple(match[2].split("."))
        return Numbering(numbers, _LABELS[match[1].casefold()], match.end())
    if match := _NUMBERED.match(text, start) or _ROMAN.match(text, start):
        return Numbering(tuple(match[1].split(".")), None, match.end())
    return None


def fold(text: str) -> str:
    """Letters and digits only, without case: what is compared of two titles ("ё" counts as "е")."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold().replace("ё", "е")))


def key(text: str) -> str:
    """`fold`, or the signs themselves where a title has neither letters nor digits ("***")."""
    return fold(text) or "".join(text.split())


def bare_key(text: str) -> str:
    """`key` of the text behind its number or letter; of all of it where nothing else stands there."""
    found = numbering(text)
    if found is not None:
        return fold(text[found.end :]) or key(text)
    if match := _LETTERED.match(text.lstrip()):
        return fold(text.lstrip()[match.end() :]) or key(text)
    return key(text)


def clean(text: str) -> str:
    """A title fit to publish: NFC, ligatures spelled out, white space folded."""
    visible = "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    return " ".join(unicodedata.normalize("NFC", visible.translate(_SPELLED_OUT)).split())


def join(first: str, second: str) -> str:
    """Two printed lines of one title as one text; a word broken at the line end is closed up."""
    if re.search(r"[^\W\d_]-$", first) and second[:1].islower():
        return first[:-1] + second
    return f"{first} {second}" if first and second else first or second


def mixes_alphabets(title: str) -> bool:
    """Latin and Cyrillic letters stand in one word."""
    return any(
        re.search("[a-z]", word, re.IGNORECASE) and re.search("[\u0400-\u04ff]", word)
        for word in _WORD.findall(title)
    )
