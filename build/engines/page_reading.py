"""One page of a PDF read: what is seen on it, how far it can be trusted, its blocks in order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.characters import count_invisible, is_right_to_left, plain_text
from docshelf.build.converting.converted import Block, Box, EngineOptions, Page
from docshelf.build.converting.repair import Mends
from docshelf.build.engines.boxes import turn_back, turn_box
from docshelf.build.engines.grading import grade_page
from docshelf.build.engines.notices import Notices
from docshelf.build.engines.opening import library_faults
from docshelf.build.engines.page_blocks import region_blocks
from docshelf.build.engines.page_figures import with_figures
from docshelf.build.engines.page_links import LinkReader, PageLink, drop_cut_links
from docshelf.build.engines.page_notes import remove_notes, with_fields
from docshelf.build.engines.page_pictures import check_size, find_blank, save_page_picture
from docshelf.build.engines.pieces import (
    PageContent,
    PageView,
    Piece,
    RawBlock,
    Typefaces,
    read_content,
    read_raw,
    turn_piece,
)
from docshelf.build.engines.reading_order import order_rows
from docshelf.build.engines.tables import place_tables
from docshelf.build.engines.visibility import (
    VisibleText,
    count_signs,
    cover_of,
    find_covered,
    is_pale,
    pick_visible,
)

if TYPE_CHECKING:
    import pymupdf

FEW_SIGNS = 400
"""A page with fewer characters is looked at for pictures it may be a scan of."""
OVERRUN = 0.25
"""Share of the page's width or height by which a line that begins on the page may run over its edge."""
MAX_STRAY = 3
"""So few characters off the page are a line set too wide, not text that hides."""
_SLACK = 1.0


