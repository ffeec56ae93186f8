"""Rows of a page as blocks: paragraphs, list items, listings and notes, told apart by what is printed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from docshelf.build.converting.converted import CELL_SPACES, Block, Box, Line
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.list_items import BULLETS, ITEM_SIGNS, as_item, as_lists, item_marker
from docshelf.build.engines.listing_language import name_language
from docshelf.build.engines.page_links import PageLink
from docshelf.build.engines.reading_order import Row
from docshelf.build.engines.script_signs import raised
from docshelf.build.engines.text_lines import code_lines, row_line, without_code

SHORT_SHARE = 0.5
"""Share of a column's width that a line leaves free when the next one is no continuation, whatever it begins with."""
_LINKING = re.compile(
    r"(?:of|and|or|the|an?|to|for|in|on|with|by|as|at|from|that|which|is|are"
    r"|и|или|а|в|на|со?|для|по|из|к|от|до|у|не|что|об?|при|под|над|та|або|і|з)\b"
)
"""Words that begin no line of their own."""
LARGEST_ITEM = 1.5
"""Times the size of the text up to which a line with a bullet is an item."""
MIN_PROSE = 60
"""Characters of running text on a page from which its size is the usual one, and fixed width says something."""
_ENTRY = re.compile(r"(?:[.·…] ?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")
"""A line of a printed contents page: dots that lead to a page number."""
MARK_INDENT_EM = 2.5
"""Letter sizes from the left edge of a column within which a mark may stand alone on a line."""
MIN_MARKED = 12
"""Characters of the line above it; under a shorter one a small figure is part of a formula."""
_MARK = re.compile(r"[1-9]\d{0,2}")
_NOTE_MARK = re.compile(r"^(?:[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}\s*|\d{1,2}\)?\s+|[*†‡]+\s*)(?=[^\W\d])")


_Part = list[tuple[Row, Line]] | Block
"""Rows of text that follow each other, each with its Line; or a table or figure between them."""


@dataclass(frozen=True, slots=True)
class Style:
    """What is usual on the page, against which a line's size and place say something."""

    size: float
    """Points of most letters."""
    leading: float
    """Usual distance between the feet of two lines of one paragraph, in points."""
    height: float


def region_blocks(
    regions: Sequence[Sequence[Row]], height: float, links: Sequence[PageLink] = ()
) -> list[Block]:
    """The blocks of all regions in order; `height` is the page's, in points."""
    parts = [part for region in regions for part in _parts(region, links)]
    lines = [[line for _, line in part] for part in parts if not isinstance(part, Block)]
    if not any(lines):
        return [part for part in parts if isinstance(part, Block)]
    prose = [line for part in lines for line in part if not line.mono]
    if sum(len(line.text) for line in prose) < MIN_PROSE:
        # A page that is typed throughout, or nothing but listings: fixed width says nothing of a word.
        parts = [
            it if isinstance(it, Block) else [(row, without_code(line)) for row, line in it] for it in parts
        ]
        prose = [line for part in lines for line in part]
    size = _usual_size(prose)
    style = Style(size, _usual_leading(lines, size), height)
    blocks = list[Block]()
    for part in parts:
        blocks += [part] if isinstance(part, Block) else _blocks(part, style)
    return as_lists(blocks)


def _parts(region: Sequence[Row], links: Sequence[PageLink]) -> Iterator[_Part]:
    """Rows of text with their Lines, cut where a table or figure stands between them."""
    rows: list[tuple[Row, Line]] = []
    for row in region:
        words = tuple(strip for strip in row if strip.pieces[0].block is None)
        if words:
            rows.append((words, row_line(words, links, with_code=True)))
        for strip in row:
            if (block := strip.pieces[0].block) is not None:
                yield rows
                yield block
                rows = []
    yield rows


def _usual_size(lines: Sequence[Line]) -> float:
    """Points of most letters of the lines."""
    weights: dict[float, int] = {}
    for line in lines:
        weights[line.size] = weights.get(line.size, 0) + len(line.text)
    return max(weights, key=lambda size: (weights[size], size))


