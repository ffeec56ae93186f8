import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from crash_points import REPOSITORY

from docshelf.build.releasing.lock import output_lock
from docshelf.serve.errors import BuildError

HOLD = """
import subprocess, sys, time
from pathlib import Path
from docshelf.build.releasing.lock import output_lock
with output_lock(Path(sys.argv[1])):
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    print(child.pid, flush=True)
    time.sleep(60)
"""


@contextmanager
def holder(site: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that holds the lock, and the id of a child that it started meanwhile."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(site)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev"), "PATH": os.environ["PATH"]},
    ) as process:
        assert process.stdout
        child = int(process.stdout.readline())
        try:
            yield process, child
        finally:
            process.kill()
            os.kill(child, signal.SIGKILL)


def test_a_second_builder_is_told_which_process_holds_the_folder_where_and_since_when(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, _), pytest.raises(BuildError) as caught, output_lock(tmp_path):
        pass
    expected = (
        rf"{re.escape(str(tmp_path))}: another build \(process {process.pid} on "
        rf"{re.escape(socket.gethostname())}, since [0-9-]{{10}} [0-9:]{{8}} UTC\) writes here; wait for it"
    )
    assert re.fullmatch(expected, str(caught.value))


def test_a_killed_holder_never_blocks_even_where_its_child_lives_on(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, child):
        process.kill()
        process.wait()
        os.kill(child, 0)
        with output_lock(tmp_path):
            pass


def test_a_lock_is_free_at_once_even_where_a_copy_of_its_file_is_open(tmp_path: Path) -> None:
    # As in a child that another thread of this process is just starting.
    with output_lock(tmp_path):
        (lock,) = [
            int(file.name)
            for file in Path("/proc/self/fd").iterdir()
            if os.path.realpath(file) == str(tmp_path / ".lock")
        ]
        copy = os.dup(lock)
    try:
        with output_lock(tmp_path):
            pass
    finally:
        os.close(copy)


def test_a_holder_that_could_not_sign_is_unknown(tmp_path: Path) -> None:
    with output_lock(tmp_path):
        (tmp_path / ".lock").write_bytes(b"")
        with pytest.raises(BuildError, match=r"another build \(an unknown process\)"), output_lock(tmp_path):
            pass


def test_a_note_in_the_lock_cannot_command_a_terminal(tmp_path: Path) -> None:
    with output_lock(tmp_path):
        (tmp_path / ".lock").write_bytes(b"\x1b]0;x\x07\n\xff")
        with pytest.raises(BuildError) as caught, output_lock(tmp_path):
            pass
    assert str(caught.value).isprintable()
