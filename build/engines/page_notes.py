"""Form fields and reviewer's notes of a page: values count as text, notes do not."""

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from docshelf.build.converting.converted import Box
from docshelf.build.engines.pieces import Piece

if TYPE_CHECKING:
    import pymupdf

_PASSWORD_FIELD = 1 << 13
"""Field flag of a text field that hides what was typed (ISO 32000-1, table 228)."""
MAX_VALUE = 2000
"""Characters of a field's value that are kept."""


def remove_notes(page: "pymupdf.Page") -> int:
    """Takes reviewer's notes off the page in memory, so that they are not read; returns how many."""
    import pymupdf

    if page.first_annot is None:
        return 0
    drawn = (pymupdf.PDF_ANNOT_FREE_TEXT, pymupdf.PDF_ANNOT_TEXT, pymupdf.PDF_ANNOT_POPUP)
    notes = [annot.xref for annot in page.annots(types=drawn)]
    for xref in notes:
        page.delete_annot(page.load_annot(xref))
    return len(notes)


def with_fields(page: "pymupdf.Page", pieces: list[Piece]) -> list[Piece]:
    """The pieces with the values of form fields among them, in the size of the page's text."""
    if not page.parent.is_form_pdf:
        return pieces
    size = median([piece.size for piece in pieces]) if pieces else 10.0
    strip = pieces[-1].strip + 1 if pieces else 0
    for widget in page.widgets():
        box: Box = (widget.rect.x0, widget.rect.y0, widget.rect.x1, widget.rect.y1)
        shown = [index for index, piece in enumerate(pieces) if _is_in(piece, box)]
        for index in shown:
            pieces[index] = replace(pieces[index], size=min(pieces[index].size, size))
        if not shown and (value := _value(widget)):
            middle = (box[1] + box[3]) / 2
            place = (box[0], middle - size / 2, box[2], middle + size / 2)
            pieces.append(Piece(value, place, middle + 0.3 * size, size, False, False, "", strip))
            strip += 1
    return pieces


def _value(widget: "pymupdf.Widget") -> str:
    kind, value = widget.field_type_string, widget.field_value
    if kind in ("Text", "ComboBox", "ListBox") and not (widget.field_flags or 0) & _PASSWORD_FIELD:
        return " ".join(str(value or "").split())[:MAX_VALUE]
    if kind in ("CheckBox", "RadioButton"):
        return "☐" if value in ("", "Off", False, None) else "☑"
    return ""


def _is_in(piece: Piece, box: Box) -> bool:
    x, y = (piece.box[0] + piece.box[2]) / 2, (piece.box[1] + piece.box[3]) / 2
    inside = box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2
    return inside and bool(piece.text.strip())
