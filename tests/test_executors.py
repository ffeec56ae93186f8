"""Whole builds on executors of several kinds: the same release from each; a lost worker costs its own document."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faulty_jobs
import pymupdf
import pytest
from processes import descendants, is_gone, read_when_written
from shelftest import ShelfTest, Silence, make_pdf

from docshelf.build.converting.ranges import convert_or_share
from docshelf.build.pipeline import BuildResult, build_shelf
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import SourceError

Job = dict[str, Any]

CALL = """
import importlib, json, sys
sys.path[:] = json.loads(sys.argv[1])
from docshelf.serve.errors import SourceError
name, job = json.load(sys.stdin)
module, _, function = name.partition(":")
try:
    result = {"ok": getattr(importlib.import_module(module), function)(job)}
except SourceError as error:
    result = {"code": error.code, "text": str(error)}
json.dump(result, sys.stdout)
"""


class ProcessForEach(Executor):
    """A process for each call, one after another, as a queue on a cluster would have it: JSON goes in and out."""

    def __init__(self) -> None:
        self._waiters = ThreadPoolExecutor(1)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._waiters.submit(self._call, f"{fn.__module__}:{fn.__name__}", *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._waiters.shutdown(wait, cancel_futures=cancel_futures)

    @staticmethod
    def _call(name: str, job: Job) -> Any:
        command = [sys.executable, "-c", CALL, json.dumps(sys.path)]
        done = subprocess.run(
            command, input=json.dumps([name, job]).encode(), capture_output=True, check=True
        )
        result = json.loads(done.stdout)
        if "ok" in result:
            return result["ok"]
        raise SourceError(result["code"], result["text"])


def build(shelf: ShelfTest, site: Path, executor: Callable[[], Executor]) -> BuildResult:
    shelf.site = site
    return build_shelf(shelf.source, site, quality=None, executor=executor, progress=Silence())


def test_every_executor_gives_the_same_release(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.pdf("net/short.pdf", "# Memo\nRestart the router.")
    shelf.pdf("net/long.pdf", *[f"# Chapter {n}\n" + "\n".join(["Words."] * 40) for n in range(30)])
    large = shelf.file("large.pdf", make_large_pdf(300))
    shelf.file("broken.pdf", b"%PDF-1.7\nno more than this")
    assert "ranges" in convert_or_share({"source": large, "engine": "fast", "password": None})
    executors = {
        "workers": lambda: WorkerPool(2),
        "threads": lambda: ThreadPoolExecutor(1),  # MuPDF is not made for two threads at once
        "processes": ProcessForEach,
    }
    trees = {}
    for name, executor in executors.items():
        build(shelf, tmp_path / name, executor)
        trees[name] = shelf.tree()
    assert len(shelf.manifest.documents) == 3
    assert shelf.codes("broken.pdf") == ["damaged"]
    assert trees["workers"] == trees["threads"] == trees["processes"]


KINDS: dict[str, tuple[Callable[[Job], object], str]] = {
    "segfault": (faulty_jobs.segfault, "crashed: the engine was killed by SIGSEGV;"),
    "abort": (faulty_jobs.abort, "crashed: the engine was killed by SIGABRT;"),
    "exit": (faulty_jobs.leave, "exited: the engine ended with exit status 3;"),
    "exception": (faulty_jobs.recurse, "crashed: RecursionError: maximum recursion depth exceeded"),
    "exception that is not to be pickled": (
        faulty_jobs.raise_unpicklable,
        "crashed: UnpicklableError: two are needed",
    ),
    "result that is no JSON": (faulty_jobs.answer_no_json, "crashed: TypeError: Object of type set"),
    "memory in Python": (
        faulty_jobs.eat_python_memory,
        "out-of-memory: needed more than 512 MB of memory; raise limits.fast.memory_mb",
    ),
    "memory in C": (
        faulty_jobs.abort_as_cpp_does_without_memory,
        "out-of-memory: needed more than 512 MB of memory;",
    ),
    "loop in Python": (faulty_jobs.hang_in_python, "timeout: stopped after 0.5 s; raise limits.fast.time_s"),
    "loop in C that holds the GIL": (
        faulty_jobs.hang_in_c_holding_the_gil,
        "timeout: stopped after 0.5 s;",
    ),
    "SIGTERM ignored": (faulty_jobs.hang_and_ignore_sigterm, "timeout: stopped after 0.5 s;"),
    "grandchild left behind": (faulty_jobs.hang_with_a_daemon, "timeout: stopped after 3 s;"),
    "noise on stdout": (faulty_jobs.print_noise_and_die, "exited: the engine ended with exit status 5;"),
}


class Sabotage(WorkerPool):
    """Real workers, where the conversion of some sources, known by their hash, does something else."""

    def __init__(self, workers: int, sabotaged: dict[str, Callable[[Job], object]], file: Path) -> None:
        super().__init__(workers)
        self._sabotaged = sabotaged
        self._file = file

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        (job,) = args
        if "source" in job:
            other = self._sabotaged.get(hashlib.sha256(Path(job["source"]).read_bytes()).hexdigest())
            if other:
                # The one with a daemon has to have started it by then.
                time_s = 3 if "daemon" in other.__name__ else 0.5 if "hang" in other.__name__ else 30
                limits = {"time_s": time_s, "memory_mb": 512}
                return super().submit(other, job | {"limits": limits, "file": str(self._file)})
        return super().submit(fn, job)


def test_every_kind_of_fault_is_named_and_all_other_documents_are_built(
    shelf: ShelfTest, tmp_path: Path
) -> None:
    sabotaged = {}
    for number, (kind, (call, _)) in enumerate(KINDS.items()):
        content = make_pdf(f"# {kind}")
        sabotaged[hashlib.sha256(content).hexdigest()] = call
        shelf.file(f"{number} bad.pdf", content)
        shelf.pdf(f"{number} good.pdf", f"# Good document {number}")
    before = set(descendants(os.getpid()))
    build(shelf, shelf.site, lambda: Sabotage(2, sabotaged, tmp_path / "pid"))
    named = {
        finding.source: f"{finding.code}: {finding.text}"
        for finding in shelf.manifest.findings
        if finding.severity == "error"
    }
    assert sorted(named) == sorted(f"{number} bad.pdf" for number in range(len(KINDS)))
    for number, (_, text) in enumerate(KINDS.values()):
        assert named[f"{number} bad.pdf"].startswith(text)
    published = {entry.source for entry in shelf.manifest.documents}
    assert published == {f"{number} good.pdf" for number in range(len(KINDS))}
    assert shelf.faults() == []
    assert is_gone(read_when_written(tmp_path / "pid"))
    assert set(descendants(os.getpid())) <= before


def test_an_executor_that_loses_a_call_for_a_reason_of_its_own_stops_the_build(shelf: ShelfTest) -> None:
    class Unplugged(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(ConnectionError("the scheduler is gone"))
            return future

    shelf.pdf("a.pdf", "# A")
    with pytest.raises(Exception, match="the scheduler is gone"):
        build(shelf, shelf.site, lambda: Unplugged(1))
    assert not shelf.current.exists()


def make_large_pdf(pages: int) -> bytes:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 72), f"What stands on page {number} is said only there.")
    return bytes(document.tobytes(no_new_id=True))
