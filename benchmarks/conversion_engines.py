"""The engines that are compared, as jobs for `docshelf.build.workers.pool.WorkerPool`: JSON in, JSON out.

Each engine has a pool of its own, so that no engine pays for another's imports: `legacy` has to keep the
layout package out before pymupdf4llm is first imported. CPU seconds count from opening the file to its last
page, with all threads; imports are done before. Peak memory is the worker's so far.
"""

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.conversion_pages import read_printed
from benchmarks.conversion_scores import read_headings, score_kept
from benchmarks.headings import Heading, headings_of, located_share, match, score_tier

ENGINES = ("raw", "fast", "layout", "legacy")


def convert(job: dict[str, Any]) -> dict[str, Any]:
    """Markdown by page of the PDF `job["file"]` with `job["with"]`, one of ENGINES.

    `job["keep"]` says whether the pages are wanted. The result: `cpu_s`, `peak_mb`, `count` (pages), `pages`
    (number and Markdown); for `fast` also what `_told_of` says.
    """
    engine = job["with"]
    load(engine)
    file = Path(job["file"])
    if engine == "fast":
        return _convert_fast(file, keep=job["keep"])
    begin = time.process_time()
    pages = _raw_pages(file) if engine == "raw" else _peer_pages(file)
    cpu_s = time.process_time() - begin
    return {
        "cpu_s": cpu_s,
        "peak_mb": peak_mb(),
        "count": len(pages),
        "pages": list(enumerate(pages, 1)) if job["keep"] else [],
    }


def load(engine: str) -> None:
    """Imports what the engine needs."""
    if engine == "legacy":
        sys.modules["pymupdf.layout"] = None  # type: ignore[assignment]
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if engine in ("layout", "legacy"):
        with contextlib.redirect_stdout(sys.stderr):
            import pymupdf4llm  # noqa: F401


def _raw_pages(file: Path) -> list[str]:
    import pymupdf

    with pymupdf.open(file) as document:
        return [page.get_text("text") for page in document]


def _peer_pages(file: Path) -> list[str]:
    import pymupdf
    import pymupdf4llm

    with pymupdf.open(file) as document, contextlib.redirect_stdout(sys.stderr):
        chunks = pymupdf4llm.to_markdown(document, page_chunks=True, use_ocr=False, show_progress=False)
    return [chunk["text"] for chunk in chunks]


def _convert_fast(file: Path, *, keep: bool) -> dict[str, Any]:
    from docshelf.build.converting.converted import ConvertedDocument, EngineOptions
    from docshelf.build.engines.fast import read

    pages = []
    # Where its text is looked at, it is what a shelf holds: with the labels of drawings in their figures.
    options = EngineOptions() if keep else EngineOptions(pictures="none")
    with tempfile.TemporaryDirectory() as pictures:
        begin = time.process_time()
        reading = read(file, options, pictures=Path(pictures), password=None)
        while True:
            try:
                page = next(reading)
            except StopIteration as stop:
                end = stop.value
                break
            pages.append(page) if keep else None
            count = page.number
        cpu_s = time.process_time() - begin
    result = {"cpu_s": cpu_s, "peak_mb": peak_mb(), "count": count, "pages": []}
    return result | _told_of(ConvertedDocument(tuple(pages), end)) if keep else result


def _told_of(converted: Any) -> dict[str, Any]:
    """Markdown by page as a shelf would hold it, and how each tier finds headings with the bookmarks hidden.

    Paragraphs are not joined over page ends, so that each page's text stands with its page.
    """
    from docshelf.build.cutting.furniture import drop_furniture
    from docshelf.build.headings.find import HeadingTier, find_headings

    document = drop_furniture(converted)
    headed = find_headings(document)
    hidden = replace(document, end=replace(document.end, bookmarks=()))
    tables = [page.number for page in converted.pages if any(block.kind == "table" for block in page.blocks)]
    tiers: tuple[HeadingTier, ...] = ("contents", "fonts")
    has_outline = len(document.end.bookmarks) >= 5
    scores = {tier: score_tier("", document, tier) for tier in tiers} if has_outline else {}
    return {
        "pages": list(_markdown_pages(headed.document)),
        "tables": tables,
        "bookmarks": [(entry.level, entry.title, entry.page) for entry in converted.end.bookmarks],
        "remarks": [(remark.code, remark.text) for remark in converted.end.remarks],
        "hidden": {
            name: [(it.level, it.title, it.page) for it in headings_of(find_headings(hidden, used).document)]
            for name, used in (("contents and fonts", tiers), ("fonts", tiers[1:]))
        },
        "located": located_share(document) if has_outline else None,
        "tiers": {tier: {**asdict(it), "f1": it.f1} for tier, it in scores.items() if it},
    }


