"""Tables that ruling lines draw: each piece of text in its cell, or no table at all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docshelf.build.converting.converted import Block, Line
from docshelf.build.cutting.joining import join_lines
from docshelf.build.engines.level_tables import find_level_tables
from docshelf.build.engines.listing_rows import bind_listing_rows
from docshelf.build.engines.pieces import Piece, Stroke
from docshelf.build.engines.reading_order import order_rows
from docshelf.build.engines.rulings import Grid, find_grids, find_rules
from docshelf.build.engines.text_lines import row_line
from docshelf.build.engines.visibility import count_signs

SplitPiece = Callable[[Piece], Sequence[Piece]]
"""Gives the words of a piece, each with its own box; the piece itself where they cannot be told."""

MAX_CELL_SIGNS = 1200
"""A cell that holds more is a frame around running text."""
MIN_UNRULED_ROWS = 4
"""Lines that must stand level in all cells of a row before each is a row of its own."""
MAX_SHARE = 0.7
"""Share of a table's text in one cell from which the lines are a frame with a stamp, not a table."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One or more squares of a grid that no line divides."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class FoundTables:
    """What is left of a page's pieces once its tables stand for theirs."""

    pieces: tuple[Piece, ...]
    """Pieces outside of tables, rows of listings bound, and one piece per table that carries its block."""
    flattened: int
    """Tables in which merged cells lost their shape."""


def place_tables(pieces: Sequence[Piece], strokes: Sequence[Stroke], split: SplitPiece) -> FoundTables:
    """The pieces with every sound table put in the place of its text."""
    left, flattened = list(pieces), 0
    for grid in find_grids(strokes):
        inside = [piece for piece in left if not piece.block and _is_inside(piece, grid)]
        filled = _fill(grid, inside, split)
        if filled is None:
            continue
        rows, merged = filled
        left = _replaced(left, inside, Block("table", grid.box, rows=rows))
        flattened += merged
    for table in list(find_level_tables(left, find_rules(strokes), split)):
        left = _replaced(left, table.pieces, Block("table", table.box, rows=table.rows))
    return FoundTables(bind_listing_rows(left), flattened)


def _replaced(pieces: Sequence[Piece], inside: Sequence[Piece], block: Block) -> list[Piece]:
    """The pieces with one that carries `block` in the place of the first of those `inside` it."""
    taken = set(map(id, inside))
    at = next(index for index, piece in enumerate(pieces) if id(piece) in taken)
    stand_in = replace(pieces[at], text="\ufdd0", box=block.box, baseline=block.box[3], block=block)
    after = (piece for piece in pieces[at + 1 :] if id(piece) not in taken)
    return [*pieces[:at], stand_in, *after]


def _is_inside(piece: Piece, grid: Grid) -> bool:
    """Whether the piece stands in the grid, or begins in its last column and runs over the edge."""
    x0, y0, x1, y1 = grid.box
    x, y = (piece.box[0] + piece.box[2]) / 2, (piece.box[1] + piece.box[3]) / 2
    return y0 < y < y1 and (x0 < x < x1 or (x > x1 and grid.xs[-2] < piece.box[0] < x1 - piece.size))


def _fill(
    grid: Grid, pieces: Sequence[Piece], split: SplitPiece
) -> tuple[tuple[tuple[str, ...], ...], bool] | None:
    """Rows of cell texts and whether merged cells were flattened; None where it is no sound table."""
    if not pieces or any(piece.quarter for piece in pieces):
        return None
    owners, cells = _cells(grid, _unruled_walls(grid, pieces))
    if cells is None:
        return None
    held: dict[Cell, list[Piece]] = {}
    across = False
    for piece in pieces:
        walls = _walls_through(piece, grid)
        words = split(piece) if walls else [piece]
        if walls and _is_written_across(words, walls):
            across = True
            held.setdefault(owners[_square(piece, grid, left=True)], []).append(piece)
            continue
        for word in words:
            held.setdefault(owners[_square(word, grid)], []).append(word)
    signs = [count_signs(parts) for parts in held.values()]
    if sum(signs) != count_signs(pieces) or not _is_sound(cells, held, signs):
        return None
    table = list[list[str]]()
    for row in range(len(grid.ys) - 1):
        table += _text_rows(
            {cell: parts for cell, parts in held.items() if cell.row == row}, len(grid.xs) - 1
        )
    merged = across or any((cell.rows > 1 or cell.columns > 1) and cell in held for cell in cells)
    return _trimmed(
        _fold_header(table, cells) if merged and len(table) == len(grid.ys) - 1 else table
    ), merged


def _unruled_walls(grid: Grid, pieces: Sequence[Piece]) -> set[tuple[int, int]]:
    """Places (row, column) where no line parts two columns but the text stands in both and keeps them apart."""
    by_row: dict[int, list[Piece]] = {}
    for piece in pieces:
        by_row.setdefault(_square(piece, grid)[0], []).append(piece)
    walls = set()
    for row, inside in by_row.items():
        for column, x in enumerate(grid.xs[1:-1]):
            if grid.has_wall(row, column) or any(p.box[0] < x - 1 and p.box[2] > x + 1 for p in inside):
                continue
            left = any(grid.xs[column] < p.box[2] <= x + 1 for p in inside)
            right = any(x - 1 <= p.box[0] < grid.xs[column + 2] for p in inside)
            if left and right:
                walls.add((row, column))
    return walls


