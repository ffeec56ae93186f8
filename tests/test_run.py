"""Starting and stopping a real server."""

import signal
import socket
from pathlib import Path

import pytest
from running_server import running_server, start_server
from small_shelf import CABLE_TEXT, write_small_shelf

from docshelf.serve.errors import ConfigError, ShelfDamaged, ShelfError
from docshelf.serve.run import ServeOptions, serve_site
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
        rest, errors = process.communicate(timeout=60)

    assert reply.text == CABLE_TEXT
    assert reply.header("server") == ""
    assert (process.returncode, rest, errors) == (0, "", "")


def test_requests_are_not_logged(site: Path) -> None:
    with start_server(site) as process:
        assert process.stdout is not None
        Client(process.stdout.readline().strip()).ask("GET", "fetch?path=what-people-ask")
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "")


def test_other_machines_are_let_in_only_on_purpose(site: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--token-file FILE, or --allow-anonymous"):
        serve_site(site, ServeOptions(host="0.0.0.0", port=0), never)

    assert "everybody who reaches 0.0.0.0 may read" in errors_of(site, host="0.0.0.0", allow_anonymous=True)
    tokens = tmp_path / "tokens"
    tokens.touch(0o600)
    tokens.write_text(f"anna {'a' * 32}\n")
    assert "tokens travel readable" in errors_of(site, host="0.0.0.0", token_file=tokens)


def errors_of(site: Path, **options: object) -> str:
    """What a server logs that is started and stopped."""
    with start_server(site, **options) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=60)[1]


def test_a_port_in_use_is_said_clearly(site: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(ShelfError, match=rf"127\.0\.0\.1:{port}: the port is in use"):
            serve_site(site, ServeOptions(port=port), never)


@pytest.mark.parametrize("host", ["203.0.113.1", "no.such.host.invalid"])
def test_an_address_that_is_not_ours_is_said_clearly(site: Path, host: str) -> None:
    with pytest.raises(ShelfError, match=host):
        serve_site(site, ServeOptions(host=host, port=0, allow_anonymous=True), never)


def test_a_folder_that_is_no_shelf_is_said_before_anything_listens(tmp_path: Path) -> None:
    with pytest.raises(ShelfDamaged, match="run docshelf build"):
        serve_site(tmp_path, ServeOptions(port=0), never)


def test_a_large_file_comes_whole_and_can_be_left_half_read(site: Path) -> None:
    with running_server(site) as url:
        port = int(url.rpartition(":")[2])
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", port)) as hasty:
                hasty.sendall(b"GET /sources/net/router.pdf HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                hasty.recv(1000)
        assert len(Client(url).get("sources/net/router.pdf").body) == 512 * 1024 + 9


def test_a_path_that_leads_out_in_its_raw_form_is_refused(site: Path) -> None:
    with running_server(site) as url:
        for target in (b"/../shelf.json", b"/docs/../../x", b"//etc/passwd", "/docs/Глава.md".encode()):
            assert raw_status(url, b"GET " + target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n") in (b"400", b"404")


def raw_status(url: str, head: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=60) as connection:
        connection.sendall(head + b"Connection: close\r\n\r\n")
        return connection.recv(4096).split(b" ", 2)[1]
