"""The tiny markup of the sample texts, read into blocks.

A text begins with `key: value` lines and a line `---`. Then, separated by blank lines:

    = Part                      # Chapter        ## Section        ### Small heading
    #* Heading without number   plain lines: a paragraph, joined with spaces
    - item, 1. item             indent by two for a nested item or a continued line
    ```                         a listing up to the next ```
    @table 2 3 5 | Caption      then rows `| cell | cell`, the first one the header; \\| is a bar
    @figure 80 | Caption        height in mm, then lines `box x y w h text` and `line x1 y1 x2 y2 text`
    !note text, !warning text   a box
    !cover                      lines of a cover page up to a blank line
    !contents Title             a printed table of contents
    !newpage

Inside text: `code`, **bold**, *italic*, [words](file.pdf#page=3) that lead to another document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"(=|#{1,3})(\*?) (.+)")
_ITEM = re.compile(r"( *)(-|\d+\.) (.+)")
_DIRECTIVE = re.compile(r"!(note|warning|contents|newpage)(?: (.*))?")


@dataclass(frozen=True)
class Block:
    """One block of a sample text."""

    kind: str
    """part, heading, paragraph, item, code, table, figure, note, warning, cover, contents or newpage."""
    text: str = ""
    """Text with inline marks; the caption of a table or figure; lines of a listing or cover."""
    level: int = 0
    """Heading: 1-3. Item: 0 or 1. Figure: height in mm."""
    marker: str = ""
    """Item: "-" or "3."; heading: "*" when it carries no number."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Table rows, the header first; figure lines as one-cell rows."""
    widths: tuple[float, ...] = ()
    """Relative widths of the table columns."""


@dataclass(frozen=True)
class SampleText:
    """A sample document before typesetting."""

    keys: dict[str, str]
    blocks: tuple[Block, ...]


def parse_sample(text: str) -> SampleText:
    """The header keys and blocks of one text. Raises ValueError at a line it can't read."""
    head, _, body = text.partition("\n---\n")
    keys = {}
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if not colon:
            raise ValueError(f"no 'key: value' in the header line {line!r}")
        keys[key.strip()] = value.strip()
    return SampleText(keys, tuple(_read_blocks(_Lines(body.splitlines()))))


class _Lines:
    """A cursor over lines."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def peek(self) -> str | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def take_while(self, wanted: Callable[[str], bool]) -> list[str]:
        start = self._at
        while (line := self.peek()) is not None and wanted(line):
            self._at += 1
        return self._lines[start : self._at]

    def take(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]


def _read_blocks(lines: _Lines) -> Iterator[Block]:
    while (line := lines.peek()) is not None:
        if not line.strip():
            lines.take()
        elif line == "```":
            yield _read_code(lines)
        elif line.startswith(("@table ", "@figure ")):
            yield _read_grid(lines)
        elif line == "!cover":
            lines.take()
            yield Block("cover", "\n".join(lines.take_while(_has_text)))
        elif heading := _HEADING.fullmatch(lines.take()):
            kind = "part" if heading[1] == "=" else "heading"
            yield Block(kind, heading[3], level=heading[1].count("#"), marker=heading[2])
        elif item := _ITEM.fullmatch(line):
            rest = lines.take_while(lambda text: _has_text(text) and not _ITEM.fullmatch(text))
            yield Block("item", _joined([item[3], *rest]), level=len(item[1]) // 2, marker=item[2])
        else:
            rest = lines.take_while(lambda text: _has_text(text) and text != "```")
            yield _paragraph(_joined([line, *rest]))


def _has_text(line: str) -> bool:
    return bool(line.strip())


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)


def _paragraph(text: str) -> Block:
    if directive := _DIRECTIVE.fullmatch(text):
        return Block(directive[1], directive[2] or "")
    if text[0] in "!@|":
        raise ValueError(f"unknown mark at {text[:60]!r}")
    return Block("paragraph", text)


def _read_code(lines: _Lines) -> Block:
    lines.take()
    code = lines.take_while(lambda line: line != "```")
    if lines.peek() is None:
        raise ValueError(f"the listing that begins with {code[:1]} has no end")
    lines.take()
    return Block("code", "\n".join(code))


def _read_grid(lines: _Lines) -> Block:
    name, _, caption = lines.take().partition("|")
    kind, *numbers = name[1:].split()
    if kind == "figure":
        drawn = lines.take_while(lambda line: line.startswith(("box ", "line ", "text ")))
        return Block(kind, caption.strip(), level=int(numbers[0]), rows=tuple((line,) for line in drawn))
    rows = tuple(_cells(line) for line in lines.take_while(lambda line: line.startswith("|")))
    widths = tuple(float(number) for number in numbers)
    if any(len(row) != len(widths) for row in rows):
        raise ValueError(f"table {caption!r}: a row has not {len(widths)} cells")
    return Block(kind, caption.strip(), rows=rows, widths=widths)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:])
