"""`docshelf watch`: builds, serves, and builds again whenever the source folder changes."""

import time
from collections.abc import Callable
from contextlib import closing

from docshelf.build.planning.walking import refuse_wide_folder
from docshelf.build.watching.builder import Builder, Order, Outcome
from docshelf.build.watching.folder_state import FolderState, look_at
from docshelf.build.watching.rehashing import Rehashing
from docshelf.build.watching.settling import Settling, looks_half_written
from docshelf.build.watching.stopping import Stopping
from docshelf.build.watching.wakeups import Wakeups
from docshelf.serve.live.server import LiveServer, live_server
from docshelf.serve.printable import printable
from docshelf.serve.run import ServeOptions

_LOOK_SHARE, _IDLE_SHARE = 2, 20
"""The pause after a look, at least so many times the look: large folders on slow mounts take seconds."""
_RETRY_S, _RETRY_MOST_S = 2.0, 600.0
_NAMES = 5


def watch_shelf(
    order: Order,
    options: ServeOptions,
    *,
    poll: bool,
    say: Callable[[str], None],
    done: Callable[[str], None],
) -> None:
    """Builds and serves until SIGINT or SIGTERM.

    The release that is there is served at once, before the first build ends. `say` gets lines for a person,
    `done` the name of each new release.

    Raises: BuildError where the source folder is none; ConfigError where the options are wrong or not safe;
        ShelfError where the address cannot be had. What goes wrong later is said, and shown on open pages.
    """
    refuse_wide_folder(order.source)
    with (
        Stopping() as stopping,
        live_server(order.output, options) as server,
        Builder(order, stopping) as builder,
        closing(Wakeups(stopping, poll=poll)) as wakeups,
    ):
        models = f"for models: {server.url}/mcp"
        say(f"watching {order.source}, serving {order.output} at {server.url}/ ({models}); Ctrl-C ends it")
        _Watch(order, builder, server, stopping, say, done).go_on(wakeups)


class _Watch:
    """One watch, from its start to its end."""

    def __init__(
        self,
        order: Order,
        builder: Builder,
        server: LiveServer,
        stopping: Stopping,
        say: Callable[[str], None],
        done: Callable[[str], None],
    ) -> None:
        self._order = order
        self._builder = builder
        self._server = server
        self._stopping = stopping
        self._say = say
        self._done = done
        self._built: FolderState | None = None
        self._retry = _Retry()
        self._last = Outcome()

    def go_on(self, wakeups: Wakeups) -> None:
        """Returns when it is to stop."""
        settling, rehashing, anew = Settling(looks_half_written), Rehashing(), False
        while not self._stopping.is_set():
            self._server.check()
            begun_s = time.monotonic()
            state = look_at(self._order.source, self._order.output, rehashing.edits)
            if wakeups.follow(state.folders):
                continue
            if wakeups.polls and rehashing.go_on(state, begun_s):
                anew = True
                continue
            verdict = settling.judge(state, self._built, begun_s)
            took_s = time.monotonic() - begun_s
            if verdict == "settled" or (verdict == "same" and self._retry.is_due(begun_s)):
                self._build(state, anew=anew)
                anew = False
            elif verdict == "moving":
                self._stopping.wait(max(settling.pause_s(begun_s), _LOOK_SHARE * took_s))
            else:
                wakeups.wait(_IDLE_SHARE * took_s)

    def _build(self, state: FolderState, *, anew: bool) -> None:
        is_first = self._built is None
        changed = set() if self._built is None else state.differing(self._built)
        self._tell_changes(changed)
        outcome = self._builder.build(anew=anew)
        if outcome is None:
            return
        self._built = state
        self._retry.note(outcome, time.monotonic())
        if outcome.failure:
            self._tell_failure(outcome.failure)
        elif outcome.changed or changed or is_first:
            self._tell_counts(outcome)
        self._last = outcome
        self._server.tell(outcome.failure)

    def _tell_changes(self, paths: set[str]) -> None:
        names = sorted(paths)
        if names:
            more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
            self._say(f"changed: {', '.join(map(printable, names[:_NAMES]))}{more}")

    def _tell_failure(self, failure: str) -> None:
        if failure != self._last.failure:
            self._say(f"the build failed, the shelf stays as it was:\n{failure}")

    def _tell_counts(self, outcome: Outcome) -> None:
        for line in outcome.lines:
            # A file that is refused is named below its count, once and not with every save.
            if not (line.startswith(" ") and line in self._last.lines):
                self._say(line)
        if outcome.changed:
            self._done(outcome.release)


class _Retry:
    """When to build again although nothing changed: what failed may be a matter of time (a lock, a disk)."""

    def __init__(self) -> None:
        self._pause_s = _RETRY_S
        self._at_s: float | None = None

    def note(self, outcome: Outcome, now_s: float) -> None:
        """Takes the outcome of a build that ended at `now_s`."""
        if not (outcome.failure or outcome.unreadable):
            self._at_s, self._pause_s = None, _RETRY_S
        else:
            self._at_s = now_s + self._pause_s
            self._pause_s = min(2 * self._pause_s, _RETRY_MOST_S)

    def is_due(self, now_s: float) -> bool:
        """Whether it is time."""
        return self._at_s is not None and now_s >= self._at_s
