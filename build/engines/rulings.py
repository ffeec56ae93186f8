"""Ruling lines of a page and the grids they form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docshelf.build.converting.converted import Box
from docshelf.build.engines.pieces import Stroke

THICKEST = 3.0
"""Points; what is thicker is an area, not a line."""
TOUCH = 3.0
"""Points within which two lines meet."""
SAME = 2.0
"""Points within which two lines are drawn at one place."""
MAX_LINES = 1500
"""A page with more lines is a drawing."""
MAX_CELLS = 4000


@dataclass(frozen=True, slots=True)
class Ruling:
    """A straight line along an axis."""

    place: float
    """y of a horizontal, x of a vertical line."""
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines that hang together and divide an area into at least two rows and two columns."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    verticals: tuple[Ruling, ...]
    horizontals: tuple[Ruling, ...]

    @property
    def box(self) -> Box:
        """The area the grid divides."""
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def has_wall(self, row: int, column: int) -> bool:
        """Whether a line stands between the cells (row, column) and (row, column + 1)."""
        return _covers(self.verticals, self.xs[column + 1], self.ys[row], self.ys[row + 1])

    def has_floor(self, row: int, column: int) -> bool:
        """Whether a line lies between the cells (row, column) and (row + 1, column)."""
        return _covers(self.horizontals, self.ys[row + 1], self.xs[column], self.xs[column + 1])


def find_grids(strokes: Sequence[Stroke]) -> list[Grid]:
    """The grids of a page, top down."""
    horizontals, verticals = list[Ruling](), list[Ruling]()
    for stroke in strokes:
        _sort_stroke(stroke, horizontals, verticals)
    if len(horizontals) < 2 or len(verticals) < 2 or len(horizontals) + len(verticals) > MAX_LINES:
        return []
    parts = _connected(_merged(horizontals), _merged(verticals))
    grids = [grid for across, down in parts if (grid := _grid(across, down))]
    return sorted(grids, key=lambda grid: (grid.ys[0], grid.xs[0]))


def find_rules(strokes: Sequence[Stroke]) -> list[Ruling]:
    """The horizontal lines of a page, top down; none where there are so many that it is a drawing."""
    horizontals, verticals = list[Ruling](), list[Ruling]()
    for stroke in strokes:
        _sort_stroke(stroke, horizontals, verticals)
    if len(horizontals) + len(verticals) > MAX_LINES:
        return []
    return sorted(_merged(horizontals), key=lambda rule: (rule.place, rule.start))


def _sort_stroke(stroke: Stroke, horizontals: list[Ruling], verticals: list[Ruling]) -> None:
    x0, y0, x1, y1 = stroke.box
    width, height = x1 - x0, y1 - y0
    if height <= THICKEST < width:
        horizontals.append(Ruling((y0 + y1) / 2, x0, x1))
    elif width <= THICKEST < height:
        verticals.append(Ruling((x0 + x1) / 2, y0, y1))
    elif stroke.stroked and stroke.rectangle and width > THICKEST:
        horizontals += [Ruling(y0, x0, x1), Ruling(y1, x0, x1)]
        verticals += [Ruling(x0, y0, y1), Ruling(x1, y0, y1)]


def _merged(rulings: Iterable[Ruling]) -> list[Ruling]:
    """Lines at one place that touch or overlap, as one."""
    merged: list[Ruling] = []
    for ruling in sorted(rulings, key=lambda ruling: (round(ruling.place / SAME), ruling.start)):
        last = merged[-1] if merged else None
        if last and abs(last.place - ruling.place) < SAME and ruling.start <= last.end + SAME:
            merged[-1] = Ruling(last.place, last.start, max(last.end, ruling.end))
        else:
            merged.append(ruling)
    return merged


def _connected(
    horizontals: Sequence[Ruling], verticals: Sequence[Ruling]
) -> list[tuple[list[Ruling], list[Ruling]]]:
    """Lines grouped so that all of a group hang together by crossing or touching."""
    free = set(range(len(verticals)))
    waiting = set(range(len(horizontals)))
    groups = []
    while waiting:
        across, down, edge = list[int](), list[int](), [waiting.pop()]
        while edge:
            current = edge.pop()
            across.append(current)
            met = [v for v in free if _touch(horizontals[current], verticals[v])]
            free.difference_update(met)
            down += met
            for vertical in met:
                more = [h for h in waiting if _touch(horizontals[h], verticals[vertical])]
                waiting.difference_update(more)
                edge += more
        groups.append(([horizontals[h] for h in across], [verticals[v] for v in down]))
    return groups


def _touch(across: Ruling, down: Ruling) -> bool:
    return (
        down.start - TOUCH <= across.place <= down.end + TOUCH
        and across.start - TOUCH <= down.place <= across.end + TOUCH
    )


def _grid(across: Sequence[Ruling], down: Sequence[Ruling]) -> Grid | None:
    if len(across) < 2 or not down:
        return None
    xs = _places([*(r.place for r in down), min(r.start for r in across), max(r.end for r in across)])
    ys = _places([*(r.place for r in across), min(r.start for r in down), max(r.end for r in down)])
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > MAX_CELLS:
        return None
    return Grid(tuple(xs), tuple(ys), tuple(down), tuple(across))


def _places(values: Iterable[float]) -> list[float]:
    """Sorted places, those nearer to each other than TOUCH taken as one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > TOUCH:
            places.append(value)
    return places


def _covers(rulings: Sequence[Ruling], place: float, start: float, end: float) -> bool:
    """Whether lines at `place` cover at least half of the way from `start` to `end`."""
    covered = sum(
        max(0.0, min(ruling.end, end) - max(ruling.start, start))
        for ruling in rulings
        if abs(ruling.place - place) <= TOUCH
    )
    return covered >= 0.5 * (end - start)
