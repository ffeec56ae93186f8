"""A sample text as a PDF: pages, headers, bookmarks, page labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import deflate
from flow import ContentsLine, FlowMaker, Heading
from markup import SampleText
from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfdoc
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate
from styles import INK, LAYOUTS, RULE, Layout

_TOP, _BOTTOM = 25 * mm, 24 * mm
_PASSES = 5


@dataclass
class _Progress:
    """What one pass over the pages has met."""

    layout: Layout
    keys: dict[str, str]
    chapter: str = ""
    body_page: int = 0
    """Page of the first numbered heading, 0 before it."""
    covers: set[int] = field(default_factory=set)
    contents: list[ContentsLine] = field(default_factory=list)

    def label(self, page: int) -> str:
        """The page number as printed."""
        if not self.layout.roman_front:
            return str(page)
        return str(page - self.body_page + 1) if self.body_page else _roman(page)


def make_pdf(sample: SampleText) -> bytes:
    """The bytes of the document; nothing but the text, the fonts and reportlab's version decides them."""
    # Workaround for reportlab 5.1, which calls zlib and has no setting for it; goes when one comes.
    pdfdoc.PDFZCompress.encode = _compress_stream
    rl_config.useA85 = 0
    contents: tuple[ContentsLine, ...] = ()
    for _ in range(_PASSES):
        pdf, met = _print_pages(sample, contents)
        if met == contents or all(block.kind != "contents" for block in sample.blocks):
            return pdf
        contents = met
    raise ValueError(f"the page numbers of the contents still change after {_PASSES} passes")


def _print_pages(
    sample: SampleText, contents: tuple[ContentsLine, ...]
) -> tuple[bytes, tuple[ContentsLine, ...]]:
    """The PDF with these contents printed, and the contents that it ought to have."""
    keys = sample.keys
    layout = LAYOUTS[keys["layout"]]
    progress = _Progress(layout, keys)
    out = BytesIO()
    doc = _document(out, layout, keys)
    has_parts = any(block.kind == "part" for block in sample.blocks)
    maker = FlowMaker(layout, keys["language"], doc.width, has_parts, contents)
    _set_hooks(doc, progress)
    doc.build([flowable for block in sample.blocks for flowable in maker.flowables(block)])
    return out.getvalue(), tuple(progress.contents)


def _compress_stream(content: str | bytes) -> bytes:
    return deflate.compress(content.encode() if isinstance(content, str) else content)


def _document(out: BytesIO, layout: Layout, keys: dict[str, str]) -> Any:
    names = ("title", "author", "subject", "keywords", "creator")
    known = {name: keys[name] for name in names if name in keys}
    return BaseDocTemplate(
        out, pagesize=A4, leftMargin=layout.side, rightMargin=layout.side, topMargin=_TOP, bottomMargin=_BOTTOM,
        invariant=1, pageCompression=1, lang=keys["language"], **known,
    )  # fmt: skip


def _set_hooks(doc: Any, progress: _Progress) -> None:
    def after_flowable(flowable: Any) -> None:
        if getattr(flowable, "is_cover", False):
            progress.covers.add(doc.page)
        heading: Heading | None = getattr(flowable, "sample_heading", None)
        if heading:
            _place_heading(doc, progress, heading, doc.frame._y + flowable.height)

    def page_end(canvas: Any, _doc: Any) -> None:
        _set_label(canvas, progress, doc.page)
        if doc.page not in progress.covers:
            _draw_header(canvas, doc, progress)

    frame = Frame(doc.leftMargin, doc.bottomMargin, doc.width, doc.height, 0, 0, 0, 0)
    doc.addPageTemplates([PageTemplate("page", [frame], onPageEnd=page_end)])
    doc.afterFlowable = after_flowable


def _place_heading(doc: Any, progress: _Progress, heading: Heading, top: float) -> None:
    if heading.numbered and not progress.body_page:
        progress.body_page = doc.page
    if heading.level == 0 or (heading.level == 1 and progress.layout.roman_front):
        progress.chapter = heading.title
    if progress.body_page:
        progress.contents.append(ContentsLine(heading.level, heading.title, progress.label(doc.page)))
    if progress.layout.bookmarks:
        doc.canv.bookmarkPage(heading.key, fit="XYZ", left=0, top=top)
        doc.canv.addOutlineEntry(heading.title, heading.key, heading.level, closed=heading.level > 0)


def _set_label(canvas: Any, progress: _Progress, page: int) -> None:
    if progress.layout.roman_front:
        if page == 1:
            canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
        if page == progress.body_page:
            canvas.addPageLabel(page - 1, style="ARABIC", start=1)


def _draw_header(canvas: Any, doc: Any, progress: _Progress) -> None:
    left, right = doc.leftMargin, doc.leftMargin + doc.width
    canvas.setFillColor(INK)
    canvas.setStrokeColor(RULE)
    canvas.setLineWidth(0.5)
    for name, y, rule in (("header", A4[1] - 16 * mm, -2 * mm), ("footer", 13 * mm, 4.5 * mm)):
        if name not in progress.keys:
            continue
        text = progress.keys[name].replace("{chapter}", progress.chapter)
        first, _, last = text.replace("{page}", progress.label(doc.page)).partition("|")
        canvas.setFont("Sans", 8.5)
        canvas.drawString(left, y, first.strip())
        canvas.drawRightString(right, y, last.strip())
        canvas.line(left, y + rule, right, y + rule)


def _roman(number: int) -> str:
    tens = ["", "x", "xx", "xxx"][number // 10]
    return tens + ["", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"][number % 10]
