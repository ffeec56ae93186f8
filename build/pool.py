"""An executor whose jobs may hang, crash or eat memory: each costs its own result and nothing else.

What another executor (ThreadPoolExecutor, a Dask client) has to take to stand in for it: `submit(call, job)`,
where `call` is a function at the top of an importable module and `job` a JSON object. `call(job)` returns
JSON; the future holds it, or raises what the call raised. Only this pool reads these keys of the job:

    limits   {"time_s": 60, "memory_mb": 2048, "file_mb": 4096}: seconds of wall time, address space, and the
             largest file the job may write (`file_mb` may be left out)
    engine   optional; names the limits in messages: "fast" makes it `limits.fast.time_s`
    lane     optional; jobs of one lane run one after another in one worker of their own, beside the others
    warm_up  optional; {"call": "module:name", "time_s": 1500}: called with the first such job of each worker
             before the job's own call, within a time limit of its own

Each slot is a thread that owns one warm worker. It is a thread because a worker dies with the thread that
started it, and because it only waits for a pipe.
"""

import json
import logging
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ParamSpec, TypeAlias, TypeVar

from docshelf.build.worker import NO_MEMORY
from docshelf.build.worker_process import Ended, Failure, Late, Stopped, TooLong, WorkerProcess
from docshelf.serve.errors import SourceError, WorkerFault

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

FILE_MB = 4096
REPAIR = 'set another "quality" for it, or mend the file (qpdf IN OUT, or print it anew)'


@dataclass(frozen=True, slots=True)
class Job:
    """One call, checked and ready to be sent."""

    request: bytes
    """The JSON line for the worker, without its line end."""
    time_s: float
    memory_mb: float
    limits: str
    """Where the limits are set, such as `limits.fast`."""
    late: str
    """What to say where `time_s` passes."""
    lane: str = ""
    """The name of its lane; "" is that of all jobs without one."""
    warm_up: "Job | None" = None
    """What a worker has to have done before; its request tells one warm-up from another."""


