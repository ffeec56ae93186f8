"""PDFs of one page that tests write, and what engine `fast` reads of them."""

from pathlib import Path

import pymupdf

from docshelf.build.converting.converted import Block, ConversionEnd, EngineOptions, Page
from docshelf.build.engines.fast import read

PROSE = "The unit is mounted in the rack and its power cord is led to the socket behind the door."
"""A line as wide as the page."""


def read_pages(source: Path, folder: Path, **options: object) -> tuple[list[Page], ConversionEnd]:
    """What engine `fast` hands over of a file: its pages and the end."""
    reading = read(source, EngineOptions(**options), pictures=folder, password=None)  # type: ignore[arg-type]
    pages = []
    while True:
        try:
            pages.append(next(reading))
        except StopIteration as stop:
            return pages, stop.value


def saved(document: pymupdf.Document, tmp_path: Path) -> Path:
    """The document as a file, a name that tells nothing."""
    file = tmp_path / "manual.pdf"
    document.save(file)
    return file


def blocks_of(document: pymupdf.Document, tmp_path: Path) -> list[Block]:
    """All blocks that engine `fast` reads of a document."""
    pages, _ = read_pages(saved(document, tmp_path), tmp_path)
    return [block for page in pages for block in page.blocks]


def written(*lines: tuple[float, float, str], font: str = "helv", size: float = 10) -> pymupdf.Document:
    """One A4 page with each text at its x and y."""
    document = pymupdf.open()
    page = document.new_page()
    for x, y, text in lines:
        page.insert_text((x, y), text, fontname=font, fontsize=size)
    return document
