"""The outline of a PDF (its bookmarks), walked object by object.

PyMuPDF 1.28.2 `Document.get_toc()` gives an empty list for a whole outline when one entry is damaged or
linked into a loop, and sends dead entries to page 1. This walk keeps every entry that leads somewhere and
names the ones that do not. It can go once get_toc() reports both.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pymupdf

from docshelf.build.converted import Bookmark, Remark

mupdf = pymupdf.mupdf

MAX_DEPTH = 64
MAX_ENTRIES = 20_000
MAX_TITLE_LETTERS = 500
MAX_NAMED = 5
"""Dead entries whose titles a remark lists."""

_PDF_DOC_HIGH = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
"""What PDFDocEncoding (ISO 32000-1, D.2) holds at 0x80–0x9E; MuPDF decodes titles without a BOM by it."""
_TOP_OPERAND = {"XYZ": 3, "FitH": 2, "FitBH": 2, "FitR": 5}
"""Place of the upper edge in a destination array, by its kind (ISO 32000-1, table 151)."""
_LEFT_OPERAND = {"XYZ": 2, "FitV": 2, "FitBV": 2, "FitR": 2}


@dataclass(frozen=True, slots=True)
class _Place:
    page: int
    """PDF page from 1; 0 means nowhere."""
    y: float | None


@dataclass(slots=True)
class _Faults:
    """What the walk met on its way."""

    dead: list[str] = field(default_factory=list)
    loop: bool = False
    cut: bool = False

    def remarks(self) -> tuple[Remark, ...]:
        found: list[Remark] = []
        if self.loop:
            text = "the outline runs in a circle; each bookmark is taken once; check the bookmarks"
            found.append(Remark("warning", "outline-loop", text))
        if self.dead:
            found.append(Remark("warning", "outline-dead-entries", _dead_text(self.dead)))
        if self.cut:
            text = (
                f"the outline is larger than {MAX_ENTRIES} entries or deeper than {MAX_DEPTH} levels; "
                "the rest of it is left out"
            )
            found.append(Remark("warning", "outline-cut", text))
        return tuple(found)


def read_outline(document: "pymupdf.Document") -> tuple[tuple[Bookmark, ...], tuple[Remark, ...]]:
    """The bookmarks that lead to a page, in outline order, and what is wrong with the others.

    Entries without a title or a page are left out, their children kept. Titles are NFC, white space folded,
    without control characters, at most 500 characters; cp1251 bytes read as Latin are mended. A damaged
    outline gives what can be read of it, never an exception.
    """
    faults = _Faults()
    if not document.is_pdf:
        return (), ()
    bookmarks: list[Bookmark] = []
    try:
        destinations = _Destinations(document)
        for level, item in _walk(destinations.outline_root(), faults):
            title = clean_title(mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(item, "Title")))
            place = destinations.place(item)
            if place is None or not title:
                continue
            if place.page:
                bookmarks.append(Bookmark(level, title, place.page, place.y))
            else:
                faults.dead.append(title)
    except mupdf.FzErrorBase as exc:
        text = f"the outline is damaged and was read in part ({exc}); check the bookmarks"
        return tuple(bookmarks), (*faults.remarks(), Remark("warning", "outline-damaged", text))
    return tuple(bookmarks), faults.remarks()


def clean_title(raw: str) -> str:
    """A bookmark's title as a reader should see it; "" where nothing visible is left."""
    text = "".join(
        " " if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co") else letter for letter in raw
    )
    text = unicodedata.normalize("NFC", " ".join(mend_cyrillic(text).split()))
    return text[:MAX_TITLE_LETTERS].rstrip()


def mend_cyrillic(title: str) -> str:
    """`title` read as cp1251 where it clearly is Russian in Latin clothes ("Ãëàâà 1"), else unchanged."""
    letters = [letter for letter in title if letter.isalpha()]
    high = [letter for letter in letters if "\u00c0" <= letter <= "\u00ff"]
    words = re.findall(r"[^\W\d_]+", title)
    if len(high) < 3 or 2 * len(high) <= len(letters) or not any(_looks_swapped(word) for word in words):
        return title
    mended = "".join(_as_cp1251(letter) for letter in title)
    cyrillic = [word for word in re.findall(r"[^\W\d_]+", mended) if re.search("[А-яЁё]", word)]
    if not cyrillic or not all(re.fullmatch("[А-яЁё]+", word) for word in cyrillic):
        return title
    return mended if any(re.search("[аеиоуыэюяё]", word.lower()) for word in cyrillic) else title


def _looks_swapped(word: str) -> bool:
    """Three high Latin letters in a row: two such already is rare in any Latin spelling."""
    return re.search("[\u00c0-\u00ff]{3}", word) is not None


