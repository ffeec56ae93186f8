"""What a build costs on a shelf of many documents of which one changed.

    python benchmarks/incremental.py [--documents 1000] [--chapters 18] [--folder DIR] [--runs 5] [--jobs 2]

Makes PDFs of one page a chapter, drawn from a fixed seed, in folders of 50, and builds them, each build a
process of its own. Printed, medians of `--runs`: seconds of the whole process and of the build in it, CPU time
of the process that builds (without its workers), seconds of the conversion and of composing alone, how many of
both there were, and which files of the new release have inodes that the release before lacks. Beside them the
limit that the kernel sets: the same release linked by `cp -al` and removed by `rm -r`. In DIR (default: a
temporary folder) a shelf that is there already is built on: the first build is then left out.
"""

import argparse
import io
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pymupdf

from docshelf.build.pipeline import build_shelf
from docshelf.build.progress import Lines
from docshelf.build.workers.pool import WorkerPool

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER_DOCUMENTS = 50
LINES = 44
_TEXT = """
router cable filter switch panel voltage current tunnel address packet frame buffer memory module driver signal
antenna charger battery inverter sensor relay socket bridge firmware kernel console account password backup restore
update schedule report window button cursor layer texture colour margin chapter figure table index server client
session request answer header cookie proxy gateway
"""
WORDS = _TEXT.split()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--chapters", type=int, default=18)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--one-build", nargs=2, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one_build:
        source, site = arguments.one_build
        print(json.dumps(build_once(source, site, arguments.jobs)))
        return
    with tempfile.TemporaryDirectory(prefix="docshelf-") as scratch:
        measure_shelf(arguments, arguments.folder or Path(scratch))


def measure_shelf(arguments: argparse.Namespace, folder: Path) -> None:
    """Prints a line per kind of build."""
    source, site, jobs = folder / "source", folder / "site", arguments.jobs
    print(
        f"Python {platform.python_version()}, pymupdf {pymupdf.__version__}, {platform.machine()}, jobs {jobs}"
    )
    if not (site / "current").exists():
        begun = time.perf_counter()
        for number in range(arguments.documents):
            write_document(source, number, arguments.chapters, version=0)
        print(f"documents: {arguments.documents}, written in {time.perf_counter() - begun:.0f} s")
        print(line("first build", [timed_build(source, site, jobs)]))
        time.sleep(2.1)  # sources younger than two seconds are hashed again
        timed_build(source, site, jobs)
    print(f"files: {sum(1 for _ in release_files(site))}")
    print(line("nothing changed", [timed_build(source, site, jobs) for _ in range(arguments.runs)]))
    changed = []
    for run in range(arguments.runs):
        write_document(source, arguments.documents // 2, arguments.chapters, version=time.time_ns() + run)
        before = inodes(site)
        changed.append(timed_build(source, site, jobs))
    print(line("one changed", changed))
    print(line("the kernel's part", [kernel_s(site) for _ in range(arguments.runs)]))
    kinds = new_files(site, before)
    print("new inodes of the last build: " + ", ".join(f"{kind} {count}" for kind, count in kinds.items()))


def timed_build(source: Path, site: Path, jobs: int) -> dict[str, float]:
    """The figures of one build in a process of its own, with `command_s`, what the process took."""
    command = [sys.executable, __file__, "--one-build", str(source), str(site), "--jobs", str(jobs)]
    begun = time.perf_counter()
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env={"PYTHONPATH": str(REPOSITORY / ".dev")}
    )
    command_s = time.perf_counter() - begun
    figures: dict[str, float] = json.loads(done.stdout)
    return figures | {"command_s": command_s}


def kernel_s(site: Path) -> dict[str, float]:
    """Seconds to link every file of the current release into a new folder, and to remove that again."""
    copy = site / "linked"
    begun = time.perf_counter()
    subprocess.run(["cp", "-al", str((site / "current").resolve()), str(copy)], check=True)
    linked = time.perf_counter()
    subprocess.run(["rm", "-r", str(copy)], check=True)
    return {"cp -al_s": linked - begun, "rm -r_s": time.perf_counter() - linked}


