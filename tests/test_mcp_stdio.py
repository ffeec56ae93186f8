"""MCP over stdin and stdout: lines in, lines out; a shelf here, or a server elsewhere."""

import asyncio
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import mcp_types
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from running_server import REPOSITORY, running_server
from small_shelf import CABLE, RUSSIAN_SECTION, write_small_shelf

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.errors import ShelfError
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.mcp.stdio import (
    LINE_BYTES,
    answer_lines,
    local_answering,
    remote_answering,
    stdio_headers,
)
from docshelf.serve.releases.tree import Site

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site folder that no test changes."""
    folder = tmp_path_factory.mktemp("site")
    write_small_shelf(folder)
    return folder


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """The address of a server of the site."""
    with running_server(site) as address:
        yield address


def replies(site: Path, received: bytes) -> list[dict[str, Any]]:
    """What a shelf says to lines."""
    sent = io.BytesIO()
    answer_lines(local_answering(shelf_offer(ShelfTools(Site(site)))), io.BytesIO(received), sent)
    assert not sent.getvalue() or sent.getvalue().endswith(b"\n")
    return [json.loads(line) for line in sent.getvalue().split(b"\n")[:-1]]


def program(*arguments: str) -> StdioServerParameters:
    """`docshelf mcp` as a host starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-W", "error", "-m", "docshelf.build.cli", "mcp", *arguments],
        env={"PYTHONPATH": str(REPOSITORY / ".dev"), "DOCSHELF_TOKEN": "not-needed-here"},
    )


@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")]
)
@pytest.mark.parametrize("target", ["site", "server", "server/mcp"])
def test_the_official_client_reads_through_a_program(
    site: Path, url: str, target: str, mode: str, version: str
) -> None:
    async def read() -> None:
        address = target.replace("server", url) if target != "site" else str(site)
        async with Client(program(address), mode=mode, cache=None) as client:
            assert client.protocol_version == version
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["list", "fetch", "search", "inspect"]
            result = await client.call_tool("fetch", {"path": RUSSIAN_SECTION})
            [content] = result.content
            assert isinstance(content, mcp_types.TextContent)
            assert "Подключите маршрутизатор" in content.text
            assert (await client.call_tool("fetch", {"path": "no/such.md"})).is_error
            [page] = (await client.read_resource("shelf:///index.md")).contents
            assert isinstance(page, mcp_types.TextResourceContents)

    asyncio.run(read())


def test_lines_are_answered_in_order_and_notifications_not_at_all(site: Path) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    lines = [PING, note, PING | {"id": 2}]
    received = b"\n".join(json.dumps(line).encode() for line in lines) + b"\r\n\n  \n{\n"

    assert [(reply["id"], reply.get("error", {}).get("code")) for reply in replies(site, received)] == [
        (1, None),
        (2, None),
        (None, -32700),
    ]


def test_a_last_line_without_its_end_is_answered(site: Path) -> None:
    assert [reply["id"] for reply in replies(site, json.dumps(PING).encode())] == [1]


def test_a_line_that_is_too_long_is_refused_and_the_next_one_answered(site: Path) -> None:
    received = b" " * (3 * LINE_BYTES) + b"\n" + json.dumps(PING).encode() + b"\n"

    assert [reply.get("error", {}).get("code") for reply in replies(site, received)] == [-32600, None]


