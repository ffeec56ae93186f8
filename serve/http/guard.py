"""The gate in front of the application: which requests go in, and what every answer carries.

A pure ASGI layer that decides by the head of a request alone. In this order: its size, the host it names,
the web page it comes from, the token it shows.
"""

import itertools
import logging
import re
import secrets
import time
import traceback
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from docshelf.serve.http.calls import gathered_calls
from docshelf.serve.http.connections import HEAD_BYTES
from docshelf.serve.http.exchange import Exchange, missing_headers
from docshelf.serve.http.metrics import Metrics
from docshelf.serve.http.origins import AllowList
from docshelf.serve.http.responses import error_response
from docshelf.serve.http.tokens import TokenFile, find_token, presented_token
from docshelf.serve.http.trace import TraceLog, Visit

HEADERS = 64
"""Headers a request may have."""
PATH_BYTES = 8 * 1024
"""As it is sent: 1,024 letters of Cyrillic take 6,144."""
QUERY_BYTES = 8 * 1024
TOOL_PATHS = frozenset({"mcp", "list", "fetch", "inspect", "search", "healthz", "readyz", "openapi.json"})
"""First names of the addresses that are no file of the shelf: a token opens them also with public pages."""
READY_PATH = "/readyz"
"""Needs no token: who watches servers has none, and the answer holds nothing of the shelf."""