def _cells(grid: Grid, walls: set[tuple[int, int]]) -> tuple[dict[tuple[int, int], Cell], set[Cell] | None]:
    """The cell each square belongs to; None for the cells where one is no rectangle."""

    def is_open(row: int, column: int) -> bool:
        return not grid.has_wall(row, column) and (row, column) not in walls

    rows, columns = len(grid.ys) - 1, len(grid.xs) - 1
    owners: dict[tuple[int, int], Cell] = {}
    for row in range(rows):
        for column in range(columns):
            if (row, column) in owners:
                continue
            wide = 1
            while column + wide < columns and is_open(row, column + wide - 1):
                wide += 1
            high = 1
            while row + high < rows and not any(
                grid.has_floor(row + high - 1, c) for c in range(column, column + wide)
            ):
                high += 1
            cell = Cell(row, column, high, wide)
            squares = [(r, c) for r in range(row, row + high) for c in range(column, column + wide)]
            if any(square in owners for square in squares):
                return owners, None
            owners.update(dict.fromkeys(squares, cell))
    return owners, set(owners.values())


def _square(piece: Piece, grid: Grid, *, left: bool = False) -> tuple[int, int]:
    """Row and column of the middle of the piece, or of its left end."""
    x = piece.box[0] + 1.5 if left else (piece.box[0] + piece.box[2]) / 2
    y = (piece.box[1] + piece.box[3]) / 2
    return sum(line <= y for line in grid.ys[1:-1]), sum(line <= x for line in grid.xs[1:-1])


def _walls_through(piece: Piece, grid: Grid) -> list[float]:
    """Where lines of the grid run through the piece."""
    row, _ = _square(piece, grid)
    return [
        x
        for index, x in enumerate(grid.xs[1:-1])
        if piece.box[0] + 1.5 < x < piece.box[2] - 1.5 and grid.has_wall(row, index)
    ]


def _is_written_across(words: Sequence[Piece], walls: Sequence[float]) -> bool:
    """Whether text runs over a line as if it were not there: the cells are one, whatever the line says."""
    for wall in walls:
        before = max((word.box[2] for word in words if word.box[0] < wall), default=wall)
        after = min((word.box[0] for word in words if word.box[0] >= wall), default=wall)
        if before > wall + 1.5 or after - before < 0.45 * words[0].size:
            return True
    return False


def _is_sound(cells: set[Cell], held: dict[Cell, list[Piece]], signs: Sequence[int]) -> bool:
    rows = {cell.row for cell in held}
    columns = {cell.column for cell in held}
    if len(rows) < 2 or len(columns) < 2 or len(held) < 0.3 * len(cells):
        return False
    return max(signs) <= MAX_CELL_SIGNS and (max(signs) < 300 or max(signs) <= MAX_SHARE * sum(signs))


def _text_rows(held: dict[Cell, list[Piece]], columns: int) -> list[list[str]]:
    """The row of cell texts, or several where lines stand side by side and no ruling parts them."""
    lines = {cell: _cell_lines(parts) for cell, parts in held.items()}
    feet = [[line.box[3] for line in cell_lines] for cell_lines in lines.values()]
    count = len(feet[0]) if feet else 0
    single = all(cell.rows == 1 and cell.columns == 1 for cell in held)
    if (
        single
        and len(feet) > 1
        and count >= MIN_UNRULED_ROWS
        and all(_are_level(feet[0], f) for f in feet[1:])
    ):
        return [
            [
                next((found[at].text for cell, found in lines.items() if cell.column == c), "")
                for c in range(columns)
            ]
            for at in range(count)
        ]
    row = [""] * columns
    for cell, cell_lines in lines.items():
        row[cell.column] = " ".join(join_lines(cell_lines).text.split()) if cell_lines else ""
    return [row]


def _are_level(some: Sequence[float], others: Sequence[float]) -> bool:
    return len(some) == len(others) and all(abs(a - b) < 3 for a, b in zip(some, others, strict=True))


def _cell_lines(pieces: Sequence[Piece]) -> list[Line]:
    return [row_line(row) for region in order_rows(pieces) for row in region]


def _fold_header(table: list[list[str]], cells: set[Cell]) -> list[list[str]]:
    """A head of two rows as one, where a wide cell stands above its parts and the others span both rows."""
    top = [cell for cell in cells if cell.row == 0]
    wide = [cell for cell in top if cell.columns > 1 and cell.rows == 1]
    if len(table) < 3 or not wide or any(cell.rows != 2 for cell in top if cell not in wide):
        return table
    below = [cell for cell in cells if cell.row == 1]
    if any(cell.rows > 1 or cell.columns > 1 or not table[1][cell.column] for cell in below):
        return table
    head = [" ".join(filter(None, (table[0][c], table[1][c]))) for c in range(len(table[0]))]
    return [head, *table[2:]]


def _trimmed(table: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The table without rows and columns that hold nothing (double lines make such)."""
    kept = [column for column in range(len(table[0])) if any(row[column] for row in table)]
    return tuple(tuple(row[column] for column in kept) for row in table if any(row))
