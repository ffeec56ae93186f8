"""One PDF read page by page, and what holds for the whole of it: bookmarks, mended fonts, findings.

Each page is read by itself and by what a sample of the whole document tells, so that ranges of pages read in
several processes are, put together, what one process reads.
"""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.build.characters import plain_text
from docshelf.build.converting.converted import ConversionEnd, EngineOptions, Page, Reading, Remark, load_end
from docshelf.build.converting.repair import Mends, find_mends
from docshelf.build.engines.notices import Notices
from docshelf.build.engines.opening import library_faults, open_pdf
from docshelf.build.engines.outline import read_outline
from docshelf.build.engines.page_reading import PageReader
from docshelf.build.engines.page_tree import is_rebuilt
from docshelf.build.engines.pieces import RawBlock, Typefaces, read_raw
from docshelf.serve.config import EngineName

if TYPE_CHECKING:
    import pymupdf

SAMPLE_PAGES = 12
"""Pages, spread over the document, whose text tells which fonts are fixed-width and which need mending."""
MAX_KEPT = 20_000
"""Runs of text and drawings of the sample that are kept until their pages are read; about 1 KB each."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is known when a range of a document's pages has been read."""

    end: ConversionEnd
    """Of the whole document, but for what was noticed on its pages."""
    notices: Notices
    """Of the pages read."""
    repaired: bool
    """The file is damaged: what MuPDF finds on a page may depend on the pages it read before."""


def read_document(
    engine: EngineName,
    reader_class: type[PageReader],
    source: Path,
    options: EngineOptions,
    *,
    pictures: Path,
    password: str | None,
) -> Reading:
    """The pages of the PDF `source`, one by one, as `reader_class` reads them, then what was noticed.

    Raises: SourceError as `open_pdf` does, where nothing can be read.
    """
    part = yield from read_part(engine, reader_class, source, options, pictures=pictures, password=password)
    return join_parts([part])


def read_part(
    engine: EngineName,
    reader_class: type[PageReader],
    source: Path,
    options: EngineOptions,
    *,
    pictures: Path,
    password: str | None,
    pages: tuple[int, int] | None = None,
) -> Generator[Page, None, Part]:
    """The pages from the first to the last of `pages` (None: all of them), each as `read_document` gives it.

    Raises: SourceError as `open_pdf` does, where nothing can be read.
    """
    with open_pdf(source, password) as document:
        first, last = pages or (1, document.page_count)
        sampled = _sample(document)
        mends = find_mends(_texts_by_font(sampled)) if options.repair_text else Mends()
        reader = reader_class(
            document,
            options,
            pictures,
            mends,
            typefaces=Typefaces().learned(sampled.values()),
            sampled=_kept(sampled, first, last),
        )
        for number in range(first, last + 1):
            yield reader.read(number)
        return Part(_end(engine, document, mends), reader.notices, document.is_repaired)


def join_parts(parts: Sequence[Part]) -> ConversionEnd:
    """What is known of a document whose pages were read in these parts, in the order of the pages."""
    notices = Notices()
    for part in parts:
        notices.take(part.notices)
    end = parts[-1].end
    return replace(end, remarks=(*end.remarks, *notices.remarks()))


def load_part(line: str) -> Part:
    """The part that `converted.dump_line` wrote."""
    part = json.loads(line)
    pages = {
        code: {int(page): count for page, count in counts.items()}
        for code, counts in part["notices"]["pages"].items()
    }
    return Part(load_end(part["end"]), Notices(pages), part["repaired"])


def count_whole_pages(source: Path, password: str | None) -> int:
    """Pages of the PDF `source`; 0 where it is damaged, so that it has to be read in one go.

    Raises: SourceError as `open_pdf` does, where nothing can be read.
    """
    with open_pdf(source, password) as document:
        return 0 if document.is_repaired or is_rebuilt(document) else document.page_count


def _end(engine: EngineName, document: "pymupdf.Document", mends: Mends) -> ConversionEnd:
    bookmarks, outline_remarks = read_outline(document)
    return ConversionEnd(
        engine=engine,
        bookmarks=bookmarks,
        metadata_title=plain_text((document.metadata or {}).get("title") or "").strip(),
        remarks=(*_document_remarks(document), *_mend_remarks(mends), *outline_remarks),
    )


