"""Starting and stopping a real server."""

import signal
import socket
import time
from pathlib import Path

import pytest
from running_server import running_server, start_server
from small_shelf import CABLE_TEXT, write_small_shelf

from docshelf.serve.errors import ShelfDamaged, ShelfError
from docshelf.serve.run import serve_site
from docshelf.serve.smoke_client import Client


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    write_small_shelf(tmp_path)
    return tmp_path


def never(url: str) -> None:
    raise AssertionError(f"listens at {url}")


def test_a_server_says_where_it_listens_and_ends_in_order(site: Path) -> None:
    with start_server(site) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        reply = Client(url).get("docs/net/cable.md")
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=20)

    assert reply.text == CABLE_TEXT
    assert reply.header("server") == ""
    assert (process.returncode, rest, errors) == (0, "", "")


def test_requests_are_not_logged(site: Path) -> None:
    with start_server(site) as process:
        assert process.stdout is not None
        Client(process.stdout.readline().strip()).ask("GET", "fetch?path=what-people-ask")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == ("", "")


def test_an_open_host_is_warned_about(site: Path) -> None:
    with start_server(site, "0.0.0.0") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)

    assert "0.0.0.0 is open to the network" in errors


def test_a_port_in_use_is_said_clearly(site: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(ShelfError, match=rf"127\.0\.0\.1:{port}: the port is in use"):
            serve_site(site, "127.0.0.1", port, never)


@pytest.mark.parametrize("host", ["203.0.113.1", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_said_clearly(site: Path, host: str) -> None:
    with pytest.raises(ShelfError, match=host):
        serve_site(site, host, 0, never)


def test_a_folder_that_is_no_shelf_is_said_before_anything_listens(tmp_path: Path) -> None:
    with pytest.raises(ShelfDamaged, match="run docshelf build"):
        serve_site(tmp_path, "127.0.0.1", 0, never)


def test_a_large_file_comes_whole_and_can_be_left_half_read(site: Path) -> None:
    with running_server(site) as url:
        port = int(url.rpartition(":")[2])
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port)) as hasty:
                hasty.sendall(b"GET /sources/net/router.pdf HTTP/1.1\r\nHost: x\r\n\r\n")
                hasty.recv(1000)
        assert len(Client(url).get("sources/net/router.pdf").body) == 512 * 1024 + 9


def test_a_path_that_leads_out_in_its_raw_form_is_refused(site: Path) -> None:
    with running_server(site) as url:
        for target in (b"/../shelf.json", b"/docs/../../x", b"//etc/passwd", "/docs/Глава.md".encode()):
            assert raw_status(url, b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n") in (b"400", b"404")


def raw_status(url: str, head: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=10) as connection:
        connection.sendall(head + b"Connection: close\r\n\r\n")
        return connection.recv(4096).split(b" ", 2)[1]


@pytest.mark.parametrize(
    ("before", "sent"), [(0, b""), (0, b"GET / HTT"), (1, b"G"), (1, b"GET / HTTP/1.1\r\nHost: x\r\n")]
)
def test_a_head_that_does_not_come_is_not_waited_for(site: Path, sent: bytes, before: int) -> None:
    with running_server(site, head_timeout_s=0.3) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            for _ in range(before):
                slow.sendall(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                slow.recv(4096)
            slow.sendall(sent)
            began = time.monotonic()
            assert slow.recv(4096) == b""
            assert 0.2 < time.monotonic() - began < 5


def test_a_connection_that_asks_in_time_is_kept(site: Path) -> None:
    with running_server(site, head_timeout_s=0.3) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as slow:
            for _ in range(3):
                slow.sendall(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                assert slow.recv(4096).startswith(b"HTTP/1.1 200")
                time.sleep(0.4)
