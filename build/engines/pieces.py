"""What stands on a page, as MuPDF reads it: runs of text, lines and fills drawn beside them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from docshelf.build.converted import Block, Box
from docshelf.build.engines.boxes import join_boxes, turn_box

if TYPE_CHECKING:
    import pymupdf

_MONO_NAME = re.compile(
    r"mono(?!type)|nimbusmon|courier|consol|typewriter|menlo|terminal|fixed|andale|lucida ?cons|fira ?code|source ?code"
    r"|cm(?:tt|sltt|itt|tcsc|vtt)|lmtt|txtt|sftt|ectt|latt|larm?tt|(?:^|[+-])tt\d|inconsol|lettergothic|ocr-?b",
    re.IGNORECASE,
)
_BOLD_NAME = re.compile(
    r"bold|black|heavy|demi|(?:cm|sf|ec|la|lm|t2)(?:bx|ssbx)|[-,]bd?(?:$|it)|medi(?:um)?$", re.IGNORECASE
)
_MONO_FLAG, _BOLD_FLAG = 8, 16
_PAINTED = 16 | 32
"""MuPDF's character flags for filled and for stroked; neither means render mode 3 (invisible)."""
MIN_SIZE = 1.0
"""Points below which text is no reading matter but a hiding place."""
MIN_ALPHA = 26
"""Opacity (of 255) below which text is taken as invisible."""


MEASURED_WORDS = 8
"""Words of different letters that must be equally wide per letter before a font counts as fixed-width."""
SAME_WIDTH_EM = 0.004
FOOT = 0.2
"""Share of a line's height below its baseline where only the box is known."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text of one font, size and line."""

    text: str
    box: Box
    baseline: float
    """Distance from the top of the page in points (after `turn`, of the turned page)."""
    size: float
    bold: bool
    mono: bool
    font: str
    strip: int
    """Number of the line MuPDF put it into, in the order of the page's content."""
    color: int = 0
    """sRGB as 0xRRGGBB."""
    painted: bool = True
    """False for text that is read but not drawn (an OCR layer, or text that hides)."""
    quarter: int = 0
    """Direction of reading in quarter turns clockwise: 0 upright, 1 downwards, 2 upside down, 3 upwards."""
    block: Block | None = None
    """A table or figure this piece stands for in the order of reading; its text is then no text."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line, a frame or a filled area."""

    box: Box
    color: int
    stroked: bool
    rectangle: bool
    opaque: bool


@dataclass(frozen=True, slots=True)
class PageContent:
    """Everything of a page that reading needs, in the coordinates a reader sees."""

    pieces: tuple[Piece, ...]
    strokes: tuple[Stroke, ...]


@dataclass(slots=True)
class Typefaces:
    """What the fonts met so far are: fixed-width or not, bold or not; asked once per font name."""

    _known: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    _widths: dict[str, dict[frozenset[str], float]] = field(default_factory=dict)

    def look_up(self, name: str, flags: int) -> tuple[bool, bool]:
        """(mono, bold) by name or by the font's own flags."""
        known = self._known.get(name)
        if known is None:
            known = (bool(_MONO_NAME.search(name)), bool(_BOLD_NAME.search(name)))
            self._known[name] = known
        return known[0] or bool(flags & _MONO_FLAG), known[1] or bool(flags & _BOLD_FLAG)

    def measure(self, span: Mapping[str, Any]) -> None:
        """Learns from the width of a word: where all letters of a font are as wide, it is fixed-width."""
        widths = self._widths.setdefault(span["font"], {})
        if len(widths) >= MEASURED_WORDS:
            return
        word = span["text"]
        letters = frozenset(filter(str.isalpha, word))
        if len(letters) < 4 or word != word.strip() or span["size"] <= 0:
            return
        widths[letters] = (span["bbox"][2] - span["bbox"][0]) / len(word) / span["size"]
        if len(widths) == MEASURED_WORDS and max(widths.values()) - min(widths.values()) < SAME_WIDTH_EM:
            self._known[span["font"]] = (True, self._known.get(span["font"], (False, False))[1])


