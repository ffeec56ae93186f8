"""The MCP endpoint over HTTP: methods, bodies and who may ask."""

import asyncio
import json
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from asking import asking, error_of
from small_shelf import write_small_shelf
from starlette.testclient import TestClient

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.mcp.http import McpEndpoint
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.releases.tree import Site

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Asks the application of a shelf that no test changes."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with asking(site) as asked:
        yield asked


@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
def test_mcp_is_post_without_a_redirect(client: TestClient, path: str) -> None:
    assert client.post(path, json=PING).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    for method in ("GET", "DELETE", "PUT", "HEAD", "OPTIONS", "BREW"):
        response = client.request(method, path)
        assert response.status_code == 405
        assert response.headers["allow"] == "POST"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded", "Accept": ""},
        {"Accept": "text/html"},
        {"Accept": "nonsense"},
    ],
)
def test_mcp_takes_odd_headers(client: TestClient, headers: dict[str, str]) -> None:
    response = client.post("/mcp", content=json.dumps(PING), headers=headers)

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"


def test_a_notification_is_accepted_with_an_empty_body(client: TestClient) -> None:
    response = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert (response.status_code, response.content) == (202, b"")


def test_a_body_over_1_mb_is_refused(client: TestClient) -> None:
    announced = client.post("/mcp", content=b" " * (1024 * 1024 + 1))
    streamed = client.post("/mcp", content=iter([b" " * 1024] * 1025))
    fits = client.post("/mcp", content=json.dumps(PING).encode().ljust(1024 * 1024))

    assert (announced.status_code, streamed.status_code, fits.status_code) == (413, 413, 200)
    assert error_of(announced)["code"] == error_of(streamed)["code"] == "too-large"


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    endpoint = McpEndpoint(shelf_offer(ShelfTools(Site(tmp_path))), body_timeout_s=0.05)
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "query_string": b""}
    sent: list[MutableMapping[str, Any]] = []

    async def never() -> MutableMapping[str, Any]:
        await asyncio.sleep(30)
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(endpoint(scope, never, send))

    assert sent[0]["status"] == 408


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream;q=1, text/html"])
def test_who_takes_events_only_gets_one(client: TestClient, accept: str) -> None:
    response = client.post("/mcp", json=PING, headers={"Accept": accept})

    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    start, _, end = response.text.partition('{"jsonrpc":"2.0","id":1,"result":{}}')
    assert (start, end) == ("event: message\ndata: ", "\n\n")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/json", "text/event-stream, application/json", "application/*"]
)
def test_everyone_else_gets_json(client: TestClient, accept: str) -> None:
    response = client.post("/mcp", json=PING, headers={"Accept": accept})

    assert response.headers["content-type"] == "application/json"


def test_a_session_of_another_server_is_not_looked_at(client: TestClient) -> None:
    headers = {"Mcp-Session-Id": "b3f2", "MCP-Protocol-Version": "2025-06-18", "Last-Event-ID": "7"}

    assert client.post("/mcp", json=PING, headers=headers).json()["result"] == {}
