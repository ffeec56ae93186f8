"""The outline of a PDF (its bookmarks), walked object by object.

PyMuPDF 1.28.2 `Document.get_toc()` gives an empty list for a whole outline when one entry is damaged or
linked into a loop, and sends dead entries to page 1. This walk keeps every entry that leads somewhere and
names the ones that do not. It can go once get_toc() reports both.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from docshelf.build.characters import drop_invisible
from docshelf.build.converting.converted import Bookmark, Remark

if TYPE_CHECKING:
    import pymupdf

MAX_DEPTH = 64
MAX_ENTRIES = 20_000
MAX_TITLE_LETTERS = 500
MAX_NAMED = 5
"""Dead entries whose titles a remark lists."""

_PDF_DOC_HIGH = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž"
"""What PDFDocEncoding (ISO 32000-1, D.2) holds at 0x80–0x9E; MuPDF decodes titles without a BOM by it."""
_TOP_OPERAND = {"XYZ": 3, "FitH": 2, "FitBH": 2, "FitR": 5}
"""Place of the upper edge in a destination array, by its kind (ISO 32000-1, table 151)."""
_GROUP = -1
"""Page of an entry that names no destination at all: most often a group of others."""
_LEFT_OPERAND = {"XYZ": 2, "FitV": 2, "FitBV": 2, "FitR": 2}


@dataclass(slots=True)
class _Faults:
    """What the walk met on its way."""

    dead: list[str] = field(default_factory=list)
    loop: bool = False
    cut: bool = False
    damage: str = ""

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
        if self.damage:
            text = f"the outline is damaged and was read in part ({self.damage}); check the bookmarks"
            found.append(Remark("warning", "outline-damaged", text))
        return tuple(found)


def read_outline(document: "pymupdf.Document") -> tuple[tuple[Bookmark, ...], tuple[Remark, ...]]:
    """The bookmarks that lead to a page, in outline order, and what is wrong with the others.

    Entries without a title or a page are left out, their children kept. Titles are NFC, white space folded,
    without control characters, at most 500 characters; cp1251 bytes read as Latin are mended. A damaged
    outline gives what can be read of it, never an exception.
    """
    if not document.is_pdf:
        return (), ()
    import pymupdf

    faults = _Faults()
    entries: list[Bookmark] = []
    try:
        entries.extend(_Walk(document, faults))
    except pymupdf.mupdf.FzErrorBase as exc:
        faults.damage = str(exc)
    return _placed(entries, faults), faults.remarks()


def _placed(entries: list[Bookmark], faults: _Faults) -> tuple[Bookmark, ...]:
    """The entries that lead to a page; a group without a page of its own gets that of its first child."""
    placed: list[Bookmark] = []
    for entry in reversed(entries):
        if entry.page == _GROUP and placed and placed[-1].level > entry.level:
            entry = replace(entry, page=placed[-1].page)
        if entry.page > 0:
            placed.append(entry)
        else:
            faults.dead.append(entry.title)
    faults.dead.reverse()
    return tuple(placed[::-1])


def clean_title(raw: str) -> str:
    """A bookmark's title as a reader should see it; "" where nothing visible is left."""
    kept = (_visible(letter) for letter in raw[: 4 * MAX_TITLE_LETTERS])
    text = unicodedata.normalize("NFC", " ".join(mend_cyrillic(drop_invisible("".join(kept))).split()))
    return text[:MAX_TITLE_LETTERS].rstrip()


def _visible(letter: str) -> str:
    """The letter itself, a space for a control character, "" for one without a shape of its own."""
    category = unicodedata.category(letter)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else letter


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