def _sample(document: "pymupdf.Document") -> dict[int, Sequence[RawBlock]]:
    """What stands on pages spread over the document, by page number; all pages of a short one."""
    sampled = dict[int, Sequence[RawBlock]]()
    step = max(1, document.page_count // SAMPLE_PAGES)
    for index in range(0, document.page_count, step):
        try:
            sampled[index + 1] = read_raw(document.load_page(index))
        except library_faults():
            continue
    return sampled


def _texts_by_font(sampled: Mapping[int, Sequence[RawBlock]]) -> dict[str, str]:
    texts = dict[str, list[str]]()
    for line in (line for blocks in sampled.values() for block in blocks for line in block.get("lines", ())):
        for font, spans in groupby(line["spans"], key=itemgetter("font")):
            texts.setdefault(font, []).append("".join([span["text"] for span in spans]))
    return {font: " ".join(parts) for font, parts in sorted(texts.items())}


def _kept(sampled: Mapping[int, Sequence[RawBlock]], first: int, last: int) -> dict[int, Sequence[RawBlock]]:
    """The pages of the sample that need not be read again: as many as MAX_KEPT runs of text allow."""
    kept, left = dict[int, Sequence[RawBlock]](), MAX_KEPT
    for number, blocks in sampled.items():
        if not first <= number <= last:
            continue
        left -= sum(1 + sum(len(line["spans"]) for line in block.get("lines", ())) for block in blocks)
        if left < 0:
            break
        kept[number] = blocks
    return kept


def _mend_remarks(mends: Mends) -> Iterator[Remark]:
    by_pair: dict[str, list[str]] = {}
    for font, pair in sorted(mends.fonts.items()):
        by_pair.setdefault(pair, []).append(font)
    for pair, fonts in sorted(by_pair.items()):
        read_as, written_in = pair.split(">")
        names = ", ".join(fonts[:5]) + (f" and {len(fonts) - 5} more" if len(fonts) > 5 else "")
        yield Remark(
            "warning",
            "text-mended",
            f"fonts without a Unicode map ({names}): their text is in {written_in}, was read as {read_as} and has been"
            ' mended; compare with the source, or set "repair_text" to false to keep it as read',
        )


def _document_remarks(document: "pymupdf.Document") -> Iterator[Remark]:
    if is_rebuilt(document):
        yield Remark(
            "warning",
            "damaged",
            f"the file is cut short or damaged and has no list of its pages: the {document.page_count} pages found"
            " in it were taken, in the order of the file; parts are missing, so get it again",
        )
    elif document.is_repaired:
        yield Remark(
            "warning", "damaged", "the file is damaged and was repaired for reading; parts may be missing"
        )
    if document.permissions >= 0 or not document.permissions & 16:
        yield Remark("info", "copying-forbidden", "the author asked that text be not copied out of this file")
    off = sorted(layer["name"] for layer in document.get_ocgs().values() if not layer["on"])
    if off:
        names = ", ".join(f'"{plain_text(name)[:40]}"' for name in off[:5])
        yield Remark(
            "warning",
            "hidden-text",
            f"layers that are switched off were left out: {names}; switch on what matters",
        )
    if actions := _active_content(document):
        yield Remark(
            "warning", "active-content", f"left out, and nothing was run or unpacked: {', '.join(actions)}"
        )


def _active_content(document: "pymupdf.Document") -> list[str]:
    catalog = document.pdf_catalog()
    found = []
    if count := document.embfile_count():
        found.append(f"{count} attached files")
    for key in ("OpenAction", "AA", "Names/JavaScript"):
        kind, value = document.xref_get_key(catalog, key)
        if kind == "xref":
            value = document.xref_object(int(value.split()[0]))
        if key == "Names/JavaScript" and kind != "null":
            found.append("scripts")
        elif "/JavaScript" in value:
            found.append("a script that runs on opening")
        elif "/Launch" in value:
            found.append("an action that starts a program")
    return found
