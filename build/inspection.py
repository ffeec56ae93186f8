"""What a build would make of one document, told without building."""

import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from docshelf.build.converting.convert import PAGES_FILE, check_engine, choose_engine, convert, worker_keys
from docshelf.build.converting.converted import EngineOptions, Remark, load_conversion
from docshelf.build.cutting.furniture import drop_furniture
from docshelf.build.headings.find import find_headings
from docshelf.serve.config import Quality, parse_config
from docshelf.serve.errors import BuildError


def inspect_file(file: Path, quality: Quality, executor: Executor) -> Iterator[str]:
    """Lines that tell engine, pages, grades, headings and findings of `file`, by the standard settings.

    Raises: BuildError where there is no such file; SourceError where it cannot be read.
    """
    if not file.is_file():
        raise BuildError(f"{file}: there is no such file")
    engine = choose_engine(quality)
    check_engine(engine)
    limits = asdict(parse_config(b"{}", "").limits[engine])
    with tempfile.TemporaryDirectory(prefix="docshelf-") as folder:
        job = {
            "source": str(file.resolve()),
            "out": folder,
            "engine": engine,
            "options": asdict(EngineOptions(pictures="none")),
            "password": None,
            "limits": limits,
            **worker_keys(engine),
        }
        executor.submit(convert, job).result()
        told = executor.submit(outline, {"converted": f"{folder}/{PAGES_FILE}", "limits": limits}).result()
    yield f"{file.name}: {told['pages']} pages, grade {told['grade']}, engine {engine}"
    yield f"page grades: {told['page_grades']}"
    yield f"headings: {len(told['headings'])} from {told['tier']}"
    yield from (f"  {'  ' * (level - 1)}{title} (page {page})" for level, title, page in told["headings"])
    remarks = [Remark(**values) for values in told["remarks"]]
    yield f"findings: {len(remarks)}"
    for remark in remarks:
        place = f"page {remark.page}: " if remark.page else ""
        yield f"  {remark.severity} {remark.code}: {place}{remark.text}"


def outline(job: dict[str, Any]) -> dict[str, Any]:
    """Grades, headings and remarks of the conversion in the file `job["converted"]`. Runs in a worker."""
    with Path(job["converted"]).open(encoding="utf-8") as lines:
        converted = load_conversion(lines)
    headed = find_headings(drop_furniture(converted))
    return {
        "pages": len(converted.pages),
        "grade": converted.grade,
        "page_grades": "".join(page.grade for page in converted.pages),
        "tier": headed.tier,
        "headings": [
            (block.level, block.lines[0].text, page.number)
            for page in headed.document.pages
            for block in page.blocks
            if block.kind == "heading"
        ],
        "remarks": [asdict(remark) for remark in (*converted.end.remarks, *headed.remarks)],
    }
