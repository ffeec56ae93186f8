"""What stands on a page, as MuPDF reads it: runs of text, lines and fills drawn beside them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from docshelf.build.converting.converted import Block, Box
from docshelf.build.engines.boxes import join_boxes, turn_box

if TYPE_CHECKING:
    import pymupdf

_MONO_NAME = re.compile(
    r"mono(?!type)|nimbusmon|courier|consol|typewriter|menlo|terminal|fixed|andale|lucida ?cons|fira ?code|source ?code"
    r"|cmc?(?:tt|sltt|itt|tcsc|vtt)|lmtt|txtt|sftt|ectt|latt|larm?tt|(?:^|[+-])tt\d|inconsol|lettergothic|ocr-?b",
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


MEASURED_WORDS, MAX_MEASURED = 8, 64
"""Words of different letters that it takes to tell whether a font is fixed-width, and that are measured at most."""
SAME_WIDTH_EM = 0.002
"""How far the letters of a word may be, on average, from the usual width of a fixed-width font."""
SAME_SHARE = 0.65
"""Share of the words that have the usual width: one name may stand for several fonts, and some words are spaced.

In 97 PDFs (November 2026) fixed-width fonts have .70 and more, Chinese and Japanese ones .52, others .27.
"""
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
    order: int = 0
    """Number of the first line of text drawn after it; what has a lower one may lie under it."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """Everything of a page that reading needs, in the coordinates a reader sees."""

    pieces: tuple[Piece, ...]
    strokes: tuple[Stroke, ...]


@dataclass(slots=True)
class Typefaces:
    """What fonts are: fixed-width or not, bold or not; by their names and the widths of words."""

    _known: dict[str, tuple[bool, bool]] = field(default_factory=dict)
    _widths: dict[str, dict[frozenset[str], float]] = field(default_factory=dict)
    _settled: set[str] = field(default_factory=set)

    def learned(self, pages: "Iterable[Sequence[RawBlock]]") -> "Typefaces":
        """These and what the words of `pages` tell: where most letters of a font are as wide, it is fixed-width.

        A font that enough words told of here stays as it is.
        """
        faces = Typefaces(
            dict(self._known), {font: dict(it) for font, it in self._widths.items()}, set(self._settled)
        )
        for blocks in pages:
            for block in blocks:
                for line in block.get("lines", ()):
                    if line["dir"][0] == 1.0:
                        faces._measure(line["spans"])
        faces._settle()
        return faces

    def look_up(self, name: str, flags: int) -> tuple[bool, bool]:
        """(mono, bold) by name, by the measured words or by the font's own flags."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _of_name(name)
        return known[0] or bool(flags & _MONO_FLAG), known[1] or bool(flags & _BOLD_FLAG)

    def _measure(self, spans: Sequence[Mapping[str, Any]]) -> None:
        for span in spans:
            if span["font"] in self._settled:
                continue
            word = span["text"]
            letters = frozenset(filter(str.isalpha, word))
            if len(letters) < 4 or word != word.strip() or span["size"] <= 0:
                continue
            widths = self._widths.setdefault(span["font"], {})
            if len(widths) < MAX_MEASURED:
                widths[letters] = (span["bbox"][2] - span["bbox"][0]) / len(word) / span["size"]

    def _settle(self) -> None:
        for font, widths in list(self._widths.items()):
            if len(widths) < MEASURED_WORDS:
                continue
            middle = median(widths.values())
            alike = sum(abs(width - middle) < SAME_WIDTH_EM for width in widths.values())
            mono, bold = _of_name(font)
            self._known[font] = (mono or alike >= SAME_SHARE * len(widths), bold)
            self._settled.add(font)
            del self._widths[font]


def _of_name(font: str) -> tuple[bool, bool]:
    return bool(_MONO_NAME.search(font)), bool(_BOLD_NAME.search(font))


RawBlock = Mapping[str, Any]
"""A block as MuPDF's `extractDICT` gives it: lines of spans, or something drawn."""


def read_raw(page: "pymupdf.Page", *, clip: bool = False) -> Sequence[RawBlock]:
    """All text and drawing of a page as MuPDF reads it; `clip` leaves out what lies outside the visible box."""
    import pymupdf

    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS
    if clip:
        textpage = page.get_textpage(flags=flags | pymupdf.TEXT_MEDIABOX_CLIP)
    else:
        # Without an infinite clip MuPDF leaves out what lies off the page, and nobody would learn of it.
        textpage = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=flags)
    blocks: Sequence[RawBlock] = textpage.extractDICT()["blocks"]
    return blocks


def read_content(page: "pymupdf.Page", blocks: Sequence[RawBlock], typefaces: Typefaces) -> PageContent:
    """The pieces and strokes among the `blocks` read of the page.

    What its words tell of fonts holds for this page alone: no page may depend on those read before it.
    """
    pieces = _pieces(blocks, typefaces.learned([blocks]))
    strokes = _strokes(blocks)
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


def _pieces(blocks: Sequence[RawBlock], typefaces: Typefaces) -> Iterator[Piece]:
    strip = 0
    for block in blocks:
        if block["type"]:
            continue
        for line in block["lines"]:
            quarter, spans = _quarter(line["dir"]), line["spans"]
            for run in _runs(spans):
                piece = _piece(run, strip, quarter, typefaces)
                if piece.text:
                    yield piece
            strip += 1


def _runs(spans: Sequence[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Spans that differ in nothing that matters here, together.

    MuPDF parts spans at every space it adds itself, which makes hundreds a page.
    """
    start, style = 0, None
    for index, span in enumerate(spans):
        key = (span["font"], span["size"], span["color"], span["alpha"], span["origin"][1])
        if index and key != style:
            yield spans[start:index]
            start = index
        style = key
    if spans:
        yield spans[start:] if start else spans


def _piece(run: Sequence[Mapping[str, Any]], strip: int, quarter: int, typefaces: Typefaces) -> Piece:
    span, text, box = run[0], run[0]["text"], run[0]["bbox"]
    if len(run) > 1:
        text, box = "".join([part["text"] for part in run]), join_boxes([part["bbox"] for part in run])
    font = span["font"]
    mono, bold = typefaces.look_up(font, span["flags"])
    painted = span["alpha"] >= MIN_ALPHA and bool(span["char_flags"] & _PAINTED or span["alpha"] > 0)
    return Piece(
        text,
        box,
        span["origin"][1],
        span["size"],
        # The font of an OCR layer is nobody's choice.
        bold and painted,
        mono and painted,
        font,
        strip,
        span["color"],
        painted,
        quarter,
    )


def _strokes(blocks: Sequence[RawBlock]) -> Iterator[Stroke]:
    strip = 0
    for block in blocks:
        if not block["type"]:
            strip += len(block["lines"])
        elif block["type"] == 3:
            opaque = block["alpha"] > 200
            yield Stroke(block["bbox"], block["color"], block["stroked"], block["isrect"], opaque, strip)


def _quarter(direction: tuple[float, float]) -> int:
    """The quarter turn nearest to a direction of writing (y grows downwards)."""
    x, y = direction
    if x == 1.0:
        return 0
    if abs(x) >= abs(y):
        return 0 if x >= 0 else 2
    return 1 if y > 0 else 3


def turn_piece(piece: Piece, width: float, height: float) -> Piece:
    """The piece on a page turned so that it stands upright; its baseline is then near its box's foot."""
    if not piece.quarter:
        return piece
    box = turn_box(piece.box, piece.quarter, width, height)
    return replace(piece, box=box, baseline=box[3] - FOOT * (box[3] - box[1]))
