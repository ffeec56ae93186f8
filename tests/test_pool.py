import importlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import faulty_jobs
import pytest
from processes import is_gone, read_when_written

from docshelf.build.workers import worker_process
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import BuildError, SourceError, WorkerFault

Job = dict[str, Any]


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(1) as pool:
        yield pool


def job(**keys: object) -> Job:
    return {"engine": "fast", "limits": {"time_s": 10, "memory_mb": 512}} | keys


def hasty(**keys: object) -> Job:
    return job(limits={"time_s": 0.3, "memory_mb": 512}, **keys)


def brief(**keys: object) -> Job:
    """Stopped soon, but not before it can have begun."""
    return job(limits={"time_s": 3, "memory_mb": 512}, **keys)


def test_a_call_gets_its_job_and_its_answer_comes_back(pool: WorkerPool) -> None:
    assert pool.submit(faulty_jobs.answer, job(answer={"pages": [1, 2]})).result() == {"pages": [1, 2]}


def test_a_path_that_is_no_utf8_goes_there_and_back(pool: WorkerPool) -> None:
    path = os.fsdecode(b"/src/\xff\xfe.pdf")
    assert pool.submit(faulty_jobs.answer, job(answer=path)).result() == path


def test_the_same_worker_serves_one_job_after_another(pool: WorkerPool) -> None:
    first, second = (pool.submit(faulty_jobs.process_id, job()).result() for _ in range(2))
    assert first == second != os.getpid()


def test_map_works_as_in_every_executor(pool: WorkerPool) -> None:
    answers = pool.map(faulty_jobs.answer, [job(answer=number) for number in range(5)])
    assert list(answers) == [0, 1, 2, 3, 4]


def test_another_executor_takes_the_same_calls() -> None:
    with ThreadPoolExecutor(1) as other:
        assert other.submit(faulty_jobs.answer, job(answer=7)).result() == 7


FAULTS: list[tuple[Callable[[Job], object], Job, str, str]] = [
    (faulty_jobs.segfault, job(), "crashed", "the engine was killed by SIGSEGV; set another"),
    (faulty_jobs.abort, job(), "crashed", "the engine was killed by SIGABRT; set another"),
    (
        faulty_jobs.kill_itself,
        job(),
        "killed",
        "killed by SIGKILL (by hand, or because the machine ran out of",
    ),
    (faulty_jobs.die_of_a_real_time_signal, job(), "killed", "killed by signal 36;"),
    (faulty_jobs.die_while_a_forked_child_holds_the_pipes, job(), "killed", "killed by SIGTERM;"),
    (faulty_jobs.leave, job(), "exited", "ended with exit status 3;"),
    (
        faulty_jobs.eat_python_memory,
        job(),
        "out-of-memory",
        "needed more than 512 MB of memory; raise limits.fast.m",
    ),
    (faulty_jobs.eat_c_memory_unchecked, job(), "crashed", "killed by SIGSEGV;"),
    (faulty_jobs.abort_as_cpp_does_without_memory, job(), "out-of-memory", "needed more than 512 MB"),
    (faulty_jobs.fail_as_mupdf_does_without_memory, job(), "out-of-memory", "needed more than 512 MB"),
    (
        faulty_jobs.hang_in_python,
        hasty(),
        "timeout",
        "stopped after 0.3 s; raise limits.fast.time_s in .docshelf",
    ),
    (faulty_jobs.hang_in_c_holding_the_gil, hasty(), "timeout", "stopped after 0.3 s;"),
    (faulty_jobs.hang_and_ignore_sigterm, hasty(), "timeout", "stopped after 0.3 s;"),
    (faulty_jobs.close_the_answer_pipe, job(), "garbled", "the engine closed its answer before it gave one;"),
    (faulty_jobs.answer_of_size, job(answer_mb=70), "garbled", "the engine's answer is larger than 64 MB;"),
    (faulty_jobs.answer_too_deep, job(), "garbled", "the engine's answer cannot be read;"),
]


