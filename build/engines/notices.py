"""What was noticed page by page, gathered so that a hundred pages alike make one remark."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from docshelf.build.converting.converted import Remark, Severity

MAX_RUNS = 8
"""Runs of pages a remark names before it only counts the rest."""

TEXTS: dict[str, tuple[Severity, str]] = {
    "no-text-layer": ("warning", 'no text layer (grade C); run OCR first or set "hidden"'),
    "scanned-body": (
        "warning",
        'a few words above a scanned page, which has no text layer (grade C); run OCR first or set "hidden"',
    ),
    "no-unicode-map": (
        "warning",
        "the fonts do not say which letters they show (grade C); run OCR first or get another copy",
    ),
    "doubtful-text": (
        "warning",
        "words mix alphabets as a bad OCR layer does (grade B); run OCR again and compare with the source",
    ),
    "ocr-layer": ("info", "the text is an OCR layer over a picture and may hold reading errors"),
    "hidden-text": (
        "warning",
        "{count} characters that cannot be seen on the page (white, tiny, invisible, outside) were left out",
    ),
    "invisible-characters": (
        "warning",
        "{count} characters that nobody sees (of no width, tags, or that turn the direction of text) were left out",
    ),
    "right-to-left": (
        "warning",
        "text that runs from right to left; check the order of words and figures against the source",
    ),
    "table-flattened": (
        "warning",
        "{count} tables with merged cells were flattened; compare them with the source page",
    ),
    "cut-link": (
        "warning",
        "{count} links lead to an address cut at the end of a line and were dropped; the text is kept",
    ),
    "notes-left-out": ("warning", "{count} reviewer's notes were left out"),
    "active-content": (
        "warning",
        "{count} actions that start a program or script, or attached files, were left out; nothing was run",
    ),
    "damaged-page": ("warning", "the page is damaged and could not be read; compare with the source"),
    "no-picture": ("warning", "no picture could be made of the page; see the source"),
    "odd-page-box": (
        "warning",
        "the page's visible box lies off its paper; the page was read as if it had none",
    ),
    "layout-failed": (
        "warning",
        "the layout model failed, so the order is the engine fast's; compare it",
    ),
}
"""Severity and words of each code; `{count}` is the sum over all pages."""


@dataclass(slots=True)
class Notices:
    """Codes with the pages they were noticed on."""

    pages: dict[str, dict[int, int]] = field(default_factory=dict)
    """Count of cases by code and PDF page."""

    def add(self, code: str, page: int, count: int = 1) -> None:
        """Notes `count` cases of `code` (a key of TEXTS) on PDF page `page`."""
        pages = self.pages.setdefault(code, {})
        pages[page] = pages.get(page, 0) + count

    def take(self, others: "Notices") -> None:
        """Adds what was noticed elsewhere, on pages of the same document."""
        for code, pages in others.pages.items():
            for page, count in pages.items():
                self.add(code, page, count)

    def remarks(self) -> tuple[Remark, ...]:
        """One remark per code, in the order of TEXTS; `page` is the first page it holds for."""
        return tuple(
            Remark(
                severity,
                code,
                f"{name_pages(sorted(pages))}: {text.format(count=sum(pages.values()))}",
                min(pages),
            )
            for code, (severity, text) in TEXTS.items()
            if (pages := self.pages.get(code))
        )


def name_pages(pages: Sequence[int]) -> str:
    """Sorted page numbers in words: `page 3`, `pages 3-17, 20`; runs past MAX_RUNS are counted."""
    if len(pages) == 1:
        return f"page {pages[0]}"
    starts = [pages[0], *(b for a, b in pairwise(pages) if b != a + 1)]
    ends = [*(a for a, b in pairwise(pages) if b != a + 1), pages[-1]]
    runs = [str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True)]
    if len(runs) <= MAX_RUNS:
        return f"pages {', '.join(runs)}"
    rest = sum(b - a + 1 for a, b in zip(starts[MAX_RUNS:], ends[MAX_RUNS:], strict=True))
    return f"pages {', '.join(runs[:MAX_RUNS])} and {rest} more"
