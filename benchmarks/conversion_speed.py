"""Pages per CPU second and memory of the engines, on the same pages in the same run."""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.conversion_bench import MEMORY_MB, Bench, Document
from benchmarks.conversion_engines import convert, convert_to_disk, take_sample
from docshelf.build.workers.pool import WorkerPool

TIME_S = 900.0
ROUNDS = 3
SET_PAGES = 20
"""Pages of one document with tables, and as many without, at most."""
FLAT_PAGES = (10, 100)
MIDDLE_PAGES, WORKERS_DOCUMENTS = 80, 8
"""Documents for two workers: the largest of up to so many pages, so that none keeps one worker alone for long."""


WHOLE_DOCUMENTS = 4
"""Documents that the peers read whole: the largest of up to MIDDLE_PAGES."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Pages and CPU seconds of one engine on one set of pages."""

    pages: int = 0
    cpu_s: float = 0.0

    @property
    def pages_per_cpu_s(self) -> float:
        """0 where nothing was measured."""
        return self.pages / self.cpu_s if self.cpu_s else 0.0


def time_engines(
    bench: Bench, files: Iterable[Path], engines: Sequence[str], rounds: int
) -> dict[str, Speed]:
    """Each engine's speed on the files that all of them read; medians of `rounds`, engines in turn."""
    sums = {engine: Speed() for engine in engines}
    for file in files:
        runs: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
        for _ in range(rounds):
            for engine in engines:
                if told := bench.run(engine, convert, TIME_S, file=str(file), keep=False, **{"with": engine}):
                    runs[engine].append(told)
        if all(len(results) == rounds for results in runs.values()):
            for engine, results in runs.items():
                cpu_s = median(float(it["cpu_s"]) for it in results)
                sums[engine] = Speed(sums[engine].pages + results[0]["count"], sums[engine].cpu_s + cpu_s)
    return sums


def time_with_and_without_tables(
    bench: Bench, documents: Sequence[Document], tables: dict[str, list[int]], folder: Path, rounds: int
) -> dict[str, dict[str, Speed]]:
    """Speed of `raw` and `fast` on pages with tables and on pages without.

    `tables` holds the numbers of the pages on which `fast` found tables, by document.
    """
    sets: dict[str, list[Path]] = {"with tables": [], "without tables": []}
    for document in documents:
        if document.name not in tables:
            continue
        having = set(tables[document.name])
        lacking = [number for number in range(1, document.pages + 1) if number not in having]
        for name, pages in (("with tables", sorted(having)), ("without tables", lacking)):
            chosen = pages[:: max(1, len(pages) // SET_PAGES)][:SET_PAGES]
            file = folder / f"{document.name} {name}.pdf"
            if len(chosen) >= 5 and bench.run(
                "score", take_sample, TIME_S, file=str(document.file), pages=chosen, out=str(file)
            ):
                sets[name].append(file)
    return {name: time_engines(bench, files, ("raw", "fast"), rounds) for name, files in sets.items()}


def measure_flatness(bench: Bench, document: Document, folder: Path) -> dict[int, float]:
    """CPU milliseconds a page of `fast` by number of pages, spread over the document and all of it."""
    files = {document.pages: document.file}
    for size in FLAT_PAGES:
        if size < document.pages:
            pages = [1 + at * document.pages // size for at in range(size)]
            files[size] = folder / f"{document.name} {size}.pdf"
            bench.run(
                "score", take_sample, TIME_S, file=str(document.file), pages=pages, out=str(files[size])
            )
    cost = {}
    for size, file in sorted(files.items()):
        rounds = 5 if size <= 100 else 1
        speed = time_engines(bench, [file], ("fast",), rounds)["fast"]
        cost[size] = 1000 * speed.cpu_s / max(1, speed.pages)
    return cost


def measure_peaks(largest: Document, sample: Path | None) -> dict[str, float]:
    """Peak MB of a fresh worker: `fast` as a build runs it, `raw`, and the peers on a sample of a few pages."""
    peaks = {}
    for name, call, file in (
        ("fast", convert_to_disk, largest.file),
        ("raw", convert, largest.file),
        ("layout", convert, sample),
        ("legacy", convert, sample),
    ):
        if file is None:
            continue
        with WorkerPool(1) as pool:
            job = {"file": str(file), "keep": False, "with": name, "limits": _limits()}
            peaks[name] = pool.submit(call, job).result()["peak_mb"]
    return peaks


def measure_workers(documents: Sequence[Document], rounds: int) -> float:
    """How many times faster two workers convert the documents than one, by the wall clock; median of `rounds`."""
    ratios = []
    for _ in range(rounds):
        one, two = (_wall_s(workers, documents) for workers in (1, 2))
        ratios.append(one / two)
    return median(ratios)


def _wall_s(workers: int, documents: Sequence[Document]) -> float:
    with WorkerPool(workers) as pool:
        # Starting a worker and its imports are paid once a build, not once a document.
        first = min(documents, key=lambda it: it.pages)
        for future in [pool.submit(convert_to_disk, _job(first)) for _ in range(2 * workers)]:
            future.result()
        begin = time.monotonic()
        jobs = sorted(documents, key=lambda it: -it.pages)
        for future in [pool.submit(convert_to_disk, _job(document)) for document in jobs]:
            future.result()
        return time.monotonic() - begin


def _job(document: Document) -> dict[str, Any]:
    return {"file": str(document.file), "limits": _limits()}


def _limits() -> dict[str, float]:
    return {"time_s": TIME_S, "memory_mb": MEMORY_MB}


def measure_speed(
    bench: Bench,
    documents: Sequence[Document],
    tables: dict[str, list[int]],
    say: Callable[[str], None],
    rounds: int = ROUNDS,
) -> dict[str, Any]:
    """Everything of this module but the peers' speed, which comes from the run that also scores them."""
    largest = max(documents, key=lambda it: it.pages)
    told: dict[str, Any] = {"largest": {"name": largest.name, "pages": largest.pages}}
    with tempfile.TemporaryDirectory(prefix="docshelf-bench-") as folder:
        say("speed: pages with tables and without")
        told["sets"] = time_with_and_without_tables(bench, documents, tables, Path(folder), rounds)
        say(f"speed: cost a page, peak memory ({largest.name})")
        told["flat_ms"] = measure_flatness(bench, largest, Path(folder))
        sample = Path(folder) / "peers.pdf"
        pages = list(range(1, min(8, largest.pages) + 1))
        made = bench.run("score", take_sample, TIME_S, file=str(largest.file), pages=pages, out=str(sample))
        told["peak_mb"] = measure_peaks(largest, sample if made else None)
    middle = [it for it in sorted(documents, key=lambda it: it.pages) if it.pages <= MIDDLE_PAGES]
    say("speed: peers on whole documents")
    whole = [it.file for it in middle[-WHOLE_DOCUMENTS:]]
    told["whole"] = time_engines(bench, whole, ("raw", "fast", "layout", "legacy"), 1)
    say("speed: two workers against one")
    told["two_workers"] = measure_workers(middle[-WORKERS_DOCUMENTS:], rounds)
    return told
