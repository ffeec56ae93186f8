"""What every answer carries, whoever made it: the headers that keep browsers in bounds.

An answer that a token opened is `private` (RFC 9111, 5.2.2.7): no proxy may hand it to others.
"""

from starlette.types import Message, Send

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_DOCUMENT = ((b"cross-origin-opener-policy", b"same-origin"), (b"x-frame-options", b"SAMEORIGIN"))
_SHARED = (
    (b"access-control-expose-headers", b"ETag, Link, Content-Location, X-Request-Id"),
    (b"vary", b"Origin"),
)
_CSP = b"content-security-policy"
_NO_PAGE = b"default-src 'none'; frame-ancestors 'self'"
_PDF = b"frame-ancestors 'self'"
"""A viewer in the browser draws with styles and scripts of its own."""

_HeaderList = list[tuple[bytes, bytes]]


class Exchange:
    """Passes an answer on with the headers that every answer has, and notes what went out."""

    __slots__ = ("_send", "id", "origin", "private", "size_bytes", "status", "token")

    def __init__(self, send: Send) -> None:
        self._send = send
        self.id = ""
        """Of the request; "" where no trace is kept."""
        self.origin = b""
        """The listed web page that asks; b"" where none does."""
        self.token = ""
        """Name of the token that was shown."""
        self.private = False
        """Whether no cache may hand the answer to others."""
        self.status = 0
        self.size_bytes = 0

    async def send(self, message: Message) -> None:
        """Hands on one message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = message["headers"]
            if self.private:
                headers = [
                    (name, _private(value) if name == b"cache-control" else value) for name, value in headers
                ]
            message["headers"] = [*headers, *self._added(headers)]
        elif message["type"] == "http.response.body":
            self.size_bytes += len(message.get("body", b""))
        await self._send(message)

    def _added(self, headers: _HeaderList) -> _HeaderList:
        added = missing_headers(headers)
        if self.origin:
            added += [(b"access-control-allow-origin", self.origin), *_SHARED]
        if self.id:
            added.append((b"x-request-id", self.id.encode()))
        return added


def missing_headers(headers: _HeaderList) -> _HeaderList:
    """The headers of every answer that `headers` lacks."""
    present = dict(headers)
    added = [header for header in _ALWAYS if header[0] not in present]
    kind = present.get(b"content-type", b"")
    if kind.startswith((b"text/html", b"image/svg")):
        added += _DOCUMENT
    # A 304 has no type: its headers replace those of the page that a browser keeps (RFC 9111, 4.3.4).
    if _CSP not in present and kind:
        added.append((_CSP, _PDF if kind == b"application/pdf" else _NO_PAGE))
    return added


def _private(cache_control: bytes) -> bytes:
    return cache_control.replace(b"public", b"private")
