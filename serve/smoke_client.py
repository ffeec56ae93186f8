"""The client that walks a server: plain HTTP, no redirects, no proxy, nothing kept."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import (
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from docshelf.serve.errors import ConfigError

_TIMEOUT_S = 20


class Broken(Exception):
    """A contract does not hold; the text says what was seen."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered."""

    status: int
    headers: Message
    body: bytes

    @property
    def text(self) -> str:
        """The body. Raises: Broken where it is not UTF-8."""
        try:
            return self.body.decode()
        except UnicodeDecodeError as exc:
            raise Broken(f"the body is not UTF-8: {exc}") from exc

    def header(self, name: str) -> str:
        """A header, "" where it is absent."""
        return str(self.headers.get(name, ""))

    def json(self) -> dict[str, Any]:
        """The body as a JSON object. Raises: Broken."""
        try:
            value = json.loads(self.body)
        except ValueError as exc:
            raise Broken(f"the body is not JSON: {self.body[:80]!r}") from exc
        expect(isinstance(value, dict), f"the body is no JSON object: {self.body[:80]!r}")
        return dict(value)


class Client:
    """Asks one server."""

    def __init__(self, url: str, token: str | None = None, ca: Path | None = None) -> None:
        """`url` is the root of the shelf, with or without a slash at its end; `token` goes along as a bearer.

        `ca` (PEM) holds the authorities that a server's certificate may be signed by; None trusts those of
        the system.

        Raises: ConfigError where `ca` cannot be used.
        """
        self._url = url.rstrip("/")
        self._always = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._opener: OpenerDirector = build_opener(
            ProxyHandler({}), HTTPSHandler(context=_trust(ca)), _NoRedirect()
        )

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Reply:
        """The answer, whatever its status. Raises: Broken where none comes."""
        try:
            request = Request(f"{self._url}/{path}", body, self._always | dict(headers or {}), method=method)
            with self._opener.open(request, timeout=_TIMEOUT_S) as reply:
                return Reply(reply.status, reply.headers, reply.read())
        except HTTPError as exc:
            with exc:
                return Reply(exc.code, exc.headers, exc.read())
        except (OSError, HTTPException, ValueError) as exc:
            raise Broken(f"{method} {self._url}/{path}: {getattr(exc, 'reason', exc)}") from exc

    def get(self, path: str, headers: Mapping[str, str] | None = None, status: int = 200) -> Reply:
        """The answer to GET. Raises: Broken for another status."""
        reply = self.ask("GET", path, headers)
        expect(reply.status == status, f"GET /{path} answers {reply.status}, not {status}")
        return reply

    def post(self, path: str, value: object, headers: Mapping[str, str]) -> Reply:
        """The answer to JSON in a POST."""
        both = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        return self.ask("POST", path, both | dict(headers), json.dumps(value).encode())

    def call(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
        """The result of an MCP method. Raises: Broken for an error."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}
        reply = self.post("mcp", message, headers)
        result = reply.json().get("result")
        expect(
            reply.status == 200 and isinstance(result, dict),
            f"{method} answers {reply.status} {reply.body[:200]!r}",
        )
        return dict(result or {})


def _trust(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as exc:
        raise ConfigError([f"{ca}: no certificates in PEM can be read from it: {exc}"]) from exc


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *args: object) -> None:
        return None


def expect(holds: object, problem: str) -> None:
    """Raises: Broken with `problem` unless it holds."""
    if not holds:
        raise Broken(problem)
