"""Blocks of a sample text as reportlab flowables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from figure import draw_figure
from markup import Block
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import (
    CondPageBreak,
    KeepTogether,
    LongTable,
    PageBreak,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
    XPreformatted,
)
from styles import ACCENT, INK, PAPER, RULE, Layout, paragraph_styles

_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|([→←↔✓])|\[([^\]]+)\]\(([^)\s]+)\)")
_ROMAN = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
_WORDS = {
    "ru": {
        "table": "Таблица",
        "figure": "Рисунок",
        "note": "Примечание.",
        "warning": "Внимание!",
        "part": "Часть",
    },
    "en": {"table": "Table", "figure": "Figure", "note": "Note.", "warning": "Caution.", "part": "Part"},
}
_CODE_COLUMNS = 88
_LONG_TABLE_ROWS = 12
_ROOM_BELOW_HEADING = 40 * mm


@dataclass(frozen=True)
class ContentsLine:
    """One line of the printed contents."""

    level: int
    """Depth, from 0."""
    title: str
    label: str
    """Page number as printed."""


@dataclass(frozen=True)
class Heading:
    """What a heading paragraph tells the page maker when it has been placed."""

    level: int
    """Depth in outline and contents, from 0."""
    title: str
    """With its number, without marks."""
    numbered: bool
    """False for headings marked with a star; the first numbered one ends the front matter."""
    key: str
    """Name of the bookmark."""


def inline_xml(text: str, size: float) -> str:
    """Text with `code`, **bold**, *italic* and [link](target) marks as reportlab's paragraph XML; size in points."""

    def replaced(match: re.Match[str]) -> str:
        code, bold, italic, symbol, words, target = match.groups()
        if code:
            return f'<font face="Mono" size="{size * 0.92:.2f}">{code}</font>'
        if target:
            return f'<a href="{target}" color="#1F4E79">{words}</a>'
        if symbol:
            return f'<font face="Mono">{symbol}</font>'
        return f"<b>{bold}</b>" if bold else f"<i>{italic}</i>"

    return _INLINE.sub(replaced, escape(text))


