"""One writer at a time: the output folder's lock, which says who holds it."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from docshelf.build.releasing.disk import make_folder, write_failed
from docshelf.serve.errors import BuildError
from docshelf.serve.printable import printable

LOCK_FILE = ".lock"
_NOTE_BYTES = 400


@contextmanager
def output_lock(output: Path) -> Iterator[None]:
    """Holds the output folder for one writer; makes it where it is missing.

    The kernel takes the lock away from a process that ends, however it ends, and no child inherits it: a
    lock is never stale, and the file may stay.

    Raises: BuildError where another process holds it (named with host and time) or the folder cannot be
        written.
    """
    try:
        make_folder(output / "releases")
        lock = os.open(output / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as exc:
        raise write_failed(output, exc) from exc
    try:
        with _locked(output, lock):
            yield
    finally:
        os.close(lock)


@contextmanager
def _locked(output: Path, lock: int) -> Iterator[None]:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as exc:
        raise BuildError(f"{output}: another build ({_holder(lock)}) writes here; wait for it") from exc
    except OSError as exc:
        raise write_failed(output, exc) from exc
    try:
        _sign(lock)
        yield
    finally:
        # A child that another thread is just starting has a copy of the file until its exec: closing ours
        # would leave the lock with it.
        fcntl.flock(lock, fcntl.LOCK_UN)


def _sign(lock: int) -> None:
    """Notes who holds the lock. A disk too full for the note is no reason to refuse a rollback."""
    since = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    note = f"process {os.getpid()} on {socket.gethostname()}, since {since}\n"
    with suppress(OSError):
        os.ftruncate(lock, 0)
        os.pwrite(lock, note.encode("utf-8", "replace"), 0)


def _holder(lock: int) -> str:
    note = os.pread(lock, _NOTE_BYTES, 0).decode("utf-8", "replace").strip()
    return printable(note) if note else "an unknown process"
