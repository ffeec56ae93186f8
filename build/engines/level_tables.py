"""Tables without vertical lines: a head over a ruling line, and rows whose cells stand level below it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from docshelf.build.converting.converted import Box
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.level_columns import Columns, find_columns
from docshelf.build.engines.pieces import Piece
from docshelf.build.engines.reading_order import Row, level_rows
from docshelf.build.engines.rulings import Ruling

MIN_LENGTH = 80.0
"""Points; shorter lines part no head from a table."""
MAX_HEAD_ROWS = 4
MAX_PENDING = 2
"""Rows of one run in a row that may be titles of parts of the table."""
CELL_GAP_EM = 0.9
"""A gap wider than this many letter sizes parts two runs of a row."""
PROSE_SHARE = 0.5
"""Share of the table's width from which a row of one run is text, no row of the table."""
FAR_EM = 2.6
"""White paper between two rows, in letter sizes, from which they are of different things."""
MIN_BOLD = 0.8
"""Share of bold letters from which a row is bold."""
MAX_MONO = 0.85
"""Share of fixed-width letters from which it is a listing."""
TOUCH = 4.0
"""Points by which the box of a row may overlap a line: letters do not fill their boxes."""
_SAME = 4.0
_WORD = re.compile(r"[^\W\d_]{2}|\d{2}|\d[.,]\d")
"""What a name of a column has and a label of a drawing's labels (A, B′, 1, −2) mostly lacks."""
_LEADER = re.compile(r"(?:[.·…] ?){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")


@dataclass(frozen=True, slots=True)
class Band:
    """One row of print between the ends of a rule."""

    row: Row
    box: Box
    size: float
    runs: int
    """Parts that wide gaps keep apart."""

    @property
    def pieces(self) -> list[Piece]:
        """What the row is printed with, left to right."""
        return [piece for strip in self.row for piece in strip.pieces]

    def share(self, is_such: Callable[[Piece], bool]) -> float:
        """Share of the row's letters in pieces that are such."""
        letters = sum(len(piece.text) for piece in self.pieces)
        return sum(len(piece.text) for piece in self.pieces if is_such(piece)) / max(letters, 1)


@dataclass(frozen=True, slots=True)
class LevelTable:
    """Rows of cell texts, the head first, and the pieces they stand for."""

    box: Box
    rows: tuple[tuple[str, ...], ...]
    pieces: tuple[Piece, ...]


def find_level_tables(
    pieces: Sequence[Piece], rules: Sequence[Ruling], split: Callable[[Piece], Sequence[Piece]]
) -> Iterator[LevelTable]:
    """Tables that no other table holds yet, top down; `split` gives the words of a piece with their own boxes."""
    foot = float("-inf")
    long = [rule for rule in rules if rule.end - rule.start >= MIN_LENGTH]
    by_ends: dict[tuple[float, float], list[Band]] = {}
    for rule in long:
        if rule.place <= foot:
            continue
        ends = rule.start, rule.end
        bands = by_ends[ends] if ends in by_ends else by_ends.setdefault(ends, _bands(pieces, rule))
        peers = [other.place for other in long if _are_peers(other, rule)]
        found = _table_at(rule, peers, [band for band in bands if band.box[1] > foot], split)
        if found is not None:
            foot = found.box[3]
            yield found


def _table_at(
    rule: Ruling, peers: Sequence[float], bands: Sequence[Band], split: Callable[[Piece], Sequence[Piece]]
) -> LevelTable | None:
    """The table whose head stands on the rule."""
    above = [band for band in bands if band.box[3] <= rule.place + TOUCH]
    below = [band for band in bands if band.box[1] >= rule.place - TOUCH]
    head = _head(above, rule, peers) if len(above) + len(below) == len(bands) else []
    body = _body(below, rule, peers) if head else []
    framed = bool(head) and any(place < head[0].box[1] + TOUCH for place in peers)
    if not head or not _is_table(head, body, framed=framed):
        return None
    columns = find_columns([band.row for band in body if band.runs > 1], split)
    if columns is None or not columns.stand_under([band.row for band in head]):
        return None
    rows = _filled(head, body, [place for place in peers if place > rule.place], columns)
    box = join_boxes([band.box for band in (*head, *body)])
    pieces = tuple(piece for band in (*head, *body) for piece in band.pieces)
    return LevelTable(box, rows, pieces) if rows else None


def _bands(pieces: Sequence[Piece], rule: Ruling) -> list[Band]:
    inside = [
        piece
        for piece in pieces
        if not piece.quarter and rule.start - _SAME < (piece.box[0] + piece.box[2]) / 2 < rule.end + _SAME
    ]
    return [_band(row) for row in level_rows(inside)]


def _band(row: Row) -> Band:
    size = max(piece.size for strip in row for piece in strip.pieces)
    gaps = sum(b.box[0] - a.box[2] > CELL_GAP_EM * size for a, b in pairwise(row))
    return Band(row, join_boxes([strip.box for strip in row]), size, gaps + 1)


def _are_peers(one: Ruling, other: Ruling) -> bool:
    return abs(one.start - other.start) < _SAME and abs(one.end - other.end) < _SAME


