"""Engine `fast`: the text MuPDF reads, put in order and cut into blocks by measure alone."""

from pathlib import Path

from docshelf.build.converting.converted import EngineOptions, Reading
from docshelf.build.engines.document_reading import read_document
from docshelf.build.engines.page_reading import PageReader


def read(source: Path, options: EngineOptions, *, pictures: Path, password: str | None) -> Reading:
    """The pages of the PDF `source`, one by one, then its bookmarks and what was noticed.

    Raises: SourceError as `open_pdf` does, where nothing can be read.
    """
    return read_document("fast", PageReader, source, options, pictures=pictures, password=password)
