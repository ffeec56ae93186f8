"""SIGINT and SIGTERM as a fact that waits can see, not as an exception at any moment."""

import os
import select
import signal
from types import FrameType, TracebackType
from typing import Self

_STOPPING = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """While the `with` block runs, SIGINT and SIGTERM only set this; for the main thread.

    A pipe and no threading.Event: setting one from a signal handler can meet its own lock and wait for ever.
    """

    def __init__(self) -> None:
        self._set = False
        self._reader, self._writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def is_set(self) -> bool:
        """Whether a signal has come."""
        return self._set

    def wait(self, time_s: float) -> bool:
        """Waits for a signal, `time_s` at most; whether one has come."""
        return self.wait_for(None, time_s)

    def wait_for(self, file: int | None, time_s: float | None = None) -> bool:
        """Waits until `file` can be read or a signal comes; whether one has come."""
        poll = select.poll()
        for number in (self._reader, file):
            if number is not None:
                poll.register(number, select.POLLIN)
        poll.poll(None if time_s is None else 1000 * time_s)
        return self._set

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._hear) for number in _STOPPING}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self._reader)
        os.close(self._writer)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if not self._set:
            self._set = True
            os.write(self._writer, b"!")
