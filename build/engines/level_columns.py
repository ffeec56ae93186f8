"""Columns that level rows of print leave free between them, and the texts of their cells."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from docshelf.build.cutting.joining import join_lines
from docshelf.build.engines.pieces import Piece
from docshelf.build.engines.reading_order import Row, order_rows
from docshelf.build.engines.text_lines import row_line

SplitPiece = Callable[[Piece], Sequence[Piece]]

GUTTER_EM, WIDE_GUTTER_EM = 0.45, 0.9
"""Paper that all rows leave free between two columns, in letter sizes; the second where there are few rows."""
FEW_ROWS = 4
MIN_SHARE = 0.25
"""Share of the rows that must have text in a column."""
MIN_SHARED = 0.5
"""Share of the narrower of a column and its name that must stand one above the other."""
FULL = 0.75
"""Share of a column's width from which a line of it is full."""
MIN_PROSE = 24
"""Characters of a full line from which it is running text."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the columns of a table meet, and how its words are told apart."""

    walls: tuple[float, ...]
    """x of the middle of each gutter, left to right."""
    edges: tuple[tuple[float, float], ...]
    """Left and right edge of the text of each column."""
    split: SplitPiece

    def texts(self, rows: Sequence[Row]) -> tuple[str, ...]:
        """The cells of one row of the table, which is printed in these rows."""
        cells = self._cells(rows)
        return tuple(_text(cells.get(column, [])) for column in range(len(self.edges)))

    def wraps(self, above: Row, row: Row) -> bool:
        """Whether a row only goes on where the cells above it ran full."""
        cells, before = self._cells([row]), self._cells([above])
        if 0 in cells or not all(column in before for column in cells):
            return False
        return all(
            max(word.box[2] for word in before[column]) > edge[0] + FULL * (edge[1] - edge[0])
            for column in cells
            for edge in (self.edges[column],)
        )

    def stand_under(self, head: Sequence[Row]) -> bool:
        """Whether a head names the columns: a part above each but one."""
        if len(self._cells(head)) < max(2, len(self.edges) - 1):
            return False
        rows = [cells for row in head if len(cells := self._cells([row])) > 1]
        return all(
            self._is_above(words, self.edges[column]) for cells in rows for column, words in cells.items()
        )

    def _is_above(self, words: Sequence[Piece], edge: tuple[float, float]) -> bool:
        left, right = min(word.box[0] for word in words), max(word.box[2] for word in words)
        shared = min(right, edge[1]) - max(left, edge[0])
        return shared >= MIN_SHARED * min(right - left, edge[1] - edge[0])

    def hold_prose(self, rows: Sequence[Row]) -> bool:
        """Whether all columns are full of running text: columns of a page, not of a table."""
        found: dict[int, list[tuple[float, int]]] = {}
        for row in rows:
            for column, words in self._cells([row]).items():
                width = max(word.box[2] for word in words) - min(word.box[0] for word in words)
                found.setdefault(column, []).append((width, len(_text(words))))
        return all(
            median(width for width, _ in lines) > FULL * (self.edges[column][1] - self.edges[column][0])
            and median(signs for _, signs in lines) >= MIN_PROSE
            for column, lines in found.items()
        )

    def _cells(self, rows: Sequence[Row]) -> dict[int, list[Piece]]:
        cells: dict[int, list[Piece]] = {}
        for word in _words(rows, self.split):
            middle = (word.box[0] + word.box[2]) / 2
            cells.setdefault(sum(wall < middle for wall in self.walls), []).append(word)
        return cells


def find_columns(rows: Sequence[Row], split: SplitPiece) -> Columns | None:
    """The columns of level rows; None where no paper stays free between two."""
    words = [list(_words([row], split)) for row in rows]
    size = median(word.size for row in words for word in row)
    gutter = (GUTTER_EM if len(rows) >= FEW_ROWS else WIDE_GUTTER_EM) * size
    edges = list[tuple[float, float]]()
    for left, right in sorted((word.box[0], word.box[2]) for row in words for word in row):
        if edges and left - edges[-1][1] < gutter:
            edges[-1] = (edges[-1][0], max(edges[-1][1], right))
        else:
            edges.append((left, right))
    edges = _well_filled(edges, words)
    if len(edges) < 2:
        return None
    walls = tuple((a[1] + b[0]) / 2 for a, b in pairwise(edges))
    return Columns(walls, tuple(edges), split)


def _well_filled(
    edges: Sequence[tuple[float, float]], rows: Sequence[Sequence[Piece]]
) -> list[tuple[float, float]]:
    """The columns, those with text in too few rows made one with the column on their left."""
    kept = list[tuple[float, float]]()
    for edge in edges:
        used = sum(any(edge[0] <= word.box[0] <= edge[1] for word in row) for row in rows)
        if kept and used < max(min(2, len(rows)), MIN_SHARE * len(rows)):
            kept[-1] = (kept[-1][0], edge[1])
        else:
            kept.append(edge)
    return kept


def _words(rows: Sequence[Row], split: SplitPiece) -> Iterator[Piece]:
    for row in rows:
        for strip in row:
            for piece in strip.pieces:
                if not piece.text.isspace():
                    yield from split(piece)


def _text(words: Sequence[Piece]) -> str:
    lines = [row_line(row) for region in order_rows(words) for row in region]
    return " ".join(join_lines(lines).text.split()) if lines else ""
