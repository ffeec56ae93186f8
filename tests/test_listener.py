"""How many connections a process may hold, and how it ends. Taking them is tested with real sockets in test_connections and test_tls."""

import resource
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docshelf.serve.http.listener import connections_possible, let_nobody_in

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
from docshelf.serve.http.listener import connections_possible
print(connections_possible(1000), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "expected"),
    [(256, 4096, "1000 1128 4096"), (2048, 4096, "1000 2048 4096"), (256, 600, "472 600 600")],
)
def test_the_limit_of_open_files_is_raised_as_far_as_may_be(soft: int, hard: int, expected: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED, str(soft), str(hard)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).resolve().parent.parent / ".dev")},
    )
    assert run.stdout.strip() == expected
    assert ("no more than 472 connections" in run.stderr) == (hard == 600)


def test_enough_files_leave_the_limit_alone() -> None:
    before: Any = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert connections_possible(1) == 1
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_a_listener_that_ends_keeps_those_that_wait_and_lets_nobody_in() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket() as waits,
        socket.socket() as late,
    ):
        waits.connect(listener.getsockname())
        let_nobody_in(listener)
        late.settimeout(0.3)
        with pytest.raises(TimeoutError):
            late.connect(listener.getsockname())
        taken, address = listener.accept()
        with taken:
            assert address == waits.getsockname()
            waits.sendall(b"GET / HTTP/1.1\r\n")
            assert taken.recv(100) == b"GET / HTTP/1.1\r\n"
