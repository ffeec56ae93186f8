"""Pieces of a page in the order a reader takes them: columns one after the other, rows within them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from statistics import median

from docshelf.build.converting.converted import Box
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.pieces import Piece

MIN_COLUMN_ROWS = 4
"""Rows that must share a gutter before it is taken for one."""
MIN_GUTTER = 6.0
"""Points; narrower gaps between words of one line are common."""
_MAX_DEPTH = 6


Gap = tuple[float, float]
"""Free paper between two x positions, in points."""


@dataclass(frozen=True, slots=True)
class Strip:
    """Pieces that follow each other without a wide gap on one line."""

    pieces: tuple[Piece, ...]
    box: Box
    order: int
    """Place in the order of the page's content."""


@dataclass(frozen=True, slots=True)
class Band:
    """Strips whose heights overlap, with the paper they leave free between the edges of the region."""

    strips: list[Strip]
    gaps: tuple[Gap, ...]
    left: float
    right: float


Row = tuple[Strip, ...]
"""Strips side by side on one line, left to right."""


def order_rows(pieces: Sequence[Piece]) -> list[list[Row]]:
    """Regions in reading order; each is the rows of one column or of one full-width part, top down."""
    groups = groupby(pieces, key=lambda piece: (piece.strip, piece.block is not None))
    strips = [_strip(tuple(group)) for _, group in groups]
    visible = [strip for strip in strips if any(not piece.text.isspace() for piece in strip.pieces)]
    return [region for region in _regions(visible, 0) if region]


def level_rows(pieces: Sequence[Piece]) -> list[Row]:
    """The pieces in rows, top down, whatever columns the page has."""
    groups = groupby(pieces, key=lambda piece: (piece.strip, piece.block is not None))
    strips = [_strip(tuple(group)) for _, group in groups]
    return _baseline_rows([s for s in strips if any(not piece.text.isspace() for piece in s.pieces)])


def _strip(pieces: tuple[Piece, ...]) -> Strip:
    if len(pieces) == 1:
        return Strip(pieces, pieces[0].box, pieces[0].strip)
    drawn = [piece for piece in pieces if not piece.text.isspace()] or list(pieces)
    return Strip(pieces, join_boxes([piece.box for piece in drawn]), pieces[0].strip)


def _regions(strips: Sequence[Strip], depth: int) -> Iterator[list[Row]]:
    if depth >= _MAX_DEPTH or not _may_have_columns(strips):
        yield _baseline_rows(strips)
        return
    bands = _measured_bands(strips)
    start, plain = 0, list[Strip]()
    while start < len(bands):
        end, gutter = _run_with_gutter(bands, start)
        run = [strip for band in bands[start:end] for strip in band.strips]
        if gutter is not None and _are_columns(run, gutter):
            yield _baseline_rows(plain)
            plain = []
            yield from _regions([strip for strip in run if strip.box[2] <= gutter[1]], depth + 1)
            yield from _regions([strip for strip in run if strip.box[2] > gutter[1]], depth + 1)
            start = end
        else:
            plain.extend(bands[start].strips)
            start += 1
    yield _baseline_rows(plain)


def _may_have_columns(strips: Sequence[Strip]) -> bool:
    """Whether enough strips end left of where enough others begin; most pages are settled by that alone."""
    if len(strips) < 2 * MIN_COLUMN_ROWS:
        return False
    end = sorted([strip.box[2] for strip in strips])[MIN_COLUMN_ROWS - 1]
    start = sorted([strip.box[0] for strip in strips])[-MIN_COLUMN_ROWS]
    return start - end >= MIN_GUTTER - 0.01


def _measured_bands(strips: Sequence[Strip]) -> list[Band]:
    left, right = min(strip.box[0] for strip in strips), max(strip.box[2] for strip in strips)
    return [_band(band, left, right) for band in _bands(strips)]


def _band(strips: list[Strip], left: float, right: float) -> Band:
    gaps, edge = [], left - MIN_GUTTER
    for x0, x1 in sorted((strip.box[0], strip.box[2]) for strip in strips):
        if x0 - edge >= MIN_GUTTER and x0 > left + 1:
            gaps.append((edge, x0))
        edge = max(edge, x1)
    if edge < right - 1:
        gaps.append((edge, right + MIN_GUTTER))
    return Band(
        strips, tuple(gaps), min(strip.box[0] for strip in strips), max(strip.box[2] for strip in strips)
    )