_MCP = "mcp"
_CORS_SECONDS = "600"
_REALM = 'Basic realm="DocShelf", charset="UTF-8"'
_DECIDING = (b"host", b"origin", b"authorization")
_HOSTS = 1000
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_Headers = dict[bytes, bytes]

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may ask what."""

    allowed: AllowList
    tokens: TokenFile | None = None
    """None: everybody may read."""
    public_pages: bool = False
    """Whether files of the shelf need no token."""
    prefix: str = ""
    """What a proxy may leave in front of the path, such as `/docs`."""


class Guard:
    """Lets requests through to `app`, or answers them itself."""

    def __init__(
        self, app: ASGIApp, policy: Policy, trace: TraceLog | None = None, metrics: Metrics | None = None
    ) -> None:
        self._app = app
        self._policy = policy
        self._trace = trace
        self._metrics = metrics
        self._hosts: set[tuple[str, str]] = set()
        """Hosts that were allowed before, with the address that was asked."""
        self._id_start = secrets.token_hex(4)
        self._ids = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        _set_prefix(scope, self._policy.prefix)
        exchange = Exchange(send)
        if self._metrics is None:
            await self._noted(scope, receive, exchange)
            return
        start_s = time.perf_counter()
        try:
            await self._noted(scope, receive, exchange)
        finally:
            took_s = time.perf_counter() - start_s
            self._metrics.add(_tool(scope), exchange.status, took_s, exchange.size_bytes)

    async def _noted(self, scope: Scope, receive: Receive, exchange: Exchange) -> None:
        if self._trace is None:
            await self._pass(scope, receive, exchange)
        else:
            await self._traced(self._trace, scope, receive, exchange)

    async def _traced(self, trace: TraceLog, scope: Scope, receive: Receive, exchange: Exchange) -> None:
        exchange.id = f"{self._id_start}{next(self._ids):08x}"
        began_s, start_s = time.time(), time.perf_counter()
        with gathered_calls() as calls:
            await self._pass(scope, receive, exchange)
        took_ms = (time.perf_counter() - start_s) * 1000
        tool, status, size_bytes = _tool(scope), exchange.status, exchange.size_bytes
        trace.add(Visit(exchange.id, began_s, took_ms, exchange.token, tool, status, size_bytes), calls)

    async def _pass(self, scope: Scope, receive: Receive, exchange: Exchange) -> None:
        try:
            answer = self._answer(scope, exchange)
            await (self._app if answer is None else answer)(scope, receive, exchange.send)
        except Exception as exc:  # noqa: BLE001  uvicorn would log its text, which may quote the request
            await _fail(exc, exchange, scope, receive)

    def _answer(self, scope: Scope, exchange: Exchange) -> Response | None:
        """The answer to a request that does not go in; None for one that does."""
        headers = dict(scope["headers"])
        refused = _malformed(scope, headers) or self._foreign(scope, headers)
        if refused is not None:
            return refused
        origin = headers.get(b"origin")
        if origin is not None and self._policy.allowed.lists_origin(_text(origin)):
            exchange.origin = origin
            if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                return _preflight()
        return self._unknown(scope, headers, exchange)

    def _foreign(self, scope: Scope, headers: _Headers) -> Response | None:
        address, host = scope["server"][0], _text(headers.get(b"host", b""))
        if (host, address) not in self._hosts:
            if not self._policy.allowed.allows_host(host, address):
                message = (
                    "This server has another name; start docshelf serve with --allow-host to add this one."
                )
                return error_response(403, "host-not-allowed", message)
            if len(self._hosts) < _HOSTS:
                self._hosts.add((host, address))
        origin = headers.get(b"origin")
        if origin is not None and not self._policy.allowed.allows_origin(_text(origin), host):
            message = "This web page may not ask; start docshelf serve with --allow-origin to let it."
            return error_response(403, "origin-not-allowed", message)
        return None

    def _unknown(self, scope: Scope, headers: _Headers, exchange: Exchange) -> Response | None:
        """The answer to who shows no token that is known."""
        if self._policy.tokens is None or _behind_prefix(scope) == READY_PATH:
            return None
        authorization = headers.get(b"authorization")
        secret = None if authorization is None else presented_token(authorization)
        token = None if secret is None else find_token(self._policy.tokens.tokens(), secret)
        place = _first_name(scope)
        is_public = self._policy.public_pages and place not in TOOL_PATHS
        exchange.private = not is_public
        if token is not None:
            exchange.token = token.name
        if token is not None or is_public:
            return None
        # A program is not asked for a password: only a browser would show a window for it.
        challenge = "Bearer" if place == _MCP else f"{_REALM}, Bearer"
        message = "A token is needed: Authorization: Bearer TOKEN; a browser gives it as the password."
        return error_response(401, "token-needed", message, {"WWW-Authenticate": challenge})


def refusal(status: int, code: str, message: str) -> Response:
    """The answer to what never became a request, with the headers of every answer."""
    response = error_response(status, code, message)
    response.raw_headers += missing_headers(response.raw_headers)
    return response


def _malformed(scope: Scope, headers: _Headers) -> Response | None:
    """The answer to a head that is too large or that addresses nothing a shelf can hold."""
    if len(scope["raw_path"]) > PATH_BYTES or len(scope["query_string"]) > QUERY_BYTES:
        return error_response(414, "too-long", f"Path and query may have {PATH_BYTES} bytes each.")
    if len(scope["headers"]) > HEADERS or sum(map(len, headers.values())) > HEAD_BYTES:
        message = f"A request may have {HEADERS} headers of {HEAD_BYTES} bytes together."
        return error_response(431, "head-too-large", message)
    if len(headers) < len(scope["headers"]):
        names = [name for name, _ in scope["headers"]]
        if any(names.count(name) > 1 for name in _DECIDING):
            return error_response(400, "bad-request", "A header that decides stands twice.")
    # "$" in the pattern of a route also fits in front of a last line feed.
    if _CONTROL.search(scope["path"]):
        return error_response(400, "bad-request", "A path holds no control characters.")
    return None


def _preflight() -> Response:
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "GET, HEAD, POST",
            "Access-Control-Allow-Headers": "*, Authorization",
            "Access-Control-Max-Age": _CORS_SECONDS,
        },
    )


def _text(value: bytes) -> str:
    """httptools keeps the spaces at a value's end."""
    return value.decode("latin-1").strip()


def _set_prefix(scope: Scope, prefix: str) -> None:
    """Tells the application which part of the path is not the shelf's (ASGI, root_path)."""
    if prefix and (scope["path"] + "/").startswith(prefix + "/"):
        scope["root_path"] = prefix


def _behind_prefix(scope: Scope) -> str:
    """The path behind the server's prefix."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _first_name(scope: Scope) -> str:
    """The first name of the path behind the server's prefix."""
    return _behind_prefix(scope).lstrip("/").partition("/")[0]


def _tool(scope: Scope) -> str:
    name = _first_name(scope)
    return name if name in TOOL_PATHS else "file"


async def _fail(exc: Exception, exchange: Exchange, scope: Scope, receive: Receive) -> None:
    """Our fault: the log gets the places in the code, not the message, which may quote what was asked."""
    places = "".join(traceback.format_tb(exc.__traceback__))
    _logger.error("a request failed with %s %s\n%s", type(exc).__name__, exchange.id, places)
    if not exchange.status:
        answer = error_response(500, "internal", "The server failed; its log says how.")
        await answer(scope, receive, exchange.send)
