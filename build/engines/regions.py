"""Regions of a page as the layout model of pymupdf4llm sees them: where a heading, a table, an item stands."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docshelf.build.converting.converted import Box

if TYPE_CHECKING:
    import pymupdf

ANTI_ALIASING = 8
"""Bits; what MuPDF begins with."""
MIN_SIDE = 2.0
"""Points; smaller regions are specks."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page that belongs together, in the coordinates a reader sees."""

    kind: str
    """`text`, `title`, `section-header`, `list-item`, `table`, `picture`, `caption`, `formula`, `footnote`,
    `page-header` or `page-footer`."""
    box: Box
    columns: tuple[float, ...] = ()
    """Tables only: x of the lines between columns, left to right."""
    rows: tuple[float, ...] = ()
    """Tables only: y of the lines between rows, top down."""


def read_regions(page: "pymupdf.Page") -> list[Region]:
    """The regions of a page in reading order, running heads first and feet last.

    The page's rotation is undone in memory: the model counts from the paper's corner, not the reader's.
    Raises what pymupdf_layout and onnxruntime raise; no page is too odd for them to fail on.
    """
    # onnxruntime 1.32 for Linux tells its maker of every start and session unless it is told not to.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import pymupdf.layout
    from pymupdf4llm.helpers.utils import find_reading_order

    page.remove_rotation()
    with _settings_of_the_model():
        page.get_layout(return_raw=True)
        found = [_region(raw) for raw in page.layout_information or ()]
        regions = {(*region.box, region.kind): region for region in found if _is_large(region.box)}
        if not regions:
            return []
        flags = pymupdf.TEXT_COLLECT_VECTORS | pymupdf.TEXT_PRESERVE_IMAGES | pymupdf.TEXT_MEDIABOX_CLIP
        drawn = page.get_textpage(flags=flags).extractDICT()["blocks"]
        return [regions[tuple(box)] for box in find_reading_order(page.rect, drawn, list(regions))]


@contextmanager
def _settings_of_the_model() -> Iterator[None]:
    """Keeps what pymupdf4llm sets for the whole process to the calls of its own.

    Its import (1.28.2) changes the boxes of all text that is read later, and a page may switch anti-aliasing
    off: a page would come out by what its worker did before.
    """
    import pymupdf

    pymupdf.TOOLS.unset_quad_corrections(True)
    try:
        yield
    finally:
        pymupdf.TOOLS.unset_quad_corrections(False)
        pymupdf.TOOLS.set_aa_level(ANTI_ALIASING)


def _region(raw: dict[str, Any]) -> Region:
    x0, y0, x1, y1 = (float(value) for value in raw["group_bbox"])
    grid = raw.get("table_grid")
    return Region(
        kind=raw["class_name"],
        box=(x0, y0, x1, y1),
        columns=_offset(grid.v_lines, x0) if grid else (),
        rows=_offset(grid.h_lines, y0) if grid else (),
    )


def _offset(lines: Sequence[float], start: float) -> tuple[float, ...]:
    return tuple(sorted(start + float(line) for line in lines))


def _is_large(box: Box) -> bool:
    return box[2] - box[0] > MIN_SIDE and box[3] - box[1] > MIN_SIDE
