"""Puts the live script into each HTML page on its way to the browser, and a page where there is no shelf yet."""

from collections.abc import Callable
from html import escape

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.live.words import live_words
from docshelf.serve.releases.addresses import relative
from docshelf.serve.releases.tree import Release, Site

_SCRIPT = "live.js"
_ROOT = "index.html"
_NOT_ASKED = frozenset({b"if-none-match", b"if-modified-since", b"range", b"if-range", b"accept-encoding"})
"""Request headers that speak of the page as it stands in the release."""


class LivePages:
    """ASGI middleware around the shelf's application."""

    def __init__(self, app: ASGIApp, site: Site, version: Callable[[Release, str], str]) -> None:
        """`version` names what a page shows; the script compares it with what it hears later."""
        self._app = app
        self._site = site
        self._version = version

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return await self._app(scope, receive, send)
        page = scope["path"].lstrip("/") or _ROOT
        if not page.endswith(".html") or page.startswith("r/"):
            return await self._app(scope, receive, send)
        try:
            # Read before the page is: at worst it reloads once too often, never too seldom.
            release = self._site.current()
            tag = _tag(page, page, self._version(release, page))
        except ShelfDamaged:
            return await _waiting_page(page)(scope, receive, send)
        headers = [(name, value) for name, value in scope["headers"] if name not in _NOT_ASKED]
        await self._app({**scope, "headers": headers}, receive, _Inserted(tag, send))


class _Inserted:
    """Sends an HTML answer on with `tag` at the end of its head; any other answer as it is."""

    def __init__(self, tag: bytes, send: Send) -> None:
        self._tag = tag
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._finish(self._start)

    async def _finish(self, start: Message) -> None:
        headers = MutableHeaders(raw=start["headers"])
        del headers["etag"], headers["content-length"], headers["accept-ranges"]
        headers["cache-control"] = "no-store"
        if self._body:
            head, end, rest = self._body.partition(b"</head>")
            self._body = head + self._tag + end + rest
            headers["content-length"] = str(len(self._body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": self._body})


def _is_page(start: Message) -> bool:
    return start["status"] == 200 and Headers(raw=start["headers"]).get("content-type", "").startswith(
        "text/html"
    )


def _tag(at: str, page: str, version: str) -> bytes:
    """The script's tag for the address `at`; it will follow `page`."""
    source = escape(relative(_SCRIPT, at))
    return f'<script defer src="{source}" data-page="{escape(page)}" data-version="{version}"></script>\n'.encode()


def _waiting_page(page: str) -> HTMLResponse:
    """What stands at every address until the first release is there."""
    lines = "".join(
        f'<p lang="{words.language}">{escape(words.waiting)}</p>\n'
        for words in (live_words("ru"), live_words("en"))
    )
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>DocShelf</title>\n'
        f"{_tag(page, _ROOT, '').decode()}</head>\n<body>\n{lines}</body>\n</html>\n"
    )
    policy = "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": policy, "Retry-After": "1"}
    return HTMLResponse(text, 503, headers)
