"""Connections that would be held: real sockets that send half, nothing, too much, or do not read."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_http import connect, get, parse, read_all
from running_server import running_server
from small_shelf import write_small_shelf

from docshelf.serve.http.connections import ConnectionLimits

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = b"GET /sources/net/router.pdf HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site folder that no test changes."""
    folder = tmp_path_factory.mktemp("site")
    write_small_shelf(folder)
    return folder


@pytest.fixture(scope="module")
def hasty(site: Path) -> Iterator[str]:
    """A server that waits for nobody."""
    limits = ConnectionLimits(
        head_s=0.4, body_s=0.5, write_s=0.5, idle_s=1, body_bytes=100_000, connections=40
    )
    with running_server(site, limits=limits) as url:
        yield url


@pytest.fixture(scope="module")
def patient(site: Path) -> Iterator[str]:
    """A server that waits for slow clients, though not for ever."""
    with running_server(site, limits=ConnectionLimits(head_s=20, idle_s=20, connections=40)) as url:
        yield url


def closed_after_s(connection: socket.socket, began_s: float | None = None) -> float:
    """How long the other side takes to close, from then or from now; more than 30 s is an error."""
    began_s = time.monotonic() if began_s is None else began_s
    connection.settimeout(30)
    read_all(connection)
    return time.monotonic() - began_s


@pytest.mark.parametrize(
    ("before", "sent"),
    [
        (0, b""),
        (0, b"G"),
        (0, b"GET / HTT"),
        (0, b"\r\n\r\n"),
        (1, b"G"),
        (1, b"\r\n"),
        (1, b"GET / HTTP/1.1\r\nHost: x\r\n"),
        (1, b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 4000),
    ],
)
def test_a_head_that_does_not_come_is_not_waited_for(hasty: str, sent: bytes, before: int) -> None:
    # The server's time may begin before a slow client can look at the clock.
    began_s = time.monotonic()
    with connect(hasty) as slow:
        for _ in range(before):
            began_s = time.monotonic()
            slow.sendall(HEAD)
            answer_on(slow)
        slow.sendall(sent)
        assert 0.2 < closed_after_s(slow, began_s) < 15


def test_a_head_that_comes_drop_by_drop_is_not_waited_for(hasty: str) -> None:
    with connect(hasty) as slow:
        began_s = time.monotonic()
        with pytest.raises(OSError):
            for _ in range(80):
                slow.sendall(b"X")
                time.sleep(0.1)
        assert time.monotonic() - began_s < 15


@pytest.mark.parametrize(
    "head",
    [
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ],
)
def test_a_body_that_does_not_come_is_not_waited_for(hasty: str, head: bytes) -> None:
    with connect(hasty) as slow:
        slow.sendall(head)
        assert closed_after_s(slow) < 15


def test_a_body_that_nobody_reads_is_not_taken_for_ever(hasty: str) -> None:
    with connect(hasty) as endless:
        endless.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n")
        with pytest.raises(OSError):
            for _ in range(10_000):
                endless.sendall(b"x" * 10_000)


def test_a_client_that_does_not_read_is_not_waited_for(hasty: str) -> None:
    with connect(hasty) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.sendall(LARGE * 40)
        time.sleep(4)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024 * 1024)
        deaf.settimeout(30)
        assert len(read_all(deaf)) < 40 * 512 * 1024


def test_a_client_that_never_reads_a_small_answer_is_not_waited_for(hasty: str) -> None:
    with connect(hasty) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.sendall(HEAD * 20)
        time.sleep(4)
        deaf.settimeout(30)
        read_all(deaf)
        with pytest.raises(OSError):
            for _ in range(20):
                deaf.sendall(HEAD)
                time.sleep(0.05)


def answer_on(connection: socket.socket) -> bytes:
    """The whole answer to HEAD."""
    received = b""
    while not received.endswith(b"}"):
        data = connection.recv(65536)
        assert data, "closed"
        received += data
    return received


def test_a_connection_that_asks_in_time_is_kept(site: Path) -> None:
    with (
        running_server(site, limits=ConnectionLimits(idle_s=4)) as url,
        connect(url) as asking,
    ):
        for _ in range(5):
            asking.sendall(HEAD)
            assert b"HTTP/1.1 200" in answer_on(asking)
            time.sleep(1)
        assert closed_after_s(asking) < 15


def test_requests_one_behind_another_are_all_answered(patient: str) -> None:
    with connect(patient) as eager:
        eager.sendall(HEAD * 9 + HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert read_all(eager).count(b'{"status": "ok"') == 10


@pytest.mark.parametrize("rest", ["x" * 40_000, "y\r\nX: " * 9000])
def test_a_head_without_end_is_answered_and_closed(patient: str, rest: str) -> None:
    with connect(patient) as endless:
        endless.sendall(f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {rest}".encode())
        reply = parse(read_all(endless))
    assert (reply.status, reply.header("connection")) == (431, "close")


def test_who_waits_gives_way_to_who_asks(site: Path) -> None:
    limits = ConnectionLimits(head_s=5, idle_s=20, connections=40)
    with running_server(site, limits=limits) as url, connect(url) as asking:
        asking.sendall(HEAD)
        answer_on(asking)
        waiting = [connect(url) for _ in range(200)]
        for connection in waiting:
            connection.sendall(b"GET / HT")
        assert get(url, "/healthz").status == 200
        asking.sendall(HEAD)
        assert b"HTTP/1.1 200" in answer_on(asking)
        for connection in waiting:
            assert closed_after_s(connection) < 30
            connection.close()


def test_a_client_that_reads_slowly_gets_all(site: Path) -> None:
    limits = ConnectionLimits(write_s=3, idle_s=2)
    with running_server(site, limits=limits) as url, connect(url) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        slow.sendall(LARGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        received = bytearray()
        while data := slow.recv(8192):
            received += data
            time.sleep(0.01)
        assert len(parse(bytes(received)).body) == 512 * 1024 + 9
