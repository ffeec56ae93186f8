"""What signals mean to a server: SIGTERM ends it in order, SIGHUP has it read again what its keeper changed."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Inside the `with` block SIGTERM is what Ctrl-C is, KeyboardInterrupt, so that all that is open gets closed.

    Without effect in any thread but the main one, to which signals belong.
    """
    if not in_main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def in_main_thread() -> bool:
    """Whether this is the thread that signals belong to."""
    return threading.current_thread() is threading.main_thread()


def has_terminal() -> bool:
    """Whether the process belongs to a terminal. One that is closed sends SIGHUP, too, and is gone by then."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