def read_content(page: "pymupdf.Page", typefaces: Typefaces, *, clip: bool = False) -> PageContent:
    """The pieces and strokes of a page; `clip` leaves out what lies outside the visible box."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS
    if clip:
        textpage = page.get_textpage(flags=flags | pymupdf.TEXT_MEDIABOX_CLIP)
    else:
        # Without an infinite clip MuPDF leaves out what lies off the page, and nobody would learn of it.
        textpage = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=flags)
    blocks = textpage.extractDICT()["blocks"]
    pieces = _pieces(blocks, typefaces)
    strokes = (_stroke(block) for block in blocks if block["type"] == 3)
    if not page.rotation:
        return PageContent(tuple(pieces), tuple(strokes))
    view = PageView(page)
    return PageContent(tuple(map(view.piece, pieces)), tuple(map(view.stroke, strokes)))


class PageView:
    """Takes what MuPDF reads in the page's own coordinates to those of the turned page a reader sees."""

    def __init__(self, page: "pymupdf.Page") -> None:
        self._turns = page.rotation // 90 % 4
        self._width, self._height = page.rect.width, page.rect.height
        if self._turns % 2:
            self._width, self._height = self._height, self._width

    def box(self, box: Box) -> Box:
        # Turning the page clockwise is what sets text of the opposite direction upright.
        return turn_box(box, -self._turns % 4, self._width, self._height)

    def piece(self, piece: Piece) -> Piece:
        box, quarter = self.box(piece.box), (piece.quarter + self._turns) % 4
        return replace(piece, box=box, quarter=quarter, baseline=box[3] - FOOT * (box[3] - box[1]))

    def stroke(self, stroke: Stroke) -> Stroke:
        return replace(stroke, box=self.box(stroke.box))


def _pieces(blocks: Sequence[Mapping[str, Any]], typefaces: Typefaces) -> Iterator[Piece]:
    strip = 0
    for block in blocks:
        if block["type"]:
            continue
        for line in block["lines"]:
            quarter = _quarter(line["dir"])
            for span in line["spans"]:
                typefaces.measure(span)
            for span, text, box in _runs(line["spans"]):
                yield _piece(span, text, box, strip, quarter, typefaces)
            strip += 1


def _runs(spans: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str, Box]]:
    """Spans that differ in nothing that matters here, as one: the first of them, the text, the box.

    MuPDF parts spans at every space it adds itself, which makes hundreds a page.
    """
    first: Mapping[str, Any] | None = None
    text, box, style = "", (0.0, 0.0, 0.0, 0.0), None
    for span in spans:
        key = (span["font"], span["size"], span["color"], span["alpha"], span["origin"][1])
        if first is not None and key == style:
            text += span["text"]
            box = join_boxes((box, span["bbox"]))
            continue
        if first is not None and text:
            yield first, text, box
        first, text, box, style = span, span["text"], span["bbox"], key
    if first is not None and text:
        yield first, text, box


def _piece(
    span: Mapping[str, Any], text: str, box: Box, strip: int, quarter: int, typefaces: Typefaces
) -> Piece:
    font, size = span["font"], span["size"]
    mono, bold = typefaces.look_up(font, span["flags"])
    painted = span["alpha"] >= MIN_ALPHA and (span["char_flags"] & _PAINTED or span["alpha"] > 0)
    return Piece(
        text=text,
        box=box,
        baseline=span["origin"][1],
        size=size,
        # The font of an OCR layer is nobody's choice.
        bold=bool(bold and painted),
        mono=bool(mono and painted),
        font=font,
        strip=strip,
        color=span["color"],
        painted=bool(painted),
        quarter=quarter,
    )


def _stroke(block: Mapping[str, Any]) -> Stroke:
    return Stroke(block["bbox"], block["color"], block["stroked"], block["isrect"], block["alpha"] > 200)


def _quarter(direction: tuple[float, float]) -> int:
    """The quarter turn nearest to a direction of writing (y grows downwards)."""
    x, y = direction
    if abs(x) >= abs(y):
        return 0 if x >= 0 else 2
    return 1 if y > 0 else 3


def turn_piece(piece: Piece, width: float, height: float) -> Piece:
    """The piece on a page turned so that it stands upright; its baseline is then near its box's foot."""
    if not piece.quarter:
        return piece
    box = turn_box(piece.box, piece.quarter, width, height)
    return replace(piece, box=box, baseline=box[3] - FOOT * (box[3] - box[1]))