_Queue: TypeAlias = "queue.SimpleQueue[tuple[Future[Any], Job] | None]"


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
        self._slots: list[tuple[threading.Thread, _Queue]] = []
        self._lanes = {"": self._open_lane(workers)}

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The future of `fn(job)`, where `args` is the job alone.

        The future raises SourceError as the call did (code `crashed` or `output-too-large` for exceptions of
        other types), WorkerFault where the worker was lost (`timeout`, `out-of-memory`, `killed`, `exited`,
        `garbled`, `stopped`), and BuildError where no worker can be started.

        Raises: RuntimeError after `shutdown`; TypeError, ValueError or KeyError where call or job are not
            what the protocol asks for.
        """
        if len(args) != 1 or kwargs:
            raise TypeError("a call takes its job and nothing else")
        job = _prepare_job(fn, args[0])
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("no job can be submitted after shutdown")
            if job.lane not in self._lanes:
                self._lanes[job.lane] = self._open_lane(1)
            self._lanes[job.lane].put((future, job))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more jobs, finishes or cancels those that wait, then ends the workers."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                self._cancel_waiting()
            for _, jobs in self._slots:
                jobs.put(None)
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
        jobs: _Queue = queue.SimpleQueue()
        for _ in range(workers):
            thread = threading.Thread(target=self._run_slot, args=(jobs,), daemon=True)
            self._slots.append((thread, jobs))
            thread.start()
        return jobs

    def _cancel_waiting(self) -> None:
        for jobs in self._lanes.values():
            with suppress(queue.Empty):
                while True:
                    if entry := jobs.get_nowait():
                        entry[0].cancel()

    def _run_slot(self, jobs: "_Queue") -> None:
        slot = _Slot(self._stopping)
        while entry := jobs.get():
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

        Raises: SourceError, WorkerFault or BuildError, as `WorkerPool.submit` says.
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
        if self._worker and self._worker.end_status() is not None:
            self.close()
        warm_up = job.warm_up
        if warm_up and warm_up.request not in self._warm:
            answer = self._ask(warm_up)
            if answer.get("stale"):
                return answer
            self._result(answer, warm_up)
            self._warm.add(warm_up.request)
        return self._ask(job)

    def _result(self, answer: dict[str, Any], job: Job) -> Any:
        if "ok" in answer:
            return answer["ok"]
        code, text = answer["error"]["code"], answer["error"]["text"]
        log.debug("%s: %s\n%s", code, text, answer["error"].get("trace", ""))
        if code == "out-of-memory":
            self.close()
            raise _out_of_memory(job)
        raise SourceError(code, text)

    def _ask(self, job: Job) -> dict[str, Any]:
        try:
            if not self._worker:
                self._worker = WorkerProcess(self._stopping)
            answer: dict[str, Any] = json.loads(self._worker.ask(job.request, job.time_s))
        except Failure as failure:
            self.close()
            raise _fault(failure, job) from None
        except (ValueError, RecursionError):
            self.close()
            raise WorkerFault("garbled", f"the engine's answer cannot be read; {REPAIR}") from None
        return answer


def _prepare_job(call: Callable[..., object], job: object) -> Job:
    module, name = getattr(call, "__module__", "__main__"), getattr(call, "__qualname__", ".")
    if module == "__main__" or not name.isidentifier():
        raise TypeError(f"a worker cannot import {call!r}: submit a function at the top of a module")
    if not isinstance(job, dict):
        raise TypeError(f"a job is a JSON object, not {type(job).__name__}")
    request = {
        "call": f"{module}:{name}",
        "job": job,
        "memory_mb": job["limits"]["memory_mb"],
        "file_mb": job["limits"].get("file_mb", FILE_MB),
    }
    limits, time_s = f"limits.{job.get('engine', '<engine>')}", job["limits"]["time_s"]
    return Job(
        request=json.dumps(request).encode("ascii"),
        time_s=time_s,
        memory_mb=request["memory_mb"],
        limits=limits,
        late=f'stopped after {time_s:g} s; raise {limits}.time_s in .docshelf.json, or set another "quality" for it',
        lane=job.get("lane", ""),
        warm_up=_prepare_warm_up(request, job["warm_up"], limits) if "warm_up" in job else None,
    )


def _prepare_warm_up(request: dict[str, Any], warm_up: dict[str, Any], limits: str) -> Job:
    """The call before; it gets nothing that differs from document to document but the limits."""
    given = {"call": warm_up["call"], "job": {}, "warm_up": True}
    return Job(
        request=json.dumps(request | given).encode("ascii"),
        time_s=warm_up["time_s"],
        memory_mb=request["memory_mb"],
        limits=limits,
        late=f'its engine was not ready after {warm_up["time_s"]:g} s; build again, or set another "quality" for it',
    )


def _fault(failure: Failure, job: Job) -> WorkerFault:
    match failure:
        case Late():
            return WorkerFault("timeout", job.late)
        case Ended(status=status, stderr_tail=tail) if NO_MEMORY.search(tail):
            return _out_of_memory(job)
        case Ended(status=int(status)) if status < 0:
            hint = " (by hand, or because the machine ran out of memory)" if status == -signal.SIGKILL else ""
            return WorkerFault("killed", f"the engine was killed by {_signal_name(-status)}{hint}; {REPAIR}")
        case Ended(status=int(status)):
            return WorkerFault("exited", f"the engine ended with exit status {status}; {REPAIR}")
        case Stopped():
            return WorkerFault("stopped", "the build was stopped while it held this document; build again")
        case TooLong():
            return WorkerFault("garbled", f"the engine's answer is larger than 64 MB; {REPAIR}")
        case _:
            return WorkerFault("garbled", f"the engine closed its answer before it gave one; {REPAIR}")


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _out_of_memory(job: Job) -> WorkerFault:
    advice = f'raise {job.limits}.memory_mb in .docshelf.json, or set another "quality" for it'
    return WorkerFault("out-of-memory", f"needed more than {job.memory_mb:g} MB of memory; {advice}")
