"""The HTML that marker writes for one block, as lines, list items, listings and table rows.

marker 2.0 writes few tags: p, h1 to h6, b, i, sup, sub, code, a, math, br, ul, li, pre and tables; it is read
as hostile all the same, since a model may have written it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal

from docshelf.build.characters import plain_text
from docshelf.build.converting.converted import Span
from docshelf.build.engines.page_links import web_address

PartKind = Literal["text", "item", "code", "table"]

MAX_SPAN = 50
"""Columns or rows that one cell may claim."""
_BREAKS = frozenset(
    ["p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "pre", "blockquote", "br"]
)
_BOLD = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th"))
_MONO = frozenset(("code", "tt", "pre"))
_INNER = re.compile(r"#page-(\d{1,6})-\d+")
_RAISED = str.maketrans("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")


@dataclass(frozen=True, slots=True)
class Part:
    """A line of text, an item, a line of a listing, or a table."""

    kind: PartKind
    text: str = ""
    bold: bool = False
    mono: bool = False
    links: tuple[Span, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Tables only; every row is as long as the longest."""
    spans: bool = False
    """Tables only: cells were merged and had to be flattened."""


def read_parts(html: str) -> list[Part]:
    """The parts of a block in order; what holds no visible character is left out."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return reader.parts


def heading_level(html: str) -> int:
    """1 to 6 from the block's first heading tag, 0 where it has none."""
    found = re.search(r"<h([1-6])[\s>]", html)
    return int(found[1]) if found else 0


@dataclass(slots=True)
class _Line:
    """Text being collected."""

    kind: PartKind = "text"
    chars: list[str] = field(default_factory=list)
    length: int = 0
    bold: int = 0
    mono: int = 0
    visible: int = 0
    links: list[Span] = field(default_factory=list)

    def part(self) -> Part:
        text = "".join(self.chars).rstrip()
        links = tuple(
            Span(link.start, min(link.end, len(text)), link.target)
            for link in self.links
            if link.start < len(text)
        )
        most = 0.8 * self.visible
        return Part(
            self.kind, text, bool(text) and self.bold >= most, bool(text) and self.mono >= most, links
        )


@dataclass(slots=True)
class _Table:
    """Cells being collected; a place is (row, column)."""

    cells: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    taken: set[tuple[int, int]] = field(default_factory=set)
    row: int = -1
    column: int = 0
    spans: bool = False

    def begin_cell(self, columns: int, rows: int) -> None:
        self.row = max(self.row, 0)
        while (self.row, self.column) in self.taken:
            self.column += 1
        self.cells[self.row, self.column] = []
        self.taken |= {(self.row + y, self.column + x) for y in range(rows) for x in range(columns)}
        self.spans |= columns > 1 or rows > 1

    def add(self, text: str) -> None:
        if (self.row, self.column) in self.cells:
            self.cells[self.row, self.column].append(text)

    def part(self) -> Part:
        width = max((column for _, column in self.taken), default=-1) + 1
        texts = {place: " ".join("".join(parts).split()) for place, parts in self.cells.items()}
        rows = [tuple(texts.get((row, column), "") for column in range(width)) for row in range(self.row + 1)]
        return Part("table", rows=tuple(row for row in rows if any(row)), spans=self.spans)


class _Reader(HTMLParser):
    """Fills `parts` while HTML is fed to it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self._line = _Line()
        self._table: _Table | None = None
        self._tables = 0
        self._open: dict[str, int] = {}
        self._target = ""

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "table":
            self._begin_table()
        elif self._table and self._tables == 1 and tag in ("tr", "td", "th"):
            self._begin_place(self._table, tag, values)
        elif tag == "a":
            self._target = _target(values.get("href") or "")
        elif tag == "li":
            self.end_line()
            self._line.kind = "item"
        elif tag in _BREAKS:
            self._break()
        if tag == "math":
            self._add("$")
        if tag != "br":
            self._open[tag] = self._open.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        if not self._open.get(tag):
            return
        self._open[tag] -= 1
        if tag == "math":
            self._add("$")
        elif tag == "a":
            self._target = ""
        elif tag == "table":
            self._end_table()
        elif tag in _BREAKS or tag == "li":
            self._break()

    def handle_data(self, data: str) -> None:
        if self._open.get("pre") and not self._table:
            for index, text in enumerate(data.split("\n")):
                if index:
                    self.end_line()
                self._line.kind = "code"
                self._add(plain_text(text))
            return
        self._add(re.sub(r"\s+", " ", plain_text(data.replace("\n", " "))))

    def end_line(self) -> None:
        """Ends the line being collected; blank lines count in listings only."""
        part = self._line.part()
        if part.text.strip() or (part.kind == "code" and self.parts and self.parts[-1].kind == "code"):
            self.parts.append(part)
        self._line = _Line()

    def _break(self) -> None:
        if self._table:
            self._table.add(" ")
        else:
            self.end_line()

    def _begin_table(self) -> None:
        self._tables += 1
        if self._tables == 1:
            self.end_line()
            self._table = _Table()

    def _begin_place(self, table: _Table, tag: str, values: Mapping[str, str | None]) -> None:
        if tag == "tr":
            table.row, table.column = table.row + 1, 0
        else:
            table.begin_cell(_span(values.get("colspan")), _span(values.get("rowspan")))

    def _end_table(self) -> None:
        self._tables -= 1
        if self._table and not self._tables:
            part = self._table.part()
            self._table = None
            if part.rows:
                self.parts.append(part)

    def _add(self, text: str) -> None:
        text = self._with_script(text)
        if self._table:
            self._table.add(text)
            return
        line = self._line
        if line.kind != "code" and (not line.length or line.chars[-1].endswith(" ")):
            text = text.lstrip(" ")
        if not text:
            return
        if self._target:
            self._link(line, len(text))
        line.chars.append(text)
        line.length += len(text)
        count = len("".join(text.split()))
        line.visible += count
        line.bold += count if any(self._open.get(tag) for tag in _BOLD) else 0
        line.mono += count if any(self._open.get(tag) for tag in _MONO) else 0

    def _link(self, line: _Line, count: int) -> None:
        start, end = line.length, line.length + count
        if line.links and line.links[-1].end == start and line.links[-1].target == self._target:
            start = line.links.pop().start
        line.links.append(Span(start, end, self._target))

    def _with_script(self, text: str) -> str:
        for tag, table in (("sup", _RAISED), ("sub", _LOWERED)):
            if self._open.get(tag) and all(ord(sign) in table for sign in text.strip()):
                return text.translate(table)
        return text


def _span(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isdecimal() and int(value) > 0 else 1


def _target(href: str) -> str:
    """marker numbers pages from 0 in the targets of inner links."""
    inner = _INNER.fullmatch(href)
    return f"#p{int(inner[1]) + 1}" if inner else web_address(href)
