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

from docshelf.serve.mcp_http import McpEndpoint
from docshelf.serve.site_reader import SiteReader
from docshelf.serve.tree import Site

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


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:3000", "127.0.0.1:8080"),
        ("http://127.0.0.1:8080", "localhost:8080"),
        ("http://[::1]:9", "localhost"),
        ("http://192.168.7.5:3000", "192.168.7.5:8080"),
        ("https://chat.example", "shelf.lan"),
    ],
)
def test_a_page_of_this_machine_or_an_allowed_one_may_ask(client: TestClient, origin: str, host: str) -> None:
    assert client.post("/mcp", json=PING, headers={"Origin": origin, "Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "127.0.0.1:8080"),
        ("http://evil.example:8080", "evil.example:8080"),
        ("http://localhost.evil.example", "localhost"),
        ("http://localhost:3000", "evil.example"),
        ("http://192.168.7.5", "192.168.7.6"),
        ("https://chat.example.evil.example", "shelf.lan"),
        ("http://chat.example", "shelf.lan"),
        ("null", "localhost"),
        ("", ""),
        ("http://[", "["),
    ],
)
def test_a_foreign_page_may_not_ask(client: TestClient, origin: str, host: str) -> None:
    response = client.post("/mcp", json=PING, headers={"Origin": origin, "Host": host})

    assert response.status_code == 403
    assert error_of(response)["code"] == "origin-not-allowed"


def test_only_an_allowed_origin_is_told_so(client: TestClient) -> None:
    allowed = {"Origin": "https://chat.example"}
    before = client.options("/mcp", headers=allowed | {"Access-Control-Request-Method": "POST"})
    answer = client.post("/mcp", json=PING, headers=allowed)

    assert before.status_code == 204
    for response in (before, answer):
        assert response.headers["access-control-allow-origin"] == "https://chat.example"
        assert response.headers["vary"] == "Origin"
    here = client.post("/mcp", json=PING, headers={"Origin": "http://localhost", "Host": "localhost"})
    assert "access-control-allow-origin" not in here.headers


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    endpoint = McpEndpoint(SiteReader(Site(tmp_path)), (), body_timeout_s=0.05)
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "query_string": b""}
    sent: list[MutableMapping[str, Any]] = []

    async def never() -> MutableMapping[str, Any]:
        await asyncio.sleep(30)
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    asyncio.run(endpoint(scope, never, send))

    assert sent[0]["status"] == 408
