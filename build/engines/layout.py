"""Engine `layout`: the text that `fast` reads, arranged by the layout model of pymupdf4llm.

pymupdf4llm 1.28.2 finds regions and tables well and reads text badly (turned pages vanish, listings lose their
spaces, fixed width is told by one flag of the font). So only its regions are taken, page by page: its own
output ranks headings by the pages asked for, and swallows parameters it does not know.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.converting.converted import Block, Box, EngineOptions, Line, Reading
from docshelf.build.cutting.joining import join_lines
from docshelf.build.engines.arranging import arrange
from docshelf.build.engines.boxes import overlap
from docshelf.build.engines.document_reading import read_document
from docshelf.build.engines.page_reading import PageReader, WordSplitter
from docshelf.build.engines.pieces import PageContent, Piece
from docshelf.build.engines.reading_order import order_rows
from docshelf.build.engines.regions import Region, read_regions
from docshelf.build.engines.text_lines import row_line

if TYPE_CHECKING:
    import pymupdf

_LEADER = re.compile(r"(?:[.·…․_]\s?){4,}\s*\d*$")


def read(source: Path, options: EngineOptions, *, pictures: Path, password: str | None) -> Reading:
    """The pages of the PDF `source`, one by one, then its bookmarks and what was noticed.

    Raises: SourceError as `open_pdf` does, where nothing can be read.
    """
    return read_document("layout", LayoutReader, source, options, pictures=pictures, password=password)


@dataclass
class LayoutReader(PageReader):
    """Reads pages as `fast` does and puts the blocks of each into the regions of its layout."""

    def blocks(
        self,
        page: "pymupdf.Page",
        number: int,
        seen: Sequence[Piece],
        content: PageContent,
        images: Sequence[Box] | None,
    ) -> list[Block]:
        """The blocks of a page in the order and of the kinds that its layout says."""
        blocks = PageReader.blocks(self, page, number, seen, content, images)
        upright = [piece for piece in seen if not piece.quarter]
        if 2 * len(upright) < len(seen):  # the model reads turned text as noise
            return blocks
        try:
            regions = read_regions(page)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - a model over hostile pages fails with anything; the text is there
            self.notices.add("layout-failed", number)
            return blocks
        words = RegionText(upright, WordSplitter(page, self.mends))
        return arrange(blocks, regions, words.cut, words.fill)


@dataclass(slots=True)
class RegionText:
    """The upright text of one page, by place."""

    pieces: Sequence[Piece]
    split: WordSplitter

    def cut(self, line: Line, box: Box) -> Line | None:
        """The part of a line that stands in `box`; links are lost, as only its words are known."""
        words = [word for word in self._words(line.box) if _middle_in(word, box)]
        return _joined(words) if words else None

    def fill(self, region: Region) -> tuple[tuple[str, ...], ...]:
        """Cells of a table region row by row; no rows for what is a printed contents page or one column."""
        cells: dict[tuple[int, int], list[Piece]] = {}
        for word in self._words(region.box):
            x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
            place = (sum(line <= y for line in region.rows), sum(line <= x for line in region.columns))
            cells.setdefault(place, []).append(word)
        rows = sorted({row for row, _ in cells})
        columns = sorted({column for _, column in cells})
        texts = {place: _joined(words).text for place, words in cells.items()}
        table = tuple(tuple(texts.get((row, column), "") for column in columns) for row in rows)
        led = sum(any(_LEADER.search(cell) for cell in row) for row in table)
        return table if len(rows) > 1 and len(columns) > 1 and 3 * led < len(rows) else ()

    def _words(self, box: Box) -> list[Piece]:
        return [
            word
            for piece in self.pieces
            if piece.block is None and overlap(piece.box, box) and not piece.text.isspace()
            for word in self.split(piece)
            if _middle_in(word, box)
        ]


def _joined(words: Sequence[Piece]) -> Line:
    return join_lines([row_line(row) for rows in order_rows(words) for row in rows])


def _middle_in(word: Piece, box: Box) -> bool:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1
