"""Items of lists: the signs and numbers that begin them, and which of those may be none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from docshelf.build.converted import Block

BULLETS = "•●○◦▪▫■□‣⁃∙·➢✓❖◆◇►▶"
"""Signs that begin nothing but items."""
ITEM_SIGNS = tuple(BULLETS)
_BULLET = re.compile(rf"^([{BULLETS}]\s*|[\u2013\u2014*]\s+)(?=\S)")
_DASH = re.compile(r"^([-−])\s+(?=[^\W\d_])")
_NUMBER = re.compile(r"^(\(?(?:\d{1,2}|[a-zа-яё]|[ivx]{1,4})\)|(?:\d{1,2}|[a-z])\.)\s+(?=[^\W\d_«\"“(\[<`'])")


def item_marker(text: str) -> str:
    """The sign or number by which a printed line begins an item; "" where it begins none."""
    for pattern in (_BULLET, _DASH, _NUMBER):
        if match := pattern.match(text):
            return match[1].strip()
    return ""


def confirm_items(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with lone items that may be none (a dash, a number) made paragraphs again.

    A round bullet says it is an item; a dash or number needs a second one of its kind near by.
    """
    for index, block in enumerate(blocks):
        if block.kind != "list" or block.marker in BULLETS:
            yield block
            continue
        near = [*blocks[max(0, index - 4) : index], *blocks[index + 1 : index + 5]]
        if any(_are_siblings(block, other) for other in near):
            yield block
        else:
            yield _unlisted(block)


def _are_siblings(block: Block, other: Block) -> bool:
    if other.kind != "list" or abs(block.lines[0].size - other.lines[0].size) > 0.6:
        return False
    if abs(block.box[0] - other.box[0]) > 6:
        return False
    one, two = block.marker.strip("()."), other.marker.strip("().")
    if one.isdigit() and two.isdigit():
        return abs(int(one) - int(two)) in range(1, 5)
    return one[-1:].isalnum() == two[-1:].isalnum() and (block.marker[-1] == other.marker[-1])


def _unlisted(block: Block) -> Block:
    first = block.lines[0]
    lead = f"{block.marker} "
    links = tuple(
        replace(link, start=link.start + len(lead), end=link.end + len(lead)) for link in first.links
    )
    line = replace(first, text=lead + first.text, links=links)
    return replace(block, kind="paragraph", lines=(line, *block.lines[1:]), marker="")
