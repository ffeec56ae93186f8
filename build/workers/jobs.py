"""One call for a worker, checked and ready to be sent, and the name of each way it may be lost."""

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docshelf.build.workers.worker import NO_MEMORY
from docshelf.build.workers.worker_process import Ended, Failure, Late, Stopped, TooLong
from docshelf.serve.errors import WorkerFault

FILE_MB = 4096
FAULTS = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTRAP,
    }
)
"""Signals that a process is sent for what it did itself; all others come from outside."""
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
    ahead: bool = False
    """Goes before jobs that wait and are not."""
    lane: str = ""
    """The name of its lane; "" is that of all jobs without one."""
    warm_up: "Job | None" = None
    """What a worker has to have done before; its request tells one warm-up from another."""


def prepare_job(call: Callable[..., object], job: object) -> Job:
    """The job that makes a worker do `call(job)`.

    Raises: TypeError, ValueError or KeyError where they are not what `docshelf.build.workers.pool` asks for.
    """
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
        ahead=bool(job.get("ahead")),
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


def name_fault(failure: Failure, job: Job) -> WorkerFault:
    """What became of a job whose worker gave no answer, and what to do."""
    match failure:
        case Late():
            return WorkerFault("timeout", job.late)
        case Ended(status=status, stderr_tail=tail) if NO_MEMORY.search(tail):
            return out_of_memory(job)
        case Ended(status=int(status)) if -status in FAULTS:
            return WorkerFault("crashed", f"the engine was killed by {_signal_name(-status)}; {REPAIR}")
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


def out_of_memory(job: Job) -> WorkerFault:
    """The fault of a job that took all the memory it may have."""
    advice = f'raise {job.limits}.memory_mb in .docshelf.json, or set another "quality" for it'
    return WorkerFault("out-of-memory", f"needed more than {job.memory_mb:g} MB of memory; {advice}")