class _Walk:
    """The entries of one document's outline, parents before children, each object once.

    `page` is 0 where an entry's destination does not exist.
    """

    def __init__(self, document: "pymupdf.Document", faults: _Faults) -> None:
        from pymupdf import mupdf

        self._mupdf = mupdf
        self._document = document
        self._pdf = mupdf.pdf_specifics(document.this)
        self._faults = faults

    def __iter__(self) -> Iterator[Bookmark]:
        mupdf, faults = self._mupdf, self._faults
        seen: set[int] = set()
        waiting = [mupdf.pdf_dict_getp(mupdf.pdf_trailer(self._pdf), "Root/Outlines/First")]
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
            yield from self._bookmark(item, level=len(waiting))
            waiting[-1] = mupdf.pdf_dict_gets(item, "Next")
            child = mupdf.pdf_dict_gets(item, "First")
            if mupdf.pdf_is_dict(child) and len(waiting) < MAX_DEPTH:
                waiting.append(child)
            else:
                faults.cut |= bool(mupdf.pdf_is_dict(child))

    def _bookmark(self, item: Any, level: int) -> Iterator[Bookmark]:
        """One bookmark, or none where the entry has no title or leads out of the document."""
        mupdf = self._mupdf
        title = clean_title(mupdf.pdf_to_text_string(mupdf.pdf_dict_gets(item, "Title")))
        target = mupdf.pdf_dict_gets(item, "Dest")
        action = mupdf.pdf_dict_gets(item, "A")
        if not title:
            return
        if not target.m_internal and not action.m_internal:
            yield Bookmark(level, title, _GROUP)
            return
        if not target.m_internal:
            if mupdf.pdf_to_name(mupdf.pdf_dict_gets(action, "S")) != "GoTo":
                return
            target = mupdf.pdf_dict_gets(action, "D")
        try:
            page, y = self._place(target)
        except mupdf.FzErrorBase:
            page, y = 0, None
        yield Bookmark(level, title, page, y)

    def _place(self, target: Any) -> tuple[int, float | None]:
        """Page and height a destination, or the name of one, stands for."""
        mupdf = self._mupdf
        if mupdf.pdf_is_string(target) or mupdf.pdf_is_name(target):
            target = self._named(target)
        if mupdf.pdf_is_dict(target):
            target = mupdf.pdf_dict_gets(target, "D")
        if not mupdf.pdf_is_array(target):
            return 0, None
        first = mupdf.pdf_array_get(target, 0)
        if mupdf.pdf_is_int(first):
            page = mupdf.pdf_to_int(first) + 1
            return (page if 1 <= page <= len(self._page_numbers) else 0), None
        page = self._page_numbers.get(mupdf.pdf_to_num(first), 0)
        return page, (self._top(target, first) if page else None)

    def _named(self, name: Any) -> Any:
        """The destination of a name; a null object where nobody has it."""
        mupdf = self._mupdf
        found = mupdf.pdf_lookup_dest(self._pdf, name)
        if found.m_internal:
            return found
        # MuPDF 1.28 does not look into the name tree where the catalog has an older /Dests too.
        text = mupdf.pdf_to_name(name) if mupdf.pdf_is_name(name) else mupdf.pdf_to_text_string(name)
        return mupdf.pdf_dict_gets(self._name_tree, text)

    @cached_property
    def _name_tree(self) -> Any:
        return self._mupdf.pdf_load_name_tree(self._pdf, self._mupdf.pdf_new_name("Dests"))

    @cached_property
    def _page_numbers(self) -> dict[int, int]:
        """PDF page by the number of its object."""
        numbers: dict[int, int] = {}
        for index in range(self._document.page_count):
            try:
                numbers.setdefault(self._document.page_xref(index), index + 1)
            except (self._mupdf.FzErrorBase, RuntimeError, ValueError):
                continue
        return numbers

    def _top(self, target: Any, page: Any) -> float | None:
        """Points from the top of the page as shown to where the destination array points."""
        mupdf = self._mupdf
        kind = mupdf.pdf_to_name(mupdf.pdf_array_get(target, 1))
        left = self._operand(target, _LEFT_OPERAND.get(kind))
        top = self._operand(target, _TOP_OPERAND.get(kind))
        matrix = mupdf.FzMatrix()
        try:
            mupdf.pdf_page_obj_transform(page, mupdf.FzRect(), matrix)
        except mupdf.FzErrorBase:
            return None
        # On a page turned by a quarter the printed top comes from the destination's left edge.
        if (matrix.b and left is None) or (matrix.d and top is None):
            return None
        y = matrix.b * (left or 0.0) + matrix.d * (top or 0.0) + matrix.f
        return round(max(0.0, float(y)), 2)

    def _operand(self, target: Any, index: int | None) -> float | None:
        if index is None:
            return None
        value = self._mupdf.pdf_array_get(target, index)
        return float(self._mupdf.pdf_to_real(value)) if self._mupdf.pdf_is_number(value) else None
