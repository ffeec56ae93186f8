"""Items that follow each other as one Markdown list, with lists inside of it."""

import re
from dataclasses import dataclass, field

from docshelf.build.cutting.split import Piece

_ITEM = re.compile(r"(?P<bullet>- )|(?P<dot>\d+\. )|(?P<round>\d+\) )")
_NUMBERED_FROM_ONE = re.compile(r"1[.)] ")


def is_item(piece: Piece) -> bool:
    """Whether the piece is an item of a list."""
    return not piece.level and _ITEM.match(piece.markdown) is not None


@dataclass(slots=True)
class ItemList:
    """A list that is being written; false while it is empty."""

    _lines: list[str] = field(default_factory=list)
    _open: list[tuple[int, str, int]] = field(default_factory=list)
    """Depth and kind of the lists that are open, outermost first, and where the text of their items begins."""

    def __bool__(self) -> bool:
        return bool(self._lines)

    def takes(self, piece: Piece) -> bool:
        """Whether the piece is the list's next item, or begins a list below its last one.

        A list of figures that does not begin with 1 would be text of the item above it (CommonMark 0.31.2, 5.3).
        """
        kind = _kind(piece)
        if not self._open or not kind:
            return bool(kind)
        if piece.depth > self._open[-1][0]:
            return kind == "bullet" or _NUMBERED_FROM_ONE.match(piece.markdown) is not None
        sibling = next((it for it in reversed(self._open) if it[0] <= piece.depth), self._open[0])
        return kind == sibling[1]

    def add(self, piece: Piece) -> None:
        """Writes the piece below the items there are."""
        while self._open and self._open[-1][0] >= piece.depth:
            self._open.pop()
        indent = self._open[-1][2] if self._open else 0
        self._lines.append(" " * indent + piece.markdown)
        found = _ITEM.match(piece.markdown)
        width = found.end() if found else 0
        self._open.append((piece.depth, _kind(piece), indent + width))

    def markdown(self) -> str:
        """The list, its items each on a line."""
        return "\n".join(self._lines)


def _kind(piece: Piece) -> str:
    """`bullet`, `dot` or `round`; "" for what is no item."""
    found = None if piece.level else _ITEM.match(piece.markdown)
    return found.lastgroup or "" if found else ""
