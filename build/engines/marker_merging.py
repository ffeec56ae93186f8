"""marker's pages put on top of what `fast` knows of them: its blocks where they can be trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from docshelf.build.converting.converted import Block, ConversionEnd, Page, Reading, Remark
from docshelf.build.engines.marker_blocks import goes_on, marker_page_blocks
from docshelf.build.engines.marker_visible import VisiblePage, pick_visible
from docshelf.build.engines.notices import name_pages

KEPT_SHARE = 0.5
"""Share of a page's printed characters that marker must give back; below it the page is read as by `fast`."""
FROM_PICTURE = "from_picture"
"""Key of a page of marker's: True where its text was read from the picture of the page."""
OCR_HELP = (
    "set OCR_ERROR_MODEL_CHECKPOINT, and SURYA_INFERENCE_URL, or LLAMA_CPP_BINARY with"
    " SURYA_GGUF_LOCAL_MODEL_PATH and SURYA_GGUF_LOCAL_MMPROJ_PATH"
)
_SCAN_CODES = ("no-text-layer", "scanned-body", "no-unicode-map")


@dataclass(slots=True)
class _Noticed:
    """PDF pages by what was noticed on them."""

    lost: list[int] = field(default_factory=list)
    mixed: list[int] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    hidden: dict[int, int] = field(default_factory=dict)
    """Characters left out by page."""


def merge(reading: Reading, output: Mapping[int, Mapping[str, Any]], with_ocr: bool) -> Reading:
    """The pages of `reading` with the blocks of marker's pages; `output` is keyed by PDF page.

    A page on which marker lost most of the text, or mixed hidden text into it, keeps its own blocks.
    """
    noticed, joins = _Noticed(), False
    while True:
        try:
            page = next(reading)
        except StopIteration as stop:
            return _end(stop.value, noticed, with_ocr)
        found = _visible(page, output.get(page.number, {}))
        blocks = _choose(page, found, with_ocr, noticed)
        if blocks is not None:
            if page.grade == "C" and _signs(blocks):
                noticed.recognised.append(page.number)
                page = replace(page, grade="B")
            page = replace(page, blocks=_joined(blocks) if joins else tuple(blocks))
        joins = blocks is not None and goes_on(found.page)
        if page.grade == "C":
            noticed.scanned.append(page.number)
        yield page


def _visible(page: Page, found: Mapping[str, Any]) -> VisiblePage:
    return VisiblePage(found, 0, False) if found.get(FROM_PICTURE) else pick_visible(found, page.blocks)


def _choose(page: Page, found: VisiblePage, with_ocr: bool, noticed: _Noticed) -> list[Block] | None:
    """marker's blocks for the page, or None where it keeps its own."""
    if page.grade == "C" and not with_ocr:  # what marker has of it is what made it a C
        return None
    printed = [line for block in page.blocks for line in block.lines]
    blocks = marker_page_blocks(found.page, printed)
    if _signs(blocks) < KEPT_SHARE * _signs(page.blocks):
        noticed.lost.append(page.number)
        return None
    if found.mixed:
        noticed.mixed.append(page.number)
        return None
    if found.hidden and page.grade != "C":
        noticed.hidden[page.number] = found.hidden
    return blocks


def _joined(blocks: list[Block]) -> tuple[Block, ...]:
    first = next((index for index, block in enumerate(blocks) if block.kind == "paragraph"), None)
    if first is not None:
        blocks[first] = replace(blocks[first], joined=True)
    return tuple(blocks)


def _signs(blocks: Sequence[Block]) -> int:
    texts = [block.text for block in blocks] + [
        cell for block in blocks for row in block.rows for cell in row
    ]
    return sum(len("".join(text.split())) for text in texts)


def _end(end: ConversionEnd, noticed: _Noticed, with_ocr: bool) -> ConversionEnd:
    """The end of the reading with the remarks on scans put right: marker may have read them."""
    remarks = [remark for remark in end.remarks if noticed.scanned or remark.code not in _SCAN_CODES]
    if pages := noticed.recognised:
        text = f"{name_pages(pages)}: the text was read from a picture and may hold reading errors"
        remarks.append(Remark("info", "ocr-read", text, pages[0]))
    if pages := noticed.lost:
        text = f"{name_pages(pages)}: marker lost most of the text, so it is the engine fast's; compare the order"
        remarks.append(Remark("warning", "text-lost", text, pages[0]))
    if pages := list(noticed.hidden):
        count = sum(noticed.hidden.values())
        text = f"{name_pages(pages)}: {count} characters that marker read are no visible text of the page and were left out"
        remarks.append(Remark("warning", "hidden-text", text, pages[0]))
    if pages := noticed.mixed:
        text = (
            f"{name_pages(pages)}: marker mixed hidden text or notes into a paragraph, so the page is the engine"
            " fast's; compare the order"
        )
        remarks.append(Remark("warning", "hidden-text", text, pages[0]))
    if (pages := noticed.scanned) and not with_ocr:
        text = f"{name_pages(pages)}: marker's OCR models are not on this machine; {OCR_HELP}"
        remarks.append(Remark("warning", "no-ocr-models", text, pages[0]))
    return replace(end, engine="high", remarks=tuple(remarks))
