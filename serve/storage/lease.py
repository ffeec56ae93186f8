"""One publisher at a time: a lock in the bucket, held by conditional writes.

The lock names its holder and when it ends; the holder puts the end off while it works. A lock is stale when
its end has passed, or when its holder was a process of this very machine and is no more: a publish that was
killed does not make the next one wait. It is never deleted, only marked as free, because no storage deletes
under a condition. Clocks of machines that publish to one place should agree within minutes.
"""

import json
import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from docshelf.serve.errors import StorageError
from docshelf.serve.media import JSON
from docshelf.serve.printable import printable
from docshelf.serve.storage.bucket import Bucket, Headers
from docshelf.serve.storage.state import OWN_FOLDER

LOCK_FILE = f"{OWN_FOLDER}/lock.json"
LEASE_S = 300
"""How long a lock holds without being put off."""
_RENEW_S = 60
_FAR_S = 86_400
"""No lock ends so late; storages refuse requests of machines whose clocks are wrong by a quarter of an hour."""
_HEADERS = Headers(JSON, "no-store")
_ATTEMPTS = 3
_NO_CONDITIONS = (
    "the storage puts an object where one is, though told not to (If-None-Match), so no lock holds there; "
    "publish to a storage that knows conditional writes"
)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock."""

    nonce: str
    """Differs for every publish."""
    who: str
    """For people."""
    machine: str
    """Boot and process namespace; "" where the kernel does not tell."""
    process: int
    started: str
    """When the process began, in ticks since the machine's start."""
    ends_s: float
    """Seconds since 1970; 0 is free."""


class Lease:
    """A lock that is held. Safe between threads."""

    def __init__(self, bucket: Bucket, holder: Holder, etag: str, clock: Callable[[], float]) -> None:
        self._bucket = bucket
        self._holder = holder
        self._etag = etag
        self._clock = clock
        self._problem = ""
        self._lock = threading.Lock()

    def check(self) -> None:
        """Returns while the lock is held.

        Raises: StorageError where it was lost.
        """
        if self._problem or self._clock() >= self._holder.ends_s:
            raise StorageError(f"{self._bucket.location}: the lock was lost{self._problem}; publish again")

    def put_off(self) -> None:
        """Moves the end of the lock."""
        self._write(self._clock() + LEASE_S)

    def free(self) -> None:
        """Gives the lock back where it is still held."""
        if not self._problem:
            self._write(0)

    def _write(self, ends_s: float) -> None:
        with self._lock:
            holder = replace(self._holder, ends_s=ends_s)
            try:
                etag = self._bucket.replace(LOCK_FILE, _content(holder), _HEADERS, self._etag)
                if etag is None:
                    etag = _our_etag(self._bucket, holder)
            except StorageError:
                return  # the lock still holds until its end; the next turn tries again
            if etag is None:
                self._problem = " to another publish"
                return
            self._holder, self._etag = holder, etag


def _our_etag(bucket: Bucket, holder: Holder) -> str | None:
    """The ETag of the lock where `holder` holds it; None where another one does.

    The answer to a request may be lost: the client asks again then, and is told that the lock was changed.

    Raises: StorageError.
    """
    found = bucket.get(LOCK_FILE)
    return found[1] if found is not None and _read(found[0]) == holder else None


@contextmanager
def publish_lock(bucket: Bucket, clock: Callable[[], float]) -> Iterator[Lease]:
    """Holds the lock of the bucket's location; a thread puts its end off.

    Raises: StorageError where another publish holds it, named with its machine and time.
    """
    lease = _taken(bucket, clock)
    done = threading.Event()

    def keep_on() -> None:
        while not done.wait(_RENEW_S):
            lease.put_off()

    keeper = threading.Thread(target=keep_on, daemon=True)
    keeper.start()
    try:
        yield lease
    finally:
        done.set()
        keeper.join()
        lease.free()


def _taken(bucket: Bucket, clock: Callable[[], float]) -> Lease:
    """Raises: StorageError."""
    holder = _this_process(clock())
    content = _content(holder)
    for _ in range(_ATTEMPTS):
        etag = bucket.create(LOCK_FILE, content, _HEADERS) or _our_etag(bucket, holder)
        if etag is None:
            found = bucket.get(LOCK_FILE)
            if found is None:
                continue
            other = _read(found[0])
            if other is not None and not _is_stale(other, clock(), holder):
                raise StorageError(_held(bucket, other))
            etag = bucket.replace(LOCK_FILE, content, _HEADERS, found[1]) or _our_etag(bucket, holder)
        if etag is not None:
            lease = Lease(bucket, holder, etag, clock)
            if bucket.create(LOCK_FILE, content, _HEADERS) is None:
                return lease
            lease.free()
            raise StorageError(f"{bucket.location}: {_NO_CONDITIONS}")
    raise StorageError(f"{bucket.location}: another publish takes the lock at the same time; try again")


def _held(bucket: Bucket, other: Holder) -> str:
    until = datetime.fromtimestamp(other.ends_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return (
        f"{bucket.location}: another publish ({printable(other.who)}) holds it until {until}; wait for it, or "
        f"delete {LOCK_FILE} if you know that it is gone"
    )


def _is_stale(other: Holder, now_s: float, ours: Holder) -> bool:
    if not now_s < other.ends_s < now_s + _FAR_S:
        return True
    here = other.machine == ours.machine and other.machine != ""
    return here and _started(other.process) != other.started


def _this_process(now_s: float) -> Holder:
    process = os.getpid()
    return Holder(
        nonce=secrets.token_hex(16),
        who=f"process {process} on {socket.gethostname()}",
        machine=_machine(),
        process=process,
        started=_started(process),
        ends_s=now_s + LEASE_S,
    )


def _machine() -> str:
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    return ""


def _started(process: int) -> str:
    """When a process began; "" where there is none, or only what is left of one that ended."""
    with suppress(OSError, ValueError, IndexError):
        # The name in brackets may hold anything, also brackets.
        state, *facts = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return "" if state in "ZX" else facts[18]
    return ""


def _content(holder: Holder) -> bytes:
    return json.dumps(asdict(holder)).encode()


def _read(content: bytes) -> Holder | None:
    """None where it is no lock, which nobody can hold."""
    try:
        values = json.loads(content)
        return Holder(
            nonce=str(values["nonce"]),
            who=str(values["who"]),
            machine=str(values["machine"]),
            process=int(values["process"]),
            started=str(values["started"]),
            ends_s=float(values["ends_s"]),
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
