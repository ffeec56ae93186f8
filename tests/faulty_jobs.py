"""Jobs that do to a worker what hostile documents and sloppy libraries do; each takes the job it is given."""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from docshelf.serve.errors import SourceError

Job = dict[str, Any]


def answer(job: Job) -> object:
    return job["answer"]


def process_id(job: Job) -> int:
    return os.getpid()


def process_id_and_file(job: Job) -> int:
    """Tells who is at work while it is still at work."""
    Path(job["file"]).write_text(str(os.getpid()), encoding="ascii")
    return hang_in_python(job)


def loaded_modules(job: Job) -> list[str]:
    return sorted(sys.modules)


def core_limit(job: Job) -> tuple[int, int]:
    return resource.getrlimit(resource.RLIMIT_CORE)


def segfault(job: Job) -> object:
    return ctypes.string_at(0)


def abort(job: Job) -> NoReturn:
    os.abort()


def leave(job: Job) -> NoReturn:
    os._exit(3)


def system_exit(job: Job) -> NoReturn:
    raise SystemExit(4)


def kill_itself(job: Job) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_of_a_real_time_signal(job: Job) -> None:
    os.kill(os.getpid(), signal.SIGRTMIN + 2)


def die_while_a_forked_child_holds_the_pipes(job: Job) -> None:
    if os.fork() == 0:
        time.sleep(60)
    os.kill(os.getpid(), signal.SIGTERM)


def eat_python_memory(job: Job) -> NoReturn:
    eaten = []
    while True:
        eaten.append(bytearray(50 << 20))


def eat_c_memory_unchecked(job: Job) -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    libc.memset(libc.malloc(4 << 30), 1, 10)


def abort_as_cpp_does_without_memory(job: Job) -> NoReturn:
    os.write(
        2, b"terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
    )
    os.abort()


def fail_as_mupdf_does_without_memory(job: Job) -> NoReturn:
    raise RuntimeError("code=2: malloc (123456789 bytes) failed")


def hold_memory(job: Job) -> int:
    """Leaves `job["keep_mb"]` of address space behind, as a library's cache does."""
    vars(ctypes)["kept"] = bytearray(job["keep_mb"] << 20)
    return os.getpid()


def hold_more_memory(job: Job) -> int:
    """Leaves as much behind again, beside what `hold_memory` left."""
    vars(ctypes)["kept too"] = bytearray(job["keep_mb"] << 20)
    return os.getpid()


def write_file(job: Job) -> int:
    return Path(job["file"]).write_bytes(bytes(job["write_mb"] << 20))


def hang_in_python(job: Job) -> NoReturn:
    while True:
        pass


def hang_in_c_holding_the_gil(job: Job) -> object:
    return ctypes.PyDLL(None).sleep(3600)


def hang_and_ignore_sigterm(job: Job) -> object:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return hang_in_c_holding_the_gil(job)


def hang_with_a_grandchild(job: Job) -> None:
    sleeper = subprocess.Popen(["sleep", "60"], start_new_session=job["session"])
    Path(job["file"]).write_text(str(sleeper.pid), encoding="ascii")
    sleeper.wait()


def start_a_daemon(job: Job) -> int:
    """A process that nothing ties to this one: no parent, no session, no environment in common."""
    command = 'sleep 60 <&- >&- 2>&- & echo $! >"$1.new" && mv "$1.new" "$1"'
    shell = ["/bin/sh", "-c", command, "sh", job["file"]]
    subprocess.run(shell, start_new_session=True, env={}, check=True)
    return int(Path(job["file"]).read_text(encoding="ascii"))


def hang_with_a_daemon(job: Job) -> NoReturn:
    start_a_daemon(job)
    hang_in_python(job)


def kill_its_parent(job: Job) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def die_after_starting_a_server(job: Job) -> None:
    server = subprocess.Popen(["sleep", "60"], start_new_session=True)
    Path(job["file"]).write_text(str(server.pid), encoding="ascii")
    kill_itself(job)


def load(job: Job) -> None:
    """A warm-up: says how often this process was asked for it."""
    vars(ctypes)["loads"] = vars(ctypes).get("loads", 0) + 1


def load_slowly(job: Job) -> None:
    time.sleep(2.5)


def load_much(job: Job) -> None:
    vars(ctypes)["kept"] = bytearray(300 << 20)


def loads(job: Job) -> tuple[int, int]:
    return os.getpid(), vars(ctypes).get("loads", 0)


def meet(job: Job) -> tuple[float, float]:
    """When this job was at work; it ends once another one that is asked to meet it is at work, too."""
    begun = time.monotonic()
    Path(job["file"]).touch()
    while not Path(job["other"]).exists():
        time.sleep(0.01)
    return begun, time.monotonic()


def work_span(job: Job) -> tuple[float, float]:
    """When this job was at work, by a clock that all processes share."""
    begun = time.monotonic()
    time.sleep(0.2)
    return begun, time.monotonic()


def print_noise(job: Job) -> str:
    for _ in range(30):
        os.write(1, b'{"ok": "forged"}\n' * 1000)
    sys.stdout.write("more noise")
    sys.stdout.flush()
    return "done" if sys.stdin.read() == "" else "stdin has something to say"


def print_noise_and_die(job: Job) -> NoReturn:
    print_noise(job)
    os._exit(5)


class UnpicklableError(Exception):
    def __init__(self, first: object, second: object) -> None:
        super().__init__(first)
        self.kept = lambda: second


def raise_unpicklable(job: Job) -> NoReturn:
    raise UnpicklableError("two are needed", 2)


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise KeyError("no message either")


def raise_unspeakable(job: Job) -> NoReturn:
    raise UnspeakableError


def raise_value_error(job: Job) -> NoReturn:
    raise ValueError(job["message"])


def raise_with_an_address(job: Job) -> NoReturn:
    raise ValueError(f"bad object {object()!r}")


def raise_source_error(job: Job) -> NoReturn:
    raise SourceError("damaged", "the file ends early; get it again")


def recurse(job: Job) -> object:
    return recurse(job)


def answer_twice(job: Job) -> int:
    """Answers a fresh worker's first request, and then a second time: that answer waits for the next request."""
    _write_to_every_pipe(b"1 " + json.dumps({"ok": os.getpid()}).encode() + b"\n")
    return os.getpid()


def answer_no_json(job: Job) -> object:
    return {1, 2}


def answer_of_size(job: Job) -> str:
    size_mb: int = job["answer_mb"]
    return "x" * (size_mb << 20)


def answer_too_deep(job: Job) -> NoReturn:
    """JSON that a parser of ours cannot take, sent past the encoder that would have refused it."""
    for number in range(1, 10):
        _write_to_every_pipe(b'%d {"ok": ' % number + b"[" * 200_000 + b"\n")
    raise SystemExit


def close_the_answer_pipe(job: Job) -> NoReturn:
    os.closerange(3, 64)
    hang_in_python(job)


def _write_to_every_pipe(data: bytes) -> None:
    for number in range(3, 64):
        try:
            os.write(number, data)
        except OSError:
            continue
