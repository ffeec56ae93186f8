"""Requests byte by byte over a socket: what no client library would send."""

import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class RawReply:
    """One answer; status 0 where the connection was closed without any."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The only header of that name, None where there is none."""
        values = [value for known, value in self.headers if known == name]
        assert len(values) < 2, f"{name} stands {len(values)} times"
        return values[0] if values else None


def connect(url: str, context: ssl.SSLContext | None = None) -> socket.socket:
    """A connection to the server at `url`."""
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port or 80), timeout=60)
    return connection if context is None else context.wrap_socket(connection, server_hostname=parts.hostname)


def ask(url: str, request: bytes, context: ssl.SSLContext | None = None) -> RawReply:
    """The answer to `request`, which asks the server to close the connection or makes it do so."""
    with connect(url, context) as connection:
        connection.sendall(request)
        return parse(read_all(connection))


def get(
    url: str, target: str, *headers: str, host: str | None = "127.0.0.1", method: str = "GET"
) -> RawReply:
    """The answer to a request without a body, its target and headers sent as they are."""
    named = [] if host is None else [f"Host: {host}"]
    lines = [f"{method} {target} HTTP/1.1", *named, *headers, "Connection: close", "", ""]
    return ask(url, "\r\n".join(lines).encode())


def read_all(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    received = bytearray()
    try:
        while data := connection.recv(65536):
            received += data
    except ConnectionError:
        pass
    return bytes(received)


def parse(received: bytes) -> RawReply:
    """The first answer in `received`."""
    head, _, body = received.partition(b"\r\n\r\n")
    if not head:
        return RawReply(0, (), b"")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in lines)
    return RawReply(int(first.split(" ")[1]), tuple((name.lower(), value) for name, value in pairs), body)
