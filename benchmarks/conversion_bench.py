"""One worker for each engine, and the documents of a folder with the pages that are compared."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchmarks.conversion_engines import ENGINES, look_at
from benchmarks.conversion_truth import TruthPage, load_documents, load_truth
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import SourceError

MEMORY_MB = 64_000
"""No limit that matters: peaks are measured, not bounded."""
WINDOW_PAGES = (4, 8)
"""Pages in a row that the slow engines get of one document, at least and at most."""
LONG_PAGES = 20
"""Pages from which a document is sampled although it has no truth."""


@dataclass(frozen=True, slots=True)
class Document:
    """A PDF with text."""

    name: str
    file: Path
    pages: int
    truth: tuple[TruthPage, ...]


class Bench:
    """Runs jobs one at a time, each engine in a worker of its own; notes what failed."""

    def __init__(self) -> None:
        self._pools = {name: WorkerPool(1) for name in (*ENGINES, "score")}
        self.failures: list[str] = []
        """One line for each job that gave no result."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pool in self._pools.values():
            pool.stop()

    def run(
        self, engine: str, call: Callable[[dict[str, Any]], dict[str, Any]], time_s: float, **job: Any
    ) -> dict[str, Any] | None:
        """The result of the call, None where it failed or took longer than `time_s`."""
        limits = {"time_s": time_s, "memory_mb": MEMORY_MB}
        try:
            return self._pools[engine].submit(call, {**job, "limits": limits}).result()
        except SourceError as exc:
            self.failures.append(f"{engine}, {Path(job['file']).stem}: {exc}")
            return None


def find_documents(bench: Bench, folder: Path, most_pages: int | None) -> list[Document]:
    """The PDFs of the folder that can be read and have text, by name.

    `most_pages` leaves out longer documents that have no truth.
    """
    names = {it.sha256: it.name for it in load_documents()}
    truth = load_truth()
    found = []
    for file in sorted(folder.glob("*.pdf")):
        told = bench.run("raw", look_at, 60, file=str(file))
        if not told or not told["with_text"]:
            continue
        name = names.get(hashlib.sha256(file.read_bytes()).hexdigest(), "")
        own = tuple(it for it in truth if it.document == name)
        if most_pages is None or told["count"] <= most_pages or own:
            found.append(Document(file.stem, file, told["count"], own))
    return found


def choose_sample(documents: Sequence[Document], budget: int) -> dict[str, list[int]]:
    """The pages of each document that all engines convert, by name: those with truth, and some in a row."""
    truth = {it.name: {page.page for page in it.truth} for it in documents}
    long = [it for it in documents if it.pages >= LONG_PAGES]
    rest = budget - sum(map(len, truth.values()))
    size = min(WINDOW_PAGES[1], rest // max(1, len(long)))
    chosen = {}
    for document in documents:
        first = 1 + int(0.4 * document.pages)
        is_sampled = document in long and size >= WINDOW_PAGES[0]
        window = range(first, min(first + size, document.pages + 1)) if is_sampled else range(0)
        if pages := truth[document.name] | set(window):
            chosen[document.name] = sorted(pages)
    return chosen


@dataclass
class Figures:
    """What a run has measured; becomes the JSON file."""

    machine: dict[str, str]
    speed: dict[str, Any] = field(default_factory=dict)
    quality: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
