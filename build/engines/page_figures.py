"""Figures of a page of text: which images and drawings are some, their pictures, their place among the text."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.converting.converted import Block, Box
from docshelf.build.engines.boxes import area, overlap
from docshelf.build.engines.drawings import MAX_AREA, MIN_AREA, Drawing, find_drawings
from docshelf.build.engines.page_pictures import save_figure, unpacks_to_too_much
from docshelf.build.engines.pieces import Piece, Stroke
from docshelf.build.engines.reading_order import order_rows
from docshelf.build.engines.text_lines import row_line

if TYPE_CHECKING:
    import pymupdf

MIN_ANY_FIGURE, EDGE = 0.08, 0.12
"""Share from which an image is a figure wherever it stands. A smaller one is a logo in this share of the page's
height at its head and foot, as a drawing is, and beside text an icon, or would part lines that belong together."""
MAX_SMALL_FIGURES = 100
"""Images on a page of more are not looked at one by one; only large ones are figures."""
MAX_FIGURES = 12
"""Figures of one page; more are tiles of one picture."""


def with_figures(
    page: "pymupdf.Page",
    pieces: Sequence[Piece],
    strokes: Sequence[Stroke],
    images: Sequence[Box],
    folder: Path,
) -> list[Piece]:
    """The pieces with one for each figure of the page, whose picture is written into `folder`.

    `pieces` are the page's text with those that stand for tables, `images` the boxes of all its images. The labels
    of a drawing become the text of its figure. Small images (icons, logos) and those under most of the page are no
    figures.
    """
    width, height = page.rect.width, page.rect.height
    drawings = [
        drawing
        for drawing in find_drawings(strokes, images, pieces, width, height)
        if not _is_logo(drawing.box, width, height)
    ]
    free = [image for image in images if not any(overlap(image, drawing.box) for drawing in drawings)]
    texts = [piece.box for piece in pieces]
    figures = [*drawings, *(Drawing(image, ()) for image in _chosen(free, texts, width, height))]
    if len(figures) > MAX_FIGURES:
        figures = sorted(figures, key=lambda figure: -area(figure.box))[:MAX_FIGURES]
    if not figures or unpacks_to_too_much(page):
        return list(pieces)
    figures.sort(key=lambda figure: (figure.box[1], figure.box[0]))
    taken, stand_ins = set[int](), list[Piece]()
    for number, figure in enumerate(figures, start=1):
        name = save_figure(page, number, figure.box, folder, is_drawn=figure in drawings)
        if name:
            taken |= set(map(id, figure.labels))
            stand_ins.append(_stand_in(number, figure, name))
    left = [piece for piece in pieces if id(piece) not in taken]
    return left + [_above_its_neighbours(figure, left) for figure in stand_ins]


def _chosen(images: Sequence[Box], texts: Sequence[Box], width: float, height: float) -> list[Box]:
    """The images that are figures."""
    whole = max(width * height, 1.0)
    shares = {image: area(image) / whole for image in images}
    sized = [image for image, share in shares.items() if MIN_AREA < share < MAX_AREA]
    least = MIN_AREA if len(sized) <= MAX_SMALL_FIGURES else MIN_ANY_FIGURE
    return [
        image
        for image in sized
        if shares[image] > MIN_ANY_FIGURE
        or (
            shares[image] > least
            and not _is_logo(image, width, height)
            and not any(_is_beside(text, image) for text in texts)
        )
    ]


def _is_logo(box: Box, width: float, height: float) -> bool:
    """Whether something small lies at the head or foot of the page."""
    is_small = area(box) <= MIN_ANY_FIGURE * width * height
    return is_small and (box[3] < EDGE * height or box[1] > (1 - EDGE) * height)


def _stand_in(number: int, figure: Drawing, name: str) -> Piece:
    lines = tuple(row_line(row) for region in order_rows(figure.labels) for row in region)
    block = Block("figure", figure.box, lines, picture=name)
    return Piece("\ufdd0", figure.box, figure.box[3], 10.0, False, False, "", -number, block=block)


def _above_its_neighbours(figure: Piece, pieces: Sequence[Piece]) -> Piece:
    """The figure where it is read: before the text beside it, which it would part elsewhere.

    Before a listing beside it stands the whole figure, unless other text stands above the figure there.
    """
    left, top, right, _ = figure.box
    texts = [piece for piece in pieces if not piece.block]
    beside = [piece for piece in texts if _is_beside(piece.box, figure.box)]
    if not beside:
        return figure
    top = min(top, *(piece.box[1] for piece in beside))
    ceiling = max(
        (it.box[3] for it in texts if it.box[0] < right and left < it.box[2] and it.box[3] <= top),
        default=0.0,
    )
    lines = [it for it in texts if it.mono and (it.box[2] < left or it.box[0] > right)]
    for line in sorted(lines, key=lambda line: -line.box[1]):
        if line.box[1] < top and line.box[1] >= ceiling and top - line.box[3] < 0.5 * line.size:
            top = line.box[1]
    return replace(figure, box=(left, top - 1, right, top), baseline=top)


def _is_beside(text: Box, box: Box) -> bool:
    is_level = box[1] < (text[1] + text[3]) / 2 < box[3]
    return is_level and (text[2] < box[0] or text[0] > box[2])
