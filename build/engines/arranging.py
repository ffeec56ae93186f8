"""Blocks of a page put into the regions of its layout: other order, other kinds, never other text.

What the layout model knows better than measure alone is what belongs together, in which order it is read, and
what is a heading. Each line of the page stands in exactly one block afterwards, whatever the model says.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from docshelf.build.converting.converted import Block, BlockKind, Box, Line
from docshelf.build.engines.boxes import area, join_boxes
from docshelf.build.engines.regions import Region

CutLine = Callable[[Line, Box], Line | None]
"""Gives the part of a line that stands in a box, or None where it cannot be told."""
FillTable = Callable[[Region], tuple[tuple[str, ...], ...]]
"""Gives the cells of a table region, no rows where it is no sound table."""

MAX_HEADING_LINES = 6
"""A region with more lines is no heading, whatever the model says."""
KEPT_SHARE = 0.98
"""Share of a region's characters that a table's cells must hold to stand for its lines."""
_SLACK = 1.0
_LOOSE = ("picture", "table")
"""Regions whose lines are often read in no order at all."""
_MAX_VISITS = 1.1
"""Visits per region up to which reading line by line is taken to have kept to the regions."""
_PROSE: tuple[BlockKind, ...] = ("paragraph", "list", "heading", "note")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A block that stays whole, or one line of prose as a block of its own."""

    origin: int
    """Which block of the page it comes from."""
    block: Block

    @property
    def is_prose(self) -> bool:
        return self.block.kind in _PROSE


def arrange(blocks: Sequence[Block], regions: Sequence[Region], cut: CutLine, fill: FillTable) -> list[Block]:
    """The blocks regrouped by the regions.

    The blocks' own order of reading holds where it leaves no region before it is done with it; else the order
    of `regions` does. Lines in no region follow the line they followed before.
    """
    units = [part for unit in _units(blocks) for part in _cut_apart(unit, regions, cut)]
    held: dict[int, list[_Unit]] = {}
    strays: dict[int, list[_Unit]] = {}
    visits: list[int] = []
    for place, unit in _placed(units, regions):
        if place.inside and visits[-1:] != [place.region]:
            visits.append(place.region)
        (held if place.inside else strays).setdefault(place.region, []).append(unit)
    arranged = list(_join(strays.get(-1, [])))
    for index in _order(list(held), visits, regions):
        arranged += _region_blocks(regions[index], held.get(index, []), fill)
        arranged += _join(strays.get(index, []))
    return arranged


def _order(read: Sequence[int], visits: Sequence[int], regions: Sequence[Region]) -> list[int]:
    """All regions in order; `read` are those with text as first met, `visits` every change of region.

    The model orders regions by stripes over the whole page, and so runs from one column into another where both
    have a gap at one height; reading line by line fails where it has not seen the columns, and shows it by
    coming back to a region.
    """
    running = [index for index in visits if regions[index].kind not in _LOOSE]
    if len(list(groupby(running))) > _MAX_VISITS * len(set(running)):
        return list(range(len(regions)))
    order = list(read)
    for index in range(len(regions)):
        if index not in order:
            order.insert(order.index(index - 1) + 1 if index else 0, index)
    return order


def _units(blocks: Sequence[Block]) -> Iterator[_Unit]:
    for origin, block in enumerate(blocks):
        if block.kind not in _PROSE or not block.lines:
            yield _Unit(origin, block)
            continue
        for number, line in enumerate(block.lines):
            part = replace(block, box=line.box, lines=(line,))
            yield _Unit(origin, part if not number else replace(part, marker="", joined=False))


def _cut_apart(unit: _Unit, regions: Sequence[Region], cut: CutLine) -> list[_Unit]:
    """The unit, or its parts where a line runs through regions that stand side by side."""
    if not unit.is_prose or not unit.block.lines:
        return [unit]
    (line,) = unit.block.lines
    crossed = sorted({region.box for region in regions if _crosses(region.box, line.box)})
    if len(crossed) < 2 or any(a[2] > b[0] + _SLACK for a, b in pairwise(crossed)):
        return [unit]
    parts = [part for box in crossed if (part := cut(line, box))]
    if _count(part.text for part in parts) != _count([line.text]):
        return [unit]
    first, *others = parts
    return [
        _Unit(unit.origin, replace(unit.block, box=first.box, lines=(first,))),
        *(_Unit(unit.origin, Block("paragraph", part.box, (part,))) for part in others),
    ]


