"""TLS without a proxy: what is spoken, what is refused, and who is not waited for."""

import contextlib
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Keys, make_keys
from raw_http import connect, get, parse, read_all
from running_server import running_server
from small_shelf import CABLE, CABLE_TEXT, write_small_shelf

from docshelf.serve.errors import ConfigError
from docshelf.serve.http.connections import ConnectionLimits
from docshelf.serve.http.tls import server_context
from docshelf.serve.run import ServeOptions, serve_site

REQUEST = f"GET /{CABLE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    """Of the server."""
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture(scope="module")
def url(keys: Keys, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that waits for nobody."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    limits = ConnectionLimits(head_s=0.6, idle_s=1, connections=30)
    with running_server(site, tls_cert=keys.certificate, tls_key=keys.key, limits=limits) as address:
        yield address


@pytest.fixture(scope="module")
def patient(keys: Keys, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that waits for slow clients."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with running_server(site, tls_cert=keys.certificate, tls_key=keys.key) as address:
        yield address


def asked(url: str, context: ssl.SSLContext) -> bytes:
    with connect(url, context) as connection:
        connection.sendall(REQUEST)
        return parse(read_all(connection)).body


def received_on(connection: socket.socket) -> bytes:
    """What comes next; the other side may not close before."""
    data = connection.recv(65536)
    assert data, "closed"
    return data


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_1_2_and_1_3_are_spoken(patient: str, keys: Keys, version: ssl.TLSVersion) -> None:
    assert patient.startswith("https://")
    context = keys.client()
    context.minimum_version = context.maximum_version = version

    assert asked(patient, context) == CABLE_TEXT.encode()


def test_older_tls_is_refused(url: str, keys: Keys) -> None:
    context = keys.client()
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

    with pytest.raises((ssl.SSLError, ConnectionError)):
        asked(url, context)


def test_a_request_that_comes_with_the_handshakes_end_is_not_lost(patient: str, keys: Keys) -> None:
    for _ in range(30):
        outgoing, incoming = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = keys.client().wrap_bio(incoming, outgoing, server_hostname="localhost")
        with connect(patient) as connection:
            while True:
                try:
                    tls.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    connection.sendall(outgoing.read())
                    incoming.write(received_on(connection))
            tls.write(REQUEST)
            connection.sendall(outgoing.read())
            received = b""
            while not received.endswith(CABLE_TEXT.encode()):
                incoming.write(received_on(connection))
                with contextlib.suppress(ssl.SSLWantReadError):
                    while piece := tls.read(65536):
                        received += piece
        assert parse(received).status == 200


def test_plain_http_gets_no_answer(url: str) -> None:
    assert get(url.replace("https", "http"), "/healthz").status == 0


@pytest.mark.parametrize("sent", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 40])
def test_a_handshake_that_does_not_come_is_not_waited_for(url: str, sent: bytes) -> None:
    with connect(url) as slow:
        slow.sendall(sent)
        began_s = time.monotonic()
        read_all(slow)
        assert time.monotonic() - began_s < 15


def test_a_head_that_does_not_come_is_not_waited_for(url: str, keys: Keys) -> None:
    with connect(url, keys.client()) as slow:
        slow.sendall(b"GET / HT")
        assert read_all(slow) == b""


def test_handshakes_that_wait_give_way(url: str, keys: Keys) -> None:
    waiting: list[socket.socket] = []
    try:
        for _ in range(90):
            waiting.append(connect(url))
            waiting[-1].sendall(b"\x16\x03\x01")
        assert asked(url, keys.client()) == CABLE_TEXT.encode()
    finally:
        for connection in waiting:
            connection.close()


def test_key_and_certificate_may_stand_in_one_file(keys: Keys, tmp_path: Path) -> None:
    both = tmp_path / "both.pem"
    both.write_bytes(keys.certificate.read_bytes() + keys.key.read_bytes())

    assert server_context(both, None).minimum_version == ssl.TLSVersion.TLSv1_2


def test_files_that_do_not_serve_are_named(keys: Keys, tmp_path: Path) -> None:
    locked, other = tmp_path / "locked.pem", tmp_path / "other.pem"
    subprocess.run(
        ["openssl", "pkey", "-in", keys.key, "-aes128", "-passout", "pass:x", "-out", locked], check=True
    )
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", other], check=True)
    (tmp_path / "text").write_text("no certificate")
    for certificate, key in (
        (keys.certificate, tmp_path / "none"),
        (tmp_path / "text", keys.key),
        (keys.certificate, None),
        (keys.certificate, locked),
        (keys.certificate, other),
    ):
        with pytest.raises(ConfigError, match=f"--tls-cert {certificate}.*: cannot be (used|read)"):
            server_context(certificate, key)


def test_a_key_alone_is_said_to_lack_its_certificate(keys: Keys, tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    with pytest.raises(ConfigError, match="--tls-key: belongs to a certificate"):
        serve_site(tmp_path, ServeOptions(port=0, tls_key=keys.key), lambda url: None)
