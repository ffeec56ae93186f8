"""Fonts, colours and paragraph styles of the sample documents."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files

from reportlab.lib.colors import HexColor
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

INK, ACCENT, RULE, PAPER = (HexColor(code) for code in (0x1B1B1B, 0x1F4E79, 0x8A97A3, 0xF1F4F7))
AMBER, CREAM = HexColor(0xB4690E), HexColor(0xFDF3E1)

_FONTS = {
    "Sans": ("fontpkg_pt_sans", "PT_Sans-Web-Regular.ttf"),
    "Sans-Bold": ("fontpkg_pt_sans", "PT_Sans-Web-Bold.ttf"),
    "Sans-Italic": ("fontpkg_pt_sans", "PT_Sans-Web-Italic.ttf"),
    "Mono": ("fontpkg_ibm_plex_mono", "IBMPlexMono-Regular.ttf"),
}


def register_fonts() -> None:
    """Makes Sans, Sans-Bold, Sans-Italic and Mono known to reportlab."""
    for name, (package, file_name) in _FONTS.items():
        with as_file(files(package) / "files" / file_name) as file:
            pdfmetrics.registerFont(TTFont(name, str(file)))
    pdfmetrics.registerFontFamily("Sans", "Sans", "Sans-Bold", "Sans-Italic", "Sans-Bold")


@dataclass(frozen=True)
class Layout:
    """How one kind of document is set. Lengths in points."""

    body: float
    """Font size of the text."""
    heads: tuple[float, float, float]
    """Font sizes of headings of level 1 to 3."""
    side: float
    """Left and right margin."""
    numbered: bool = False
    """Headings carry 1, 1.1 …"""
    new_page: bool = False
    """Chapters begin on a new page."""
    bookmarks: bool = True
    """The PDF has an outline."""
    roman_front: bool = False
    """Pages before the first numbered heading are i, ii, … in print and in page labels."""


LAYOUTS = {
    "lesson": Layout(11, (17, 13, 11), 24 * mm),
    "manual": Layout(10.5, (20, 13.5, 11), 24 * mm, numbered=True, new_page=True, roman_front=True),
    "guide": Layout(11, (16, 13, 11), 25 * mm, numbered=True, bookmarks=False),
    "datasheet": Layout(9, (12, 10, 9), 17 * mm, bookmarks=False),
    "memo": Layout(11.5, (14, 12, 11), 28 * mm, bookmarks=False),
}


def paragraph_styles(layout: Layout) -> dict[str, ParagraphStyle]:
    """Styles by block kind: paragraph, item0, item1, code, note, caption, cell, head1 …"""
    size = layout.body
    base = ParagraphStyle("paragraph", fontName="Sans", fontSize=size, leading=size * 1.38, textColor=INK)
    base.spaceAfter = size * 0.6
    base.allowWidows = base.allowOrphans = 0
    base.bulletFontName, base.bulletFontSize = "Sans", size
    small = size - 1

    def made(name: str, **changes: object) -> ParagraphStyle:
        return ParagraphStyle(name, parent=base, **changes)

    boxed = {"borderPadding": (5, 7, 6, 7), "leftIndent": 8, "rightIndent": 8, "spaceBefore": 8}
    made_styles = [
        base,
        made("item0", leftIndent=17, bulletIndent=3, spaceAfter=size * 0.3),
        made("item1", leftIndent=34, bulletIndent=20, spaceAfter=size * 0.3),
        made("code", fontName="Mono", fontSize=8.3, leading=11.4, backColor=PAPER, spaceAfter=14, **boxed),
        made("note", backColor=PAPER, borderColor=ACCENT, borderWidth=0.6, spaceAfter=14, **boxed),
        made("warning", backColor=CREAM, borderColor=AMBER, borderWidth=0.6, spaceAfter=14, **boxed),
        made("caption", fontName="Sans-Italic", fontSize=small, spaceBefore=4, spaceAfter=4, keepWithNext=1),
        made("cell", fontSize=small, leading=small * 1.25, spaceAfter=0),
        made("cellhead", fontName="Sans-Bold", fontSize=small, leading=small * 1.25, spaceAfter=0),
        made("part", fontName="Sans-Bold", fontSize=28, leading=36, textColor=ACCENT, spaceAfter=18),
        made("cover", fontSize=14, leading=20),
        made("covertitle", fontName="Sans-Bold", fontSize=30, leading=38, textColor=ACCENT, spaceAfter=12),
    ]
    for level, points in enumerate(layout.heads, 1):
        spacing = {"spaceBefore": points * (0.4 if level == 1 else 0.8), "spaceAfter": points * 0.45}
        made_styles.append(
            made(f"head{level}", fontName="Sans-Bold", fontSize=points, leading=points * 1.25,
                 textColor=ACCENT, keepWithNext=1, **spacing)
        )  # fmt: skip
    for level, indent in enumerate((0, 10, 24)):
        bold = "Sans-Bold" if level == 0 else "Sans"
        made_styles.append(made(f"contents{level}", fontName=bold, leftIndent=indent))
    return {style.name: style for style in made_styles}