def test_no_answer_holds_what_some_readers_take_for_the_end_of_a_line(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, extra={"docs/net/ends.md": "a\u2028b\u2029c\x85d\r\ne".encode()})
    call = {"name": "fetch", "arguments": {"path": "docs/net/ends.md"}}
    sent = io.BytesIO()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    answer_lines(
        local_answering(shelf_offer(ShelfTools(Site(tmp_path)))),
        io.BytesIO(json.dumps(message).encode()),
        sent,
    )

    [line] = sent.getvalue().decode().splitlines()
    assert json.loads(line)["result"]["content"][0]["text"].startswith("a\u2028b\u2029c\x85d\r\ne")


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        (PING, {}),
        ({"method": "tools/list", "params": {"_meta": {}}}, {}),
        ({"method": "tools/list", "params": []}, {}),
        (
            {"method": "tools/call", "params": {"_meta": META, "name": "fetch"}},
            {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "fetch"},
        ),
        (
            {"method": "resources/read", "params": {"_meta": META, "uri": "shelf:///я"}},
            {
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "resources/read",
                "mcp-name": "=?base64?c2hlbGY6Ly8v0Y8=?=",
            },
        ),
        (
            {"method": "a\nb", "params": {"_meta": META}},
            {"mcp-protocol-version": "2026-07-28", "mcp-method": "=?base64?YQpi?="},
        ),
    ],
)
def test_a_message_of_the_newer_version_gets_the_headers_of_http(
    message: dict[str, Any], headers: dict[str, str]
) -> None:
    assert stdio_headers(message) == headers


class Refusing(BaseHTTPRequestHandler):
    """Answers as its path says, and with the headers it was asked with."""

    def do_POST(self) -> None:
        kind = self.path.split("/")[1]
        status, body = {
            "key": (401, b'{"error": {"code": "token-needed", "message": "A token is needed."}}'),
            "proxy": (502, b"<h1>Bad gateway</h1>"),
            "page": (200, b"<h1>Welcome</h1>"),
            "moved": (307, b""),
        }.get(kind, (200, b""))
        if kind == "echo":
            said = {"jsonrpc": "2.0", "id": 1, "result": self.headers.get("authorization")}
            body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stays silent."""


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """The address of a server that never answers MCP."""
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("key", "401 A token is needed."),
        ("proxy", "502"),
        ("page", "what answers is no MCP"),
        ("moved", "307"),
    ],
)
def test_what_a_server_refuses_is_an_error_with_its_reason(refusing: str, kind: str, reason: str) -> None:
    answering = remote_answering(f"{refusing}/{kind}", None)
    reply = json.loads(answering(json.dumps(PING).encode()))

    assert (reply["id"], reply["error"]["code"]) == (1, -32603)
    assert reply["error"]["message"] == f"{refusing}/{kind}/mcp: {reason}"
    assert answering(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}') == b""


def test_the_token_goes_along_as_a_bearer(refusing: str) -> None:
    line = json.dumps(PING).encode()

    assert json.loads(remote_answering(f"{refusing}/echo", "s3cret")(line))["result"] == "Bearer s3cret"
    assert json.loads(remote_answering(f"{refusing}/echo", None)(line))["result"] is None


def test_a_bridge_outlives_its_server(site: Path) -> None:
    line = json.dumps(PING).encode()
    with running_server(site) as address:
        answering = remote_answering(f"{address}/", None)
        assert json.loads(answering(line))["result"] == {}
    refused = json.loads(answering(line))
    assert refused["error"]["message"].startswith(f"{address}/mcp: ")
    with running_server(site, port=int(address.rpartition(":")[2])):
        assert json.loads(answering(line))["result"] == {}


@pytest.mark.parametrize("address", ["http://", "http://[", "http://a b/", "http://x:99999", "http://x/?a=b"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ShelfError, match="no address"):
        remote_answering(address, None)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "nowhere is no shelf: it has no shelf.json; run docshelf build"),
        (["http://127.0.0.1:9", "--profile", "openai"], "--profile is for a SITE"),
    ],
)
def test_a_program_that_cannot_start_says_why(arguments: list[str], problem: str) -> None:
    parameters = program(*arguments)
    done = subprocess.run(  # noqa: PLW1510
        [parameters.command, *parameters.args], env=parameters.env, capture_output=True, text=True, timeout=50
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert f"docshelf mcp: {problem}" in done.stderr


def test_the_profile_is_kept(site: Path) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n"
    parameters = program(str(site), "--profile", "openai")
    done = subprocess.run(  # noqa: PLW1510
        [parameters.command, *parameters.args],
        env=parameters.env,
        input=line,
        capture_output=True,
        timeout=180,
    )

    assert [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]] == ["search", "fetch"]
    assert CABLE.encode() not in done.stderr
