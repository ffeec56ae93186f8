"""What workers cost a document, and from how many pages on it is faster to share a document among two.

    python benchmarks/workers.py [PDF] [--pages 100 200 …] [--runs 5] [--compare FOLDER]

PDF (default: octave.pdf of ../shared/corpus/pdfs beside the repository) is a manual of many pages; its first N
pages stand for a document of N pages. Printed, medians of `--runs`:

- what a call that does nothing takes longer through the pool than in this process. A document is two calls;
- seconds to read a document in one go and in two ranges by two workers, taken in turn, and the CPU seconds that
  both took. "of one" is the share: .50 would be twice as fast.

With `--compare` each PDF of FOLDER is read in one go and in up to 8 ranges, whatever its size, and those whose
stored conversions differ are named. Nothing is written but to a temporary folder.
"""

import argparse
import filecmp
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pymupdf

from docshelf.build.converting.convert import convert
from docshelf.build.converting.ranges import convert_range, join_ranges
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import SourceError

REPOSITORY = Path(__file__).resolve().parent.parent
CALLS = 300
LIMITS = {"time_s": 600, "memory_mb": 4096}
Job = dict[str, Any]


def main() -> None:
    """Measures and prints."""
    arguments = _arguments()
    print(
        f"python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} cores, pymupdf", end=" "
    )
    print(f"{pymupdf.VersionBind}, load {os.getloadavg()[0]:.1f}")
    with WorkerPool(1) as pool:
        _print_overhead(pool, arguments.runs)
    with tempfile.TemporaryDirectory() as folder, WorkerPool(2) as pool:
        print("\n| pages | one go s | two ranges s | of one | one go CPU s | two ranges CPU s | more CPU |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for pages in arguments.pages:
            file = Path(folder) / f"{pages}.pdf"
            _cut(arguments.pdf, pages, file)
            _print_sharing(pool, file, pages, arguments.runs)
        if arguments.compare:
            _print_differences(pool, sorted(arguments.compare.glob("*.pdf")), Path(folder))


def do_nothing(job: Job) -> Job:
    """A call as short as can be; tells the CPU seconds of its process so far."""
    return {"cpu_s": time.process_time()}


def cpu_seconds(call: Callable[[Job], Job], job: Job) -> Job:
    """What `call(job)` gives, and the CPU seconds it took."""
    before = time.process_time()
    return call(job) | {"cpu_s": time.process_time() - before}


def timed_convert(job: Job) -> Job:
    """`convert` with its CPU time."""
    return cpu_seconds(convert, job)


def timed_range(job: Job) -> Job:
    """`convert_range` with its CPU time."""
    return cpu_seconds(convert_range, job)


def timed_join(job: Job) -> Job:
    """`join_ranges` with its CPU time."""
    return cpu_seconds(join_ranges, job)


def _print_overhead(pool: Executor, runs: int) -> None:
    job = {"limits": LIMITS, "source": "x" * 200, "out": "x" * 200, "plan": {"title": "x" * 2000}}
    pool.submit(do_nothing, job).result()
    here, there, cpu = [], [], []
    for _ in range(runs):
        here.append(_milliseconds(lambda: do_nothing(job)))
        before = time.process_time() + pool.submit(do_nothing, job).result()["cpu_s"]
        there.append(_milliseconds(lambda: pool.submit(do_nothing, job).result()))
        after = time.process_time() + pool.submit(do_nothing, job).result()["cpu_s"]
        cpu.append(1000 * (after - before) / CALLS)
    wall = statistics.median(there) - statistics.median(here)
    print(f"a call in a worker instead of here: {wall:.3f} ms more, {statistics.median(cpu):.3f} ms of CPU")
    print(f"a document (two calls): {2 * wall:.3f} ms more, {2 * statistics.median(cpu):.3f} ms of CPU")


def _milliseconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    for _ in range(CALLS):
        call()
    return 1000 * (time.perf_counter() - begun) / CALLS


def _print_sharing(pool: Executor, file: Path, pages: int, runs: int) -> None:
    taken: dict[str, list[tuple[float, float]]] = {"whole": [], "shared": []}
    for _ in range(runs):
        for name, read in (("whole", _read_whole), ("shared", _read_shared)):
            with tempfile.TemporaryDirectory() as out:
                begun = time.perf_counter()
                cpu_s = read(pool, _job(file, Path(out)), pages)
                taken[name].append((time.perf_counter() - begun, cpu_s))
    (one_s, one_cpu), (two_s, two_cpu) = (
        (statistics.median(it[0] for it in taken[name]), statistics.median(it[1] for it in taken[name]))
        for name in ("whole", "shared")
    )
    share, more = two_s / one_s, two_cpu / one_cpu - 1
    print(
        f"| {pages} | {one_s:.2f} | {two_s:.2f} | {share:.2f} | {one_cpu:.2f} | {two_cpu:.2f} | {more:.0%} |"
    )


def _read_whole(pool: Executor, job: Job, pages: int) -> float:
    cpu_s: float = pool.submit(timed_convert, job).result()["cpu_s"]
    return cpu_s


def _read_shared(pool: Executor, job: Job, pages: int, count: int = 2) -> float:
    """As `submit_conversion` does it, for any number of pages and ranges."""
    counted = pool.submit(timed_count, job).result()["cpu_s"]
    results = [
        future.result()
        for future in [pool.submit(timed_range, {**job, "range": it}) for it in _ranges(pages, count)]
    ]
    names = [result["file"] for result in results]
    joined = pool.submit(timed_join, {**job, "parts": names}).result()["cpu_s"]
    return float(counted + joined + sum(result["cpu_s"] for result in results))


def timed_count(job: Job) -> Job:
    """The pages of the source, with the CPU time it took to count them."""
    from docshelf.build.engines.document_reading import count_whole_pages

    return cpu_seconds(lambda given: {"pages": count_whole_pages(Path(given["source"]), None)}, job)


def _ranges(pages: int, count: int) -> Iterator[tuple[int, int]]:
    for number in range(count):
        yield pages * number // count + 1, pages * (number + 1) // count


def _print_differences(pool: Executor, files: Sequence[Path], folder: Path) -> None:
    same, refused = 0, 0
    for file in files:
        whole, shared = folder / f"{file.stem}.whole", folder / f"{file.stem}.shared"
        whole.mkdir()
        shared.mkdir()
        try:
            pages = pool.submit(convert, _job(file, whole)).result()["pages"]
            _read_shared(pool, _job(file, shared), pages, min(pages, 8))
        except SourceError:
            refused += 1
            continue
        names = sorted(it.name for it in whole.iterdir())
        _, different, missing = filecmp.cmpfiles(whole, shared, names, shallow=False)
        if different or missing or names != sorted(it.name for it in shared.iterdir()):
            print(f"{file.name}: {', '.join([*different, *missing])}")
        else:
            same += 1
    print(f"\n{len(files)} documents: {same} the same in ranges, {refused} refused")


def _cut(source: Path, pages: int, target: Path) -> None:
    with pymupdf.open(source) as document:
        document.select(range(min(pages, document.page_count)))
        document.save(target, garbage=3)


def _job(source: Path, out: Path) -> Job:
    return {
        "source": str(source),
        "out": str(out),
        "engine": "fast",
        "options": {},
        "password": None,
        "limits": LIMITS,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    corpus = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    parser.add_argument("pdf", type=Path, nargs="?", default=corpus / "octave.pdf", metavar="PDF")
    parser.add_argument("--pages", type=int, nargs="*", default=[50, 100, 200, 300, 400, 600, 1158])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--compare", type=Path, metavar="FOLDER")
    return parser.parse_args()


if __name__ == "__main__":
    from benchmarks import workers

    workers.main()
