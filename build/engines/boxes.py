"""Boxes: joined, and turned with the page they lie on."""

from collections.abc import Sequence

from docshelf.build.converting.converted import Box


def join_boxes(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of them; needs at least one."""
    # Plain comparisons: called for every run of text; min and max over generators cost a tenth of all reading.
    left, top, right, bottom = boxes[0]
    for x0, y0, x1, y1 in boxes[1:]:
        if x0 < left:  # noqa: PLR1730
            left = x0
        if y0 < top:  # noqa: PLR1730
            top = y0
        if x1 > right:  # noqa: PLR1730
            right = x1
        if y1 > bottom:  # noqa: PLR1730
            bottom = y1
    return (left, top, right, bottom)


def turn_box(box: Box, quarter: int, width: float, height: float) -> Box:
    """`box` on the page turned so that text of this direction stands upright.

    `width` and `height` are those of the page before the turn.
    """
    x0, y0, x1, y1 = box
    if quarter == 1:
        return (y0, width - x1, y1, width - x0)
    if quarter == 2:
        return (width - x1, height - y1, width - x0, height - y0)
    if quarter == 3:
        return (height - y1, x0, height - y0, x1)
    return box


def turn_back(box: Box, quarter: int, width: float, height: float) -> Box:
    """The inverse of `turn_box`; `width` and `height` are again those of the unturned page."""
    x0, y0, x1, y1 = box
    if quarter == 1:
        return (width - y1, x0, width - y0, x1)
    if quarter == 2:
        return (width - x1, height - y1, width - x0, height - y0)
    if quarter == 3:
        return (y0, height - x1, y1, height - x0)
    return box