def _usual_leading(regions: Sequence[Sequence[Line]], size: float) -> float:
    """The most common step between lines of one size, in points; 1.2 sizes where no two lines follow.

    Listings in letters smaller than `size`, the usual one, have steps of their own.
    """
    steps = [
        round(b.box[3] - a.box[3], 1)
        for lines in regions
        for a, b in pairwise(lines)
        if abs(a.size - b.size) < 0.5
        and 0.8 * a.size < b.box[3] - a.box[3] < 2.2 * a.size
        and not (a.mono and a.size < 0.9 * size)
    ]
    if not steps:
        return 1.2 * median(line.size for region in regions for line in region)
    return sorted(steps)[len(steps) // 3]


def _blocks(region: Sequence[tuple[Row, Line]], style: Style) -> Iterator[Block]:
    """Listings are cut out first; what lies between is cut into paragraphs."""
    prose: list[Line] = []
    index = 0
    while index < len(region):
        end = _listing_end(region, index)
        if end > index and _stands_alone(region, index, end):
            yield from _prose_blocks(prose, style)
            prose = []
            lines = code_lines([row for row, _ in region[index:end]])
            language = name_language([line.text for line in lines])
            yield Block("code", _box(lines), tuple(lines), language=language)
            index = end
        else:
            prose.append(region[index][1])
            index += 1
    yield from _prose_blocks(prose, style)


def _listing_end(region: Sequence[tuple[Row, Line]], start: int) -> int:
    """The row after the last of a run of fixed-width rows that begins at `start`."""
    end = start
    while end < len(region) and region[end][1].mono and region[end][1].text[:1] not in ITEM_SIGNS:
        line = region[end][1]
        if end > start:
            above = region[end - 1][1]
            far = line.box[1] - above.box[3] > 3.2 * line.size
            if far or abs(line.size - above.size) > 1.2:
                break
        end += 1
    return end


def _stands_alone(region: Sequence[tuple[Row, Line]], start: int, end: int) -> bool:
    """Whether fixed-width rows are a listing, not words in fixed width that fill a line of a paragraph."""
    if end - start > 1:
        return True
    line = region[start][1]
    if start == 0:
        return True
    above = region[start - 1][1]
    near = line.box[1] - above.box[3] < 0.35 * line.size
    below = region[end][1] if end < len(region) else None
    flows_on = (
        below is not None and below.box[1] - line.box[3] < 0.35 * line.size and below.text[:1].islower()
    )
    same_edge = abs(line.box[0] - above.box[0]) < 2
    return not (near and same_edge and (flows_on or not above.text.endswith((":", ".", ";"))))


def _prose_blocks(lines: Sequence[Line], style: Style) -> Iterator[Block]:
    if not lines:
        return
    lines = _with_their_marks(lines, style)
    left, right = min(line.box[0] for line in lines), max(line.box[2] for line in lines)
    block: list[Line] = []
    for line in lines:
        if block and _begins_block(block, line, style, left, right):
            yield _block(block, style)
            block = []
        block.append(line)
    yield _block(block, style)


def _with_their_marks(lines: Sequence[Line], style: Style) -> list[Line]:
    """The lines; a mark of a note for which its line had no room goes back to the word it belongs to."""
    kept = list[Line]()
    edge = min(line.box[0] for line in lines) + MARK_INDENT_EM * style.size
    for line in lines:
        above = kept[-1] if kept else line
        step = line.box[3] - above.box[3]
        if (
            _MARK.fullmatch(line.text)
            and line.size < 0.8 * above.size
            and line.box[0] < edge
            and 0.3 * style.leading < step < 0.9 * style.leading
            and len(above.text) >= MIN_MARKED
        ):
            kept[-1] = replace(above, text=above.text.rstrip() + raised(line.text, above.text))
        else:
            kept.append(line)
    return kept


def _begins_block(block: Sequence[Line], line: Line, style: Style, left: float, right: float) -> bool:
    above = block[-1]
    if abs(line.size - above.size) > 0.6 and not _carries_script(above, line):
        return True
    if line.bold != above.bold and _is_short(above, right):
        return True
    step = line.box[3] - above.box[3]
    usual = max(style.leading, 1.02 * line.size) * max(1.0, line.size / style.size)
    if step > 1.32 * usual or step < -1:
        return True
    if CELL_SPACES in line.text or CELL_SPACES in above.text:
        ended = above.text[-1:] in ".!?" or _is_short(above, right)
        is_row = CELL_SPACES in line.text or (ended and abs(line.box[0] - above.box[0]) < 2)
        return is_row or not line.text[:1].islower()
    if _ENTRY.search(above.text) or (item_marker(line.text) and not _continues_list(block, line)):
        return True
    return _is_indented(block, line) or _ends_paragraph(block, line, left, right, style.size)


def _carries_script(above: Line, line: Line) -> bool:
    """One of two neighbours in a paragraph may look larger for one raised or larger letter only."""
    return above.text[-1:] not in ".:;?!" and line.text[:1].islower() and abs(line.size - above.size) < 1.6


def _is_short(line: Line, right: float) -> bool:
    return line.box[2] < right - 4 * line.size


def _is_indented(block: Sequence[Line], line: Line) -> bool:
    """A first-line indent (or the end of a hanging one) shows in the left edges."""
    body = block[1].box[0] if len(block) > 1 else block[0].box[0]
    if item_marker(block[0].text):
        ended = block[-1].text[-1:] in ".!?:;" and not line.text[:1].islower()
        return ended and line.box[0] < max(block[0].box[0] - 2, body - 4)
    if len(block) == 1:
        shift = line.box[0] - block[0].box[0]
        return shift > 0.8 * line.size and line.text[:1].isupper() and block[0].text[-1:] in ".:;?!"
    return line.box[0] - body > 0.8 * line.size


def _ends_paragraph(block: Sequence[Line], line: Line, left: float, right: float, size: float) -> bool:
    """The line above stops short of the right edge although the next word would have fitted."""
    above = block[-1]
    first_word = line.text.split(" ", 1)[0]
    needed = (len(first_word) + 1) * (line.box[2] - line.box[0]) / max(len(line.text), 1)
    if above.box[2] + needed + 0.5 * line.size > right:
        return False
    if (
        abs(above.box[0] + above.box[2] - line.box[0] - line.box[2]) < 4
        and abs(above.box[0] - line.box[0]) > 4
    ):
        return False
    if line.text[:1].islower() and above.text[-1:] not in ".!?:;":
        # No line of running text stops so short in mid-sentence: these are names of commands, rows of an index.
        is_short = right - above.box[2] > SHORT_SHARE * (right - left) and line.size < size + 0.6
        is_level = abs(above.box[0] - line.box[0]) < 2
        return is_short and is_level and not _LINKING.match(first_word) and above.text[-1:] not in "-\u00ad,"
    return right - above.box[2] > 0.15 * (right - left)


def _continues_list(block: Sequence[Line], line: Line) -> bool:
    """A dash or a figure that begins a line in the middle of a sentence is no item."""
    above = block[-1]
    return (
        above.text[-1:] not in ".:;?!"
        and len(above.text) > 40
        and abs(line.box[0] - above.box[0]) < 1
        and not item_marker(block[0].text)
    )


def _may_be_item(marker: str, line: Line, style: Style) -> bool:
    """A numbered title is no item: it is larger than the text, or bold."""
    if marker in BULLETS:
        return line.size < LARGEST_ITEM * style.size
    return line.size <= style.size + 0.6 and not line.bold


def _block(lines: Sequence[Line], style: Style) -> Block:
    first = lines[0]
    if _is_note(first, style):
        return Block("note", _box(lines), tuple(lines))
    marker = item_marker(first.text)
    if not marker or not _may_be_item(marker, first, style):
        return Block("paragraph", _box(lines), tuple(lines))
    return as_item(lines, marker)


def _is_note(line: Line, style: Style) -> bool:
    """Small print with a mark in the lower half of the page."""
    return (
        line.size < 0.88 * style.size
        and line.box[1] > 0.5 * style.height
        and bool(_NOTE_MARK.match(line.text))
    )


def _box(lines: Sequence[Line]) -> Box:
    return join_boxes([line.box for line in lines])
