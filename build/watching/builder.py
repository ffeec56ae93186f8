"""The watch's end of the process that builds: start it, ask it, say how it ended, stop it in order."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from docshelf.build.watching.stopping import Stopping
from docshelf.serve.config import Quality
from docshelf.serve.errors import BuildError

_START = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from docshelf.build.watching.building import main; main(int(sys.argv[1]))"
)
_ENDING_S = 10.0
"""How long a build that is stopped may take to clean up."""
_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Order:
    """What is built, and how."""

    source: Path
    output: Path
    quality: Quality | None
    jobs: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a build ended."""

    failure: str = ""
    """Why it failed, "" where a release is current now that holds what stands in the source folder."""
    release: str = ""
    changed: bool = False
    """Whether the release is a new one."""
    lines: tuple[str, ...] = ()
    """The counts, and what did not get onto the shelf."""
    unreadable: bool = False
    """Whether a file could not be read from the disk; it may be a matter of time."""


class Builder:
    """A process of its own that stays warm; use it in a `with` block, from one thread."""

    def __init__(self, order: Order, stopping: Stopping) -> None:
        self._order = order
        self._stopping = stopping
        self._builds = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = _start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            _end(self._process)

    def build(self, *, anew: bool = False) -> Outcome | None:
        """The outcome of one build; None where the watch is stopped before it ends.

        `anew`: a file changed although its size and times did not, so every file is read again.

        Raises: BuildError where the process cannot be started.
        """
        if self._process is None:
            self._process = _start()
        request = {
            "source": str(self._order.source),
            "output": str(self._order.output),
            "quality": self._order.quality,
            "jobs": self._order.jobs,
            "lines": self._builds == 0,
            "anew": anew,
        }
        self._builds += 1
        answer = self._ask(self._process, json.dumps(request).encode("ascii") + b"\n")
        if answer is None:
            return None
        if not answer.endswith(b"\n"):
            return self._lost(self._process)
        values = json.loads(answer)
        return Outcome(**{**values, "lines": tuple(values.get("lines", ()))})

    def _ask(self, process: subprocess.Popen[bytes], request: bytes) -> bytes | None:
        """The answer's line, cut short where the process ended; None where the watch is stopped."""
        assert process.stdin and process.stdout
        answer = b""
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError:
            return answer
        while not answer.endswith(b"\n"):
            if self._stopping.wait_for(process.stdout.fileno()):
                return None
            data = os.read(process.stdout.fileno(), _CHUNK_BYTES)
            if not data:
                break
            answer += data
        return answer

    def _lost(self, process: subprocess.Popen[bytes]) -> Outcome:
        _end(process)
        self._process = None
        status = process.returncode
        if status >= 0:
            how = f"ended with exit status {status}"
        else:
            how = f"was killed by {signal.Signals(-status).name}"
        return Outcome(failure=f"the build {how} before it was done; it will be tried again")


def _start() -> subprocess.Popen[bytes]:
    path = [str(Path(entry).absolute()) for entry in sys.path]
    try:
        # A session of its own: Ctrl-C reaches the watch alone, which stops the build in order.
        return subprocess.Popen(
            [sys.executable, "-c", _START, str(os.getpid()), *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as exc:
        raise BuildError(f"no process can be started to build in: {exc}") from exc


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stops the process; it may have ended already."""
    process.terminate()
    try:
        process.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
