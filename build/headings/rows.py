"""The lines of a document as the search for headings sees them: page by page, in reading order."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from docshelf.build.converting.converted import Block, BlockKind, Box, ConvertedDocument, Line
from docshelf.build.headings.titles import bare_key, key


@dataclass(frozen=True, slots=True)
class Row:
    """One line and where it stands."""

    block: int
    """Which block of the page, from 0."""
    line: Line
    text: str
    """The line's text, the marker of a list item before it, white space folded."""
    key: str
    bare: str
    """Key without the number the line begins with."""
    kind: BlockKind
    first: bool
    """The line is the first of its block."""
    last: bool
    """The line is the last of its block."""


Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A heading somebody found: which rows of a page it is made of."""

    title: str
    level: int
    page: int
    """Index of the page in `ConvertedDocument.pages`."""
    row: int
    """First row of the heading; where `count` is 0, the row it is put before (or one past the last)."""
    count: int = 1
    """How many rows the heading takes; 0 where its title is not printed on the page."""
    tail: int = 0
    """Letters of the last row's text that belong to the heading; 0 means all of them."""


def read_rows(document: ConvertedDocument) -> tuple[Rows, ...]:
    """The rows of each page."""
    return tuple(
        tuple(row for number, block in enumerate(page.blocks) for row in _block_rows(number, block))
        for page in document.pages
    )


def _block_rows(number: int, block: Block) -> Iterable[Row]:
    for index, line in enumerate(block.lines):
        text = " ".join(line.text.split())
        if index == 0 and block.marker and block.kind == "list":
            text = f"{block.marker} {text}"
        yield Row(
            block=number,
            line=line,
            text=text,
            key=key(text),
            bare=bare_key(text),
            kind=block.kind,
            first=index == 0,
            last=index == len(block.lines) - 1,
        )


def body_size(pages: Iterable[Rows]) -> float:
    """The size most letters of running text are set in; 10 where there is no text.

    Listings count only where there is hardly anything else, bold lines where there is nothing else.
    """
    plain: Counter[float] = Counter()
    listed: Counter[float] = Counter()
    bold: Counter[float] = Counter()
    for rows in pages:
        for row in rows:
            listing = row.line.mono or row.kind == "code"
            letters = bold if row.line.bold else listed if listing else plain
            letters[rounded(row.line.size)] += len(row.key)
    common = (plain if 10 * plain.total() >= listed.total() else listed) or listed or bold
    return max(common, key=lambda size: (common[size], -size)) if common else 10.0


def rounded(size: float) -> float:
    """A font size to the half point, so that sizes that look the same are the same."""
    return round(size * 2) / 2


def union(boxes: Iterable[Box]) -> Box:
    """The smallest box around `boxes`, of which there is at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return (min(x0), min(y0), max(x1), max(y1))