def _markdown_pages(document: Any) -> Iterator[tuple[int, str]]:
    from docshelf.build.cutting.markdown import heading
    from docshelf.build.cutting.pieces import document_pieces
    from docshelf.build.wording import wording

    alone = replace(
        document,
        pages=tuple(
            replace(page, blocks=tuple(replace(block, joined=False) for block in page.blocks))
            for page in document.pages
        ),
    )
    texts: dict[int, list[str]] = {page.number: [] for page in document.pages}
    for piece in document_pieces(alone, "pictures", words=wording("en")):
        texts[piece.page].append(heading(piece.level, piece.title) if piece.level else piece.markdown)
    return ((number, "\n\n".join(parts)) for number, parts in texts.items())


def convert_to_disk(job: dict[str, Any]) -> dict[str, Any]:
    """What a build does with the PDF `job["file"]`: pages are written as they are read. Gives `peak_mb`, `cpu_s`."""
    from docshelf.build.converting.convert import convert as build_convert

    load("fast")
    begin = time.process_time()
    with tempfile.TemporaryDirectory() as out:
        build_convert(
            {
                "source": job["file"],
                "out": out,
                "engine": "fast",
                "options": {"pictures": "none"},
                "password": None,
            }
        )
    return {"cpu_s": time.process_time() - begin, "peak_mb": peak_mb()}


def take_sample(job: dict[str, Any]) -> dict[str, Any]:
    """Writes the pages `job["pages"]` of `job["file"]` as the PDF `job["out"]`; `count` pages of `of`."""
    import pymupdf

    load("raw")
    with pymupdf.open(job["file"]) as document:
        of = document.page_count
        document.select([number - 1 for number in job["pages"]])
        document.save(job["out"], garbage=1, deflate=True)
    return {"of": of}


def look_at(job: dict[str, Any]) -> dict[str, Any]:
    """How many pages the PDF `job["file"]` has, and how many of them have text.

    Raises: what PyMuPDF raises where it cannot be read; ValueError where it needs a password.
    """
    import pymupdf

    load("raw")
    with pymupdf.open(job["file"]) as document:
        if document.needs_pass or not document.is_pdf:
            raise ValueError("no PDF that can be read without a password")
        texts = [document[index].get_text("text") for index in range(min(document.page_count, 40))]
        return {"count": document.page_count, "with_text": sum(len(text.split()) > 20 for text in texts)}


def score(job: dict[str, Any]) -> dict[str, Any]:
    """What is kept of the PDF `job["file"]` in `job["pages"]` (number and Markdown), by engine.

    `job["pages"]` holds a list for each engine, `job["bookmarks"]` those of the document. The result holds for
    each engine `kept` (see Kept) and `headings`: hits, found and bookmarks on its pages.
    """
    load("raw")
    printed = read_printed(Path(job["file"]))
    titles = [title for _, title, _ in job["bookmarks"]]
    result = {}
    for engine, listed in job["pages"].items():
        pages = dict(listed)
        found = [heading for number, markdown in listed for heading in read_headings(number, markdown)]
        result[engine] = {
            "kept": asdict(score_kept(printed, pages, titles, len(pages))),
            "headings": count_headings(job["bookmarks"], found, set(pages)),
        }
    return result


def count_headings(
    bookmarks: list[tuple[int, str, int]], found: list[Heading], pages: set[int]
) -> tuple[int, int, int]:
    """Hits, headings and bookmarks on `pages`; a hit has the title of a bookmark of its page or the next."""
    from docshelf.build.converting.converted import Bookmark

    wanted = [Bookmark(level, title, page) for level, title, page in bookmarks if page in pages]
    there = [heading for heading in found if heading.page in pages]
    return len(list(match(wanted, there))), len(there), len(wanted)


def peak_mb() -> float:
    """Most memory this process has held, in MB of 2^20 bytes."""
    # Not ru_maxrss: that begins with what the parent held when it started this process.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
