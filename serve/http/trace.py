"""The trace: one JSON line for every call, in `DIR/YYYY-MM-DD.jsonl`, for several processes at once.

It says what was read, never what was asked: no query, no text of a document, no token, and no path but those
that stand on the shelf. Requests never wait for it.
"""

import hashlib
import json
import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from docshelf.serve.errors import ConfigError, NotOnShelf, ShelfDamaged
from docshelf.serve.http.calls import Call
from docshelf.serve.releases.tree import Releases

PathStyle = Literal["plain", "hash"]
"""How a trace writes paths."""

_HASH_DIGITS = 16
_WAITING = 10_000
_CLOSE_S = 5.0
_COMPLAIN_S = 60.0

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request from outside: when, by whom, with what end."""

    id: str
    began_s: float
    """Seconds since 1970."""
    took_ms: float
    token: str
    """Name of the token; "" where none was asked for or none fitted."""
    tool: str
    """What the address stands for; counts where nothing noted a call."""
    status: int
    size_bytes: int
    """What was sent of the answer's body."""


def trace_line(visit: Visit, call: Call, sha256: str | None, style: PathStyle, *, alone: bool) -> bytes:
    """The line of one call, with its newline.

    `alone` says that the request held no other: then bytes are those that were sent.
    """
    at = datetime.fromtimestamp(visit.began_s, UTC)
    path = call.path or None
    if path is not None and style == "hash":
        path = hashlib.sha256(path.encode()).hexdigest()[:_HASH_DIGITS]
    record = {
        "time": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z",
        "id": visit.id,
        "token": visit.token or None,
        "tool": call.tool,
        "path": path,
        "sha256": sha256,
        "bytes": visit.size_bytes if alone else call.size_bytes,
        "ms": round(visit.took_ms, 2),
        "status": call.status or visit.status,
        "release": call.release or None,
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def check_trace_folder(folder: Path, site: Path) -> None:
    """Makes `folder` where it is missing, and sees that it can be written and is none of a shelf's folders.

    Raises: ConfigError.
    """
    real = folder.resolve()
    shelves = (site.resolve(), (site / "current").resolve())
    for above in (real, *real.parents):
        if above in shelves or any((above / name).exists() for name in ("shelf.json", "current/shelf.json")):
            raise ConfigError(
                [f"--trace {folder}: lies in the site {above}, which is published; name another"]
            )
        if (above / ".docshelf.json").exists():
            raise ConfigError([f"--trace {folder}: lies in the source folder {above}; name another"])
    try:
        real.mkdir(mode=0o750, parents=True, exist_ok=True)
        os.close(_open_day(real, time.time()))
    except OSError as exc:
        raise ConfigError([f"--trace {folder}: cannot be written ({exc.strerror}); name another"]) from exc


class TraceLog:
    """Writes lines in a thread of its own; a slow or full disk loses lines, never answers."""

    def __init__(
        self, folder: Path, site: Releases, style: PathStyle = "plain", clock: Callable[[], float] = time.time
    ) -> None:
        """`folder` has been seen by `check_trace_folder`; `site` tells the hashes of what was read."""
        self._folder = folder.resolve()
        self._site = site
        self._style: PathStyle = style
        self._clock = clock
        self._waiting: queue.Queue[tuple[Visit, Sequence[Call]] | None] = queue.Queue(_WAITING)
        self._lost = 0
        self._lost_lock = threading.Lock()
        self._complained_s = 0.0
        self._torn = False
        self._thread = threading.Thread(target=self._work, name="trace", daemon=True)
        self._thread.start()

    def add(self, visit: Visit, calls: Sequence[Call]) -> None:
        """Takes a request with what it read; it is lost where 10,000 wait already."""
        try:
            self._waiting.put_nowait((visit, calls))
        except queue.Full:
            self._lose("the disk is too slow")

    def close(self) -> None:
        """Writes what waits, 5 s at most."""
        try:
            self._waiting.put(None, timeout=_CLOSE_S)
        except queue.Full:
            return
        self._thread.join(_CLOSE_S)

    def _work(self) -> None:
        while (taken := self._waiting.get()) is not None:
            visit, calls = taken
            for call in calls or (Call(visit.tool),):
                line = trace_line(visit, call, self._sha256(call), self._style, alone=len(calls) < 2)
                try:
                    self._write(line)
                except OSError as exc:
                    self._lose(exc.strerror or str(exc))

    def _sha256(self, call: Call) -> str | None:
        """Of the file that was read; None where there was none, or its release is gone by now."""
        try:
            row = self._site.release(call.release).files.get(call.path) if call.path else None
        except (NotOnShelf, ShelfDamaged):
            return None
        return None if row is None else row.sha256

    def _write(self, line: bytes) -> None:
        lost = self._lost
        if lost:
            line = b'{"lost":%d}\n' % lost + line
        if self._torn:
            line = b"\n" + line
        descriptor = _open_day(self._folder, self._clock())
        try:
            written = os.write(descriptor, line)
        finally:
            os.close(descriptor)
        if written < len(line):
            self._torn = True
            raise OSError(0, "the disk is full")
        self._torn = False
        if lost:
            with self._lost_lock:
                self._lost -= lost
            _logger.warning("the trace is written again; lines lost: %d", lost)

    def _lose(self, reason: str) -> None:
        """Counts a line; says so once a minute."""
        with self._lost_lock:
            self._lost += 1
        now_s = self._clock()
        if now_s - self._complained_s >= _COMPLAIN_S:
            self._complained_s = now_s
            _logger.error("%s: trace lines are lost (%s); answers go on", self._folder, reason)


def _open_day(folder: Path, now_s: float) -> int:
    """The file of the day (UTC), to add to: every write lands whole at the end, whoever else writes."""
    name = f"{datetime.fromtimestamp(now_s, UTC):%Y-%m-%d}.jsonl"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.open(folder / name, flags, 0o640)
