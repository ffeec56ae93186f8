"""Boxes: measured, compared, joined, and turned with the page they lie on."""

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


def area(box: Box) -> float:
    """Square points of a box."""
    return (box[2] - box[0]) * (box[3] - box[1])


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share more than an edge."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def holds_middle(outer: Box, inner: Box) -> bool:
    """Whether the middle of the inner box lies within the outer one."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] < x < outer[2] and outer[1] < y < outer[3]


def widened(box: Box, by: float) -> Box:
    """The box with as many points added on each side."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def common_part(one: Box, other: Box) -> Box:
    """What two boxes share; its right or lower edge comes first where they share nothing."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


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
