"""Drawings of a page: lines and areas that hang together and are no table, frame or ornament.

A diagram or chart is not one object in a PDF but hundreds of paths, with its labels as text among them. Where it
cannot be told from a frame around text, the text stays text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from docshelf.build.captions import CAPTION
from docshelf.build.converting.converted import Box
from docshelf.build.engines.boxes import area, common_part, holds_middle, join_boxes, overlap, widened
from docshelf.build.engines.islands import islands
from docshelf.build.engines.pieces import Piece, Stroke
from docshelf.build.engines.visibility import WHITE

MIN_SHAPES, MIN_BARE_SHAPES = 3, 2
"""Curves, slanted lines and shapes of more corners than a rectangle that a drawing has at least, with text and with
next to none."""
MIN_SIDE = 30.0
"""Points of the shorter side, below which it is a sign or an ornament."""
MIN_AREA, MAX_AREA = 0.01, 0.6
"""Share of the page from which a drawing or an image is a figure, and from which it is the page's ground or border. Of
the images of 97 documents icons and logos took less than .005, drawings and formulas more than .01."""
MIN_SPREAD, MIN_BARE_SPREAD = 0.5, 0.25
"""Share of a drawing over which its shapes spread; those of a framed remark are its frame and its icon."""
BARE = 0.1
"""Share of its area under text up to which it is hardly a frame around text."""
MAX_TEXT = 0.3
"""Share of its area under text from which it is a frame around text, however many they are."""
LABEL, LONG = 8, 30
"""Characters of a line up to which it may label a drawing from outside, such as the numbers along an axis, and
from which it is rather running text."""
FEW_LONG, MAX_LONG = 2, 0.5
"""Long lines that may be titles and remarks of a chart; of more, the share of the text that is too much."""
LARGEST_LABEL = 1.5
"""Times the usual size of the page's text, from which letters are a title and must stay one."""
NEAR, BESIDE = 9.0, 15.0
"""Points between a drawing and a label outside of it, and between drawings that make one figure."""
MARGIN = 2.0
"""Points around a drawing that its picture shows."""
MAX_STROKES = 50_000
_FLAT = 3.0
"""Points up to which a stroke is a line, whatever it is drawn with."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One picture made of strokes."""

    box: Box
    """Around what is drawn and its labels, with MARGIN."""
    labels: tuple[Piece, ...]


def find_drawings(
    strokes: Sequence[Stroke], images: Sequence[Box], pieces: Sequence[Piece], width: float, height: float
) -> list[Drawing]:
    """The drawings of a page of this size in points, top down; no two overlap.

    `pieces` are the page's text, with those that stand for tables, which no drawing takes. Images within a drawing
    are part of it.
    """
    if sum(map(_is_shape, strokes)) < MIN_BARE_SHAPES or len(strokes) > MAX_STROKES:
        return []
    tables = [piece.block.box for piece in pieces if piece.block]
    page, most = (0.0, 0.0, width, height), MAX_AREA * width * height
    drawn = [
        (common_part(stroke.box, page), _is_shape(stroke)) for stroke in strokes if not _is_paper(stroke)
    ]
    drawn += [(common_part(image, page), False) for image in images]
    drawn = [(box, is_shape) for box, is_shape in drawn if _is_on_page(box) and area(box) < most]
    drawn = [(box, is_shape) for box, is_shape in drawn if not any(_holds(table, box) for table in tables)]
    text = _Text.of(pieces)
    found = list[Box]()
    for group in islands([box for box, _ in drawn], width, height):
        parts = [drawn[place] for place in group]
        box = join_boxes([part for part, _ in parts])
        if area(box) < MIN_AREA * width * height or any(overlap(box, table) for table in tables):
            continue
        shapes = [part for part, is_shape in parts if is_shape]
        if _is_drawing(box, shapes, [part for part, _ in parts], text) and text.are_labels(box):
            found.append(text.with_labels(box))
    large = [image for image in images if MIN_AREA * width * height < area(image) < most]
    whole = sorted(_composed(found, large, text, most), key=lambda box: (box[1], box[0]))
    return [Drawing(common_part(widened(box, MARGIN), page), tuple(text.pieces(box))) for box in whole]