class CountingPool(WorkerPool):
    """A pool that counts its calls and times the last of each kind."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.calls: Counter[str] = Counter()
        self.seconds: dict[str, float] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        name, begun = fn.__name__.partition("_")[0], time.perf_counter()
        self.calls[name] += 1
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(lambda _: self.seconds.update({name: time.perf_counter() - begun}))
        return future


def build_once(source: Path, site: Path, jobs: int) -> dict[str, float]:
    """Seconds and counts of one build in this process."""
    pool = CountingPool(jobs)
    begun, cpu_begun_s = time.perf_counter(), time.process_time()
    result = build_shelf(source, site, quality=None, executor=lambda: pool, progress=Lines(io.StringIO()))
    build_s = time.perf_counter() - begun
    convert_s = pool.seconds.get("convert", 0.0)
    return {
        "build_s": build_s,
        "own CPU_s": time.process_time() - cpu_begun_s,
        "convert_s": convert_s,
        "rest_s": build_s - convert_s,
        "compose_s": pool.seconds.get("compose", 0.0),
        "conversions": pool.calls["convert"],
        "compositions": pool.calls["compose"],
        "files": result.published.files,
    }


def line(name: str, runs: list[dict[str, float]]) -> str:
    """The medians of some builds."""
    median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    times = ", ".join(f"{key.removesuffix('_s')} {median[key]:.2f} s" for key in median if key.endswith("_s"))
    counts = ", ".join(f"{key} {median[key]:.0f}" for key in median if not key.endswith("_s"))
    return f"{name}: {times}; {counts}"


def inodes(site: Path) -> frozenset[int]:
    """The inodes of all files of the current release."""
    return frozenset(file.stat().st_ino for file in release_files(site))


def new_files(site: Path, before: frozenset[int]) -> Counter[str]:
    """Files of the current release whose inodes are not in `before`, by what they are."""
    root = (site / "current").resolve()
    return Counter(
        kind_of(file.relative_to(root).as_posix())
        for file in release_files(site)
        if file.stat().st_ino not in before
    )


def kind_of(path: str) -> str:
    """`document`, `index`, `search`, or the name of a file at the root of the tree."""
    if path.startswith("assets/"):
        return "search" if path.startswith("assets/search/") else path
    if "/" not in path and not path.startswith(("index", "llms")):
        return path
    name = path.rpartition("/")[2]
    in_document = "/document-" in path
    return "document" if in_document else "index" if name.startswith(("index", "llms")) else path


def release_files(site: Path) -> Iterator[Path]:
    """Every file of the current release."""
    return (file for file in (site / "current").resolve().rglob("*") if file.is_file())


def write_document(source: Path, number: int, chapters: int, version: int) -> None:
    """A PDF of `chapters` pages with bookmarks; another version differs in every line of its first page."""
    words = random.Random(number)
    document = pymupdf.open()
    contents = []
    for chapter in range(1, chapters + 1):
        title = f"{chapter}. " + " ".join(words.choices(WORDS, k=4)).capitalize()
        contents.append([1, title, chapter])
        page = document.new_page()
        page.insert_text((60, 70), title, fontsize=16)
        lines = [" ".join(words.choices(WORDS, k=9)) for _ in range(LINES)]
        if version and chapter == 1:
            lines[3] = f"This is version {version} of the document."
        page.insert_text((60, 100), lines, fontsize=10)
    document.set_toc(contents)
    name = " ".join(random.Random(-1 - number).choices(WORDS, k=2))
    file = source / f"folder {number // FOLDER_DOCUMENTS:02d}" / f"document {number:04d} {name}.pdf"
    file.parent.mkdir(parents=True, exist_ok=True)
    document.save(file, garbage=0, deflate=True, no_new_id=True)


if __name__ == "__main__":
    main()
