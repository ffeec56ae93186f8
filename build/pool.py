"""An executor whose jobs may hang, crash or eat memory: each costs its own result and nothing else.

What another executor (ThreadPoolExecutor, a Dask client) has to take to stand in for it: `submit(call, job)`,
where `call` is a function at the top of an importable module and `job` a JSON object. `call(job)` returns
JSON; the future holds it, or raises what the call raised. Only this pool reads two keys of the job:

    limits   {"time_s": 60, "memory_mb": 2048, "file_mb": 4096}: seconds of wall time, address space, and the
             largest file the job may write (`file_mb` may be left out)
    engine   optional; names the limits in messages: "fast" makes it `limits.fast.time_s`

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
from dataclasses import dataclass
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

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


class WorkerPool(Executor):
    """Runs calls in `workers` child processes, each call within its own limits of time and memory.

    `submit` never blocks: jobs wait in a queue. Leaving the `with` block by an exception, KeyboardInterrupt
    included, kills the workers at once.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, not {workers}")
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Job] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run_slot, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

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
            self._jobs.put((future, job))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more jobs, finishes or cancels those that wait, then ends the workers."""
        with self._lock:
            self._closed = True
            if cancel_futures:
                self._cancel_waiting()
            for _ in self._threads:
                self._jobs.put(None)
        if wait:
            for thread in self._threads:
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

    def _cancel_waiting(self) -> None:
        while not self._jobs.empty():
            try:
                entry = self._jobs.get_nowait()
            except queue.Empty:  # a slot was faster
                return
            if entry:
                entry[0].cancel()

    def _run_slot(self) -> None:
        slot = _Slot(self._stopping)
        while entry := self._jobs.get():
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

    def run(self, job: Job) -> Any:
        """The result of the job's call.

        Raises: SourceError, WorkerFault or BuildError, as `WorkerPool.submit` says.
        """
        answer = self._ask(job)
        if answer.get("stale"):
            self.close()
            answer = self._ask(job)
        if "ok" in answer:
            return answer["ok"]
        code, text = answer["error"]["code"], answer["error"]["text"]
        log.debug("%s: %s\n%s", code, text, answer["error"].get("trace", ""))
        if code == "out-of-memory":
            self.close()
            raise _out_of_memory(job)
        raise SourceError(code, text)

    def close(self) -> None:
        """Kills the worker and what it started."""
        if self._worker:
            self._worker.kill()
            self._worker = None

    def _ask(self, job: Job) -> dict[str, Any]:
        if self._worker and self._worker.end_status() is not None:
            self.close()
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
    limits = job["limits"]
    request = {
        "call": f"{module}:{name}",
        "job": job,
        "memory_mb": limits["memory_mb"],
        "file_mb": limits.get("file_mb", FILE_MB),
    }
    return Job(
        request=json.dumps(request).encode("ascii"),
        time_s=limits["time_s"],
        memory_mb=limits["memory_mb"],
        limits=f"limits.{job.get('engine', '<engine>')}",
    )


def _fault(failure: Failure, job: Job) -> WorkerFault:
    match failure:
        case Late():
            advice = f'raise {job.limits}.time_s in .docshelf.json, or set another "quality" for it'
            return WorkerFault("timeout", f"stopped after {job.time_s:g} s; {advice}")
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
