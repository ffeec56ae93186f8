"""What ends a wait: events of the kernel, signals, time."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from docshelf.build.watching.stopping import Stopping
from docshelf.build.watching.wakeups import Wakeups

LONG_S = 1000.0
"""Far above the time limit of a test: a wait that does not end early fails it."""


@pytest.fixture
def stopping() -> Iterator[Stopping]:
    with Stopping() as it:
        yield it


def test_a_change_between_the_beginning_and_the_wait_is_not_missed(
    tmp_path: Path, stopping: Stopping
) -> None:
    wakeups = Wakeups(stopping, poll=False)
    assert wakeups.follow(frozenset({tmp_path}))
    assert not wakeups.follow(frozenset({tmp_path}))
    (tmp_path / "a.pdf").write_bytes(b"x")
    wakeups.wait(LONG_S)
    wakeups.close()


def test_a_folder_that_went_meanwhile_means_look_again(tmp_path: Path, stopping: Stopping) -> None:
    wakeups = Wakeups(stopping, poll=False)
    assert wakeups.follow(frozenset({tmp_path / "gone"}))
    assert wakeups.follow(frozenset({tmp_path}))
    assert wakeups.follow(frozenset())
    assert not wakeups.follow(frozenset())


def test_a_poll_waits_for_nothing_but_time_and_signals(tmp_path: Path, stopping: Stopping) -> None:
    wakeups = Wakeups(stopping, poll=True)
    assert wakeups.polls
    assert not wakeups.follow(frozenset({tmp_path}))
    os.kill(os.getpid(), signal.SIGTERM)
    wakeups.wait(LONG_S)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_every_wait(number: int, tmp_path: Path, stopping: Stopping) -> None:
    reader, writer = os.pipe()
    wakeups = Wakeups(stopping, poll=False)
    wakeups.follow(frozenset({tmp_path}))
    Timer(0.2, os.kill, (os.getpid(), number)).start()
    assert stopping.wait_for(reader)
    wakeups.wait(LONG_S)
    assert stopping.wait(LONG_S)
    assert stopping.is_set()
    os.close(reader)
    os.close(writer)
    wakeups.close()


def test_a_file_that_can_be_read_ends_the_wait_for_it(stopping: Stopping) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"x")
    assert not stopping.wait_for(reader)
    os.close(reader)
    os.close(writer)


def test_afterwards_signals_do_what_they_did_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    with Stopping():
        assert signal.getsignal(signal.SIGINT) != before
    assert signal.getsignal(signal.SIGINT) == before


def test_where_the_kernel_gives_no_more_watches_the_folder_is_polled(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
    program = """
import resource, sys
from pathlib import Path
from docshelf.build.watching.stopping import Stopping
from docshelf.build.watching.wakeups import Wakeups
with Stopping() as stopping:
    wakeups = Wakeups(stopping, poll=False)
    # Without a free file number there is no inotify either: the error is of the same kind.
    resource.setrlimit(resource.RLIMIT_NOFILE, (7, 7))
    print(wakeups.follow(frozenset(map(Path, sys.argv[1:]))), wakeups.polls)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, folders)],
        env={"PYTHONPATH": str(Path(__file__).parents[1] / ".dev")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "False True\n"
    assert "looking every 1 s instead" in done.stderr
