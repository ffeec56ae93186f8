"""Items of lists: the signs and numbers that begin them, and which of those may be none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docshelf.build.converting.converted import Block, Line
from docshelf.build.engines.boxes import join_boxes

BULLETS = "•●○◦▪▫■□‣⁃∙·➢✓❖◆◇►▶"
"""Signs that begin nothing but items."""
ITEM_SIGNS = tuple(BULLETS)
DEEPEST = 3
"""Level of the innermost items that are told apart."""
DEEPER_EM, FAR_EM = 0.9, 6.0
"""Letter sizes to the right from which an item is below the one before it, and from which it is of another list."""
_BULLET = re.compile(rf"^([{BULLETS}]\s*|[\u2013\u2014*]\s+)(?=\S)")
_DASH = re.compile(r"^([-−])\s+(?=[^\W\d_]|\d+[,:]\s+[^\W\d_]{2})")
"""A sign before a figure makes a negative number, but where a comma and words follow."""
_NUMBER = re.compile(r"^(\(?(?:\d{1,2}|[a-zа-яё]|[ivx]{1,4})\)|(?:\d{1,2}|[a-z])\.)\s+(?=[^\W\d_«\"“(\[<`'])")


def item_marker(text: str) -> str:
    """The sign or number by which a printed line begins an item; "" where it begins none."""
    for pattern in (_BULLET, _DASH, _NUMBER):
        if match := pattern.match(text):
            return match[1].strip()
    return ""


def as_item(lines: Sequence[Line], marker: str) -> Block:
    """The lines, of which the first begins with `marker`, as an item of a list."""
    first = lines[0]
    cut = len(first.text) - len(first.text[len(marker) :].lstrip())
    spans = tuple(
        replace(span, start=max(0, span.start - cut), end=span.end - cut)
        for span in first.spans
        if span.end > cut
    )
    rest = replace(first, text=first.text[cut:], spans=spans)
    box = join_boxes([line.box for line in lines])
    return Block("list", box, (rest, *lines[1:]), marker=marker)


def are_next(item: Block, marker: str, left: float) -> bool:
    """Whether an item with this marker, `left` points from the page's edge, may follow `item`.

    Numbers say so by themselves; signs only in the same place.
    """
    one, two = item.marker.strip("()."), marker.strip("().")
    if item.marker.replace(one, "") != marker.replace(two, "") if one and two else item.marker != marker:
        return False
    if one.isdecimal() and two.isdecimal():
        return int(two) == int(one) + 1
    if len(one) == len(two) == 1 and one.isalpha() and two.isalpha():
        return ord(two) == ord(one) + 1
    return item.marker == marker and abs(item.box[0] - left) < 6


def confirm_items(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with lone items that may be none (a dash, a number) made paragraphs again.

    A round bullet says it is an item; a dash or number needs a second one of its kind near by, a number the next
    or the one before it anywhere on the page.
    """
    for index, block in enumerate(blocks):
        if block.kind != "list" or block.marker in BULLETS:
            yield block
            continue
        near = [*blocks[max(0, index - 4) : index], *blocks[index + 1 : index + 5]]
        if any(_are_siblings(block, other) for other in near) or any(
            _are_in_order(block, other) for other in blocks
        ):
            yield block
        else:
            yield _unlisted(block)


def _are_in_order(block: Block, other: Block) -> bool:
    """Whether one is the item after the other, whatever stands between."""
    if other.kind != "list" or abs(block.lines[0].size - other.lines[0].size) > 0.6:
        return False
    if abs(block.box[0] - other.box[0]) > 6 or not block.marker.strip("().").isdecimal():
        return False
    return are_next(other, block.marker, block.box[0]) or are_next(block, other.marker, other.box[0])


def _are_siblings(block: Block, other: Block) -> bool:
    if other.kind != "list" or abs(block.lines[0].size - other.lines[0].size) > 0.6:
        return False
    if abs(block.box[0] - other.box[0]) > 6:
        return False
    one, two = block.marker.strip("()."), other.marker.strip("().")
    if one.isdecimal() and two.isdecimal():
        return abs(int(one) - int(two)) in range(1, 5)
    return one[-1:].isalnum() == two[-1:].isalnum() and (block.marker[-1] == other.marker[-1])


def as_lists(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without items that may be none, the others with their level."""
    return list(nest_items(list(confirm_items(blocks))))


def nest_items(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with the level of each item in its list: 0 outermost, at most DEEPEST.

    Items that follow each other down a column are of one list; one that stands further to the right than the one
    before it, by more than the width of a figure, is below it.
    """
    lefts = list[float]()
    above: Block | None = None
    for block in blocks:
        if block.kind != "list":
            yield block
            above = None
            continue
        left, em = block.lines[0].box[0], block.lines[0].size
        if above is None or block.box[1] < above.box[1] or left > above.lines[0].box[0] + FAR_EM * em:
            lefts = [left]
        elif not are_next(above, block.marker, left):
            lefts = [outer for outer in lefts if outer <= left + DEEPER_EM * em]
            if not lefts or left > lefts[-1] + DEEPER_EM * em:
                lefts.append(left)
        yield replace(block, level=min(len(lefts) - 1, DEEPEST))
        above = block


def _unlisted(block: Block) -> Block:
    first = block.lines[0]
    lead = f"{block.marker} "
    spans = tuple(
        replace(span, start=span.start + len(lead), end=span.end + len(lead)) for span in first.spans
    )
    line = replace(first, text=lead + first.text, spans=spans)
    return replace(block, kind="paragraph", lines=(line, *block.lines[1:]), marker="")
