"""Headings put into the pages: blocks are split where a heading stands, and no text is lost or doubled."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from docshelf.build.converting.converted import Block, ConvertedDocument, Line, Page, Span
from docshelf.build.headings.rows import Mark, union

MAX_LEVEL = 6


def cut_document(
    document: ConvertedDocument, marks: Iterable[Mark], dropped: Collection[tuple[int, int]] = ()
) -> ConvertedDocument:
    """The document with a heading block for each mark, and without the rows `dropped` (page index, row).

    What an engine called a heading and no mark names becomes a paragraph.
    """
    by_page: dict[int, list[Mark]] = defaultdict(list)
    for mark in marks:
        by_page[mark.page].append(mark)
    gone: dict[int, set[int]] = defaultdict(set)
    for page, row in dropped:
        gone[page].add(row)
    pages = tuple(
        replace(page, blocks=tuple(_cut_page(page, by_page[index], gone[index])))
        for index, page in enumerate(document.pages)
    )
    return replace(document, pages=pages)


def _cut_page(page: Page, marks: Sequence[Mark], gone: Collection[int]) -> Iterator[Block]:
    waiting = sorted(marks, key=lambda mark: mark.row)
    lines = [line for block in page.blocks for line in block.lines]
    taken = {row for mark in waiting for row in range(mark.row, mark.row + mark.count)}
    row = 0
    for block in page.blocks:
        kept: list[Line] = []
        begun = False
        for line in block.lines:
            while waiting and waiting[0].row <= row:
                mark = waiting.pop(0)
                yield from _piece(block, kept, whole=not begun)
                yield _heading(page, mark, lines)
                begun, kept = True, list(_rest(mark, lines))
            if row in taken or row in gone:
                begun |= not kept
            else:
                kept.append(line)
            row += 1
        if kept or not block.lines:
            yield from _piece(block, kept, whole=not begun)
    for mark in waiting:
        yield _heading(page, mark, lines)


def _piece(block: Block, lines: Sequence[Line], *, whole: bool) -> Iterator[Block]:
    """What is left of a block; its first piece keeps the marker and the join to the block before."""
    if not block.lines:
        yield block
    elif lines:
        box = block.box if len(lines) == len(block.lines) else union(line.box for line in lines)
        kind = "paragraph" if block.kind == "heading" or (block.kind == "list" and not whole) else block.kind
        yield replace(
            block,
            kind=kind,
            box=box,
            lines=tuple(lines),
            level=block.level if kind == "list" else 0,
            marker=block.marker if whole else "",
            joined=block.joined and whole,
        )


def _heading(page: Page, mark: Mark, lines: Sequence[Line]) -> Block:
    level = min(MAX_LEVEL, max(1, mark.level))
    printed = lines[mark.row : mark.row + mark.count]
    if not printed:
        y = lines[mark.row].box[1] if mark.row < len(lines) else page.height
        box = (0.0, y, page.width, y)
        return Block("heading", box, (Line(mark.title, box, 0.0),), level=level)
    box = union(line.box for line in printed)
    spans = printed[0].spans if [line.text for line in printed] == [mark.title] else ()
    title = Line(
        text=mark.title,
        box=box,
        size=max(line.size for line in printed),
        bold=all(line.bold for line in printed),
        mono=all(line.mono for line in printed),
        spans=spans,
    )
    return Block("heading", box, (title,), level=level)


def _rest(mark: Mark, lines: Sequence[Line]) -> Iterator[Line]:
    """What stands behind a heading in its own line."""
    if not mark.tail:
        return
    line = lines[mark.row + mark.count - 1]
    shift = mark.tail + len(line.text[mark.tail :]) - len(line.text[mark.tail :].lstrip())
    spans = tuple(
        Span(max(0, span.start - shift), span.end - shift, span.target)
        for span in line.spans
        if span.end > shift
    )
    yield replace(line, text=line.text[shift:], spans=spans)
