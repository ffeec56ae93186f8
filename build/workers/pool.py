"""An executor whose jobs may hang, crash or eat memory: each costs its own result and nothing else.

What another executor (ThreadPoolExecutor, a Dask client) has to take to stand in for it: `submit(call, job)`,
where `call` is a function at the top of an importable module and `job` a JSON object. `call(job)` returns
JSON; the future holds it, or raises what the call raised. Only this pool reads these keys of the job:

    limits   {"time_s": 60, "memory_mb": 2048, "file_mb": 4096}: seconds of wall time, address space, and the
             largest file the job may write (`file_mb` may be left out)
    engine   optional; names the limits in messages: "fast" makes it `limits.fast.time_s`
    ahead    optional; true puts the job before those that wait without it
    lane     optional; jobs of one lane run one after another in one worker of their own, beside the others
    warm_up  optional; {"call": "module:name", "time_s": 1500}: called with the first such job of each worker
             before the job's own call, within a time limit of its own

Each slot is a thread that owns one warm worker. It is a thread because a worker dies with the thread that
started it, and because it only waits for a pipe.
"""

import itertools
import json
import logging
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from types import TracebackType
from typing import Any, ParamSpec, TypeAlias, TypeVar

from docshelf.build.workers.jobs import REPAIR, Job, name_fault, out_of_memory, prepare_job
from docshelf.build.workers.worker_process import Failure, WorkerProcess
from docshelf.serve.errors import SourceError, WorkerFault

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


_Entry: TypeAlias = "tuple[Future[Any], Job] | None"
"""A job and where its result goes; None ends a slot."""
_Queue: TypeAlias = "queue.PriorityQueue[tuple[int, int, _Entry]]"
"""Entries by rank (0 ahead, 1 the others, 2 the end), then by the order they came in."""


