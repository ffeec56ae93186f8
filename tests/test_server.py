"""A real server that is told to end or to read again while it is busy."""

import contextlib
import os
import pty
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from certificates import Keys, make_keys
from raw_http import ask, connect, get, parse, read_all
from running_server import REPOSITORY, start_server
from small_shelf import CABLE, CABLE_TEXT, write_small_shelf

LARGE = "sources/net/large.pdf"
LARGE_BYTES = b"%PDF-1.7\n" + bytes(24 * 1024 * 1024)
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
ANNA, BORIS = "anna-token-6f1d2c3b4a596877", "boris-token-6f1d2c3b4a596877"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a file that no socket buffer holds."""
    folder = tmp_path_factory.mktemp("site")
    write_small_shelf(folder, extra={LARGE: LARGE_BYTES})
    return folder


def address_of(process: subprocess.Popen[str]) -> str:
    """Where a server that was just started listens."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def half_read(url: str) -> tuple[socket.socket, bytes]:
    """A download of the large file that has begun and goes no further."""
    connection = connect(url)
    connection.sendall(f"GET /{LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return connection, connection.recv(1000)


def is_refused(url: str) -> bool:
    """Whether nothing listens at the address any more."""
    with contextlib.suppress(OSError), connect(url):
        return False
    return True


def wait_until_refused(url: str) -> None:
    give_up_s = time.monotonic() + 10
    while not is_refused(url):
        assert time.monotonic() < give_up_s
        time.sleep(0.02)


def test_a_slow_download_ends_whole_after_sigterm(site: Path) -> None:
    with start_server(site) as process:
        url = address_of(process)
        slow, begun = half_read(url)
        process.send_signal(signal.SIGTERM)
        wait_until_refused(url)
        time.sleep(0.5)
        with slow:
            reply = parse(begun + read_all(slow))
        assert (reply.status, len(reply.body)) == (200, len(LARGE_BYTES))
        assert process.wait(timeout=60) == 0


def test_a_download_that_takes_longer_than_the_grace_is_ended(site: Path) -> None:
    with start_server(site, grace_s=1) as process:
        slow, _ = half_read(address_of(process))
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        with slow:
            assert len(read_all(slow)) < len(LARGE_BYTES)


def test_a_second_ctrl_c_waits_for_nobody(site: Path) -> None:
    with start_server(site, grace_s=600) as process:
        url = address_of(process)
        slow, _ = half_read(url)
        process.send_signal(signal.SIGINT)
        wait_until_refused(url)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        slow.close()


SLEPT_S = 0.25
"""A client that took so long over one request was not served its turn by a busy machine."""


class Load:
    """Clients that ask without a pause until nobody listens, each request on a connection of its own or not."""

    def __init__(self, url: str) -> None:
        self._where = urlsplit(url)
        self.answered = 0
        self.lost: list[str] = []
        self._threads = [threading.Thread(target=self._ask, args=(number % 2 == 0,)) for number in range(8)]
        for thread in self._threads:
            thread.start()

    def wait(self) -> None:
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive()

    def _ask(self, keeps: bool) -> None:
        connection = HTTPConnection(self._where.hostname or "", self._where.port, timeout=60)
        for number in range(100_000):
            begun_s = time.monotonic()
            try:
                if connection.sock is None:
                    connection.connect()
            except ConnectionRefusedError:
                return
            try:
                method, path, body = (("GET", f"/{CABLE}", None), ("POST", "/mcp", PING))[number % 2]
                connection.request(method, path, body, {} if keeps else {"Connection": "close"})
                reply = connection.getresponse()
                reply.read()
                assert reply.status == 200
                self.answered += 1
            except (OSError, HTTPException, AssertionError) as exc:
                # A server that ends waits a third of a second for requests on their way, not for a client that slept.
                if time.monotonic() - begun_s < SLEPT_S or isinstance(exc, AssertionError):
                    self.lost.append(f"{method} {exc!r}")
                connection.close()


def test_sigterm_under_load_loses_no_answer(site: Path) -> None:
    for _ in range(3):
        with start_server(site) as process:
            load = Load(address_of(process))
            time.sleep(0.7)
            process.send_signal(signal.SIGTERM)
            load.wait()
            assert process.wait(timeout=60) == 0
        assert load.lost == []
        assert load.answered > 100


def test_sigterm_writes_the_trace_to_its_end(site: Path, tmp_path: Path) -> None:
    with start_server(site, trace_folder=tmp_path / "trace") as process:
        url = address_of(process)
        for _ in range(200):
            get(url, f"/{CABLE}")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    [file] = (tmp_path / "trace").iterdir()
    assert len(file.read_text().splitlines()) == 200


def test_sighup_alone_changes_nothing(site: Path) -> None:
    with start_server(site) as process:
        url = address_of(process)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert get(url, f"/{CABLE}").body == CABLE_TEXT.encode()
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60) == ("", "")


def certificate_of(url: str, keys: Keys) -> bytes | None:
    """What the server shows to who trusts `keys`; None where that is another."""
    try:
        with connect(url, keys.client()) as connection:
            assert isinstance(connection, ssl.SSLSocket)
            return connection.getpeercert(binary_form=True)
    except ssl.SSLCertVerificationError:
        return None


def test_sighup_reads_certificate_and_tokens_again(site: Path, tmp_path: Path) -> None:
    old, new = make_keys(tmp_path / "old"), make_keys(tmp_path / "new")
    tokens = tmp_path / "tokens"
    tokens.touch(0o600)
    tokens.write_text(f"anna {ANNA}\n")
    with start_server(site, tls_cert=old.certificate, tls_key=old.key, token_file=tokens) as process:
        assert process.stderr is not None
        url = address_of(process)
        with connect(url, old.client()) as open_before:
            request = f"GET /{CABLE} HTTP/1.1\r\nHost: localhost\r\n%sAuthorization: Bearer {ANNA}\r\n\r\n"
            open_before.sendall((request % "").encode())
            assert open_before.recv(100).startswith(b"HTTP/1.1 200")
            old.certificate.write_text("no certificate")
            process.send_signal(signal.SIGHUP)
            assert "tokens in force" in process.stderr.readline()
            assert "the certificate read before stays in use" in process.stderr.readline()
            assert certificate_of(url, new) is None
            old.certificate.write_bytes(new.certificate.read_bytes())
            old.key.write_bytes(new.key.read_bytes())
            tokens.write_text(f"boris {BORIS}\n")
            process.send_signal(signal.SIGHUP)
            assert "1 tokens in force" in process.stderr.readline()
            assert "is read again" in process.stderr.readline()
            assert certificate_of(url, new) is not None
            anna = (request % "Connection: close\r\n").encode()
            assert ask(url, anna, new.client()).status == 401
            assert ask(url, anna.replace(ANNA.encode(), BORIS.encode()), new.client()).status == 200
            open_before.sendall(anna.replace(ANNA.encode(), BORIS.encode()))
            assert b"HTTP/1.1 200" in read_all(open_before)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def in_terminal(site: Path, terminal: int) -> subprocess.Popen[str]:
    """A server that was started in a terminal of its own."""
    program = (
        "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "from docshelf.build.cli import main; raise SystemExit(main())"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, "serve", str(site), "--port", "0"],
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_server_ends_with_its_terminal_but_not_by_sighup_before(site: Path) -> None:
    ours, theirs = pty.openpty()
    with in_terminal(site, theirs) as process:
        os.close(theirs)
        assert process.stderr is not None
        url = process.stderr.readline().split()[3].rstrip("/")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        assert get(url, f"/{CABLE}").status == 200
        os.close(ours)
        assert process.wait(timeout=60) == 0
