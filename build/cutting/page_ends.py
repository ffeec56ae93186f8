"""What goes on over a page end: the next item of a list, and tables."""

import re
from collections.abc import Sequence
from dataclasses import replace

from docshelf.build.converting.converted import Block, Page
from docshelf.build.engines.list_items import are_next, as_item, item_marker

LOW, HIGH = 0.6, 0.4
"""Shares of a page's height: a table that goes on ends below the one and its second part begins above the other."""
SAME_EDGE = 8.0
"""Points by which the edges of both parts of a table may differ."""
MAX_NOTICE = 90
"""Characters; a longer text says more than that a table goes on."""
_NOTICE = re.compile(
    r"^(?:таблица .{1,20}\W(?:продолжение|окончание)|(?:(?:table|таблица|tabelle)\b.{0,60}\W)?(?:"
    r"continue[sd] (?:on|from) (?:the )?(?:next|previous) page|continued|cont(?:['’]d|\.)|"
    r"(?:продолжение|окончание|продовження|закінчення) (?:табл(?:\.|иц[ыі])(?: *[A-ZА-Я]?[\d.]+)?|"
    r"на следующей странице|с предыдущей страницы)|fortsetzung(?: von| auf)?.{0,40}))\W*$",
    re.IGNORECASE,
)


def is_notice(text: str) -> bool:
    """Whether a text only says that a table goes on, as longtable and GOST have it printed."""
    return len(text) <= MAX_NOTICE and bool(_NOTICE.match(" ".join(text.split())))


def is_same_table(before: Block, block: Block, heights: tuple[float, float]) -> bool:
    """Whether the table that stands first on a page is the second part of the one that stood last before it.

    `heights` are those of the two pages, in points.
    """
    if before.kind != "table" or block.kind != "table" or not before.rows or not block.rows:
        return False
    if len(before.rows[0]) != len(block.rows[0]):
        return False
    if before.box[3] < LOW * heights[0] or block.box[1] > HIGH * heights[1]:
        return False
    if before.rows[0] == block.rows[0]:
        return True
    left, right = block.box[0] - before.box[0], block.box[2] - before.box[2]
    # Margins of left and right pages may change places.
    return abs(right - left) < SAME_EDGE and (abs(left) < SAME_EDGE or abs(right - left) < 1)


def join_rows(
    first: Sequence[tuple[str, ...]], second: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """The rows of both parts of a table: a head that is printed again once, notices that it goes on left out."""
    repeated = 0
    while repeated < min(len(first), len(second)) and first[repeated] == second[repeated]:
        repeated += 1
    kept = [row for row in (*first, *second[repeated:]) if not is_notice(" ".join(filter(None, row)))]
    width = max((len(row) for row in kept), default=0)
    return tuple((*row, *[""] * (width - len(row))) for row in kept)


def confirm_over_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages with paragraphs as items where the item before them or after them stands on another page.

    A heading ends all lists. Numbers must follow each other; signs must stand in one place, the first in a list.
    """
    found: dict[tuple[int, int], Block] = {}
    open_items: dict[str, tuple[int, int]] = {}
    for number, page in enumerate(pages):
        for at, block in enumerate(page.blocks):
            if block.kind == "heading":
                open_items.clear()
            marker = _own_marker(block)
            if not marker:
                continue
            shape = re.sub(r"\w+", "1" if marker.strip("().").isdecimal() else "a", marker)
            place = open_items.get(shape)
            open_items[shape] = (number, at)
            if place is None or number - place[0] not in (0, 1):
                continue
            before = found.get(place) or pages[place[0]].blocks[place[1]]
            if "list" in (before.kind, block.kind) and before.kind == block.kind:
                continue
            if _follows(before, block, marker, same_page=place[0] == number):
                found[place], found[number, at] = _listed(before), _listed(block)
    return [
        replace(page, blocks=tuple(found.get((number, at), block) for at, block in enumerate(page.blocks)))
        for number, page in enumerate(pages)
    ]


def _own_marker(block: Block) -> str:
    if block.kind == "list":
        return block.marker
    is_text = block.kind == "paragraph" and block.lines and not block.lines[0].bold
    return item_marker(block.lines[0].text) if is_text else ""


def _listed(block: Block) -> Block:
    return block if block.kind == "list" else as_item(block.lines, _own_marker(block))


def _follows(before: Block, block: Block, marker: str, *, same_page: bool) -> bool:
    if not before.lines or not block.lines or abs(block.lines[0].size - before.lines[0].size) > 0.6:
        return False
    if same_page and abs(block.box[0] - before.box[0]) > 6:
        return False
    if not marker.strip("().").isdecimal() and before.kind != "list":
        return False
    return are_next(replace(before, marker=_own_marker(before)), marker, block.box[0])