class FlowMaker:
    """Counts headings, tables and figures while it turns blocks into flowables."""

    def __init__(
        self, layout: Layout, language: str, width: float, has_parts: bool, contents: tuple[ContentsLine, ...]
    ) -> None:
        self._layout = layout
        self._words = _WORDS[language]
        self._width = width
        self._styles = paragraph_styles(layout)
        self._shift = 0 if has_parts else 1
        self._numbers = [0, 0, 0, 0]
        self._captions = {"table": 0, "figure": 0}
        self._keys = 0
        self._previous = ""
        self._contents = contents

    def flowables(self, block: Block) -> list[Any]:
        """What stands for this block in the story."""
        made: list[Any] = getattr(self, f"_make_{block.kind}")(block)
        self._previous = block.kind
        return made

    def _make_newpage(self, block: Block) -> list[Any]:
        return [PageBreak()]

    def _make_paragraph(self, block: Block) -> list[Any]:
        return [self._text(block.text, "paragraph")]

    def _text(self, text: str, style: str, lead: str = "", bullet: str | None = None) -> Any:
        xml = lead + inline_xml(text, self._styles[style].fontSize)
        return Paragraph(xml, self._styles[style], bulletText=bullet)

    def _make_item(self, block: Block) -> list[Any]:
        mark = "•" if block.marker == "-" else block.marker
        return [self._text(block.text, f"item{block.level}", bullet=mark)]

    def _make_note(self, block: Block) -> list[Any]:
        text = self._text(block.text, block.kind, lead=f"<b>{self._words[block.kind]}</b> ")
        return [KeepTogether([text])]

    _make_warning = _make_note

    def _make_code(self, block: Block) -> list[Any]:
        for line in block.text.splitlines():
            if len(line) > _CODE_COLUMNS:
                raise ValueError(f"{len(line)} columns, {_CODE_COLUMNS} fit: {line}")
        return [XPreformatted(escape(block.text), self._styles["code"])]

    def _make_cover(self, block: Block) -> list[Any]:
        title, *lines = block.text.splitlines()
        made = [Spacer(1, 65 * mm), Paragraph(escape(title), self._styles["covertitle"])]
        made += [self._text(line, "cover") for line in lines]
        made[1].is_cover = True
        return made

    def _make_contents(self, block: Block) -> list[Any]:
        heading = self._heading(block.text, "head1", 0, False)
        return [PageBreak(), heading, *(self._contents_line(line) for line in self._contents)]

    def _contents_line(self, line: ContentsLine) -> Any:
        """Title, dot leader and page number, in this order in the file as on paper."""
        style = self._styles[f"contents{line.level}"]
        font = (style.fontName, style.fontSize)
        title_width = stringWidth(line.title, *font) + style.leftIndent
        room = self._width - title_width
        dots = int((room - stringWidth(line.label, *font) - 8) / stringWidth(".", *font))
        row = [[line.title, f"{'.' * dots} {line.label}"]]
        look = [
            ("FONT", (0, 0), (-1, -1), *font, style.leading),
            ("TEXTCOLOR", (0, 0), (-1, -1), INK),
            ("LEFTPADDING", (0, 0), (0, 0), style.leftIndent),
            ("LEFTPADDING", (1, 0), (1, 0), 0),
            ("RIGHTPADDING", (0, 0), (-1, -1), 0),
            ("TOPPADDING", (0, 0), (-1, -1), 0.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
            ("ALIGN", (1, 0), (1, 0), "RIGHT"),
        ]
        return Table(row, colWidths=[title_width, room], style=TableStyle(look))

    def _make_part(self, block: Block) -> list[Any]:
        self._numbers[0] += 1
        title = f"{self._words['part']} {_ROMAN[self._numbers[0]]}. {block.text}"
        return [PageBreak(), Spacer(1, 60 * mm), self._heading(title, "part", 0, True)]

    def _make_heading(self, block: Block) -> list[Any]:
        level, numbered = block.level, self._layout.numbered and block.marker != "*"
        if numbered and level <= 2:
            self._numbers[level] += 1
            self._numbers[level + 1 :] = [0] * (3 - level)
        number = ".".join(str(count) for count in self._numbers[1 : level + 1])
        title = f"{number} {block.text}" if numbered and level <= 2 else block.text
        if level == 3:
            return [self._text(title, "head3")]
        depth = 0 if block.marker else level - self._shift
        made = self._heading(title, f"head{level}", depth, numbered)
        if level == 1 and self._layout.new_page:
            return [PageBreak(), made]
        return [made] if self._previous == "heading" else [CondPageBreak(_ROOM_BELOW_HEADING), made]

    def _heading(self, title: str, style: str, level: int, numbered: bool) -> Any:
        self._keys += 1
        made = self._text(title, style)
        plain = re.sub(r"[`*]", "", title)
        made.sample_heading = Heading(level, plain, numbered or not self._layout.numbered, f"h{self._keys}")
        return made

    def _caption(self, block: Block) -> list[Any]:
        self._captions[block.kind] += 1
        text = f"{self._words[block.kind]} {self._captions[block.kind]}. {block.text}"
        return [self._text(text, "caption")]

    def _make_figure(self, block: Block) -> list[Any]:
        drawing = draw_figure([row[0] for row in block.rows], self._width, block.level)
        return [KeepTogether([drawing, *self._caption(block), Spacer(1, 6)])]

    def _make_table(self, block: Block) -> list[Any]:
        head, *rows = block.rows
        cells = [[self._text(cell, "cellhead") for cell in head]]
        cells += [[self._text(cell or "\u00a0", "cell") for cell in row] for row in rows]
        unit = self._width / sum(block.widths)
        style = TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, RULE),
                ("BACKGROUND", (0, 0), (-1, 0), PAPER),
                ("LINEBELOW", (0, 0), (-1, 0), 1, ACCENT),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("TOPPADDING", (0, 0), (-1, -1), 2.5),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 3.5),
            ]
        )
        widths = [unit * width for width in block.widths]
        table = LongTable(cells, colWidths=widths, repeatRows=1, style=style, spaceAfter=12)
        caption = self._caption(block)
        if len(rows) <= _LONG_TABLE_ROWS:
            return [*caption, table]
        caption[0].keepWithNext = 0  # reportlab would move a long table to the next page as a whole
        room = [] if self._previous == "heading" else [CondPageBreak(30 * mm)]
        return [*room, *caption, table]