def _head(above: Sequence[Band], rule: Ruling, peers: Sequence[float]) -> list[Band]:
    """The rows of a table's head that stand on the rule; none where nothing says that they are a head."""
    top = max((place for place in peers if place < rule.place - 3), default=None)
    if top is not None:
        framed = [band for band in above if band.box[3] > top + 3]
        if framed and len(framed) <= MAX_HEAD_ROWS and max(band.runs for band in framed) > 1:
            near = framed[0].box[1] - top < FAR_EM * framed[0].size
            return framed if near and rule.place - framed[-1].box[3] < FAR_EM * framed[-1].size else []
    last = above[-1:]
    is_bold = last and last[0].share(lambda piece: piece.bold) > MIN_BOLD
    return list(last) if is_bold and last[0].runs > 1 and rule.place - last[0].box[3] < last[0].size else []


def _body(below: Sequence[Band], rule: Ruling, peers: Sequence[float]) -> list[Band]:
    """The rows below the rule up to what is none; titles of parts count only where rows follow."""
    body, pending = list[Band](), list[Band]()
    foot, at = rule.place, rule.place
    for band in below:
        crossed = sum(at < place < band.box[1] + 3 for place in peers)
        if _ends_table(band, rule, foot, crossed, usual=body[0].size if body else band.size):
            break
        if band.runs > 1:
            body += [*pending, band]
            pending, at = [], band.box[1] + 3
        else:
            pending.append(band)
            if len(pending) > MAX_PENDING:
                break
        foot = max(foot, band.box[3])
    closed = any(body[-1].box[3] - 3 < place for place in peers) if body else False
    tail = [band for band in pending if closed and any(place > band.box[3] - 3 for place in peers)]
    return body + (tail if not any(at < place < band.box[1] for band in tail for place in peers) else [])


def _ends_table(band: Band, rule: Ruling, foot: float, crossed: int, usual: float) -> bool:
    if band.box[0] < rule.start - _SAME or band.box[2] > rule.end + _SAME or crossed > 1:
        return True
    if band.box[1] - foot > FAR_EM * band.size and not crossed:
        return True
    if any(piece.block is not None for piece in band.pieces) or abs(band.size - usual) > 0.25 * usual:
        return True
    return band.runs == 1 and band.box[2] - band.box[0] > PROSE_SHARE * (rule.end - rule.start)


def _starts(band: Band) -> list[int]:
    """Where the runs of a row begin, in steps of 2 points."""
    parted = (b.box[0] for a, b in pairwise(band.row) if b.box[0] - a.box[2] > CELL_GAP_EM * band.size)
    return [round(x / 2) for x in (band.box[0], *parted)]


def _is_table(head: Sequence[Band], body: Sequence[Band], *, framed: bool) -> bool:
    level = [band for band in body if band.runs > 1]
    stands_under = bool(level) and _starts(level[0]) == _starts(head[-1])
    if len(level) < (1 if stands_under else 2) or 2 * len(level) < len(body):
        return False
    if any(piece.block is not None for band in head for piece in band.pieces):
        return False
    if body[0].runs == 1 and not framed:  # a running head over the text of a page
        return False
    if median(band.share(lambda piece: piece.mono) for band in head) > MAX_MONO:
        return False
    if median(band.share(lambda piece: piece.mono) for band in level) > MAX_MONO:
        return False
    led = sum(bool(_LEADER.search("".join(piece.text for piece in band.pieces).rstrip())) for band in level)
    return 3 * led < len(level)


def _filled(
    head: Sequence[Band], body: Sequence[Band], lines: Sequence[float], columns: Columns
) -> tuple[tuple[str, ...], ...]:
    """The cell texts; no rows where the columns hold running text."""
    title = columns.texts([band.row for band in head])
    groups = _ruled_rows(body, lines, columns) or _free_rows(body, columns)
    rows = [columns.texts([band.row for band in group]) for group in groups]
    if columns.hold_prose([band.row for band in body]) or sum(bool(_WORD.search(name)) for name in title) < 2:
        return ()
    return (title, *rows)


def _ruled_rows(body: Sequence[Band], lines: Sequence[float], columns: Columns) -> list[list[Band]]:
    """Bands between two lines each as one row; none where lines part only groups of rows."""
    groups = list[list[Band]]()
    for above, band in pairwise((None, *body)):
        if band is None:
            continue
        parted = above is None or any(above.box[3] - 3 < place < band.box[1] + 3 for place in lines)
        groups += [[band]] if parted else []
        if not parted:
            groups[-1].append(band)
    heads = sum(bool(columns.texts([band.row])[0]) and band.runs > 1 for band in body)
    return groups if len(groups) > 1 and heads <= 1.2 * len(groups) else []


def _free_rows(body: Sequence[Band], columns: Columns) -> list[list[Band]]:
    """Each band as a row, but what wraps inside its cells."""
    groups = list[list[Band]]()
    for band in body:
        if groups and columns.wraps(groups[-1][-1].row, band.row):
            groups[-1].append(band)
        else:
            groups.append([band])
    return groups