def _crosses(region: Box, line: Box) -> bool:
    """Whether a region stands at the height of a line and holds some of it, not all."""
    middle = (line[1] + line[3]) / 2
    shared = min(region[2], line[2]) - max(region[0], line[0])
    width = line[2] - line[0]
    return region[1] - _SLACK <= middle <= region[3] + _SLACK and 0.05 * width < shared < 0.95 * width


@dataclass(frozen=True, slots=True)
class _Place:
    region: int
    """Index of the region, -1 before all of them."""
    inside: bool
    """False for what only follows the region."""


def _placed(units: Sequence[_Unit], regions: Sequence[Region]) -> Iterator[tuple[_Place, _Unit]]:
    before, origin, inside = -1, -1, False
    for unit in units:
        found = _region_of(unit.block.box, regions)
        if found is not None:
            before, inside = found, True
        elif unit.origin != origin:
            inside = False
        yield _Place(before, inside), unit
        origin = unit.origin


def _region_of(box: Box, regions: Sequence[Region]) -> int | None:
    """The smallest region that holds the middle of a box."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    holding = [(area(region.box), index) for index, region in enumerate(regions) if _holds(region.box, x, y)]
    return min(holding)[1] if holding else None


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] - _SLACK <= x <= box[2] + _SLACK and box[1] - _SLACK <= y <= box[3] + _SLACK


def _region_blocks(region: Region, units: Sequence[_Unit], fill: FillTable) -> Iterable[Block]:
    prose = all(unit.is_prose for unit in units)
    match region.kind:
        case "title" | "section-header" if units and prose and len(units) <= MAX_HEADING_LINES:
            return [_heading(units, level=1 if region.kind == "title" else 0)]
        case "list-item":
            return _items(list(_join(units)))
        case "footnote":
            return [
                replace(block, kind="note") if block.kind == "paragraph" else block for block in _join(units)
            ]
        case "picture":
            return [Block("figure", region.box), *_join(units)]
        case "table" if units and prose and (table := _table(region, units, fill)):
            return [table]
        case _:
            return _join(units)


def _join(units: Sequence[_Unit]) -> Iterator[Block]:
    """Neighbours of one origin as one block again."""
    for _, group in groupby(units, key=lambda unit: (unit.origin, unit.is_prose)):
        first, *others = [unit.block for unit in group]
        if not others:
            yield first
            continue
        lines = [line for block in (first, *others) for line in block.lines]
        yield replace(first, box=join_boxes([line.box for line in lines]), lines=tuple(lines))


def _heading(units: Sequence[_Unit], level: int) -> Block:
    """One heading of all lines; what was taken for an item's marker is its number."""
    lines = tuple(with_marker(unit.block.lines[0], unit.block.marker) for unit in units)
    return Block("heading", join_boxes([line.box for line in lines]), lines, level=level)


def with_marker(line: Line, marker: str) -> Line:
    """The line with an item's marker before it again; spans move with their words."""
    if not marker:
        return line
    shift = len(marker) + 1
    spans = tuple(replace(span, start=span.start + shift, end=span.end + shift) for span in line.spans)
    return replace(line, text=f"{marker} {line.text}", spans=spans)


def _items(blocks: Sequence[Block]) -> Iterator[Block]:
    """A region of items: what begins it is one, even where its bullet is drawn and not written."""
    item: Block | None = None
    for block in blocks:
        if item and block.kind == "paragraph":
            lines = (*item.lines, *block.lines)
            item = replace(item, box=join_boxes([item.box, block.box]), lines=lines)
            continue
        if item:
            yield item
        item = replace(block, kind="list") if block.kind == "paragraph" else block
        if item.kind != "list":
            yield item
            item = None
    if item:
        yield item


def _table(region: Region, units: Sequence[_Unit], fill: FillTable) -> Block | None:
    rows = fill(region)
    held = _count(cell for row in rows for cell in row)
    needed = _count(text for unit in units for text in (unit.block.marker, unit.block.text))
    if not rows or held < KEPT_SHARE * needed:
        return None
    return Block("table", region.box, rows=rows)


def _count(texts: Iterable[str]) -> int:
    return sum(len("".join(text.split())) for text in texts)
