"""MCP as a pure function: the bytes of a POST in, status and bytes out; stateless, both eras, total.

2026-07-28 requests carry version, method and name in headers and `_meta`; older ones begin with
`initialize`. A session is never opened, so any worker answers any request.
"""

import base64
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.mcp.methods import (
    INVALID_PARAMS,
    LEGACY_VERSIONS,
    METHOD_NOT_FOUND,
    MODERN_VERSIONS,
    Call,
    RpcError,
    answer,
)
from docshelf.serve.mcp.offer import Offer

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    METHOD_NOT_FOUND: 404,
    INTERNAL_ERROR: 500,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_VERSION: 400,
}
VERSION_META = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_META = "io.modelcontextprotocol/clientCapabilities"
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that a modern request repeats in `Mcp-Name`."""
_ENCODED = re.compile(r"=\?base64\?(.*)\?=")

_BATCH_VERSIONS = (None, "2024-11-05", "2025-03-26")
_BATCH_LENGTH = 20
_BATCH_BYTES = 8_000_000
"""A batch multiplies: 1 MB of tiny fetches would be answered with hundreds of MB, 20 pictures with 80."""

_TOO_LARGE = "The answers of this batch are larger than 8 MB already; send this request alone"

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

_logger = logging.getLogger(__name__)
_Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Post:
    """What all messages of one POST share."""

    headers: Mapping[str, str]
    offer: Offer
    server: Mapping[str, str]

    @property
    def version(self) -> str | None:
        return self.header("mcp-protocol-version")

    @property
    def modern(self) -> bool:
        """A version this server does not know is answered in the newest way."""
        return self.version is not None and self.version not in LEGACY_VERSIONS

    def header(self, name: str) -> str | None:
        """httptools keeps the spaces at a value's end, h11 does not."""
        value = self.headers.get(name)
        return None if value is None else value.strip()


def handle(body: bytes, headers: Mapping[str, str], offer: Offer) -> tuple[int, bytes]:
    """The answer to a POST: HTTP status and JSON body, empty for notifications.

    `headers` is keyed by lower-case names. Nothing is raised but our own bugs.
    """
    post = _Post(headers, offer, {"name": "docshelf", "title": "DocShelf", "version": _version()})
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return 400, _encoded(_failure(None, RpcError(PARSE_ERROR, "Parse error")))
    if isinstance(message, list) and post.version in _BATCH_VERSIONS and 0 < len(message) <= _BATCH_LENGTH:
        replies = _batch(message, post)
        return (200, b"[" + b",".join(replies) + b"]") if replies else (202, b"")
    status, reply = _reply(message, post)
    return status, b"" if reply is None else _encoded(reply)


def _batch(messages: Sequence[object], post: _Post) -> list[bytes]:
    """A reply to each message that asks for one; past 8 MB of them the rest is refused."""
    replies: list[bytes] = []
    size = 0
    for message in messages:
        _, reply = _reply(message, post, is_refused=size > _BATCH_BYTES)
        if reply is not None:
            replies.append(_encoded(reply))
            size += len(replies[-1])
    return replies


def _reply(message: object, post: _Post, is_refused: bool = False) -> tuple[int, _Message | None]:
    """Status and reply to one message; None to a notification. `is_refused`: the batch has grown too large."""
    request_id = None
    try:
        request = _checked(message)
        request_id = request.get("id")
        if "id" not in request:
            if post.modern:
                _check_version(post)
            return 202, None
        if is_refused:
            raise RpcError(INVALID_REQUEST, _TOO_LARGE)
        params = request.get("params", {})
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be an object")
        if post.modern:
            _check_modern(request["method"], params, post)
        result = answer(request["method"], Call(post.offer, params, post.modern, post.server))
        return 200, {"jsonrpc": "2.0", "id": request_id, "result": result}
    except RpcError as exc:
        error = exc
    except ShelfDamaged as exc:
        _logger.error("%s", exc)
        error = RpcError(INTERNAL_ERROR, "The shelf cannot be read; its keeper finds why in the server's log")
    # Older clients read the error only under 200.
    status = _STATUS.get(error.code, 200) if post.modern or request_id is None else 200
    return status, _failure(request_id, error)


def _checked(message: object) -> _Message:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "The body must be one JSON-RPC 2.0 request or notification")
    if not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "method must be a string")
    request_id = message.get("id", 0)
    if not isinstance(request_id, str | int) or isinstance(request_id, bool):
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
    return message


def _check_modern(method: str, params: Mapping[str, Any], post: _Post) -> None:
    """A modern request says in its headers what it says in its body (2026-07-28, Streamable HTTP)."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or VERSION_META not in meta or _CAPABILITIES_META not in meta:
        raise RpcError(INVALID_PARAMS, f"params._meta must hold {VERSION_META} and {_CAPABILITIES_META}")
    if meta[VERSION_META] != post.version:
        raise RpcError(HEADER_MISMATCH, "MCP-Protocol-Version is not what params._meta says")
    if post.header("mcp-method") != method:
        raise RpcError(HEADER_MISMATCH, "Mcp-Method is not the method of the body")
    name = params.get(NAMED.get(method, ""))
    if name is not None and _decoded(post.header("mcp-name")) != name:
        raise RpcError(HEADER_MISMATCH, "Mcp-Name is not the name in the body")
    _check_version(post)


def _check_version(post: _Post) -> None:
    if post.version not in MODERN_VERSIONS:
        supported = {"supported": list(MODERN_VERSIONS), "requested": post.version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)


def _decoded(value: str | None) -> str | None:
    """A header value that may stand in base64 because it is not ASCII; None where it is broken."""
    match = _ENCODED.fullmatch(value or "")
    if match is None:
        return value
    try:
        return base64.b64decode(match[1], validate=True).decode()
    except ValueError:
        return None


def _failure(request_id: object, error: RpcError) -> _Message:
    detail: _Message = {"code": error.code, "message": str(error)}
    if error.data is not None:
        detail["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id, "error": detail}


def _encoded(reply: object) -> bytes:
    """Cyrillic stays two bytes a letter; only what UTF-8 cannot say (half a surrogate pair) is escaped."""
    try:
        return _JSON.encode(reply).encode()
    except UnicodeEncodeError:
        return json.dumps(reply, separators=(",", ":")).encode()


@cache
def _version() -> str:
    try:
        return version("docshelf")
    except PackageNotFoundError:
        return "0"
