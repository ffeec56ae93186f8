"""MCP over stdin and stdout, a JSON message a line: a shelf read here, or a bridge to a running server."""

import base64
import json
import re
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, BinaryIO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from docshelf.serve.errors import ShelfError
from docshelf.serve.mcp.offer import Offer
from docshelf.serve.mcp.protocol import INTERNAL_ERROR, INVALID_REQUEST, NAMED, VERSION_META, handle

LINE_BYTES = 1024 * 1024
"""As much as a POST may hold."""

_TIMEOUT_S = 60
_PLAIN = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_ENCODED = re.compile(r"=\?base64\?.*\?=")

Answering = Callable[[bytes], bytes]
"""One message in, its answer out; b"" where there is none."""


def answer_lines(answering: Answering, received: BinaryIO, sent: BinaryIO) -> None:
    """Answers line by line, in order, until `received` ends."""
    while line := received.readline(LINE_BYTES):
        if len(line) == LINE_BYTES and not line.endswith(b"\n"):
            while (rest := received.readline(LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            reply = _failure(None, INVALID_REQUEST, f"A line may have {LINE_BYTES} bytes.")
        else:
            reply = answering(line) if line.strip() else b""
        if reply:
            sent.write(_one_line(reply) + b"\n")
            sent.flush()


def local_answering(offer: Offer) -> Answering:
    """Answers from `offer`, in this process."""
    return lambda line: handle(line, stdio_headers(_message(line)), offer)[1]


def remote_answering(url: str, token: str | None) -> Answering:
    """Hands each message on to the server at `url` (the shelf's root, or its /mcp).

    `token` goes along as a bearer token. A server that cannot be reached, or restarts, costs the calls
    meanwhile and nothing else. Proxies of the environment are not used.

    Raises: ShelfError where `url` is no address.
    """
    address = _mcp_address(url)
    opener = build_opener(ProxyHandler({}), _NoRedirect())

    def answering(line: bytes) -> bytes:
        message = _message(line)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        headers |= stdio_headers(message)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        try:
            with opener.open(Request(address, line, headers, method="POST"), timeout=_TIMEOUT_S) as reply:
                body: bytes = reply.read()
            return (
                body if not body or _is_answer(body) else _refusal(message, address, "what answers is no MCP")
            )
        except HTTPError as exc:
            with exc:
                body = exc.read()
            return body if _is_answer(body) else _refusal(message, address, _reason(exc.code, body))
        except (OSError, HTTPException) as exc:
            return _refusal(message, address, str(getattr(exc, "reason", exc)))

    return answering


def stdio_headers(message: dict[str, Any]) -> dict[str, str]:
    """The headers that an HTTP client sends with `message`: stdio has none, the newer version wants them."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    version = meta.get(VERSION_META) if isinstance(meta, dict) else None
    if not isinstance(version, str) or not isinstance(params, dict):
        return {}
    method = str(message.get("method", ""))
    headers = {"mcp-protocol-version": _header_value(version), "mcp-method": _header_value(method)}
    name = params.get(NAMED.get(method, ""))
    if isinstance(name, str):
        headers["mcp-name"] = _header_value(name)
    return headers


def _header_value(text: str) -> str:
    """`text`, in base64 where a header would not carry it as it is (2026-07-28, Streamable HTTP)."""
    if _PLAIN.fullmatch(text) and not _ENCODED.fullmatch(text):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'surrogatepass')).decode()}?="


def _message(line: bytes) -> dict[str, Any]:
    """The JSON object in `line`; empty where it is none, which the answer then says."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _mcp_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        good = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and parts.port != 0
        )
    except ValueError:
        good = False
    if not good or not url.isascii() or not url.isprintable() or " " in url:
        raise ShelfError(f"{url!r} is no address; give one such as http://shelf.lan:8080")
    plain = url.partition("#")[0].rstrip("/")
    return plain if plain.endswith("/mcp") else f"{plain}/mcp"


def _is_answer(body: bytes) -> bool:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) or (isinstance(value, dict) and value.get("jsonrpc") == "2.0")


def _reason(status: int, body: bytes) -> str:
    """The message of an HTTP error in the one shape, else its status alone."""
    try:
        message = json.loads(body)["error"]["message"]
    except (ValueError, RecursionError, KeyError, TypeError):
        message = ""
    return f"{status} {message}".strip()


def _refusal(message: dict[str, Any], address: str, reason: str) -> bytes:
    """An error for a request; nothing for a notification."""
    if "id" not in message:
        return b""
    return _failure(message["id"], INTERNAL_ERROR, f"{address}: {reason}")


def _failure(request_id: object, code: int, text: str) -> bytes:
    reply = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
    return json.dumps(reply, separators=(",", ":")).encode()


def _one_line(reply: bytes) -> bytes:
    """`reply` without the line ends of Unicode, which some readers of lines take for ends; JSON has no other."""
    for sign in ("\u2028", "\u2029", "\x85"):
        reply = reply.replace(sign.encode(), f"\\u{ord(sign):04x}".encode())
    return reply.replace(b"\n", b" ").replace(b"\r", b" ")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: object) -> None:
        return None
