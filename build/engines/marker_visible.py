"""What marker read and no reader sees: text that `fast` leaves out must not come back through marker.

marker takes a page's text layer as a whole: white letters, layers switched off, reviewers' notes. Each of its
blocks is held against the words that `fast` found visible on the page, two neighbours at a time: single words
of a hidden sentence are common enough to stand somewhere on the page.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from docshelf.build.converting.converted import Block
from docshelf.build.engines.marker_html import read_parts

SEEN_SHARE = 0.5
"""Share of a block's letters that must stand on the page; below it the block is hidden text."""
HIDDEN_RUN = 5
"""Words one after another that stand nowhere on the page: hidden text inside a block that can be seen."""
_WORD = re.compile(r"[^\W_]+")
# Formulas are read from pictures of them; a text layer cannot write the tag, as marker escapes its text.
_FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class VisiblePage:
    """A page of marker's JSON without the blocks that cannot be seen."""

    page: Mapping[str, Any]
    hidden: int
    """Characters left out, spaces not counted."""
    mixed: bool
    """Hidden text stands inside a block that is kept: the page cannot be used."""


def pick_visible(page: Mapping[str, Any], blocks: Sequence[Block]) -> VisiblePage:
    """The part of marker's `page` that can be seen; `blocks` are what `fast` found on that page."""
    printed = "".join(word for block in blocks for text in _texts(block) for word in _words(text))
    kept, hidden, mixed = list[Mapping[str, Any]](), 0, False
    for child in page.get("children") or ():
        if child.get("children"):
            inner = pick_visible(child, blocks)
            hidden, mixed = hidden + inner.hidden, mixed or inner.mixed
            if inner.page["children"]:
                kept.append(inner.page)
            continue
        letters, unseen, run = _measure(child["html"], printed)
        if unseen > (1 - SEEN_SHARE) * letters:
            hidden += letters
            continue
        mixed = mixed or run >= HIDDEN_RUN
        kept.append(child)
    return VisiblePage({**page, "children": kept}, hidden, mixed)


def _measure(html: str, printed: str) -> tuple[int, int, int]:
    """Letters and digits of a block, how many of them are not `printed`, and the longest run of such words."""
    letters = unseen = longest = 0
    for words in _sequences(_FORMULA.sub(" ", html)):
        run = 0
        for word, seen in zip(words, _seen(words, printed), strict=True):
            letters += len(word)
            unseen += 0 if seen else len(word)
            run = 0 if seen else run + 1
            longest = max(longest, run)
    return letters, unseen, longest


def _seen(words: Sequence[str], printed: str) -> list[bool]:
    """Whether each word stands on the page beside its neighbour before or after."""
    if len(words) < 2:
        return [word in printed for word in words]
    pairs = [one + other in printed for one, other in pairwise(words)]
    return [before or after for before, after in zip([False, *pairs], [*pairs, False], strict=True)]


def _sequences(html: str) -> Iterator[list[str]]:
    """The words of a block's running text, then of each cell: cells may be read in another order."""
    parts = read_parts(html)
    yield [word for part in parts for word in _words(part.text)]
    yield from (_words(cell) for part in parts for row in part.rows for cell in row)


def _texts(block: Block) -> Iterator[str]:
    yield block.marker
    yield from (line.text for line in block.lines)
    yield from (cell for row in block.rows for cell in row)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
