"""What ends the wait of an idle watch: an event of the kernel, or time where there are no events."""

import logging
from pathlib import Path

from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from docshelf.build.watching.stopping import Stopping

IDLE_S = 5.0
"""How often a folder is looked at without an event: events may be lost, and a folder that was removed and
made anew sends none."""
POLL_S = 1.0
"""How often a folder without events is looked at."""
_STEP_MS, _DEBOUNCE_MS = 10, 50
"""watchfiles looks for events so often, and gives them once none came in one step or the time is over."""

_logger = logging.getLogger(__name__)


class Wakeups:
    """Waits for changes in a set of folders, each without those below it."""

    def __init__(self, stopping: Stopping, *, poll: bool) -> None:
        self._stopping = stopping
        self._poll = poll
        self._folders: frozenset[Path] = frozenset()
        self._events: RustNotify | None = None

    @property
    def polls(self) -> bool:
        """Whether nothing but time ends a wait."""
        return self._poll

    def follow(self, folders: frozenset[Path]) -> bool:
        """Waits for these from now on; True where they were others before: what happened just now is unknown."""
        if self._poll or folders == self._folders:
            return False
        self.close()
        if not folders:
            return True
        try:
            # The class behind watchfiles.watch, which listens only once it is asked for the first time:
            # what happens before that would be missed.
            self._events = RustNotify([str(it) for it in sorted(folders)], False, False, 0, False, True)
        except FileNotFoundError:
            return True  # one went meanwhile: look again
        except (OSError, WatchfilesRustInternalError) as exc:
            _logger.warning("the kernel sends no events (%s); looking every %g s instead", exc, POLL_S)
            self._poll = True
            return False
        self._folders = folders
        return True

    def wait(self, least_s: float) -> None:
        """Returns after an event or a signal, and after some seconds without, never less than `least_s`."""
        if self._events is None:
            self._stopping.wait(max(POLL_S, least_s))
        else:
            timeout_ms = int(1000 * max(IDLE_S, least_s))
            self._events.watch(_DEBOUNCE_MS, _STEP_MS, timeout_ms, self._stopping)

    def close(self) -> None:
        """Watches nothing any more."""
        if self._events is not None:
            self._events.close()
        self._events, self._folders = None, frozenset()
