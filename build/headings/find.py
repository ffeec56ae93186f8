"""Headings: which lines of a document are titles, and of which level. One module decides, for all engines.

Order of trust: the outline (bookmarks), then the printed contents page, then fonts and numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from docshelf.build.converting.converted import ConvertedDocument, Remark
from docshelf.build.headings.bookmarks import place_bookmarks, worth_using
from docshelf.build.headings.contents import place_contents, read_contents
from docshelf.build.headings.cutting import cut_document
from docshelf.build.headings.fonts import mark_by_fonts
from docshelf.build.headings.remarks import remark_on_alphabets, remark_on_missing
from docshelf.build.headings.rows import Mark, Rows, body_size, read_rows

HeadingTier = Literal["bookmarks", "contents", "fonts"]


@dataclass(frozen=True, slots=True)
class Headed:
    """A document whose headings are decided."""

    document: ConvertedDocument
    """Headings are blocks of kind "heading" with a level from 1 to 6 and exactly one line."""
    tier: Literal["bookmarks", "contents", "fonts", "none"]
    """Where the headings come from; "none" where the document has none."""
    remarks: tuple[Remark, ...]
    """Titles that were not found on their page, and titles that mix alphabets."""


def find_headings(
    document: ConvertedDocument, tiers: tuple[HeadingTier, ...] = ("bookmarks", "contents", "fonts")
) -> Headed:
    """The document with its headings, from the first tier that can tell them.

    Running headers must be gone already. A line that is part of a paragraph may become a heading; the text
    around it keeps its own blocks. The rows of a printed contents page never are headings, and are left out
    where an outline replaces them.
    """
    pages = read_rows(document)
    body = body_size(pages)
    contents = read_contents(pages)
    contents_rows = contents.rows if contents else frozenset()
    entries = place_contents(contents, pages, body) if contents else ()
    replaced = contents_rows if entries else frozenset()
    bookmarks = document.end.bookmarks
    for tier in tiers:
        if tier == "bookmarks" and worth_using(bookmarks, len(pages)):
            return _by_bookmarks(document, pages, body, contents_rows, replaced)
        if tier == "contents" and entries:
            return _headed(document, tier, entries, replaced)
        if tier == "fonts" and (marks := mark_by_fonts(pages, body, contents_rows)):
            return _headed(document, tier, marks)
    if "bookmarks" in tiers and bookmarks and pages:
        return _by_bookmarks(document, pages, body, contents_rows, frozenset())
    return _headed(document, "none", ())


def _by_bookmarks(
    document: ConvertedDocument,
    pages: Sequence[Rows],
    body: float,
    contents: frozenset[tuple[int, int]],
    replaced: frozenset[tuple[int, int]],
) -> Headed:
    placed = place_bookmarks(document, pages, body, contents)
    marks = [mark for mark in placed.marks if not mark.count or (mark.page, mark.row) not in replaced]
    remarks = remark_on_missing(placed.missing, len(placed.marks))
    return _headed(document, "bookmarks", marks, replaced, remarks)


def _headed(
    document: ConvertedDocument,
    tier: Literal["bookmarks", "contents", "fonts", "none"],
    marks: Sequence[Mark],
    dropped: frozenset[tuple[int, int]] = frozenset(),
    remarks: tuple[Remark, ...] = (),
) -> Headed:
    remarks = (*remarks, *remark_on_alphabets([mark.title for mark in marks]))
    return Headed(cut_document(document, marks, dropped), tier, remarks)
