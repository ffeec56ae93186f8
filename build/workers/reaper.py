"""The process above a worker: it outlives worker and build, and ends whatever the worker started.

A library may start helpers of its own (marker its model servers), and those may open a session of their own
and drop their environment. Linux hands them to the nearest "subreaper" once their parent is gone
(prctl(2), PR_SET_CHILD_SUBREAPER): that is this process, so none is lost. It imports no library and runs no
job, so that nothing a document does can stop it.
"""

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

_SET_DEATH_SIGNAL, _SET_SUBREAPER = 1, 36
"""Numbers of prctl(2) options."""


def go_on_below_reaper(parent: int) -> None:
    """Forks; returns in the child, the worker, and never in the process that was there before, its reaper.

    The reaper ends the worker with all it started when it gets SIGTERM, when the thread that started it
    ends, killed or not, and when the worker ends by itself. It then ends as the worker did, by the same
    signal or exit status. `parent` is the process that started the reaper; where that is gone already,
    both end at once. Nothing but the main thread may run, and no library may have been imported.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, the kernel keeps no status
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    _prctl(_SET_SUBREAPER, 1)
    die_with(parent, signal.SIGTERM)
    reaper = os.getpid()
    worker = os.fork()
    if worker:
        os.closerange(0, 2)  # the pipes of the protocol end with the worker; stderr stays for our own faults
        _watch(worker)
    os.setsid()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM})
    die_with(reaper, signal.SIGKILL)


def _watch(worker: int) -> NoReturn:
    ended: int | None = None
    while ended is None:
        if signal.sigwait({signal.SIGCHLD, signal.SIGTERM}) == signal.SIGTERM:
            ended = -signal.SIGTERM
        for number, status in _reaped():
            if number == worker:
                ended = status
    _end_children()
    _end_as(ended)


def _reaped() -> Iterator[tuple[int, int]]:
    """Process id and exit status (or minus the signal) of each child that has ended."""
    with suppress(ChildProcessError):
        while True:
            number, status = os.waitpid(-1, os.WNOHANG)
            if not number:
                return
            yield number, os.waitstatus_to_exitcode(status)


def _end_children() -> None:
    """Kills children until there are none; those of a killed child become our own."""
    with suppress(ChildProcessError):
        while True:
            for child in _children():
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> Iterator[int]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            # The name, in brackets, may hold anything; state and parent follow it (proc(5)).
            parent = file.read_bytes().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                yield int(file.parent.name)


def _end_as(status: int) -> NoReturn:
    if status < 0:
        with suppress(OSError):  # SIGKILL has no handler to be put back
            signal.signal(-status, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-status})
        os.kill(os.getpid(), -status)
    os._exit(max(status, 0))


def die_with(parent: int, by: signal.Signals) -> None:
    """Ties this process to the thread that started it."""
    _prctl(_SET_DEATH_SIGNAL, by)
    if os.getppid() != parent:  # it went before the signal was asked for
        os._exit(0)


def _prctl(option: int, value: int) -> None:
    numbers = [ctypes.c_ulong(number) for number in (value, 0, 0, 0)]
    if ctypes.CDLL(None, use_errno=True).prctl(option, *numbers):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "prctl")
