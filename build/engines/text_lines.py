"""Rows of pieces as Lines: spaces by measure, raised figures as such, listings with their columns."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from docshelf.build.characters import is_right_to_left, plain_text
from docshelf.build.converting.converted import CELL_SPACES, Line, Span
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.letterspacing import close_letters
from docshelf.build.engines.page_links import PageLink
from docshelf.build.engines.pieces import Piece
from docshelf.build.engines.reading_order import Row, Strip
from docshelf.build.engines.script_signs import RAISED_FIGURES, is_mark, raised, script_text

_SOME_SPACES = re.compile(r"(?<! ) {2,5}(?! )")
_WIDE_SPACE = re.compile(r" {6,}")
_EDGE = re.compile(r"(?<=\s)\S|(?<=\S)\s|(?<=\w)(?=[^\w\s])|(?<=[^\w\s])(?=\w)")
LOST_BULLET = "\ufffd "
"""A sign without a Unicode map that begins a line and stands alone: what else would it be."""
CELL_GAP_EM = 1.6
"""A gap wider than this many letter sizes keeps cells apart."""
MISSED_GAP_EM = 0.45
"""A gap within a line from which a space is missing: MuPDF adds none behind signs of mathematics."""


def row_line(row: Row, links: Sequence[PageLink] = (), *, with_code: bool = False) -> Line:
    """One row as a Line, its strips left to right (right to left where its letters are).

    `with_code` marks what stands in fixed width among other letters.
    """
    parts = _parts(row)
    text = "".join(part for part, _ in parts)
    if text.lstrip().startswith(LOST_BULLET):
        text = text.replace(LOST_BULLET, "• ", 1)
    lead = len(text) - len(text.lstrip())
    drawn = [piece for strip in row for piece in strip.pieces if not piece.text.isspace()]
    count = sum(len(piece.text) for piece in drawn) or 1
    box = join_boxes([strip.box for strip in row])
    here = [link for link in links if link.box[1] < box[3] and link.box[3] > box[1]] if links else []
    spans = _place_links(parts, here, lead, len(text.strip())) if here else ()
    if with_code and any(piece.mono for piece in drawn):
        spans = _with_code(spans, parts, lead)
    return Line(
        text=text.strip(),
        box=box,
        size=round(max(piece.size for piece in drawn), 2),
        bold=sum(len(piece.text) for piece in drawn if piece.bold) >= 0.8 * count,
        mono=sum(len(piece.text) for piece in drawn if piece.mono) >= 0.8 * count,
        spans=spans,
    )


def without_code(line: Line) -> Line:
    """The line, what it sets in fixed width like all else."""
    return replace(line, spans=tuple(span for span in line.spans if span.target)) if line.spans else line


def _parts(row: Row) -> list[tuple[str, Piece | None]]:
    """The row's text cut into what comes of each piece, and the spaces between strips (None)."""
    strips: Sequence[Strip] = row
    if len(row) > 1 and is_right_to_left("".join(p.text for strip in row for p in strip.pieces)):
        strips = row[::-1]
    base = _base(strips)
    parts: list[tuple[str, Piece | None]] = []
    before: Piece | None = None
    drawn: Piece | None = None
    tail = ""
    flow = [(piece, not index) for strip in strips for index, piece in enumerate(strip.pieces)]
    for at, (piece, begins) in enumerate(flow):
        after = flow[at + 1][0] if at + 1 < len(flow) else None
        if piece.size < base.size and is_mark(piece, base, drawn, _last_sign(parts), after):
            tail = _close_up(parts)
            if tail[-1] in RAISED_FIGURES:
                parts.append((" ", None))
            text = raised(piece.text.strip(), tail) + piece.text[len(piece.text.rstrip()) :]
        else:
            if before is not None and (space := _space(before, piece, tail, base, begins=begins)):
                parts.append((space, None))
                tail = space
            text = plain_text(script_text(piece, base, tail))
        if not piece.mono and "  " in text:
            text = _WIDE_SPACE.sub(CELL_SPACES, _SOME_SPACES.sub(" ", text))
        if text:
            parts.append((text, piece))
            tail = text
        before = piece
        drawn = drawn if piece.text.isspace() else piece
    return close_letters(_composed(parts))