@pytest.mark.parametrize(
    ("call", "given", "code", "text"), FAULTS, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_lost_worker_costs_its_own_job_only_and_is_named(
    pool: WorkerPool, call: Callable[[Job], object], given: Job, code: str, text: str
) -> None:
    bad, good = pool.submit(call, given), pool.submit(faulty_jobs.answer, job(answer="good"))
    with pytest.raises(WorkerFault) as caught:
        bad.result()
    assert caught.value.code == code
    assert text in str(caught.value)
    assert good.result() == "good"


ERRORS: list[tuple[Callable[[Job], object], Job, str, str]] = [
    (faulty_jobs.raise_source_error, job(), "damaged", "the file ends early; get it again"),
    (faulty_jobs.raise_value_error, job(message="bad pdf"), "crashed", "ValueError: bad pdf"),
    (faulty_jobs.raise_unpicklable, job(), "crashed", "UnpicklableError: two are needed"),
    (faulty_jobs.raise_unspeakable, job(), "crashed", "UnspeakableError: (without a message)"),
    (faulty_jobs.system_exit, job(), "crashed", "SystemExit: 4"),
    (faulty_jobs.recurse, job(), "crashed", "RecursionError: maximum recursion depth exceeded"),
    (faulty_jobs.answer_no_json, job(), "crashed", "TypeError: Object of type set is not JSON serializable"),
]


@pytest.mark.parametrize(
    ("call", "given", "code", "text"), ERRORS, ids=lambda value: getattr(value, "__name__", "")
)
def test_an_exception_of_the_call_is_a_source_error_and_the_worker_lives(
    pool: WorkerPool, call: Callable[[Job], object], given: Job, code: str, text: str
) -> None:
    before = pool.submit(faulty_jobs.process_id, job()).result()
    with pytest.raises(SourceError) as caught:
        pool.submit(call, given).result()
    assert not isinstance(caught.value, WorkerFault)
    assert (caught.value.code, str(caught.value)) == (code, text)
    assert pool.submit(faulty_jobs.process_id, job()).result() == before


def test_noise_on_stdout_is_no_answer(pool: WorkerPool) -> None:
    assert pool.submit(faulty_jobs.print_noise, job()).result() == "done"


def test_an_answer_of_many_megabytes_comes_back_whole(pool: WorkerPool) -> None:
    assert len(pool.submit(faulty_jobs.answer_of_size, job(answer_mb=20)).result()) == 20 << 20


def warm(call: str, time_s: float = 10) -> dict[str, object]:
    return {"warm_up": {"call": f"faulty_jobs:{call}", "time_s": time_s}}


def test_a_worker_is_warmed_up_once_and_a_fresh_one_anew() -> None:
    with WorkerPool(1) as pool:
        first, second = (pool.submit(faulty_jobs.loads, job(**warm("load"))).result() for _ in range(2))
        assert first == second
        assert first[1] == 1
        assert pool.submit(faulty_jobs.leave, job(**warm("load"))).exception() is not None
        third = pool.submit(faulty_jobs.loads, job(**warm("load"))).result()
        assert (third[0] != first[0], third[1]) == (True, 1)


def test_a_job_without_a_warm_up_runs_without_it(pool: WorkerPool) -> None:
    pool.submit(faulty_jobs.leave, job()).exception()
    assert pool.submit(faulty_jobs.loads, job()).result()[1] == 0


def test_the_time_of_a_warm_up_is_not_the_job_s() -> None:
    with WorkerPool(1) as pool:
        limits = {"time_s": 2, "memory_mb": 512}
        given = job(limits=limits, answer="in time", **warm("load_slowly"))
        assert pool.submit(faulty_jobs.answer, given).result() == "in time"


WARM_UP_FAULTS = [
    ("hang_in_python", "engine-failed", "its engine was not ready after 0.3 s; build again"),
    ("raise_source_error", "damaged", "the file ends early"),
    ("leave", "engine-failed", "ended with exit status 3"),
    ("recurse", "engine-failed", "RecursionError"),
]


@pytest.mark.parametrize(("call", "code", "text"), WARM_UP_FAULTS, ids=lambda value: value.split()[0])
def test_a_warm_up_that_fails_costs_the_job_and_is_tried_again(
    pool: WorkerPool, call: str, code: str, text: str
) -> None:
    for _ in range(2):
        with pytest.raises(SourceError) as caught:
            time_s = 0.3 if call.startswith("hang") else 10
            pool.submit(faulty_jobs.answer, job(answer=1, **warm(call, time_s))).result()
        assert (caught.value.code, text in str(caught.value)) == (code, True)
    assert pool.submit(faulty_jobs.answer, job(answer="good")).result() == "good"


def test_what_a_warm_up_holds_does_not_make_its_worker_stale() -> None:
    with WorkerPool(1) as pool:
        given = job(**warm("load_much"))
        first, second = (pool.submit(faulty_jobs.process_id, given).result() for _ in range(2))
        assert first == second


def test_a_warm_up_too_finds_room_in_a_fresh_worker(pool: WorkerPool) -> None:
    first = pool.submit(faulty_jobs.hold_memory, job(keep_mb=300)).result()
    number, loads = pool.submit(faulty_jobs.loads, job(**warm("load"))).result()
    assert (number != first, loads) == (True, 1)


def test_jobs_of_one_lane_run_one_after_another_in_one_worker_beside_the_others(tmp_path: Path) -> None:
    last, other = str(tmp_path / "last"), str(tmp_path / "other")
    with WorkerPool(2) as pool:
        numbers = [pool.submit(faulty_jobs.process_id, job(lane="high")).result() for _ in range(2)]
        futures = [pool.submit(faulty_jobs.work_span, job(lane="high")) for _ in range(2)]
        futures.append(pool.submit(faulty_jobs.meet, job(lane="high", file=last, other=other)))
        beside = pool.submit(faulty_jobs.meet, job(file=other, other=last))
        spans = sorted(future.result() for future in futures)
        beside.result()
    assert numbers[0] == numbers[1]
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_jobs_that_wait_in_a_lane_are_cancelled_with_the_others(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    pool = WorkerPool(1)
    pool.submit(faulty_jobs.process_id_and_file, job(lane="high", file=str(file)))
    waiting = pool.submit(faulty_jobs.answer, job(lane="high", answer=1))
    number = read_when_written(file)
    pool.stop()
    assert waiting.cancelled()
    assert is_gone(number)


def test_a_job_ahead_is_done_before_those_that_wait(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with WorkerPool(1) as pool:
        pool.submit(faulty_jobs.process_id_and_file, brief(file=str(file)))
        read_when_written(file)
        waiting = [pool.submit(faulty_jobs.work_span, job()) for _ in range(2)]
        ahead = [pool.submit(faulty_jobs.work_span, job(ahead=True)) for _ in range(2)]
        order = sorted([*waiting, *ahead], key=lambda future: future.result())
    assert order == [*ahead, *waiting]


def test_a_job_that_is_cancelled_may_be_followed_by_another_at_once(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    pool = WorkerPool(1)
    pool.submit(faulty_jobs.process_id_and_file, brief(file=str(file)))
    waiting = pool.submit(faulty_jobs.answer, job(answer=1))
    refused = []

    def submit_another(_: object) -> None:
        with pytest.raises(RuntimeError, match="after shutdown") as caught:
            pool.submit(faulty_jobs.answer, job(answer=2))
        refused.append(caught.value)

    waiting.add_done_callback(submit_another)
    read_when_written(file)
    pool.shutdown(cancel_futures=True)
    assert len(refused) == 1


def test_what_a_worker_says_unasked_is_nobodys_answer_and_the_worker_is_replaced(pool: WorkerPool) -> None:
    number = pool.submit(faulty_jobs.answer_twice, job()).result()
    assert pool.submit(faulty_jobs.answer, job(answer="mine")).result() == "mine"
    assert is_gone(number)


def test_a_worker_that_dies_between_two_jobs_costs_neither(pool: WorkerPool) -> None:
    number = pool.submit(faulty_jobs.process_id, job()).result()
    os.kill(number, signal.SIGKILL)
    assert is_gone(number)
    assert pool.submit(faulty_jobs.process_id, job()).result() != number


def test_what_one_job_left_behind_is_not_charged_to_the_next() -> None:
    with WorkerPool(1) as pool:
        first = pool.submit(faulty_jobs.hold_memory, job(keep_mb=300)).result()
        assert pool.submit(faulty_jobs.hold_memory, job(keep_mb=300)).result() != first


def test_two_workers_work_at_the_same_time(tmp_path: Path) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    with WorkerPool(2) as pool:
        meeting = [
            pool.submit(faulty_jobs.meet, job(file=file, other=met))
            for file, met in ((one, other), (other, one))
        ]
        assert [future.exception() for future in meeting] == [None, None]


def test_a_worker_that_does_not_start_stops_the_build_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_process, "START", "import sys; sys.exit('no module named docshelf')")
    with WorkerPool(1) as pool, pytest.raises(BuildError) as caught:
        pool.submit(faulty_jobs.answer, job(answer=1)).result()
    assert "ended with status 1; its last words: no module named docshelf" in str(caught.value)


def test_a_worker_without_an_interpreter_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        WorkerPool(1) as pool,
        pytest.raises(BuildError, match=r"no worker can be started: .*'/nowhere/python'"),
    ):
        pool.submit(faulty_jobs.answer, job(answer=1)).result()


@pytest.mark.parametrize(
    ("call", "given", "error"),
    [
        (lambda given: given, job(), TypeError),
        (faulty_jobs.UnpicklableError.__init__, job(), TypeError),
        (faulty_jobs.answer, "no object", TypeError),
        (faulty_jobs.answer, job(answer={1, 2}), TypeError),
        (faulty_jobs.answer, {}, KeyError),
        (faulty_jobs.answer, {"limits": {"time_s": 1}}, KeyError),
    ],
)
def test_what_no_worker_could_run_is_refused_at_once(
    pool: WorkerPool, call: Callable[[Any], object], given: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        pool.submit(call, given)


def test_shutdown_finishes_what_waits_and_takes_nothing_more() -> None:
    pool = WorkerPool(1)
    futures = [pool.submit(faulty_jobs.answer, job(answer=number)) for number in range(3)]
    pool.shutdown()
    assert [future.result(timeout=0) for future in futures] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(faulty_jobs.answer, job(answer=4))


def test_shutdown_can_cancel_what_waits_and_leaves_no_process(tmp_path: Path) -> None:
    pool, file = WorkerPool(1), tmp_path / "pid"
    running = pool.submit(
        faulty_jobs.process_id_and_file, job(limits={"time_s": 3, "memory_mb": 512}, file=str(file))
    )
    number = read_when_written(file)
    waiting = pool.submit(faulty_jobs.answer, job(answer=1))
    pool.shutdown(cancel_futures=True)
    assert isinstance(running.exception(timeout=0), WorkerFault)
    with pytest.raises(CancelledError):
        waiting.result(timeout=0)
    assert is_gone(number)


def test_an_interrupt_kills_the_workers_at_once(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with pytest.raises(KeyboardInterrupt), WorkerPool(1) as pool:
        running = pool.submit(faulty_jobs.process_id_and_file, job(file=str(file)))
        waiting = pool.submit(faulty_jobs.answer, job(answer=1))
        number = read_when_written(file)
        started = time.monotonic()
        raise KeyboardInterrupt
    assert time.monotonic() - started < 8
    assert is_gone(number)
    assert waiting.cancelled()
    with pytest.raises(WorkerFault) as caught:
        running.result(timeout=0)
    assert caught.value.code == "stopped"


def test_workers_start_in_the_current_folder_of_a_parent_with_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a:b").mkdir()
    (tmp_path / "a:b" / "jobs_of_a_user.py").write_text("def answer(job): return 'from a:b'\n")
    (tmp_path / "json.py").write_text("raise ImportError('a module of the current folder')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("a:b")
    jobs = importlib.import_module("jobs_of_a_user")

    with WorkerPool(1) as pool:
        assert pool.submit(jobs.answer, job()).result() == "from a:b"