def _bands(strips: Sequence[Strip]) -> list[list[Strip]]:
    """Strips grouped where the middles of their heights overlap, top down."""
    bands: list[list[Strip]] = []
    foot = float("-inf")
    for strip in sorted(strips, key=lambda strip: (strip.box[1] + strip.box[3], strip.box[0])):
        fifth = 0.25 * (strip.box[3] - strip.box[1])
        if bands and strip.box[1] + fifth < foot:
            bands[-1].append(strip)
            foot = max(foot, strip.box[3] - fifth)
        else:
            bands.append([strip])
            foot = strip.box[3] - fifth
    return bands


def _run_with_gutter(bands: Sequence[Band], start: int) -> tuple[int, Gap | None]:
    """End of the longest run of bands from `start` that one blank strip of paper divides, and that strip."""
    gaps: Sequence[Gap] = bands[start].gaps
    left, right = bands[start].left, bands[start].right
    runs = [(gaps, left, right)]
    for band in islice(bands, start + 1, None):
        gaps = _intersect(gaps, band.gaps)
        if not gaps:
            break
        left, right = min(left, band.left), max(right, band.right)
        runs.append((gaps, left, right))
    for length in range(len(runs), 0, -1):
        gaps, left, right = runs[length - 1]
        inner = [gap for gap in gaps if gap[0] > left and gap[1] < right]
        if inner:
            return start + length, max(inner, key=lambda gap: gap[1] - gap[0])
    return start + 1, None


def _intersect(some: Sequence[Gap], others: Sequence[Gap]) -> list[Gap]:
    """What both leave blank; each comes in order and does not overlap itself."""
    both: list[Gap] = []
    one, other = 0, 0
    while one < len(some) and other < len(others):
        (left, right), (start, end) = some[one], others[other]
        # Plain comparisons: the innermost loop of the search for columns.
        if right < end:
            end = right
            one += 1
        else:
            other += 1
        if left > start:  # noqa: PLR1730
            start = left
        if end - start >= MIN_GUTTER:
            both.append((start, end))
    return both


def _are_columns(strips: Sequence[Strip], gutter: Gap) -> bool:
    """Whether both sides of the gutter are to be read one after the other, not row by row.

    Columns are either written one after the other into the file, or both sides hold running text: lines of
    many letters that fill their width. Names and values of a table are short and written row by row. Figures
    say nothing of it.
    """
    strips = [strip for strip in strips if strip.pieces[0].block is None]
    left = [strip for strip in strips if strip.box[2] <= gutter[1]]
    right = [strip for strip in strips if strip.box[2] > gutter[1]]
    if min(len(_baselines(left)), len(_baselines(right))) < MIN_COLUMN_ROWS:
        return False
    if _is_running_text(left) and _is_running_text(right):
        return True
    sides = [strip.box[2] > gutter[1] for strip in sorted(strips, key=lambda strip: strip.order)]
    changes = sum(a != b for a, b in pairwise(sides))
    return changes <= max(1, len(strips) // 25) and len(_baselines(left)) > MIN_COLUMN_ROWS


def _baselines(strips: Sequence[Strip]) -> set[int]:
    return {round(strip.pieces[0].baseline) for strip in strips}


def _is_running_text(strips: Sequence[Strip]) -> bool:
    widths = [strip.box[2] - strip.box[0] for strip in strips]
    column = max(strip.box[2] for strip in strips) - min(strip.box[0] for strip in strips)
    letters = median(sum(len(piece.text) for piece in strip.pieces) for strip in strips)
    return letters >= 24 and median(widths) >= 0.6 * column


def _baseline_rows(strips: Sequence[Strip]) -> list[Row]:
    """Strips of one column as rows: those on nearly one baseline, or raised beside one, share a row."""
    rows: list[list[Strip]] = []
    for strip in sorted(strips, key=lambda strip: (_middle(strip), strip.box[0])):
        if rows and _share_row(rows[-1], strip):
            rows[-1].append(strip)
        else:
            rows.append([strip])
    return [tuple(sorted(row, key=lambda strip: strip.box[0])) for row in rows]


def _share_row(row: Sequence[Strip], strip: Strip) -> bool:
    tallest = max(row, key=lambda other: other.box[3] - other.box[1])
    top, foot = max(tallest.box[1], strip.box[1]), min(tallest.box[3], strip.box[3])
    smaller = min(tallest.box[3] - tallest.box[1], strip.box[3] - strip.box[1])
    if foot - top < 0.6 * smaller:
        return False
    shared = sum(min(o.box[2], strip.box[2]) - max(o.box[0], strip.box[0]) > 0.5 * smaller for o in row)
    return shared == 0


def _middle(strip: Strip) -> float:
    return strip.box[1] + strip.box[3]
