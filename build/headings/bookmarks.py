"""Headings from the document's own outline, each put where its title is printed."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from docshelf.build.converting.converted import Bookmark, ConvertedDocument
from docshelf.build.headings.levels import even_levels
from docshelf.build.headings.locating import TitleSearch
from docshelf.build.headings.rows import Mark, Rows
from docshelf.build.headings.titles import clean

PAGES_A_BOOKMARK = 50
"""An outline with fewer than one entry for so many pages tells nothing of the document."""
_EMPTY_TITLE = re.compile(
    r"(page|slide|sheet|seite|folie|стр(аница)?\.?|слайд|лист|сторінка)?\s*[-–—]?\s*\d*"
    r"|untitled\s*\d*|без названия\s*\d*|blank page|[\w-]+\.(docx?|pdf|pptx?|indd|tiff?|jpe?g)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """An outline put into the pages."""

    marks: tuple[Mark, ...]
    """One for each bookmark, in outline order."""
    missing: tuple[Bookmark, ...]
    """Bookmarks whose title is printed nowhere near their place."""


def worth_using(bookmarks: Sequence[Bookmark], pages: int) -> bool:
    """The outline has more than one entry, enough of them, and most say something."""
    if len(bookmarks) < 2 or len(bookmarks) * PAGES_A_BOOKMARK < pages:
        return False
    empty = sum(_EMPTY_TITLE.fullmatch(bookmark.title.strip()) is not None for bookmark in bookmarks)
    return 2 * empty < len(bookmarks)


def place_bookmarks(
    document: ConvertedDocument,
    pages: Sequence[Rows],
    body: float,
    unlikely: Collection[tuple[int, int]] = (),
) -> Placed:
    """Every bookmark as a mark: where its title is printed, else at the height it points to.

    `unlikely` are the rows (page index, row) of a printed contents page. Repeated titles each take their own
    place, in order.
    """
    places = {page.number: index for index, page in reversed(list(enumerate(document.pages)))}
    search = TitleSearch(pages, body, unlikely)
    titled = [(bookmark, clean(bookmark.title)) for bookmark in document.end.bookmarks]
    titled = [(bookmark, title) for bookmark, title in titled if title and places]
    levels = even_levels([bookmark.level for bookmark, _ in titled])
    heights = _telling_heights([bookmark for bookmark, _ in titled])
    marks: list[Mark | None] = []
    for (bookmark, title), level, height in zip(titled, levels, heights, strict=True):
        index = places.get(bookmark.page, len(document.pages) - 1)
        marks.append(search.mark(title, height, index, level))
    missing = tuple(bookmark for (bookmark, _), mark in zip(titled, marks, strict=True) if mark is None)
    drafts = [
        mark or Mark(title, level, places.get(bookmark.page, len(document.pages) - 1), -1, 0)
        for (bookmark, title), level, mark in zip(titled, levels, marks, strict=True)
    ]
    return Placed(tuple(_insert(drafts, heights, pages)), missing)


def _telling_heights(bookmarks: Sequence[Bookmark]) -> list[float | None]:
    """The heights, without those that several entries of a page share: they say no more than the page."""
    shared = Counter((bookmark.page, bookmark.y) for bookmark in bookmarks)
    return [bookmark.y if shared[bookmark.page, bookmark.y] == 1 else None for bookmark in bookmarks]


def _insert(drafts: Sequence[Mark], heights: Sequence[float | None], pages: Sequence[Rows]) -> Iterator[Mark]:
    """The drafts with rows for those that have none (`row` is -1), between their neighbours."""
    ceilings = _next_rows(drafts)
    inside = {
        (draft.page, row): draft.row + draft.count
        for draft in drafts
        for row in range(draft.row + 1, draft.row + draft.count)
    }
    floor: dict[int, int] = {}
    for draft, height, ceiling in zip(drafts, heights, ceilings, strict=True):
        mark = draft
        if draft.row < 0:
            lowest = floor.get(draft.page, 0)
            row = lowest if height is None else _row_at(pages[draft.page], height)
            mark = replace(draft, row=max(lowest, row if ceiling is None else min(row, ceiling)))
            mark = replace(mark, row=inside.get((mark.page, mark.row), mark.row))
        floor[mark.page] = max(floor.get(mark.page, 0), mark.row + mark.count)
        yield mark


def _next_rows(drafts: Sequence[Mark]) -> list[int | None]:
    """For each draft, the row of the next located one on the same page."""
    ceilings: list[int | None] = []
    following: dict[int, int] = {}
    for draft in reversed(drafts):
        ceilings.append(following.get(draft.page))
        if draft.row >= 0:
            following[draft.page] = draft.row
    return ceilings[::-1]


def _row_at(rows: Rows, height: float) -> int:
    return next((index for index, row in enumerate(rows) if row.line.box[1] >= height - 3), len(rows))