@dataclass(frozen=True, slots=True)
class _TextLine:
    pieces: tuple[Piece, ...]
    box: Box
    length: int

    @property
    def size(self) -> float:
        return self.pieces[0].size


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a page, as far as drawings are concerned: without captions, which stay text wherever they stand."""

    lines: tuple[_TextLine, ...]
    usual: float
    """Points of the letters of most lines."""

    @classmethod
    def of(cls, pieces: Sequence[Piece]) -> "_Text":
        strips: dict[int, list[Piece]] = {}
        for piece in pieces:
            if not piece.block and not piece.text.isspace():
                strips.setdefault(piece.strip, []).append(piece)
        lines = [
            _TextLine(
                tuple(it), join_boxes([piece.box for piece in it]), sum(len(piece.text) for piece in it)
            )
            for it in strips.values()
            if not CAPTION.match("".join(piece.text for piece in it))
        ]
        return cls(tuple(lines), median_low([line.size for line in lines]) if lines else 0.0)

    def inside(self, box: Box) -> list[_TextLine]:
        return [line for line in self.lines if holds_middle(box, line.box)]

    def pieces(self, box: Box) -> list[Piece]:
        return [piece for line in self.inside(box) for piece in line.pieces]

    def share(self, box: Box) -> float:
        """How much of the box is under text, 0 to 1 and somewhat more where text overlaps."""
        return sum(area(line.box) for line in self.inside(box)) / area(box)

    def are_labels(self, box: Box) -> bool:
        """Whether the text in the box is labels: little, in short lines, none of it a title or cut out of a paragraph."""
        inside = self.inside(box)
        long = [line.length for line in inside if line.length >= LONG]
        if len(long) > FEW_LONG and sum(long) > MAX_LONG * sum(line.length for line in inside):
            return False
        words = [line for line in inside if line.length > LABEL]
        if any(piece.size > LARGEST_LABEL * self.usual for line in words for piece in line.pieces):
            return False
        within = set(map(id, inside))
        others = [line for line in self.lines if line.length > LABEL and id(line) not in within]
        return self.share(box) <= MAX_TEXT and not any(_follow(a, b) for a in words for b in others)

    def with_labels(self, box: Box) -> Box:
        """The box with the short or turned lines at its sides that belong to no paragraph."""
        for _ in range(2):  # the numbers of an axis, then its name
            near = widened(box, NEAR)
            added = [
                line.box
                for line in self.lines
                if overlap(near, line.box) and _is_level(line.box, box) and self._may_label(line)
            ]
            box = join_boxes([box, *added])
        return box

    def _may_label(self, line: _TextLine) -> bool:
        if line.pieces[0].quarter:
            return True
        return line.length <= LABEL and not any(
            _follow(line, other) for other in self.lines if other.length > LABEL
        )


def _is_drawing(box: Box, shapes: Sequence[Box], parts: Sequence[Box], text: _Text) -> bool:
    """Whether the shapes make a drawing of the box: they are several, and all over it, not only around it."""
    if min(box[2] - box[0], box[3] - box[1]) < MIN_SIDE or len(shapes) < MIN_BARE_SHAPES:
        return False
    if text.share(box) <= BARE:
        return area(join_boxes(shapes)) > MIN_BARE_SPREAD * area(box)
    inner = [part for part in parts if not _is_flat(part) and area(part) < MIN_SPREAD * area(box)]
    return min(len(shapes), len(inner)) >= MIN_SHAPES and area(join_boxes(inner)) > MIN_SPREAD * area(box)


def _composed(boxes: Sequence[Box], images: Sequence[Box], text: _Text, most: float) -> list[Box]:
    """The boxes, with the others and the images joined to them that make one figure with them."""
    apart, free = list[Box](), list(images)
    for box in boxes:
        whole = box
        while other := next((it for it in (*apart, *free) if _belong(whole, it, text, most)), None):
            (apart if other in apart else free).remove(other)
            whole = join_boxes([whole, other])
        apart.append(whole)
    return apart


def _belong(one: Box, other: Box, text: _Text, most: float) -> bool:
    """Whether two boxes overlap, or stand together with nothing but labels in and between them."""
    whole = join_boxes([one, other])
    near = overlap(widened(one, BESIDE), other)
    return overlap(one, other) or (near and area(whole) < most and text.are_labels(whole))


def _follow(one: _TextLine, other: _TextLine) -> bool:
    """Whether two lines stand as those of one paragraph do: one below the other, and close."""
    step = abs(one.box[3] - other.box[3])
    shared = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    narrower = min(one.box[2] - one.box[0], other.box[2] - other.box[0])
    return step < 1.6 * one.size and shared > 0.5 * narrower


def _is_level(label: Box, box: Box) -> bool:
    """Whether the middle of a label lies between two opposite sides of the box, prolonged."""
    x, y = (label[0] + label[2]) / 2, (label[1] + label[3]) / 2
    return box[0] < x < box[2] or box[1] < y < box[3]


def _is_shape(stroke: Stroke) -> bool:
    return not stroke.rectangle and not _is_flat(stroke.box)


def _is_flat(box: Box) -> bool:
    return box[2] - box[0] <= _FLAT or box[3] - box[1] <= _FLAT


def _is_paper(stroke: Stroke) -> bool:
    return not stroke.stroked and stroke.color == WHITE


def _is_on_page(box: Box) -> bool:
    """Whether anything is left of a box that was cut at the edges of the page."""
    return box[2] >= box[0] and box[3] >= box[1]


def _holds(outer: Box, inner: Box) -> bool:
    """Whether the inner box lies in the outer one, but for the width of a line."""
    return (
        outer[0] - _FLAT <= inner[0]
        and outer[1] - _FLAT <= inner[1]
        and inner[2] <= outer[2] + _FLAT
        and inner[3] <= outer[3] + _FLAT
    )
