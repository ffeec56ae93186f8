"""The process that builds for `docshelf watch`: what happens to it costs one build, never the server.

It reads one JSON object a line from stdin, the request, and answers with one line on what was stdout:

    {"source": "manuals", "output": "site", "quality": null, "jobs": 2, "lines": true, "anew": false}
    {"release": "664c77e78dbfc3f7", "changed": true, "lines": ["new release …"], "unreadable": false}
    {"failure": "manuals: holds no PDF, …"}

`lines` asks for a line per document where stderr is no terminal; `anew` says that a file changed which looks
as it did, so that none may be known by its size and times. It ends with its stdin, with SIGTERM after it has cleaned up, and with the thread that started it.
"""

import json
import select
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from docshelf.build.caching.cache_report import CACHE_FOLDER, SOURCES
from docshelf.build.caching.warm import Warm
from docshelf.build.pipeline import build_shelf
from docshelf.build.progress import Progress, show_progress
from docshelf.build.report import summary_lines
from docshelf.build.workers.pool import WorkerPool
from docshelf.build.workers.reaper import die_with
from docshelf.build.workers.worker import take_pipes
from docshelf.serve.errors import ShelfError

WARM_S = 600.0
"""How long workers and what was read are kept without a build: a worker starts in half a second and holds 100 MB,
with the layout model 500 MB."""


def main(parent: int) -> None:
    """Builds on request until stdin ends; `parent` is the process that started this one."""
    die_with(parent, signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        requests, answers = take_pipes()
        _serve(requests, answers)
    except KeyboardInterrupt:
        return


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    kept = _Kept()
    try:
        while True:
            if not select.select([requests], [], [], WARM_S)[0]:
                kept.close()
            line = requests.readline()
            if not line:
                return
            request = json.loads(line)
            answer = _build(request, kept)
            answers.write(json.dumps(answer).encode("ascii") + b"\n")
            answers.flush()
            # Nobody waits now.
            kept.warm(request["output"]).tidy(lambda: bool(select.select([requests], [], [], 0)[0]))
    finally:
        kept.close()


def _build(request: dict[str, Any], kept: "_Kept") -> dict[str, Any]:
    try:
        if request["anew"]:
            (Path(request["output"]) / CACHE_FOLDER / SOURCES).unlink(missing_ok=True)
        with _progress(request["lines"]) as progress:
            result = build_shelf(
                Path(request["source"]),
                Path(request["output"]),
                quality=request["quality"],
                executor=lambda: kept.pool(request["jobs"]),
                progress=progress,
                warm=kept.warm(request["output"]),
            )
    except ShelfError as exc:
        return {"failure": str(exc)}
    except Exception as exc:  # noqa: BLE001 - a fault of ours costs this build; the next one may do without it
        traceback.print_exc()
        return {
            "failure": f"DocShelf failed: {type(exc).__name__}: {exc}; the log says where, please report it"
        }
    return {
        "release": result.published.manifest.release,
        "changed": result.published.changed,
        "lines": list(summary_lines(result)),
        "unreadable": any(finding.code == "unreadable" for finding in result.findings),
    }


class _WarmPool(WorkerPool):
    """A pool that one build after another may use; an exception ends it."""

    ended = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.ended = True
            self.stop()


class _Kept:
    """What one build leaves to the next: the pool, made when a build needs it, and what was read."""

    def __init__(self) -> None:
        self._pool: _WarmPool | None = None
        self._warm: dict[str, Warm] = {}

    def warm(self, output: str) -> Warm:
        """What builds into this folder have read."""
        return self._warm.setdefault(output, Warm(Path(output)))

    def pool(self, jobs: int) -> WorkerPool:
        """One that takes jobs."""
        if self._pool is None or self._pool.ended:
            self._pool = _WarmPool(jobs)
        return self._pool

    def close(self) -> None:
        """Ends the workers and forgets what was read."""
        if self._pool is not None:
            self._pool.stop()
        self._pool = None
        self._warm.clear()


@contextmanager
def _progress(lines: bool) -> Iterator[Progress]:
    if lines or sys.stderr.isatty():
        with show_progress(sys.stderr) as progress:
            yield progress
    else:
        yield _Silence()


class _Silence:
    """A later build in a log: what changed is said before, and the counts after it."""

    def begin(self, documents: int) -> None:
        """Nothing."""

    def document(self, source: str, pages: int) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""