def _last_sign(parts: Sequence[tuple[str, Piece | None]]) -> str:
    """The last sign of the row so far that shows something; "" at its start."""
    return next((text.rstrip()[-1] for text, _ in reversed(parts) if text.strip()), "")


def _close_up(parts: list[tuple[str, Piece | None]]) -> str:
    """Takes the spaces from the end of the parts of a row; the last part that is left."""
    while parts and not parts[-1][0].strip():
        parts.pop()
    text, piece = parts[-1]
    parts[-1] = (text.rstrip(), piece)
    return text.rstrip()


def _composed(parts: list[tuple[str, Piece | None]]) -> list[tuple[str, Piece | None]]:
    """Parts in NFC as a whole: a combining mark that begins a part goes to the part before."""
    joined = list[tuple[str, Piece | None]]()
    for text, piece in parts:
        if joined and not text[0].isascii() and unicodedata.combining(text[0]):
            above = unicodedata.normalize("NFC", joined[-1][0] + text[0])
            joined[-1] = (above, joined[-1][1])
            text = text[1:]
        joined.append((text, piece))
    return joined


def _place_links(
    parts: Sequence[tuple[str, Piece | None]], links: Sequence[PageLink], lead: int, length: int
) -> tuple[Span, ...]:
    """Where the boxes of links lie over the text; neighbouring runs to one target become one link."""
    spans = list[Span]()
    offset = -lead
    for text, piece in parts:
        if piece is not None:
            spans.extend(_spans_in(text, piece, links, offset))
        offset += len(text)
    merged = list[Span]()
    for span in sorted(spans, key=lambda span: span.start):
        start, end = max(span.start, 0), min(span.end, length)
        if merged and merged[-1].target == span.target and start - merged[-1].end <= len(CELL_SPACES):
            merged[-1] = Span(merged[-1].start, max(end, merged[-1].end), span.target)
        elif end > start and not (merged and start < merged[-1].end):
            merged.append(Span(start, end, span.target))
    return tuple(merged)


def _with_code(
    links: Sequence[Span], parts: Sequence[tuple[str, Piece | None]], lead: int
) -> tuple[Span, ...]:
    """The links, and between them what stands in fixed width; neighbouring runs that a space parts are one."""
    code = list[Span]()
    offset = -lead
    for text, piece in parts:
        shown = text.strip()
        start = offset + len(text) - len(text.lstrip())
        offset += len(text)
        if piece is None or not piece.mono or not any(map(str.isalnum, shown)):
            continue
        if code and start - code[-1].end <= 1:
            code[-1] = Span(code[-1].start, start + len(shown), "")
        else:
            code.append(Span(start, start + len(shown), ""))
    free = [it for it in code if not any(it.start < link.end and link.start < it.end for link in links)]
    return tuple(sorted([*links, *free], key=lambda span: span.start))


def _spans_in(text: str, piece: Piece, links: Sequence[PageLink], offset: int) -> Iterator[Span]:
    x0, y0, x1, y1 = piece.box
    for link in links:
        left, top, right, foot = link.box
        if not top < (y0 + y1) / 2 < foot or right <= x0 or left >= x1:
            continue
        width = max(x1 - x0, 0.1) / max(len(text), 1)
        start = _word_edge(text, (left - x0) / width)
        end = _word_edge(text, (right - x0) / width)
        while start < end and text[start] == " ":
            start += 1
        while end > start and text[end - 1] == " ":
            end -= 1
        if end > start:
            yield Span(offset + start, offset + end, link.target)


def _word_edge(text: str, place: float) -> int:
    """The edge of a word nearest to a place measured in letters; letters differ in width."""
    if place <= 1:
        return 0
    if place >= len(text) - 1:
        return len(text)
    edges = [0, len(text), *(match.start() for match in _EDGE.finditer(text))]
    return min(edges, key=lambda edge: abs(edge - place))