def _as_cp1251(letter: str) -> str:
    place = _PDF_DOC_HIGH.find(letter)
    code = 0x80 + place if place >= 0 else ord(letter)
    if letter == "€":
        code = 0xA0
    if not 0x80 <= code <= 0xFF:
        return letter
    return bytes([code]).decode("cp1251", "replace")


def _dead_text(titles: list[str]) -> str:
    named = ", ".join(f"'{title}'" for title in titles[:MAX_NAMED]) + (
        ", …" if len(titles) > MAX_NAMED else ""
    )
    subject = "1 bookmark leads" if len(titles) == 1 else f"{len(titles)} bookmarks lead"
    return f"{subject} nowhere: {named}; mend them in the source"


def _walk(root: Any, faults: _Faults) -> Iterator[tuple[int, Any]]:
    """Level (from 1) and object of each entry, parents before children, each object once."""
    seen: set[int] = set()
    waiting = [mupdf.pdf_dict_gets(root, "First")]
    while waiting:
        item = waiting[-1]
        number = mupdf.pdf_to_num(item)
        if not mupdf.pdf_is_dict(item) or number in seen:
            faults.loop |= number in seen
            waiting.pop()
            continue
        if len(seen) >= MAX_ENTRIES:
            faults.cut = True
            return
        seen.add(number)
        yield len(waiting), item
        waiting[-1] = mupdf.pdf_dict_gets(item, "Next")
        child = mupdf.pdf_dict_gets(item, "First")
        if not mupdf.pdf_is_dict(child):
            continue
        if len(waiting) < MAX_DEPTH:
            waiting.append(child)
        else:
            faults.cut = True


class _Destinations:
    """Looks up where outline entries lead, one document at a time."""

    def __init__(self, document: "pymupdf.Document") -> None:
        self._document = document
        self._pdf = mupdf.pdf_specifics(document.this)

    def outline_root(self) -> Any:
        trailer = mupdf.pdf_trailer(self._pdf)
        return mupdf.pdf_dict_getp(trailer, "Root/Outlines")

    def place(self, item: Any) -> _Place | None:
        """Where the entry leads; None where it is not meant to lead to a page (web links, bare groups)."""
        target = mupdf.pdf_dict_gets(item, "Dest")
        if not target.m_internal:
            action = mupdf.pdf_dict_gets(item, "A")
            if not action.m_internal:
                return _Place(0, None)
            if mupdf.pdf_to_name(mupdf.pdf_dict_gets(action, "S")) != "GoTo":
                return None
            target = mupdf.pdf_dict_gets(action, "D")
        return self._target_place(target)

    def _target_place(self, target: Any) -> _Place:
        if mupdf.pdf_is_string(target) or mupdf.pdf_is_name(target):
            try:
                target = mupdf.pdf_lookup_dest(self._pdf, target)
            except mupdf.FzErrorBase:
                return _Place(0, None)
        if mupdf.pdf_is_dict(target):
            target = mupdf.pdf_dict_gets(target, "D")
        if not mupdf.pdf_is_array(target):
            return _Place(0, None)
        first = mupdf.pdf_array_get(target, 0)
        if mupdf.pdf_is_int(first):
            page = mupdf.pdf_to_int(first) + 1
            number = page if 1 <= page <= len(self._page_numbers) else 0
        else:
            number = self._page_numbers.get(mupdf.pdf_to_num(first), 0)
        if not number or mupdf.pdf_is_int(first):
            return _Place(number, None)
        return _Place(number, _top(target, first))

    @cached_property
    def _page_numbers(self) -> dict[int, int]:
        """PDF page by the number of its object."""
        numbers: dict[int, int] = {}
        for index in range(self._document.page_count):
            try:
                numbers.setdefault(self._document.page_xref(index), index + 1)
            except (mupdf.FzErrorBase, RuntimeError, ValueError):
                continue
        return numbers


def _top(target: Any, page: Any) -> float | None:
    """Points from the top of the page as shown to where the destination array points."""
    kind = mupdf.pdf_to_name(mupdf.pdf_array_get(target, 1))
    left = _operand(target, _LEFT_OPERAND.get(kind))
    top = _operand(target, _TOP_OPERAND.get(kind))
    matrix = mupdf.FzMatrix()
    box = mupdf.FzRect()
    try:
        mupdf.pdf_page_obj_transform(page, box, matrix)
    except mupdf.FzErrorBase:
        return None
    # On a page turned by a quarter the printed top comes from the destination's left edge.
    if (matrix.b and left is None) or (matrix.d and top is None):
        return None
    y = matrix.b * (left or 0.0) + matrix.d * (top or 0.0) + matrix.f
    return round(max(0.0, y), 2)


def _operand(target: Any, index: int | None) -> float | None:
    if index is None:
        return None
    value = mupdf.pdf_array_get(target, index)
    return mupdf.pdf_to_real(value) if mupdf.pdf_is_number(value) else None
