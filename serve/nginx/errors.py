"""The errors that nginx answers by itself, in the one shape that those of `docshelf serve` have."""

import json
from collections.abc import Mapping

from docshelf.serve.http.exchange import missing_headers
from docshelf.serve.media import JSON
from docshelf.serve.nginx.words import block, quoted

_ERRORS = (
    ("bad", (400, 494), 400, "bad-request", "This is no request that a shelf can answer."),
    ("token", (401,), 401, "token-needed", "A token is needed; a browser gives it as the password."),
    ("host", (403,), 403, "host-not-allowed", "This server has another name; docshelf nginx --server-name."),
    ("gone", (404,), 404, "not-on-shelf", "Not on the shelf; take an address from an index, as index.md."),
    ("method", (405,), 405, "method-not-allowed", "Only GET and HEAD are allowed."),
    ("large", (413,), 413, "too-large", "A request may have 1 MiB."),
    ("long", (414,), 414, "too-long", "The address is too long."),
    ("away", (502, 503, 504), 503, "unavailable", "The server behind nginx is away; ask again later."),
)
"""Name of a location, statuses of nginx that lead there, and what it answers."""
_UNREAD = ("bad", "long")
"""Where no address was read yet: nginx goes to a named location from an address only."""


def error_pages(name: str, elsewhere: Mapping[int, str]) -> list[str]:
    """Where each error of nginx's own leads; `elsewhere` are locations for some of them."""
    usual = {status: _place(name, word) for word, statuses, *_ in _ERRORS for status in statuses}
    return [f"error_page {status} = {place};" for status, place in sorted((usual | dict(elsewhere)).items())]


def error_locations(name: str) -> list[str]:
    """What `error_pages` leads to."""
    return [
        block(f"location {'= ' * (word in _UNREAD)}{_place(name, word)}", *_answer(status, code, message))
        for word, _, status, code, message in _ERRORS
    ]


def added_headers(kind: str) -> list[tuple[str, str]]:
    """The headers that `docshelf serve` gives every answer of this type; "" is of none."""
    given = [(b"content-type", kind.encode())] if kind else []
    return [(header.decode(), value.decode()) for header, value in missing_headers(given)]


def _place(name: str, word: str) -> str:
    return f"/.docshelf-{word}" if word in _UNREAD else f"@{name}_{word}"


def _answer(status: int, code: str, message: str) -> list[str]:
    text = json.dumps({"error": {"code": code, "message": message}})
    return [
        "internal;",
        "types { }",
        "default_type application/json;",
        "add_header Cache-Control no-store always;",
        *(f"add_header {header.title()} {quoted(value)} always;" for header, value in added_headers(JSON)),
        f"return {status} '{text}';",
    ]