@dataclass(slots=True)
class PageReader:
    """Reads the pages of one document; keeps what holds for all of them and what was noticed."""

    document: "pymupdf.Document"
    options: EngineOptions
    pictures: Path
    mends: Mends = field(default_factory=Mends)
    """How text read in the wrong code page is mended."""
    notices: Notices = field(default_factory=Notices)
    typefaces: Typefaces = field(default_factory=Typefaces)
    """What is known of the document's fonts before its first page is read."""
    links: LinkReader = field(init=False)

    sampled: dict[int, Sequence[RawBlock]] = field(default_factory=dict)
    """What was read of some pages before, by page number; each is used once."""

    picture_bytes: int = 0
    """Size of the pictures made so far."""

    labelled: bool = field(init=False)
    """Whether the document names its pages; only then each is asked."""

    def __post_init__(self) -> None:
        self.links = LinkReader(self.document)
        kind, _ = self.document.xref_get_key(self.document.pdf_catalog(), "PageLabels")
        self.labelled = kind != "null"

    def read(self, number: int) -> Page:
        """PDF page `number`, from 1; a page that cannot be read is an empty one with a notice.

        Raises: SourceError `output-too-large` where its pictures are one too many.
        """
        try:
            page = self._read(self.document.load_page(number - 1), number)
        except library_faults():
            self.notices.add("damaged-page", number)
            return Page(number, str(number), 0.0, 0.0, "C")
        names = {page.picture, *(block.picture for block in page.blocks)} - {""}
        self.picture_bytes += sum((self.pictures / name).stat().st_size for name in names)
        check_size(self.picture_bytes)
        return page

    def _read(self, page: "pymupdf.Page", number: int) -> Page:
        if removed := remove_notes(page):
            self.sampled.pop(number, None)
            self.notices.add("notes-left-out", number, removed)
        if not page.mediabox.intersects(page.cropbox):
            self.notices.add("odd-page-box", number)
        text, content, images = self._visible(page, number)
        width, height = _size(page)
        cover = cover_of(images, width, height)
        verdict = grade_page(text, cover, drawn=len(content.strokes) > 3)
        if verdict.code:
            self.notices.add(verdict.code, number)
        if text.hidden:
            self.notices.add("hidden-text", number, text.hidden)
        if unseen := sum(count_invisible(piece.text) for piece in text.pieces):
            self.notices.add("invisible-characters", number, unseen)
        if text.recognised and verdict.readable:
            self.notices.add("ocr-layer", number)
        # Somebody may have run OCR before us: such a page is a scan still, and its text may be wrong.
        is_scan = verdict.grade == "C" or 2 * text.recognised > count_signs(text.pieces)
        wanted = self.options.pictures
        is_pictured = wanted != "none" and (is_scan or (wanted == "doubtful" and verdict.grade == "B"))
        figures = images if wanted != "none" and not is_scan else None
        blocks = self.blocks(page, number, text.pieces, content, figures) if verdict.readable else []
        return Page(
            number=number,
            label=_label(page) if self.labelled else str(number),
            width=round(width, 2),
            height=round(height, 2),
            grade=verdict.grade,
            blocks=tuple(blocks),
            picture=self._picture(page, number) if is_pictured else "",
        )

    def _visible(self, page: "pymupdf.Page", number: int) -> tuple[VisibleText, PageContent, list[Box]]:
        raw = self.sampled.pop(number, None) or read_raw(page)
        content = read_content(page, raw, self.typefaces)
        outside = 0
        width, height = _size(page)
        if any(_is_off(piece.box, width, height) for piece in content.pieces):
            whole = count_signs(content.pieces)
            content = read_content(page, read_raw(page, clip=True), self.typefaces)
            outside = whole - count_signs(content.pieces)
            outside = outside if outside > MAX_STRAY else 0
        drawn, covered = _without_covered(page, content)
        pieces = with_fields(page, self._mended(drawn))
        odd = any(not piece.painted or is_pale(piece) for piece in pieces)
        images, grounds = list[Box](), list[Box]()
        if odd or page.get_images() or count_signs(pieces) < FEW_SIGNS:
            images = [_seen_box(info["bbox"], page) for info in page.get_image_info()]
            grounds = images + (_shadings(page) if odd else [])
        cover = cover_of(images, width, height)
        text = pick_visible(pieces, content.strokes, grounds, cover)
        return replace(text, hidden=text.hidden + outside + covered), content, images

    def _mended(self, pieces: Sequence[Piece]) -> list[Piece]:
        if not self.mends.usual:
            return list(pieces)
        return [replace(piece, text=self.mends.mended(piece.font, piece.text)) for piece in pieces]

    def blocks(
        self,
        page: "pymupdf.Page",
        number: int,
        seen: Sequence[Piece],
        content: PageContent,
        images: Sequence[Box] | None,
    ) -> list[Block]:
        """Blocks of the text that stands as most does, then of what is turned against it.

        `images` are what figures may be made of, beside drawings; None where no figures are wanted.
        """
        links = self.links.read(page)
        found = place_tables(seen, content.strokes, WordSplitter(page, self.mends))
        pieces: Sequence[Piece] = found.pieces
        if images is not None:
            pieces = with_figures(page, pieces, content.strokes, images, self.pictures)
        if found.flattened:
            self.notices.add("table-flattened", number, found.flattened)
        weights: dict[int, int] = {}
        for piece in pieces:
            weights[piece.quarter] = weights.get(piece.quarter, 0) + len(piece.text)
        blocks, (width, height) = list[Block](), _size(page)
        for quarter in sorted(weights, key=lambda quarter: (-weights[quarter], quarter)):
            group = [piece for piece in pieces if piece.quarter == quarter]
            blocks += _turned_blocks(group, quarter, width, height, links)
        if any(is_right_to_left(block.text) for block in blocks):
            self.notices.add("right-to-left", number)
        # Only what is no link that may be published can start something.
        if len(links) < len(page.annot_xrefs()) and (launches := self.links.count_launches(page)):
            self.notices.add("active-content", number, launches)
        return [self._without_cut_links(block, number) if len(block.lines) > 1 else block for block in blocks]

    def _without_cut_links(self, block: Block, number: int) -> Block:
        block, cut = drop_cut_links(block)
        if cut:
            self.notices.add("cut-link", number, cut)
        return block

    def _picture(self, page: "pymupdf.Page", number: int) -> str:
        name = save_page_picture(page, self.pictures)
        if not name:
            self.notices.add("no-picture", number)
        return name


