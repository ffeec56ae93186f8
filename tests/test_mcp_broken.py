"""Requests broken at random: every one gets a valid answer."""

import json
import random
import time
from typing import Any

import pytest
from small_shelf import BEGIN, CABLE, ROUTER, write_small_shelf

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.mcp.offer import Offer
from docshelf.serve.mcp.protocol import handle
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.releases.tree import Site

MODERN = "2026-07-28"

VALUES: tuple[object, ...] = (
    *(None, True, 0, -1, 1e308, 10**400, "", [], {}, "../../etc/passwd", "\x00", "%2e%2e/", "\ud800"),
    *("А" * 5000, [[]] * 50, {"a": {"b": 1}}, "shelf:///../../etc/passwd", "/etc/passwd", "docs\\net"),
    *(
        "docs//net/./router/subindex.md",
        ["shelf:///index.md"],
        "docs/net/router#p3",
        "http://[",
        float("nan"),
    ),
)
HEADERS: tuple[dict[str, str], ...] = (
    {},
    {},
    {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "fetch"},
    {"mcp-protocol-version": MODERN, "mcp-method": "server/discover", "mcp-name": "=?base64?!!?="},
    {"mcp-protocol-version": "2025-06-18", "mcp-method": ""},
    {"mcp-protocol-version": "x" * 300},
)


def requests() -> list[dict[str, Any]]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("tools/call", {"name": "fetch", "arguments": {"path": CABLE, "offset": 0, "limit": 5}}),
        ("tools/call", {"name": "fetch", "arguments": {"path": CABLE}, "_meta": meta}),
        ("tools/call", {"name": "list", "arguments": {"path": ROUTER}}),
        ("tools/call", {"name": "inspect", "arguments": {"path": BEGIN}}),
        ("tools/call", {"name": "search", "arguments": {"query": "router", "limit": 3, "path": "docs"}}),
        ("prompts/get", {"name": "answer_from_shelf", "arguments": {"question": "How?"}}),
        ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}),
        ("resources/read", {"uri": "shelf:///index.md"}),
        ("resources/list", {"cursor": "ZG9jcw=="}),
        ("tools/list", {}),
        ("server/discover", {"_meta": meta}),
    )
    return [{"jsonrpc": "2.0", "id": 1, "method": name, "params": params} for name, params in calls]


def mutated(chance: random.Random) -> bytes:
    """A request with one to three changes, or cut off."""
    message = json.loads(json.dumps(chance.choice(requests())))
    for _ in range(chance.randrange(1, 4)):
        at = message
        while True:
            key = chance.choice([*at, f"x{chance.randrange(9)}"])
            if not isinstance(at.get(key), dict) or chance.random() < 0.3:
                break
            at = at[key]
        if chance.random() < 0.25:
            at.pop(key, None)
        else:
            at[key] = json.loads(json.dumps(chance.choice(VALUES)))
    body = json.dumps(message).encode()
    return body[: chance.randrange(len(body))] if chance.random() < 0.1 else body


@pytest.fixture(scope="module")
def offer(tmp_path_factory: pytest.TempPathFactory) -> Offer:
    """Reads the small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return shelf_offer(ShelfTools(Site(site)))


def test_two_thousand_broken_requests_get_valid_answers(offer: Offer) -> None:
    chance = random.Random(20260728)
    statuses: dict[int, int] = {}
    began = time.monotonic()

    for _ in range(2000):
        body = mutated(chance)
        status, reply = handle(body, chance.choice(HEADERS), offer)
        statuses[status] = statuses.get(status, 0) + 1
        assert b"root:" not in reply
        assert status in (200, 202, 400, 404), body
        if reply:
            answers = json.loads(reply)
            for answer in answers if isinstance(answers, list) else [answers]:
                assert answer["jsonrpc"] == "2.0"
                assert ("result" in answer) != ("error" in answer)

    assert time.monotonic() - began < 5
    assert min(statuses[200], statuses[202], statuses[400]) > 10
