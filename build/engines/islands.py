"""Boxes that hang together: which of many touch or nearly touch, directly or through others."""

from collections.abc import Iterator, Sequence
from itertools import islice

from docshelf.build.converting.converted import Box

CELL = 3.0
"""Points; what lies within one to two of these hangs together."""

MAX_CELLS = 1000
"""Cells along a side of the net; on a larger page they are larger, for a file may call its page a mile long."""

_Run = tuple[int, int, int]
"""First and last column of cells that are covered in a row, and the number of the island they are part of."""


def islands(boxes: Sequence[Box], width: float, height: float) -> list[list[int]]:
    """The places of the boxes in the sequence, grouped, by the cells of a net that they cover.

    The boxes lie within the page of `width` and `height` points. The time depends on the boxes and on the net, not
    on how many touch: a drawing may have ten thousand paths.
    """
    cell = max(CELL, width / MAX_CELLS, height / MAX_CELLS)
    rows = [0] * (int(height / cell) + 2)
    for x0, y0, x1, y1 in boxes:
        first, last = int(x0 / cell), int(x1 / cell)
        covered = ((1 << (last - first + 1)) - 1) << first
        for row in range(int(y0 / cell), int(y1 / cell) + 1):
            rows[row] |= covered
    owners = _owners(rows)
    groups: dict[int, list[int]] = {}
    for place, (x0, y0, _, _) in enumerate(boxes):
        column = int(x0 / cell)
        island = next(run[2] for run in owners[int(y0 / cell)] if run[0] <= column <= run[1])
        groups.setdefault(island, []).append(place)
    return list(groups.values())


def _owners(rows: Sequence[int]) -> list[list[_Run]]:
    """The runs of each row of bits; those of neighbouring rows that touch, if only at a corner, are of one island."""
    parents, owners = list[int](), list[list[_Run]]()
    for bits in rows:
        above, here = owners[-1] if owners else [], list[_Run]()
        start = 0
        for first, last in _runs(bits):
            while start < len(above) and above[start][1] < first - 1:
                start += 1
            touched = list[int]()
            for run in islice(above, start, None):
                if run[0] > last + 1:
                    break
                touched.append(_root(parents, run[2]))
            island = min(touched, default=len(parents))
            if not touched:
                parents.append(island)
            for other in touched:
                parents[other] = island
            here.append((first, last, island))
        owners.append(here)
    return [[(first, last, _root(parents, island)) for first, last, island in row] for row in owners]


def _root(parents: list[int], island: int) -> int:
    while parents[island] != island:
        parents[island] = island = parents[parents[island]]
    return island


def _runs(bits: int) -> Iterator[tuple[int, int]]:
    """First and last place of each run of ones."""
    place = 0
    while bits:
        skipped = (bits & -bits).bit_length() - 1
        bits >>= skipped
        length = (~bits & (bits + 1)).bit_length() - 1
        yield place + skipped, place + skipped + length - 1
        bits >>= length
        place += skipped + length
