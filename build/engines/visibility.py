"""Which text of a page a reader sees: what is white on white, tiny, not drawn or off the page is hidden."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docshelf.build.converting.converted import Box
from docshelf.build.engines.pieces import MIN_SIZE, Piece, Stroke

WHITE = 0xFFFFFF
MIN_CONTRAST = 24
"""Difference of the strongest channel (of 255) under which letters cannot be told from the ground."""
SCAN_COVER = 0.5
"""Share of the page that pictures must cover before invisible text counts as their OCR layer."""
_MAX_TESTS = 200_000


@dataclass(frozen=True, slots=True)
class VisibleText:
    """The text of a page that counts, and how much was left out."""

    pieces: tuple[Piece, ...]
    hidden: int
    """Characters left out, spaces not counted."""
    recognised: int
    """Characters of an OCR layer among `pieces`, spaces not counted."""


def count_signs(pieces: Iterable[Piece]) -> int:
    """Characters of the pieces, spaces not counted."""
    text = "".join([piece.text for piece in pieces if not piece.text.isspace()])
    return len(text) - text.count(" ")


def cover_of(boxes: Sequence[Box], width: float, height: float) -> float:
    """Share of a page that the boxes cover, 0 to 1; overlaps count twice, so it is an upper bound."""
    area = sum(
        max(0.0, min(box[2], width) - max(box[0], 0.0)) * max(0.0, min(box[3], height) - max(box[1], 0.0))
        for box in boxes
    )
    return min(1.0, area / max(width * height, 1.0))


def is_pale(piece: Piece) -> bool:
    """Whether the letters cannot be told from white paper."""
    return piece.color != 0 and _contrast(piece.color, WHITE) < MIN_CONTRAST


def pick_visible(
    pieces: Sequence[Piece], strokes: Sequence[Stroke], grounds: Sequence[Box], cover: float
) -> VisibleText:
    """The pieces a reader sees. `grounds` are boxes of pictures and shadings, `cover` their share of the page."""
    fills = [stroke for stroke in strokes if _is_ground(stroke)]
    crowded = len(fills) * len(pieces) > _MAX_TESTS
    kept, hidden, recognised = list[Piece](), 0, 0
    for piece in pieces:
        if piece.size < MIN_SIZE:
            seen = False
        elif not piece.painted:
            seen = cover >= SCAN_COVER
            recognised += count_signs([piece]) if seen else 0
        elif is_pale(piece) or (fills and not crowded):
            seen = _stands_out(piece, fills, grounds)
        else:
            seen = True
        if seen:
            kept.append(piece)
        else:
            hidden += count_signs([piece])
    return VisibleText(tuple(kept), hidden, recognised)


def find_covered(pieces: Sequence[Piece], strokes: Sequence[Stroke]) -> list[Piece]:
    """Pieces that lie wholly under a filled box drawn after them; whether it hides them only its ink can tell."""
    covers = [stroke for stroke in strokes if stroke.order and stroke.rectangle and _is_ground(stroke)]
    first = min((piece.strip for piece in pieces), default=0)
    covers = [cover for cover in covers if cover.order > first]
    if not covers or len(covers) * len(pieces) > _MAX_TESTS:
        return []
    return [
        piece
        for piece in pieces
        if piece.painted
        and not piece.text.isspace()
        and any(cover.order > piece.strip and _covers(cover.box, piece.box) for cover in covers)
    ]


def _covers(cover: Box, box: Box) -> bool:
    middle = (box[1] + box[3]) / 2
    return cover[0] <= box[0] + 1 and cover[2] >= box[2] - 1 and cover[1] < middle < cover[3]


def _is_ground(stroke: Stroke) -> bool:
    x0, y0, x1, y1 = stroke.box
    return not stroke.stroked and stroke.opaque and x1 - x0 > 4 and y1 - y0 > 4


def _stands_out(piece: Piece, fills: Sequence[Stroke], grounds: Sequence[Box]) -> bool:
    x, y = (piece.box[0] + piece.box[2]) / 2, (piece.box[1] + piece.box[3]) / 2
    for fill in reversed(fills):
        if _holds(fill.box, x, y):
            differs = _contrast(piece.color, fill.color) >= MIN_CONTRAST
            if differs or fill.rectangle:
                return differs or any(_holds(ground, x, y) for ground in grounds)
    return not is_pale(piece) or any(_holds(ground, x, y) for ground in grounds)


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _contrast(one: int, other: int) -> int:
    return max(abs((one >> shift & 255) - (other >> shift & 255)) for shift in (0, 8, 16))