def _base(strips: Sequence[Strip]) -> Piece:
    """The piece that sets the row's size and baseline: most letters, then the larger size."""
    if len(strips) == 1 and len(strips[0].pieces) == 1:
        return strips[0].pieces[0]
    weights: dict[tuple[float, float], tuple[int, Piece]] = {}
    for strip in strips:
        for piece in strip.pieces:
            key = (round(piece.size, 1), round(piece.baseline, 0))
            count, first = weights.get(key, (0, piece))
            weights[key] = (count + (0 if piece.text.isspace() else len(piece.text)), first)
    return max(weights.values(), key=lambda entry: (entry[0] * entry[1].size, entry[1].size))[1]


def _space(before: Piece, piece: Piece, tail: str, base: Piece, *, begins: bool) -> str:
    """What stands between two pieces; `begins` says that MuPDF put them into lines of their own."""
    size = max(before.size, piece.size, 1.0)
    gap = max(piece.box[0] - before.box[2], before.box[0] - piece.box[2])
    if not begins and (gap < MISSED_GAP_EM * size or tail.endswith("\ufffd")):
        return ""
    if gap > CELL_GAP_EM * size:
        return CELL_SPACES
    if tail.endswith(" ") or piece.text.startswith(" ") or gap < 0.12 * size:
        return ""
    is_raised = piece.size < 0.8 * base.size and base.baseline - piece.baseline > 0.18 * base.size
    return "" if is_raised and gap < 0.5 * base.size else " "


def code_lines(rows: Sequence[Row]) -> list[Line]:
    """Rows of a listing, each with the columns it is printed in; an empty Line where a line was left out."""
    plain = [row_line(row) for row in rows]
    width = _letter_width(rows)
    left = min(line.box[0] for line in plain)
    leading = _leading(plain)
    lines: list[Line] = []
    for row, line in zip(rows, plain, strict=True):
        if lines and leading:
            missing = round((line.box[3] - lines[-1].box[3]) / leading) - 1
            blank = Line("", (left, lines[-1].box[3], left, lines[-1].box[3]), line.size, mono=True)
            lines.extend([blank] * min(max(missing, 0), 2))
        text = plain_text(_in_columns(row, left, width)).rstrip()
        lines.append(Line(text, line.box, line.size, line.bold, mono=True))
    return lines


def _in_columns(row: Row, left: float, width: float) -> str:
    text = ""
    for body, start in _runs(row, width):
        # An indent may be drawn as spaces, or be a gap.
        column = round((start - left) / width) + len(body) - len(body.lstrip())
        body = body.lstrip() if not text else body.strip()
        if text and column <= len(text):
            column = len(text) + (1 if start - left > (len(text) + 0.4) * width else 0)
        text += " " * (column - len(text)) + body
    return text


def _runs(row: Row, width: float) -> Iterator[tuple[str, float]]:
    """What stands in a row without a gap between, and where it begins."""
    for strip in row:
        body, start, end = "", strip.box[0], strip.box[0]
        for piece in strip.pieces:
            if body.strip() and piece.box[0] - end > 0.5 * width:
                yield body, start
                body, start = "", piece.box[0]
            body, end = body + piece.text, piece.box[2]
        yield body, start


def _letter_width(rows: Sequence[Row]) -> float:
    widths = [
        (piece.box[2] - piece.box[0]) / len(piece.text)
        for row in rows
        for strip in row
        for piece in strip.pieces
        if len(piece.text) > 1 or len(strip.pieces) == 1
    ]
    return max(median(widths) if widths else 5.0, 0.5)


def _leading(lines: Sequence[Line]) -> float:
    """Usual distance of two lines in points: the smaller half's middle, as blank lines only widen it."""
    steps = sorted(step for a, b in pairwise(lines) if (step := b.box[3] - a.box[3]) > 1)
    typical = steps[(len(steps) - 1) // 3] if steps else 0.0
    return max(typical, 0.9 * max(line.size for line in lines)) if steps else 0.0
