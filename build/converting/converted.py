"""What an engine makes of a source: pages of blocks of lines, the same shape for every engine.

Engines see one document at a time and decide nothing about headings, cutting or addresses. They hand
over what stands on each page, in reading order, with the facts later stages decide by: boxes, font
sizes, weight, bookmarks. Stored as JSON lines: one per page, then the end.
"""

import json
from collections.abc import Generator, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

BlockKind = Literal["paragraph", "heading", "list", "table", "code", "figure", "note"]
Grade = Literal["A", "B", "C"]
Severity = Literal["info", "warning", "error"]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in points from the top left of the page as a reader sees it (rotation undone)."""


CELL_SPACES = "   "
"""What stands in a line's text between parts that a wide gap keeps apart on the page."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of a line's text that leads somewhere, or that stands in fixed width among other letters."""

    start: int
    """First character of `Line.text` that belongs to it."""
    end: int
    """Character after the last."""
    target: str
    """`https:`, `http:` or `mailto:` address, `#pN` for PDF page N of the same document, or `file:PATH#pN`
    for another file: its path relative to this one, percent-encoded, and the page where one is named; "" where it
    leads nowhere and is a command, name or value in fixed width."""


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line (or one visual row, where the engine joined its parts)."""

    text: str
    """As read, NFC, without line end; spaces inside are kept, at the ends they mean nothing."""
    box: Box
    size: float
    """Largest font size in points of the visible characters."""
    bold: bool = False
    """At least four fifths of the characters are bold."""
    mono: bool = False
    """At least four fifths of the characters are of a fixed-width font."""
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item, table, listing, figure or note; stands on one page."""

    kind: BlockKind
    box: Box
    lines: tuple[Line, ...] = ()
    """The printed lines in reading order; empty for figures and for tables that have rows."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Tables only: cells row by row, the header first, every row of equal length."""
    level: int = 0
    """Of a heading 1 (chapter) to 6, 0 where the engine does not know; of an item 0 in an outer list, 1 in one below."""
    picture: str = ""
    """Figures only: file name in the conversion's picture folder, such as `p012.png`."""
    marker: str = ""
    """Lists only: the item's own marker as printed ("1)", "-", "•"); `lines` leave it out."""
    language: str = ""
    """Listings only: info string (`console`, `json`, …) where the language is plain, else ""."""
    joined: bool = False
    """The block goes on from the one before (over a page end): join them into one."""

    @property
    def text(self) -> str:
        """The lines one under the other."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the source, in reading order."""

    number: int
    """PDF page, from 1."""
    label: str
    """Page number as printed or as the PDF's page labels say ("iii"), or the number."""
    width: float
    height: float
    """Size in points as a reader sees it."""
    grade: Grade
    """A structure, B text only, C picture (no text a program could use)."""
    blocks: tuple[Block, ...] = ()
    picture: str = ""
    """File name of the page's picture where one was made, else ""."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One entry of the document's own outline, as read."""

    level: int
    """1 is a chapter."""
    title: str
    page: int
    """PDF page from 1; 0 where the entry leads nowhere."""
    y: float | None = None
    """Distance from the top of the page in points where the entry says so."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something an engine or a stage noticed about this document; becomes a Finding."""

    severity: Severity
    code: str
    """Short fixed name, such as `no-text-layer`."""
    text: str
    """What, and what to do; without the name of the source."""
    page: int = 0
    """PDF page from 1; 0 means the whole document."""


@dataclass(frozen=True, slots=True)
class ConversionEnd:
    """What an engine knows once it has read every page."""

    engine: str
    """`fast`, `layout` or `high`."""
    bookmarks: tuple[Bookmark, ...] = ()
    metadata_title: str = ""
    """Title in the file's own metadata, as read, else ""."""
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class ConvertedDocument:
    """A source as its engine read it, before any decision about headings or cutting."""

    pages: tuple[Page, ...]
    end: ConversionEnd

    @property
    def has_pictures(self) -> bool:
        """Whether a picture of a figure or of a page belongs to it."""
        return any(page.picture or any(block.picture for block in page.blocks) for page in self.pages)

    @property
    def grade(self) -> Grade:
        """C when no page has text, B when more than half of the others are less than A, else A."""
        grades = [page.grade for page in self.pages if page.blocks or page.picture]
        readable = [grade for grade in grades if grade != "C"]
        if not readable:
            return "C"
        return "A" if 2 * readable.count("A") >= len(readable) else "B"


Reading = Generator[Page, None, ConversionEnd]
"""How an engine works: pages one by one, in order; what it knows of the whole at the end."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an engine may be told; all of it is part of the cache key."""

    pictures: Literal["scans", "doubtful", "none"] = "scans"
    """Which pages get a picture of the whole page (config key `page_pictures`)."""
    repair_text: bool = True
    """Mend mojibake where the test is sure; False keeps the text as read."""


class Engine(Protocol):
    """Turns one source into pages and blocks. `fast`, `layout` and `high` are engines."""

    def __call__(
        self, source: Path, options: EngineOptions, *, pictures: Path, password: str | None
    ) -> Reading:
        """The pages of `source`, read one by one; pictures are written into the folder `pictures`.

        Raises: SourceError with a code and what to do where nothing can be read.
        """


def dump_conversion(reading: "Generator[Page, None, DataclassInstance]") -> Generator[str, None, None]:
    """JSON lines of a conversion: one per page as it is read, then one for the end."""
    while True:
        try:
            page = next(reading)
        except StopIteration as stop:
            yield dump_line(stop.value)
            return
        yield dump_line(page)


def dump_line(value: "DataclassInstance") -> str:
    """One line of a stored conversion: a page, or what is known at the end."""
    return json.dumps(asdict(value), ensure_ascii=False, separators=(",", ":")) + "\n"


def load_conversion(lines: Iterable[str]) -> ConvertedDocument:
    """The conversion stored as JSON lines by `dump_conversion`.

    Raises: ValueError, KeyError, TypeError or IndexError where the lines are no stored conversion.
    """
    rows = [json.loads(line) for line in lines]
    end = load_end(rows.pop())
    return ConvertedDocument(tuple(_page(row) for row in rows), end)


def load_end(row: dict[str, Any]) -> ConversionEnd:
    """The end of a conversion, of its JSON."""
    return ConversionEnd(
        engine=row["engine"],
        bookmarks=tuple(Bookmark(**entry) for entry in row["bookmarks"]),
        metadata_title=row["metadata_title"],
        remarks=tuple(Remark(**entry) for entry in row["remarks"]),
    )


def _page(row: dict[str, Any]) -> Page:
    return Page(**{**row, "blocks": tuple(_block(block) for block in row["blocks"])})


def _block(row: dict[str, Any]) -> Block:
    return Block(
        **{
            **row,
            "box": _box(row["box"]),
            "lines": tuple(_line(line) for line in row["lines"]),
            "rows": tuple(tuple(cells) for cells in row["rows"]),
        }
    )


def _line(row: dict[str, Any]) -> Line:
    return Line(**{**row, "box": _box(row["box"]), "spans": tuple(Span(**link) for link in row["spans"])})


def _box(values: list[float]) -> Box:
    x0, y0, x1, y1 = values
    return (x0, y0, x1, y1)
