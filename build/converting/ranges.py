"""A large document read by several workers at once, each a range of its pages: the same bytes, sooner.

`submit_conversion` hands out the calls and puts their answers together; the other functions are the calls, and
run in workers. A damaged document is read in one go: what MuPDF finds on its pages may depend on the pages it
read before.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor, Future
from pathlib import Path
from threading import Lock
from typing import Any, Final

from docshelf.build.converting.convert import PAGES_FILE, convert, find_reader
from docshelf.build.converting.converted import EngineOptions, dump_conversion, dump_line
from docshelf.serve.config import EngineName
from docshelf.serve.errors import SourceError, WorkerFault

RANGE_PAGES: Final[Mapping[EngineName, int]] = {"fast": 150, "layout": 8}
"""Fewest pages of a range, by engine; `high` keeps its one worker. As measured: docs/benchmarks/workers.md."""
MIN_SHARED_BYTES: Final = 100_000
"""Smaller files are not opened to have their pages counted: a page of text takes 1 KB and more."""
MAX_RANGES: Final = 64
"""A hostile file may say that it has millions of pages."""


def submit_conversion(executor: Executor, job: dict[str, Any]) -> Future[dict[str, Any]]:
    """The future of `convert(job)`; a large document's page ranges are read by all workers that are free.

    The limits of memory and time hold for each range, and that of time for the sum of what they took. The
    future is done when no worker writes into `job["out"]` any more. It raises what a range's call raised,
    with the range named.

    Raises: what `executor.submit` raises.
    """
    return _Conversion(executor, job).outcome


def page_ranges(engine: EngineName, pages: int) -> list[tuple[int, int]]:
    """First and last page of the ranges to share: an even number, for two cores, or none."""
    fewest = RANGE_PAGES.get(engine)
    if fewest is None or pages < 2 * fewest:
        return []
    count = min(MAX_RANGES, pages // fewest // 2 * 2)
    ends = [pages * number // count for number in range(count + 1)]
    return [(ends[number] + 1, ends[number + 1]) for number in range(count)]


def convert_or_share(job: dict[str, Any]) -> dict[str, Any]:
    """What `convert(job)` gives, or `ranges`: the page ranges to be read instead.

    Raises: SourceError where nothing can be read.
    """
    source = Path(job["source"])
    if job["engine"] in RANGE_PAGES and source.stat().st_size >= MIN_SHARED_BYTES:
        from docshelf.build.engines.document_reading import count_whole_pages

        if ranges := page_ranges(job["engine"], count_whole_pages(source, job["password"])):
            return {"ranges": ranges}
    return convert(job)


def convert_range(job: dict[str, Any]) -> dict[str, Any]:
    """Reads the pages from the first to the last of `job["range"]`; the job is that of `convert` otherwise.

    The result is JSON: `file`, the name of what was written for `join_ranges`; `repaired`, whether the source
    turned out to be damaged; `seconds` that it took.

    Raises: SourceError where nothing can be read.
    """
    from docshelf.build.engines.document_reading import load_part, read_part

    started = time.monotonic()
    first, last = job["range"]
    out = Path(job["out"])
    reading = read_part(
        job["engine"],
        find_reader(job["engine"]),
        Path(job["source"]),
        EngineOptions(**job["options"]),
        pictures=out,
        password=job["password"],
        pages=(first, last),
    )
    line = ""
    with (out / f"{first}-{last}.part").open("w", encoding="utf-8") as file:
        for line in dump_conversion(reading):
            file.write(line)
    repaired = load_part(line).repaired
    return {"file": Path(file.name).name, "repaired": repaired, "seconds": time.monotonic() - started}


def join_ranges(job: dict[str, Any]) -> dict[str, Any]:
    """Makes the conversion in `job["out"]` of the files `job["parts"]` there, and removes those.

    The result is that of `convert`.

    Raises: SourceError `output-too-large`.
    """
    from docshelf.build.engines.document_reading import join_parts, load_part
    from docshelf.build.engines.page_pictures import check_size

    out, parts, pages = Path(job["out"]), [], 0
    check_size(sum(file.stat().st_size for file in out.iterdir()))
    with (out / PAGES_FILE).open("w", encoding="utf-8") as joined:
        for name in job["parts"]:
            last = ""
            with (out / name).open(encoding="utf-8") as lines:
                for line in lines:
                    joined.write(last)
                    last = line
                    pages += 1
            parts.append(load_part(last))
            (out / name).unlink()
        joined.write(dump_line(join_parts(parts)))
    return {"pages": pages - len(parts)}


def convert_anew(job: dict[str, Any]) -> dict[str, Any]:
    """What `convert(job)` gives, in a folder that holds what ranges left."""
    for file in Path(job["out"]).iterdir():
        file.unlink()
    return convert(job)


class _Conversion:
    """One document on its way through the calls; each is submitted when the one before has answered."""

    def __init__(self, executor: Executor, job: dict[str, Any]) -> None:
        self.outcome: Future[dict[str, Any]] = Future()
        self.outcome.set_running_or_notify_cancel()
        self._executor = executor
        self._job = job
        # What was begun goes before what was not, or a document's second half would be read last of all.
        self._ahead = {**job, "ahead": True}
        self._lock = Lock()
        self._ranges: list[tuple[int, int]] = []
        self._parts: list[Future[dict[str, Any]]] = []
        self._left = 0
        self._seconds = 0.0
        self._follow(executor.submit(convert_or_share, job), self._begun)

    def _follow(self, future: Future[Any], then: Callable[[Future[Any]], None]) -> None:
        def go_on(done: Future[Any]) -> None:
            try:
                then(done)
            except BaseException as error:  # noqa: BLE001 - an executor would only log it, and we be waited for
                self.outcome.set_exception(error)

        future.add_done_callback(go_on)

    def _begun(self, done: Future[dict[str, Any]]) -> None:
        result = done.result()
        if "ranges" not in result:
            self.outcome.set_result(result)
            return
        self._ranges = [(first, last) for first, last in result["ranges"]]
        self._left = len(self._ranges)
        self._parts = [
            self._executor.submit(convert_range, {**self._ahead, "range": it}) for it in self._ranges
        ]
        for part in self._parts:
            self._follow(part, self._part_done)

    def _part_done(self, done: Future[dict[str, Any]]) -> None:
        fine = not done.cancelled() and done.exception() is None
        with self._lock:
            self._left -= 1
            is_last = not self._left
            self._seconds += done.result()["seconds"] if fine else 0
        if not fine or self._is_late():
            for part in self._parts:
                part.cancel()
        if is_last:
            self._join()

    def _is_late(self) -> bool:
        return self._seconds > float(self._job["limits"]["time_s"])

    def _join(self) -> None:
        """Submits the last call, once no range is being read.

        Raises: what the first of the ranges raised that could not be read.
        """
        for (first, last), part in zip(self._ranges, self._parts, strict=True):
            error = None if part.cancelled() else part.exception()
            if isinstance(error, SourceError):
                raise type(error)(error.code, f"pages {first}-{last}: {error}") from None
            if error:
                raise error
        if self._is_late():
            raise WorkerFault("timeout", _late_text(self._job))
        if any(part.cancelled() for part in self._parts):
            raise CancelledError
        parts = [part.result() for part in self._parts]
        if any(part["repaired"] for part in parts):
            last_call = self._executor.submit(convert_anew, self._ahead)
        else:
            names = [part["file"] for part in parts]
            last_call = self._executor.submit(join_ranges, {**self._ahead, "parts": names})
        self._follow(last_call, lambda done: self.outcome.set_result(done.result()))


def _late_text(job: Mapping[str, Any]) -> str:
    key = f"limits.{job['engine']}.time_s"
    return f'stopped after {job["limits"]["time_s"]:g} s of reading; raise {key} in .docshelf.json, or set another "quality" for it'
