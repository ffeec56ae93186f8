"""The protocol core as a pure function, in both eras."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from small_shelf import BEGIN, CABLE, LONG, ROUTER, RUSSIAN_SECTION, TUNNELS, write_small_shelf

from docshelf.serve.mcp import handle
from docshelf.serve.mcp_tools import Resource, instructions, tools
from docshelf.serve.site_reader import SiteReader
from docshelf.serve.tree import Site

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> SiteReader:
    """Reads the small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return SiteReader(Site(site))


def old(
    reader: SiteReader, method: str, params: object = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Status and reply to a request of the legacy era."""
    message = {"jsonrpc": "2.0", "id": 7, "method": method} | ({} if params is None else {"params": params})
    status, body = handle(json.dumps(message).encode(), headers or {}, reader)
    return status, json.loads(body)


def new(
    reader: SiteReader, method: str, params: dict[str, Any] | None = None, **headers: str
) -> tuple[int, dict[str, Any]]:
    """Status and reply to a request of 2026-07-28; `headers` replace what a right client sends."""
    params = params or {}
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    right = {"mcp-protocol-version": MODERN, "mcp-method": method}
    name = params.get("name", params.get("uri"))
    if name is not None:
        right["mcp-name"] = name
    message = {"jsonrpc": "2.0", "id": "a", "method": method, "params": {"_meta": meta} | params}
    sent = right | {key.replace("_", "-"): value for key, value in headers.items()}
    status, body = handle(json.dumps(message).encode(), sent, reader)
    return status, json.loads(body)


def text_of(reply: dict[str, Any]) -> str:
    [content] = reply["result"]["content"]
    assert content["type"] == "text"
    return str(content["text"])


@pytest.mark.parametrize("version", LEGACY)
def test_initialize_agrees_on_every_older_version(reader: SiteReader, version: str) -> None:
    status, reply = old(reader, "initialize", {"protocolVersion": version, "capabilities": {}})

    assert status == 200
    assert reply["id"] == 7
    assert reply["result"]["protocolVersion"] == version
    assert reply["result"]["capabilities"] == {"tools": {}, "resources": {}}
    assert reply["result"]["serverInfo"]["name"] == "docshelf"
    assert reply["result"]["instructions"].startswith("Small shelf: Manuals of a small network. ")


@pytest.mark.parametrize("version", ["1999-01-01", MODERN, None, 5])
def test_initialize_offers_the_newest_older_version_for_any_other(
    reader: SiteReader, version: object
) -> None:
    assert (
        old(reader, "initialize", {"protocolVersion": version})[1]["result"]["protocolVersion"]
        == "2025-11-25"
    )


def test_discover_names_the_modern_version(reader: SiteReader) -> None:
    status, reply = new(reader, "server/discover")

    assert status == 200
    assert reply["result"]["supportedVersions"] == [MODERN]
    assert reply["result"]["resultType"] == "complete"
    assert reply["result"]["ttlMs"] > 0
    assert reply["result"]["cacheScope"] == "private"
    assert reply["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "docshelf"


def test_the_tools_are_three_read_only_ones_under_2_kb(reader: SiteReader) -> None:
    listed = old(reader, "tools/list")[1]["result"]["tools"]

    assert [tool["name"] for tool in listed] == ["list", "fetch", "inspect"]
    assert all(tool["annotations"]["readOnlyHint"] is True for tool in listed)
    assert new(reader, "tools/list")[1]["result"]["tools"] == listed
    assert len(json.dumps(tools(), ensure_ascii=False).encode()) <= 2048


class LongWinded:
    """A reader whose shelf talks too much; only `about` is asked."""

    def about(self) -> str:
        return "Слово\n" * 500

    def list(self, path: str) -> str:
        raise AssertionError(path)

    def fetch(self, path: str, offset: int, limit: int, release: str) -> str:
        raise AssertionError(path)

    def inspect(self, path: str) -> str:
        raise AssertionError(path)

    def indexes(self) -> tuple[str, ...]:
        raise AssertionError

    def resource(self, path: str) -> Resource:
        raise AssertionError(path)


def test_instructions_stay_under_600_characters_and_whole(reader: SiteReader) -> None:
    long = instructions(LongWinded())

    assert len(long) <= 600
    assert "\n" not in long
    assert long.endswith(instructions(reader)[-200:])


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("list", {}, "- [Network](docs/net/index.md)"),
        ("list", None, "- [Network](docs/net/index.md)"),
        ("list", {"path": None}, "- [Network](docs/net/index.md)"),
        ("list", {"path": ROUTER}, f"- [Begin]({BEGIN})"),
        ("fetch", {"path": TUNNELS}, "A tunnel joins two networks."),
        ("fetch", {"path": RUSSIAN_SECTION}, "Подключите маршрутизатор к сети."),
        ("fetch", {"path": LONG, "offset": 20000.0, "limit": "100"}, "[characters 20000–20100 of "),
        ("inspect", {}, "- documents: 3"),
        ("inspect", {"path": CABLE}, "headings from fonts"),
    ],
)
def test_a_tool_answers_markdown_in_both_eras(
    reader: SiteReader, name: str, arguments: object, expected: str
) -> None:
    for status, reply in (
        old(reader, "tools/call", {"name": name, "arguments": arguments}),
        new(reader, "tools/call", {"name": name, "arguments": arguments}),
    ):
        assert status == 200
        assert expected in text_of(reply)
        assert "isError" not in reply["result"]
        assert "structuredContent" not in reply["result"]


@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("fetch", {}, "list()"),
        ("fetch", {"path": "no/such.md"}, 'list("")'),
        ("fetch", {"path": "docs/net/router/tunnel.md"}, TUNNELS),
        ("fetch", {"path": 5}, "path must be text"),
        ("fetch", {"path": "x" * 1025}, "path must be text"),
        ("fetch", {"path": CABLE, "offset": "many"}, "offset must be a whole number"),
        ("fetch", {"path": CABLE, "offset": True}, "offset must be a whole number"),
        ("fetch", {"path": CABLE, "offset": 10**12}, "offset must be a whole number"),
        ("fetch", {"path": CABLE, "limit": 0}, "limit 1 to 48000"),
        ("fetch", {"path": CABLE, "release": "0" * 16}, "leave it out"),
        ("fetch", {"path": CABLE, "page": 1}, "it takes path, offset, limit, release"),
        ("list", {"path": "../.."}, "as an index prints it"),
        ("inspect", {"id": "x"}, "it takes path"),
    ],
)
def test_a_wrong_call_tells_the_model_what_to_do(
    reader: SiteReader, name: str, arguments: dict[str, object], hint: str
) -> None:
    status, reply = old(reader, "tools/call", {"name": name, "arguments": arguments})

    assert status == 200
    assert reply["result"]["isError"] is True
    assert hint in text_of(reply)


def test_a_kept_release_can_be_read_to_the_end(tmp_path: Path) -> None:
    first = write_small_shelf(tmp_path)
    reader = SiteReader(Site(tmp_path))
    write_small_shelf(tmp_path, renumbered=True)

    arguments = {"path": LONG, "offset": 16000, "release": first}
    text = text_of(old(reader, "tools/call", {"name": "fetch", "arguments": arguments})[1])

    assert f"[release {first} · {LONG}" in text


@pytest.mark.parametrize(
    "params", [{"name": "search"}, {"name": None}, {}, {"name": "list", "arguments": []}]
)
def test_an_unknown_tool_is_an_error_of_the_protocol(reader: SiteReader, params: dict[str, object]) -> None:
    assert old(reader, "tools/call", params)[1]["error"]["code"] == -32602


def test_resources_are_the_indexes_in_pages(reader: SiteReader) -> None:
    listed = old(reader, "resources/list")[1]["result"]

    assert [resource["uri"] for resource in listed["resources"]] == [
        "shelf:///docs/net/index.md",
        f"shelf:///{ROUTER}/subindex.md",
        "shelf:///docs/ru/index.md",
        "shelf:///docs/ru/marshrutizator/subindex.md",
        "shelf:///index.md",
    ]
    assert listed["resources"][0]["title"] == "Network"
    assert "nextCursor" not in listed


class ManyIndexes(LongWinded):
    """A shelf with 250 indexes."""

    def indexes(self) -> tuple[str, ...]:
        return tuple(f"docs/{number:03}/index.md" for number in range(250))

    def resource(self, path: str) -> Resource:
        return Resource(path, path, "text/markdown", b"# x\n")


def test_a_cursor_leads_through_all_indexes() -> None:
    seen: list[str] = []
    params: dict[str, str] = {}
    for _ in range(3):
        message = {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": params}
        result = json.loads(handle(json.dumps(message).encode(), {}, ManyIndexes())[1])["result"]
        seen += [resource["name"] for resource in result["resources"]]
        params = {"cursor": result.get("nextCursor", "")}

    assert seen == list(ManyIndexes().indexes())
    assert params == {"cursor": ""}


@pytest.mark.parametrize("cursor", ["***", 5, "я", "/w==", []])
def test_a_cursor_that_is_none_is_refused(reader: SiteReader, cursor: object) -> None:
    assert old(reader, "resources/list", {"cursor": cursor})[1]["error"]["code"] == -32602


def test_a_resource_is_read_as_text_or_as_bytes(reader: SiteReader) -> None:
    [text] = old(reader, "resources/read", {"uri": f"shelf:///{TUNNELS}"})[1]["result"]["contents"]
    uri = "shelf:///pictures/net/cable/p001.png"
    [picture] = old(reader, "resources/read", {"uri": uri})[1]["result"]["contents"]

    assert text["mimeType"] == "text/markdown"
    assert text["text"].startswith("# Tunnels\n")
    assert picture["mimeType"] == "image/png"
    assert base64.b64decode(picture["blob"]).startswith(b"\x89PNG")


@pytest.mark.parametrize("uri", ["shelf:///no.md", "shelf:///../x", "file:///etc/passwd", "", 5, None])
def test_a_resource_that_is_none_has_the_code_of_its_era(reader: SiteReader, uri: object) -> None:
    assert old(reader, "resources/read", {"uri": uri})[1]["error"]["code"] == -32002
    if isinstance(uri, str):
        status, reply = new(reader, "resources/read", {"uri": uri})
        assert (status, reply["error"]["code"]) == (400, -32602)


def test_the_template_covers_every_path(reader: SiteReader) -> None:
    [template] = old(reader, "resources/templates/list")[1]["result"]["resourceTemplates"]

    assert template["uriTemplate"] == "shelf:///{+path}"


@pytest.mark.parametrize("method", ["prompts/list", "logging/setLevel", "server/discover", "", "Tools/List"])
def test_an_unknown_method_of_the_legacy_era_is_an_error_under_200(reader: SiteReader, method: str) -> None:
    status, reply = old(reader, method)

    assert (status, reply["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize("method", ["initialize", "ping", "prompts/list"])
def test_an_unknown_method_of_the_modern_era_is_404(reader: SiteReader, method: str) -> None:
    status, reply = new(reader, method)

    assert (status, reply["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"mcp_method": "tools/list"}, -32020),
        ({"mcp_name": "list"}, -32020),
        ({"mcp_name": "=?base64?!!?="}, -32020),
        ({"mcp_protocol_version": "2027-01-01"}, -32020),
        ({"mcp_protocol_version": ""}, -32020),
    ],
)
def test_a_modern_request_whose_headers_say_something_else_is_refused(
    reader: SiteReader, headers: dict[str, str], code: int
) -> None:
    status, reply = new(reader, "tools/call", {"name": "fetch", "arguments": {"path": CABLE}}, **headers)

    assert (status, reply["error"]["code"]) == (400, code)


def test_spaces_around_a_header_and_base64_in_it_are_understood(reader: SiteReader) -> None:
    name = "=?base64?" + base64.b64encode(b"fetch").decode() + "?="
    params = {"name": "fetch", "arguments": {"path": CABLE}}

    assert new(reader, "tools/call", params, mcp_name=f" {name} ", mcp_method="tools/call  ")[0] == 200


def test_a_version_from_the_future_is_told_what_there_is(reader: SiteReader) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2030-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    status, reply = new(reader, "tools/list", {"_meta": meta}, mcp_protocol_version="2030-01-01")

    assert (status, reply["error"]["code"]) == (400, -32022)
    assert reply["error"]["data"] == {"supported": [MODERN], "requested": "2030-01-01"}


def test_a_modern_request_without_meta_is_refused(reader: SiteReader) -> None:
    assert new(reader, "tools/list", {"_meta": {}})[1]["error"]["code"] == -32602


@pytest.mark.parametrize(
    "headers", [{}, {"mcp-protocol-version": "2025-06-18"}, {"mcp-protocol-version": MODERN}]
)
def test_a_notification_is_accepted_without_an_answer(reader: SiteReader, headers: dict[str, str]) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

    assert handle(body, headers, reader) == (202, b"")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe\xfd", -32700),
        (b"[" * 100_000, -32700),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700),
        (b"null", -32600),
        (b"[]", -32600),
        (b'"ping"', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32600),
    ],
)
def test_a_body_that_is_no_request_is_400(reader: SiteReader, body: bytes, code: int) -> None:
    status, reply = handle(body, {}, reader)

    assert status == 400
    assert json.loads(reply)["error"]["code"] == code
    assert json.loads(reply)["id"] is None


def test_params_that_are_no_object_are_refused(reader: SiteReader) -> None:
    assert old(reader, "tools/list", [1])[1]["error"]["code"] == -32602


def test_half_a_surrogate_pair_comes_back_as_it_went(reader: SiteReader) -> None:
    body = b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'

    status, reply = handle(body, {}, reader)

    assert status == 200
    assert json.loads(reply)["id"] == "\ud800"


def test_russian_is_sent_as_utf_8(reader: SiteReader) -> None:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "fetch", "arguments": {"path": RUSSIAN_SECTION}},
        }
    ).encode()

    assert "Подключите маршрутизатор".encode() in handle(body, {}, reader)[1]


def test_a_batch_is_answered_where_its_version_has_batches(reader: SiteReader) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "nothing"},
        5,
    ]
    body = json.dumps(batch).encode()

    status, reply = handle(body, {"mcp-protocol-version": "2025-03-26"}, reader)
    assert status == 200
    assert [(entry["id"], entry.get("error", {}).get("code")) for entry in json.loads(reply)] == [
        (1, None),
        (2, -32601),
        (None, -32600),
    ]
    assert handle(json.dumps(batch[1:2]).encode(), {}, reader) == (202, b"")
    assert handle(body, {"mcp-protocol-version": "2025-06-18"}, reader)[0] == 400
    assert handle(json.dumps(batch[:1] * 21).encode(), {}, reader)[0] == 400


def test_a_damaged_shelf_is_an_error_without_its_folder(tmp_path: Path) -> None:
    status, reply = new(SiteReader(Site(tmp_path / "gone")), "tools/call", {"name": "list"})

    assert (status, reply["error"]["code"]) == (500, -32603)
    assert str(tmp_path) not in json.dumps(reply)