def _without_covered(page: "pymupdf.Page", content: PageContent) -> tuple[Sequence[Piece], int]:
    """The pieces but those that a box drawn later hides, and how many characters those have."""
    suspects = find_covered(content.pieces, content.strokes)
    if not suspects:
        return content.pieces, 0
    blank = find_blank(page, [piece.box for piece in suspects])
    gone = [piece for piece, is_blank in zip(suspects, blank, strict=True) if is_blank]
    taken = set(map(id, gone))
    return [piece for piece in content.pieces if id(piece) not in taken], count_signs(gone)


@dataclass(slots=True)
class WordSplitter:
    """Gives the words of a piece with their own boxes; asks MuPDF once per page, and only when needed."""

    page: "pymupdf.Page"
    mends: Mends
    _words: dict[int, list[tuple[int, Box, str]]] | None = None
    """Number, box and text of the words that each point of the page's height crosses."""

    def __call__(self, piece: Piece) -> list[Piece]:
        """The words, or the piece itself where its words cannot be told."""
        if self._words is None:
            import pymupdf

            found = self.page.get_textpage(flags=pymupdf.TEXT_PRESERVE_WHITESPACE).extractWORDS()
            self._words = {}
            for number, (x0, y0, x1, y1, text, *_) in enumerate(found, start=1):
                box = _seen_box((x0, y0, x1, y1), self.page)
                for point in range(math.floor(box[1]), math.ceil(box[3])):
                    self._words.setdefault(point, []).append((number, box, text))
        here = self._words.get(math.floor((piece.box[1] + piece.box[3]) / 2), [])
        words = [
            replace(piece, text=self.mends.mended(piece.font, text), box=box, strip=-number)
            for number, box, text in here
            if _is_part(box, piece.box)
        ]
        whole = "".join(word.text for word in words) == "".join(piece.text.split())
        return words if whole and words else [piece]


def _is_part(word: Box, whole: Box) -> bool:
    """Whether a word's box lies on that of a longer run."""
    middle = (word[0] + word[2]) / 2
    return whole[0] - 1 < middle < whole[2] + 1 and word[1] < (whole[1] + whole[3]) / 2 < word[3]


def _turned_blocks(
    pieces: Sequence[Piece], quarter: int, width: float, height: float, links: Sequence[PageLink]
) -> list[Block]:
    if not quarter:
        return region_blocks(order_rows(pieces), height, links)
    turned = [turn_piece(piece, width, height) for piece in pieces]
    places = [replace(link, box=turn_box(link.box, quarter, width, height)) for link in links]
    blocks = region_blocks(order_rows(turned), height if quarter == 2 else width, places)
    return [_turn_block(block, quarter, width, height) for block in blocks]


def _turn_block(block: Block, quarter: int, width: float, height: float) -> Block:
    lines = tuple(replace(line, box=turn_back(line.box, quarter, width, height)) for line in block.lines)
    return replace(block, box=turn_back(block.box, quarter, width, height), lines=lines)


def _size(page: "pymupdf.Page") -> tuple[float, float]:
    """Width and height; `page.rect` is worked out anew each time."""
    rect = page.rect
    return rect.width, rect.height


def _is_off(box: Box, width: float, height: float) -> bool:
    """Whether a run of text lies off what is seen of the page.

    A line set too wide runs over the edge in many manuals; its end belongs to it, up to OVERRUN of the width.
    """
    if box[2] <= _SLACK or box[3] <= _SLACK or box[0] >= width - _SLACK or box[1] >= height - _SLACK:
        return True
    return box[2] > (1 + OVERRUN) * width or box[3] > (1 + OVERRUN) * height or box[0] < -OVERRUN * width


def _shadings(page: "pymupdf.Page") -> list[Box]:
    """Boxes of shaded areas as a reader sees them; only text paler than paper asks for them."""
    return [_seen_box(box, page) for kind, box in page.get_bboxlog() if kind == "fill-shade"]


def _seen_box(box: Box, page: "pymupdf.Page") -> Box:
    """A box of the page's own coordinates where a reader of the turned page sees it."""
    return PageView(page).box(box) if page.rotation else box


def _label(page: "pymupdf.Page") -> str:
    """The page's label in the document, or its number; damaged labels count as none."""
    try:
        label = plain_text(page.get_label() or "").strip()
    except (RuntimeError, ValueError, IndexError, KeyError, TypeError, AttributeError):
        label = ""
    return label[:32] or str(page.number + 1)
