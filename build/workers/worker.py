"""The child process that runs one job at a time, and may die of it.

`docshelf.build.workers.pool` starts one per slot and speaks lines with it, each a number and JSON. A request on
stdin:

    1 {"call": "docshelf.build.converting.convert:convert", "job": {...}, "memory_mb": 2048, "file_mb": 4096}

(with `"warm_up": true` where a job that follows needs what this call leaves behind) and its answer, with the same
number, on what was stdout when the process started:

    {"ready": true}                                                   once, when the worker has started
    1 {"ok": RESULT}                                                  what the call returned
    1 {"error": {"code": "damaged", "text": "...", "trace": "..."}}   what it raised
    1 {"error": {"code": "disk", "errno": "28", "file": "...", …}}    it could not write: no document's fault
    1 {"stale": true}                                                 not run: ask a fresh worker

The worker ends with its stdin, after a job that ran out of memory, after `stale`, and with the thread that
started it; its reaper (`docshelf.build.workers.reaper`) sees to that. Nothing heavy is imported before the first
job asks for it.
"""

import errno
import importlib
import json
import os
import re
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from docshelf.build.workers.reaper import go_on_below_reaper
from docshelf.serve.errors import SourceError

MB = 1 << 20
MESSAGE_CHARS = 500
TRACE_CHARS = 8000
# Libraries in C tell of a failed allocation in words of their own: MuPDF "malloc (N bytes) failed",
# onnxruntime "Failed to allocate memory for requested buffer", C++ "std::bad_alloc".
NO_MEMORY = re.compile(
    r"[mc]alloc\b.*fail|bad_alloc|(cannot|failed to|unable to) allocate|out of memory", re.IGNORECASE
)
DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
"""Of the output folder's disk: jobs read and write nowhere else."""
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")


def main(parent: int) -> None:
    """Answers requests until stdin ends; `parent` is the process id of the pool that started this worker."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    go_on_below_reaper(parent)
    requests, answers = take_pipes()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _send(answers, '{"ready": true}')
    serve(requests, answers)


def serve(requests: Iterable[bytes], answers: BinaryIO) -> None:
    """Answers each line of `requests` with one line in `answers`; returns early where the worker has to end."""
    served, warm_bytes = False, 0
    for line in requests:
        number, _, text = line.decode("ascii").partition(" ")
        request = json.loads(text)
        # Address space that earlier jobs left behind would be missing to this one: the same document
        # would pass or fail by what came before it.
        left_bytes = _address_space_bytes() - warm_bytes
        if served and 2 * left_bytes > request["memory_mb"] * MB - warm_bytes:
            _send(answers, f'{number} {{"stale": true}}')
            return
        answer, goes_on = run_job(request)
        _send(answers, f"{number} {answer}")
        if not goes_on:
            return
        if request.get("warm_up"):
            warm_bytes = _address_space_bytes()
        else:
            served = True


def run_job(request: dict[str, Any]) -> tuple[str, bool]:
    """The answer to one request as JSON, and whether this process is still fit for another job."""
    try:
        with (
            _limited(resource.RLIMIT_AS, request["memory_mb"]),
            _limited(resource.RLIMIT_FSIZE, request["file_mb"]),
        ):
            result = _find(request["call"])(request["job"])
        return json.dumps({"ok": result}), True
    except BaseException as error:  # noqa: BLE001 - a library's SystemExit ends the job, not the worker
        fault = describe(error)
        return json.dumps({"error": fault}), fault["code"] != "out-of-memory"


def describe(error: BaseException) -> dict[str, str]:
    """`code` and `text` of an exception, the same in every run; `trace` for developers where it is no SourceError.

    `text` is one line of at most 500 characters, without memory addresses and lone surrogates.
    """
    if isinstance(error, SourceError):
        return {"code": error.code, "text": _one_line(str(error))}
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - the class is a library's, and so is the fault in its __str__
        message = "(without a message)"
    trace = "".join(traceback.format_exception(error))[-TRACE_CHARS:]
    text = _one_line(f"{type(error).__name__}: {message}" if message else type(error).__name__)
    fault = {"code": _code(error, message), "text": text, "trace": _printable(trace)}
    if isinstance(error, OSError) and error.errno in DISK_ERRORS:
        fault |= {"code": "disk", "errno": str(error.errno), "file": _printable(str(error.filename or ""))}
    return fault


def _code(error: BaseException, message: str) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, MemoryError) or number == errno.ENOMEM or NO_MEMORY.search(message[:MESSAGE_CHARS]):
        return "out-of-memory"
    if number == errno.EFBIG:
        return "output-too-large"
    # What the machine lacks is no fault of the document; a library's own OSError has no number.
    return "crashed" if number is None and not isinstance(error, ImportError) else "engine-failed"


def _one_line(text: str) -> str:
    line = ADDRESS.sub("0x…", " ".join(_printable(text[: 8 * MESSAGE_CHARS]).split()))
    return line if len(line) <= MESSAGE_CHARS else line[: MESSAGE_CHARS - 1] + "…"


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _find(call: str) -> Callable[[dict[str, Any]], Any]:
    module, _, name = call.partition(":")
    function: Callable[[dict[str, Any]], Any] = getattr(importlib.import_module(module), name)
    return function


@contextmanager
def _limited(kind: int, size_mb: float) -> Iterator[None]:
    """Moves the soft limit down for one job and back after it; the hard limit stays as it was inherited."""
    soft, hard = resource.getrlimit(kind)
    wanted = int(size_mb * MB)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(kind, (soft, hard))


def _address_space_bytes() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two ends of the protocol, moved to where no library reads or prints."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return requests, answers


def _send(answers: BinaryIO, line: str) -> None:
    answers.write(line.encode("ascii") + b"\n")
    answers.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
