"""The parent's end of one worker: start it, ask it, notice how it fails, kill it with all it started.

Failure
├── Late       no answer within the time limit
├── Ended      the process ended, or closed its end of the pipe
├── TooLong    an answer that no job of ours gives
└── Stopped    the pool is being stopped
"""

import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from docshelf.serve.errors import BuildError

START = "import sys; sys.path[:] = sys.argv[2:]; from docshelf.build.workers.worker import main; main(int(sys.argv[1]))"
READY = b'{"ready": true}'
START_LIMIT_S = 60.0
ANSWER_LIMIT_BYTES = 64 << 20
STDERR_TAIL_BYTES = 2000
CHUNK_BYTES = 1 << 16
TICK_S = 0.1
"""How soon a stopped pool, or a dead worker whose pipe a grandchild holds open, is noticed."""
ENDING_S = 5.0
"""How long the reaper may take to end what the worker started; a process the kernel holds can keep it."""
DYING_S = 1.0
"""How long a worker that closed its pipe may take to die by itself, so that its own end can be named."""


class Failure(Exception):
    """The worker gave no answer; only killing it is left."""


class Late(Failure):
    """The time limit passed."""


class Ended(Failure):
    """The process ended, or closed its end of the pipe."""

    def __init__(self, status: int | None, stderr_tail: str) -> None:
        super().__init__(status)
        self.status = status
        """Exit status, or minus the number of the signal; None where it closed the pipe and lives on."""
        self.stderr_tail = stderr_tail
        """The end of what it said since it was asked, 2,000 bytes at most."""


class TooLong(Failure):
    """The answer passed 64 MB."""


class Stopped(Failure):
    """The pool is being stopped."""


class WorkerProcess:
    """One `docshelf.build.workers.worker` below its reaper, for the thread that made it.

    The process started is the reaper (`docshelf.build.workers.reaper`): it ends as the worker does, and ends all that
    the worker started, on `kill` and when the thread is gone, whatever killed the build.
    """

    def __init__(self, stopping: threading.Event) -> None:
        """Starts the process and waits until it is ready; every wait ends soon after `stopping` is set.

        Raises: BuildError with the last words of its stderr where it does not start; Stopped.
        """
        self._stopping = stopping
        self._said = bytearray()
        """What it said and nobody read yet."""
        self._asked = 0
        self._unasked = False
        self._stderr_tail = b""
        self._process = _start_process()
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._stdin = self._process.stdin
        self._out, self._err = self._process.stdout, self._process.stderr
        self._answers = select.poll()
        self._answers.register(self._out, select.POLLIN)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        try:
            self._greet()
        except BaseException:
            self.kill()
            raise

    def ask(self, request: bytes, time_s: float) -> bytes:
        """The answer line to one request line, both without number and line end.

        An answer bears the number of its request, so that what an earlier job left in the pipe, or a library
        prints there, is never taken for it.

        Raises: Failure of some kind; then `kill` it.
        """
        self._stderr_tail = b""
        self._asked += 1
        number = b"%d " % self._asked
        try:
            self._stdin.write(number + request + b"\n")
            self._stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        deadline = time.monotonic() + time_s
        while not (line := self._read_line(deadline)).startswith(number):
            self._unasked = True
        return line[len(number) :]

    def is_fit(self) -> bool:
        """Whether the worker lives and has said nothing that it was not asked for."""
        is_silent = not self._unasked and not self._said and not self._answers.poll(0)
        return is_silent and self.end_status() is None

    def end_status(self) -> int | None:
        """Exit status, minus the number of the signal that ended the process, or None while it lives."""
        # WNOWAIT leaves the zombie: the process id, which is the session's too, cannot be given anew.
        end = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    def kill(self) -> None:
        """Ends the process and whatever it started; nothing may be called afterwards."""
        self._process.terminate()
        try:
            self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # the worker dies with its reaper, by PR_SET_PDEATHSIG
            self._process.wait()
        for pipe in (self._stdin, self._out, self._err):
            with suppress(OSError):  # a request that nobody read cannot be flushed
                pipe.close()

    def _greet(self) -> None:
        reason = "it speaks another protocol"
        try:
            if self._read_line(time.monotonic() + START_LIMIT_S) == READY:
                return
        except Late:
            reason = f"it was not ready after {START_LIMIT_S:g} s"
        except Ended as ended:
            reason = f"it ended with status {ended.status}"
        words = self._drain_stderr()
        raise BuildError(f"no worker can be started: {reason}; its last words: {words or '(none)'}")

    def _read_line(self, deadline: float) -> bytes:
        looked_at = 0
        while (end := self._said.find(b"\n", looked_at)) < 0:
            looked_at = len(self._said)
            if looked_at > ANSWER_LIMIT_BYTES:
                raise TooLong
            for number in self._readable(deadline):
                data = os.read(number, CHUNK_BYTES)
                if number == self._err.fileno():
                    self._keep_stderr(data)
                    if not data:
                        self._poll.unregister(number)
                elif not data:
                    raise self._ended()
                else:
                    self._said += data
        line = bytes(self._said[:end])
        del self._said[: end + 1]
        return line

    def _readable(self, deadline: float) -> list[int]:
        if self._stopping.is_set():
            raise Stopped
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise Late
        ready = [number for number, _ in self._poll.poll(1000 * min(left_s, TICK_S))]
        if not ready and self.end_status() is not None:
            raise self._ended()
        return ready

    def _ended(self) -> Ended:
        deadline = time.monotonic() + DYING_S
        while (status := self.end_status()) is None and time.monotonic() < deadline:
            time.sleep(0.002)
        return Ended(status, self._drain_stderr())

    def _drain_stderr(self) -> str:
        """What has been said so far; a pipe holds 64 KB, so that a process that talks on cannot keep us."""
        os.set_blocking(self._err.fileno(), False)
        with suppress(BlockingIOError):
            self._keep_stderr(os.read(self._err.fileno(), 2 * CHUNK_BYTES))
        return self._stderr_tail.decode("utf-8", "replace").strip()

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr_tail = (self._stderr_tail + data)[-STDERR_TAIL_BYTES:]


def _start_process() -> subprocess.Popen[bytes]:
    # -c runs before the current folder can be imported from; the path comes as arguments, because
    # PYTHONPATH cannot hold a folder whose name has a colon.
    path = [str(Path(entry).absolute()) for entry in sys.path]
    try:
        return subprocess.Popen(
            [sys.executable, "-c", START, str(os.getpid()), *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as exc:
        raise BuildError(f"no worker can be started: {exc}") from exc