class WorkerPool(Executor):
    """Runs calls in `workers` child processes, each call within its own limits of time and memory.

    A lane is one more child process, started with its first job. `submit` never blocks: jobs wait in a
    queue. Leaving the `with` block by an exception, KeyboardInterrupt included, kills the workers at once.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, not {workers}")
        self._lock = threading.Lock()
        self._closed = False
        self._stopping = threading.Event()
        self._numbers = itertools.count()
        self._slots: list[tuple[threading.Thread, _Queue]] = []
        self._lanes = {"": self._open_lane(workers)}

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of `fn(job)`, where `args` is the job alone.

        The future raises SourceError as the call did (for exceptions of other types `crashed`,
        `output-too-large`, or `engine-failed` where the machine lacks something), WorkerFault where the worker
        was lost (`timeout`, `out-of-memory`, `crashed` and `killed` by a signal of its own or from outside,
        `exited`, `garbled`, `stopped`; `engine-failed` in a warm-up), BuildError where no worker can be started, and OSError where the disk that the
        call writes to is full or fails: that is no document's fault.

        Raises: RuntimeError after `shutdown`; TypeError, ValueError or KeyError where call or job are not
            what the protocol asks for.
        """
        if len(args) != 1 or kwargs:
            raise TypeError("a call takes its job and nothing else")
        job = prepare_job(fn, args[0])
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("no job can be submitted after shutdown")
            if job.lane not in self._lanes:
                self._lanes[job.lane] = self._open_lane(1)
            self._put(self._lanes[job.lane], 0 if job.ahead else 1, (future, job))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more jobs, finishes or cancels those that wait, then ends the workers."""
        with self._lock:
            self._closed = True
            waiting = self._take_waiting() if cancel_futures else []
            for _, jobs in self._slots:
                self._put(jobs, 2, None)
        for future in waiting:  # not under the lock: who waits for it may submit another job at once
            future.cancel()
        if wait:
            for thread, _ in self._slots:
                thread.join()

    def stop(self) -> None:
        """Kills the workers with the jobs they hold, cancels the jobs that wait, returns when all is over."""
        self._stopping.set()
        self.shutdown(cancel_futures=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.shutdown()
        else:
            self.stop()

    def _open_lane(self, workers: int) -> "_Queue":
        jobs: _Queue = queue.PriorityQueue()
        for _ in range(workers):
            thread = threading.Thread(target=self._run_slot, args=(jobs,), daemon=True)
            self._slots.append((thread, jobs))
            thread.start()
        return jobs

    def _put(self, jobs: "_Queue", rank: int, entry: "_Entry") -> None:
        jobs.put((rank, next(self._numbers), entry))

    def _take_waiting(self) -> list[Future[Any]]:
        taken = []
        for jobs in self._lanes.values():
            with suppress(queue.Empty):
                while True:
                    _, _, entry = jobs.get_nowait()
                    if entry:
                        taken.append(entry[0])
        return taken

    def _run_slot(self, jobs: "_Queue") -> None:
        slot = _Slot(self._stopping)
        while entry := jobs.get()[2]:
            future, job = entry
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = slot.run(job)
            except SourceError as error:
                future.set_exception(error)
            except BaseException as error:  # noqa: BLE001 - whoever waits for the future has to learn of it
                slot.close()
                future.set_exception(error)
            else:
                future.set_result(result)
        slot.close()


class _Slot:
    """One worker at a time: started when a job needs it, and anew after it was lost."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._worker: WorkerProcess | None = None
        self._warm: set[bytes] = set()

    def run(self, job: Job) -> Any:
        """The result of the job's call.

        Raises: SourceError, WorkerFault, BuildError or OSError, as `WorkerPool.submit` says.
        """
        answer = self._ask_warm(job)
        if answer.get("stale"):
            self.close()
            answer = self._ask_warm(job)
        return self._result(answer, job)

    def close(self) -> None:
        """Kills the worker and what it started."""
        if self._worker:
            self._worker.kill()
            self._worker = None
        self._warm.clear()

    def _ask_warm(self, job: Job) -> dict[str, Any]:
        """The worker's answer; it has been warmed up if the job asks for that."""
        if self._worker and not self._worker.is_fit():
            self.close()
        warm_up = job.warm_up
        if warm_up and warm_up.request not in self._warm:
            answer = self._ask_warm_up(warm_up)
            if answer.get("stale"):
                return answer
            self._warm.add(warm_up.request)
        return self._ask(job)

    def _ask_warm_up(self, warm_up: Job) -> dict[str, Any]:
        """The answer of a warm-up.

        Raises: SourceError; `engine-failed` for whatever is no fault of the document that waits for it.
        """
        try:
            answer = self._ask(warm_up)
            if not answer.get("stale"):
                self._result(answer, warm_up)
        except SourceError as error:
            if isinstance(error, WorkerFault) or error.code == "crashed":
                raise WorkerFault("engine-failed", str(error)) from None
            raise
        return answer

    def _result(self, answer: dict[str, Any], job: Job) -> Any:
        if "ok" in answer:
            return answer["ok"]
        code, text = answer["error"]["code"], answer["error"]["text"]
        log.debug("%s: %s\n%s", code, text, answer["error"].get("trace", ""))
        if code == "out-of-memory":
            self.close()
            raise out_of_memory(job)
        if code == "disk":
            number, file = int(answer["error"]["errno"]), answer["error"]["file"]
            raise OSError(number, os.strerror(number), file or None)
        raise SourceError(code, text)

    def _ask(self, job: Job) -> dict[str, Any]:
        try:
            if not self._worker:
                self._worker = WorkerProcess(self._stopping)
            answer: dict[str, Any] = json.loads(self._worker.ask(job.request, job.time_s))
        except Failure as failure:
            self.close()
            raise name_fault(failure, job) from None
        except (ValueError, RecursionError):
            self.close()
            raise WorkerFault("garbled", f"the engine's answer cannot be read; {REPAIR}") from None
        return answer
