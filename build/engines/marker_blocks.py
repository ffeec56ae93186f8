"""marker's JSON output as blocks: one call per page, without any of marker's own types."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docshelf.build.converting.converted import Block, BlockKind, Box, Line
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.marker_html import Part, heading_level, read_parts

UNKNOWN_SIZE = 10.0
"""Points that text gets which the PDF itself does not hold (read from a picture)."""
_NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-zа-яё])[.)])\s+(?=\S)", re.IGNORECASE)
_BULLET = re.compile(r"([•●○◦■▪▫–—·-])\s+(?=\S)")
_FIGURES = ("Figure", "Picture", "Diagram")
_NOTES = ("Footnote",)
_CONTINUES = re.compile(r"<p[^>]*\bhas-continuation\b")


def marker_page_blocks(page: Mapping[str, Any], printed: Sequence[Line]) -> list[Block]:
    """The blocks of one page of marker's JSON (a `Page` with `children`), in its order.

    `printed` are the lines the PDF itself holds on that page; they tell how large a block's letters are.
    Running heads and feet are left out, as marker leaves their HTML empty.
    """
    return [block for child in page.get("children") or () for block in _blocks(child, printed)]


def goes_on(page: Mapping[str, Any]) -> bool:
    """Whether the last block of text on the page goes on with the first of the next one."""
    texts = [child for child in page.get("children") or () if child["block_type"] == "Text"]
    return bool(texts) and _CONTINUES.search(texts[-1]["html"]) is not None


def _blocks(node: Mapping[str, Any], printed: Sequence[Line]) -> Iterator[Block]:
    children = node.get("children") or ()
    lines = [child for child in children if child["block_type"] == "Line"]
    if lines:
        yield from _line_block(lines, printed)
        return
    for child in children:
        yield from _blocks(child, printed)
    if children:
        return
    kind, box = node["block_type"], _box(node)
    parts = read_parts(node["html"])
    if kind in _FIGURES:
        yield Block("figure", box, tuple(_line(part, box, printed) for part in parts if part.text))
    elif kind == "SectionHeader":
        yield from _text_block("heading", parts, box, printed, level=heading_level(node["html"]))
    elif kind in _NOTES:
        yield from _text_block("note", parts, box, printed)
    else:
        yield from _mixed_blocks(parts, box, printed)


def _line_block(nodes: Sequence[Mapping[str, Any]], printed: Sequence[Line]) -> Iterator[Block]:
    """Lines marker found no structure in: each keeps its own box."""
    lines = [
        _line(part, _box(node), printed) for node in nodes for part in read_parts(node["html"]) if part.text
    ]
    if lines:
        yield Block("paragraph", join_boxes([line.box for line in lines]), tuple(lines))


def _text_block(
    kind: BlockKind, parts: Sequence[Part], box: Box, printed: Sequence[Line], level: int = 0
) -> Iterator[Block]:
    lines = tuple(_line(part, box, printed) for part in parts if part.text)
    if lines:
        yield Block(kind, box, lines, level=level)


def _mixed_blocks(parts: Sequence[Part], box: Box, printed: Sequence[Line]) -> Iterator[Block]:
    """Runs of parts of one kind; each item and each table is a block of its own."""
    run: list[Part] = []
    for part in parts:
        if run and (part.kind != run[0].kind or part.kind in ("item", "table")):
            yield from _run_block(run, box, printed)
            run = []
        run.append(part)
    if run:
        yield from _run_block(run, box, printed)


def _run_block(run: Sequence[Part], box: Box, printed: Sequence[Line]) -> Iterator[Block]:
    match run[0].kind:
        case "table":
            yield Block("table", box, rows=run[0].rows)
        case "item":
            yield _item(_line(run[0], box, printed), box)
        case "code":
            yield Block("code", box, tuple(_line(part, box, printed) for part in run))
        case _:
            yield from _text_block("paragraph", run, box, printed)


def _item(line: Line, box: Box) -> Block:
    """marker takes bullets away and leaves numbers in the text."""
    found = _NUMBER.match(line.text) or _BULLET.match(line.text)
    if not found:
        return Block("list", box, (line,), marker="•")
    return Block("list", box, (cut_start(line, found.end()),), marker=found[1])


def cut_start(line: Line, count: int) -> Line:
    """The line without its first `count` characters; spans move with their words."""
    spans = tuple(
        type(span)(max(0, span.start - count), span.end - count, span.target)
        for span in line.spans
        if span.end > count
    )
    return Line(line.text[count:], line.box, line.size, line.bold, line.mono, spans)


def _line(part: Part, box: Box, printed: Sequence[Line]) -> Line:
    return Line(part.text, box, _size(box, printed), part.bold, part.mono, part.links)


def _size(box: Box, printed: Sequence[Line]) -> float:
    """The usual size of the printed lines in a box, in points."""
    weights: dict[float, int] = {}
    for line in printed:
        x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            weights[line.size] = weights.get(line.size, 0) + len(line.text)
    return max(weights, key=lambda size: (weights[size], size)) if weights else UNKNOWN_SIZE


def _box(node: Mapping[str, Any]) -> Box:
    x0, y0, x1, y1 = (round(float(value), 2) for value in node["bbox"])
    return (x0, y0, x1, y1)
