"""`/mcp` over HTTP: one POST, one JSON answer; who may ask from a browser."""

import asyncio
import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from docshelf.serve.mcp import handle
from docshelf.serve.mcp_tools import Reader
from docshelf.serve.responses import error_response

_BODY_BYTES = 1024 * 1024
_BODY_TIMEOUT_S = 30


class McpEndpoint:
    """Answers POST; a GET would ask for an event stream, which a stateless server has none of."""

    def __init__(
        self, reader: Reader, allowed_origins: Collection[str], body_timeout_s: float = _BODY_TIMEOUT_S
    ) -> None:
        self._reader = reader
        self._body_timeout_s = body_timeout_s
        self._allowed_origins = frozenset(origin.rstrip("/") for origin in allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers as an ASGI application, so that every method comes here."""
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        origin = request.headers.get("origin")
        if origin is not None and not self._may_ask(origin, request.headers.get("host", "")):
            return error_response(
                403,
                "origin-not-allowed",
                "This web page may not ask; start docshelf serve with --allow-origin to let it.",
            )
        headers = self._cors(origin)
        if request.method == "OPTIONS" and headers:
            return Response(status_code=204, headers=headers)
        if request.method != "POST":
            return error_response(
                405, "method-not-allowed", "POST JSON-RPC here.", headers | {"Allow": "POST"}
            )
        try:
            async with asyncio.timeout(self._body_timeout_s):
                body = await _body(request)
        except TimeoutError:
            close = {"Connection": "close"}
            return error_response(408, "timeout", "The body did not come; send it again.", headers | close)
        if body is None:
            message = f"The body is larger than {_BODY_BYTES} bytes."
            return error_response(413, "too-large", message, headers | {"Connection": "close"})
        status, content = handle(body, request.headers, self._reader)
        headers |= {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        return Response(content, status, headers, media_type="application/json" if content else None)

    def _may_ask(self, origin: str, host: str) -> bool:
        """Whether a page of `origin` may ask.

        A name in Host proves nothing: with DNS rebinding a foreign page brings its own name in both
        headers. An address or localhost cannot be rebound; for other names there is the setting.
        """
        if origin.rstrip("/") in self._allowed_origins:
            return True
        asking, asked = _hostname(origin), _hostname(f"//{host}")
        return (is_loopback(asking) and is_loopback(asked)) or (asking == asked and _is_address(asking))

    def _cors(self, origin: str | None) -> dict[str, str]:
        if origin is None or origin.rstrip("/") not in self._allowed_origins:
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "POST",
            "Access-Control-Allow-Headers": "*, Authorization",
            "Access-Control-Max-Age": "600",
            "Vary": "Origin",
        }


async def _body(request: Request) -> bytes | None:
    """The request's body; None where it is larger than allowed."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > _BODY_BYTES:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _BODY_BYTES:
            return None
    return bytes(body)


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address, is this machine itself."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)
