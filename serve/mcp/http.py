"""`/mcp` over HTTP: one POST, one JSON answer."""

import asyncio
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from docshelf.serve.http.responses import error_response
from docshelf.serve.mcp.offer import Offer
from docshelf.serve.mcp.protocol import handle

_BODY_BYTES = 1024 * 1024
_BODY_TIMEOUT_S = 30
_CLOSE = {"Connection": "close"}
_JSON, _EVENTS = "application/json", "text/event-stream"


class McpEndpoint:
    """Answers POST: with JSON, or with one event to who takes nothing else.

    A GET would ask for an open stream, which a stateless server has none of.
    """

    def __init__(self, offer: Offer, body_timeout_s: float = _BODY_TIMEOUT_S, *, waits: bool = False) -> None:
        """`waits` says that reading may wait for another machine: then it is done in a thread."""
        self._offer = offer
        self._waits = waits
        self._body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers as an ASGI application, so that every method comes here."""
        response = await self._answer(scope, receive)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] != "POST":
            return error_response(405, "method-not-allowed", "POST JSON-RPC here.", {"Allow": "POST"})
        # A dictionary: starlette's own looks through all headers for each one (8 µs a call, 2026-11).
        asked = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        try:
            async with asyncio.timeout(self._body_timeout_s):
                body = await _body(asked, receive)
        except TimeoutError:
            return error_response(408, "timeout", "The body did not come; send it again.", _CLOSE)
        if body is None:
            message = f"The body is larger than {_BODY_BYTES} bytes."
            return error_response(413, "too-large", message, _CLOSE)
        if self._waits:
            status, content = await run_in_threadpool(handle, body, asked, self._offer)
        else:
            status, content = handle(body, asked, self._offer)
        headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        if content and _wants_events(asked.get("accept", "")):
            return Response(b"event: message\ndata: " + content + b"\n\n", status, headers, _EVENTS)
        return Response(content, status, headers, _JSON if content else None)


def _wants_events(accept: str) -> bool:
    """Whether Accept takes an event stream and nothing else that this server speaks.

    The stream then holds the one answer; JSON never has a line end of its own.
    """
    names = {part.partition(";")[0].strip().lower() for part in accept.split(",")}
    return _EVENTS in names and names.isdisjoint((_JSON, "application/*", "*/*"))


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes | None:
    """The request's body; None where it is larger than allowed. Who leaves in the middle gets no answer."""
    announced = headers.get("content-length", "")
    if announced.isdigit() and int(announced) > _BODY_BYTES:
        return None
    message = await receive()
    body = bytearray(message.get("body", b""))
    while message.get("more_body", False) and len(body) <= _BODY_BYTES:
        message = await receive()
        body += message.get("body", b"")
    return bytes(body) if len(body) <= _BODY_BYTES else None
