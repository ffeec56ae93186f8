"""Nothing that a job starts is left behind, however the worker, the pool or the whole build comes to its end."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faulty_jobs
import pytest
from processes import descendants, is_gone, read_when_written
from shelftest import ShelfTest

from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import WorkerFault

Job = dict[str, Any]

LEAVERS: list[Callable[[Job], object]] = [
    faulty_jobs.hang_with_a_grandchild,
    faulty_jobs.hang_with_a_daemon,
    faulty_jobs.die_after_starting_a_server,
]


def job(file: Path, time_s: float = 60, **keys: object) -> Job:
    return {"limits": {"time_s": time_s, "memory_mb": 512}, "file": str(file), "session": True} | keys


@pytest.mark.parametrize("call", LEAVERS, ids=lambda call: call.__name__)
def test_a_job_that_is_stopped_leaves_nothing(tmp_path: Path, call: Callable[[Job], object]) -> None:
    file = tmp_path / "pid"
    with WorkerPool(1) as pool:
        assert isinstance(pool.submit(call, job(file, 3)).exception(), WorkerFault)
        assert is_gone(read_when_written(file))


def test_what_a_finished_job_left_ends_with_the_pool(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with WorkerPool(1) as pool:
        number = pool.submit(faulty_jobs.start_a_daemon, job(file)).result()
        assert not is_gone(number, within_s=0)
    assert is_gone(number)


def test_a_job_that_ends_its_reaper_ends_itself(tmp_path: Path) -> None:
    with WorkerPool(1) as pool, pytest.raises(WorkerFault, match="killed by SIGKILL"):
        pool.submit(faulty_jobs.kill_its_parent, job(tmp_path / "none")).result()


@pytest.mark.parametrize("call", [*LEAVERS[:2], faulty_jobs.process_id_and_file], ids=lambda it: it.__name__)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
def test_a_killed_parent_leaves_no_orphan(
    tmp_path: Path, how: signal.Signals, call: Callable[[Job], object]
) -> None:
    file = tmp_path / "pid"
    script = textwrap.dedent(
        f"""
        import sys
        sys.path[:] = {sys.path!r}
        import faulty_jobs
        from docshelf.build.workers.pool import WorkerPool
        with WorkerPool(1) as pool:
            pool.submit(faulty_jobs.{call.__name__}, {job(file)!r}).result()
        """
    )
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL) as parent:
        number = read_when_written(file)
        parent.send_signal(how)
        assert parent.wait(timeout=30) == -how
    assert is_gone(number)


def test_a_build_that_is_killed_leaves_no_process_and_the_next_one_publishes(shelf: ShelfTest) -> None:
    for number in range(6):
        shelf.pdf(f"{number}.pdf", *[f"# Page {page}\nof document {number}" for page in range(80)])
    command = [sys.executable, "-m", "docshelf.build.cli", "build", str(shelf.source), "-o", str(shelf.site)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([*command, "--jobs", "2"], env=environment, stderr=subprocess.DEVNULL) as build:
        workers = when_there_are(4, build.pid)
        build.kill()
    assert [number for number in workers if not is_gone(number)] == []
    shelf.build()
    assert len(shelf.manifest.documents) == 6
    assert shelf.faults() == []


def when_there_are(count: int, parent: int) -> list[int]:
    """The processes below `parent`, as soon as there are so many."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if len(found := descendants(parent)) >= count:
            return found
        time.sleep(0.01)
    raise AssertionError(f"{len(found)} processes below {parent}")
