"""The protocol core as a pure function, in both eras."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from small_shelf import BEGIN, CABLE, LONG, ROUTER, RUSSIAN_SECTION, TUNNELS, write_small_shelf

from docshelf.serve.answering.tools import ShelfTools, tools
from docshelf.serve.mcp.offer import Offer
from docshelf.serve.mcp.protocol import handle
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.releases.tree import Site

MODERN = "2026-07-28"
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")


@pytest.fixture(scope="module")
def offer(tmp_path_factory: pytest.TempPathFactory) -> Offer:
    """Reads the small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return shelf_offer(ShelfTools(Site(site)))


def old(
    offer: Offer, method: str, params: object = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Status and reply to a request of the legacy era."""
    message = {"jsonrpc": "2.0", "id": 7, "method": method} | ({} if params is None else {"params": params})
    status, body = handle(json.dumps(message).encode(), headers or {}, offer)
    return status, json.loads(body)


def new(
    offer: Offer, method: str, params: dict[str, Any] | None = None, **headers: str
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
    status, body = handle(json.dumps(message).encode(), sent, offer)
    return status, json.loads(body)


def text_of(reply: dict[str, Any]) -> str:
    [content] = reply["result"]["content"]
    assert content["type"] == "text"
    return str(content["text"])


@pytest.mark.parametrize("version", LEGACY)
def test_initialize_agrees_on_every_older_version(offer: Offer, version: str) -> None:
    status, reply = old(offer, "initialize", {"protocolVersion": version, "capabilities": {}})

    assert status == 200
    assert reply["id"] == 7
    assert reply["result"]["protocolVersion"] == version
    assert reply["result"]["capabilities"] == {"tools": {}, "prompts": {}, "resources": {}}
    assert reply["result"]["serverInfo"]["name"] == "docshelf"
    assert reply["result"]["instructions"].startswith("Small shelf: Manuals of a small network. ")


@pytest.mark.parametrize("version", ["1999-01-01", MODERN, None, 5])
def test_initialize_offers_the_newest_older_version_for_any_other(offer: Offer, version: object) -> None:
    assert (
        old(offer, "initialize", {"protocolVersion": version})[1]["result"]["protocolVersion"] == "2025-11-25"
    )


def test_discover_names_the_modern_version(offer: Offer) -> None:
    status, reply = new(offer, "server/discover")

    assert status == 200
    assert reply["result"]["supportedVersions"] == [MODERN]
    assert reply["result"]["resultType"] == "complete"
    assert reply["result"]["ttlMs"] > 0
    assert reply["result"]["cacheScope"] == "private"
    assert reply["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "docshelf"


def test_the_tools_are_four_read_only_ones_under_2_kb(offer: Offer) -> None:
    listed = old(offer, "tools/list")[1]["result"]["tools"]

    assert [tool["name"] for tool in listed] == ["list", "fetch", "search", "inspect"]
    assert all(tool["annotations"]["readOnlyHint"] is True for tool in listed)
    assert new(offer, "tools/list")[1]["result"]["tools"] == listed
    sent = json.dumps(tools(), ensure_ascii=False, separators=(",", ":"))
    assert len(sent.encode()) <= 2048


def test_instructions_stay_under_600_characters_and_whole(tmp_path: Path, offer: Offer) -> None:
    write_small_shelf(tmp_path, description="Слово " * 500)
    long = shelf_offer(ShelfTools(Site(tmp_path))).instructions()

    assert len(long) == 600
    assert "\n" not in long
    assert long.endswith(offer.instructions()[-300:])


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
    offer: Offer, name: str, arguments: object, expected: str
) -> None:
    for status, reply in (
        old(offer, "tools/call", {"name": name, "arguments": arguments}),
        new(offer, "tools/call", {"name": name, "arguments": arguments}),
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
    offer: Offer, name: str, arguments: dict[str, object], hint: str
) -> None:
    status, reply = old(offer, "tools/call", {"name": name, "arguments": arguments})

    assert status == 200
    assert reply["result"]["isError"] is True
    assert hint in text_of(reply)


def test_a_kept_release_can_be_read_to_the_end(tmp_path: Path) -> None:
    first = write_small_shelf(tmp_path)
    offer = shelf_offer(ShelfTools(Site(tmp_path)))
    write_small_shelf(tmp_path, renumbered=True)

    arguments = {"path": LONG, "offset": 16000, "release": first}
    text = text_of(old(offer, "tools/call", {"name": "fetch", "arguments": arguments})[1])

    assert f"[release {first} · {LONG}" in text


@pytest.mark.parametrize("params", [{"name": "write"}, {"name": None}, {}, {"name": "list", "arguments": []}])
def test_an_unknown_tool_is_an_error_of_the_protocol(offer: Offer, params: dict[str, object]) -> None:
    assert old(offer, "tools/call", params)[1]["error"]["code"] == -32602


def test_resources_are_the_indexes_in_pages(offer: Offer) -> None:
    listed = old(offer, "resources/list")[1]["result"]

    assert [resource["uri"] for resource in listed["resources"]] == [
        "shelf:///docs/net/index.md",
        f"shelf:///{ROUTER}/subindex.md",
        "shelf:///docs/ru/index.md",
        "shelf:///docs/ru/marshrutizator/subindex.md",
        "shelf:///index.md",
    ]
    assert listed["resources"][0]["title"] == "Network"
    assert "nextCursor" not in listed


def test_a_cursor_leads_through_all_resources(tmp_path: Path) -> None:
    more = {f"docs/c{number:03}/index.md": b"# Category\n" for number in range(245)}
    write_small_shelf(tmp_path, extra=more)
    offer = shelf_offer(ShelfTools(Site(tmp_path)))
    seen: list[str] = []
    sizes: list[int] = []
    params: dict[str, str] = {}
    for _ in range(3):
        result = old(offer, "resources/list", params)[1]["result"]
        seen += [resource["name"] for resource in result["resources"]]
        sizes.append(len(result["resources"]))
        params = {"cursor": result.get("nextCursor", "")}

    assert sizes == [100, 100, 50]
    assert seen == sorted(seen)
    assert more.keys() <= set(seen)
    assert params == {"cursor": ""}


@pytest.mark.parametrize("cursor", ["***", 5, "я", "/w==", []])
def test_a_cursor_that_is_none_is_refused(offer: Offer, cursor: object) -> None:
    assert old(offer, "resources/list", {"cursor": cursor})[1]["error"]["code"] == -32602


def test_a_resource_is_read_as_text_or_as_bytes(offer: Offer) -> None:
    [text] = old(offer, "resources/read", {"uri": f"shelf:///{TUNNELS}"})[1]["result"]["contents"]
    uri = "shelf:///pictures/net/cable/p001.png"
    [picture] = old(offer, "resources/read", {"uri": uri})[1]["result"]["contents"]

    assert text["mimeType"] == "text/markdown"
    assert text["text"].startswith(
        "# Tunnels\n\n> Router manual · p. 3–4 · [source](sources/net/router.pdf#page=5)\n"
    )
    assert picture["mimeType"] == "image/png"
    assert base64.b64decode(picture["blob"]).startswith(b"\x89PNG")


@pytest.mark.parametrize("uri", ["shelf:///no.md", "shelf:///../x", "file:///etc/passwd", "", 5, None])
def test_a_resource_that_is_none_has_the_code_of_its_era(offer: Offer, uri: object) -> None:
    assert old(offer, "resources/read", {"uri": uri})[1]["error"]["code"] == -32002
    if isinstance(uri, str):
        status, reply = new(offer, "resources/read", {"uri": uri})
        assert (status, reply["error"]["code"]) == (400, -32602)


def test_the_template_covers_every_path(offer: Offer) -> None:
    [template] = old(offer, "resources/templates/list")[1]["result"]["resourceTemplates"]

    assert template["uriTemplate"] == "shelf:///{+path}"


@pytest.mark.parametrize(
    "method", ["completion/complete", "logging/setLevel", "server/discover", "", "Tools/List"]
)
def test_an_unknown_method_of_the_legacy_era_is_an_error_under_200(offer: Offer, method: str) -> None:
    status, reply = old(offer, method)

    assert (status, reply["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize("method", ["initialize", "ping", "completion/complete"])
def test_an_unknown_method_of_the_modern_era_is_404(offer: Offer, method: str) -> None:
    status, reply = new(offer, method)

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
    offer: Offer, headers: dict[str, str], code: int
) -> None:
    status, reply = new(offer, "tools/call", {"name": "fetch", "arguments": {"path": CABLE}}, **headers)

    assert (status, reply["error"]["code"]) == (400, code)


def test_spaces_around_a_header_and_base64_in_it_are_understood(offer: Offer) -> None:
    name = "=?base64?" + base64.b64encode(b"fetch").decode() + "?="
    params = {"name": "fetch", "arguments": {"path": CABLE}}

    assert new(offer, "tools/call", params, mcp_name=f" {name} ", mcp_method="tools/call  ")[0] == 200


def test_a_version_from_the_future_is_told_what_there_is(offer: Offer) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2030-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    status, reply = new(offer, "tools/list", {"_meta": meta}, mcp_protocol_version="2030-01-01")

    assert (status, reply["error"]["code"]) == (400, -32022)
    assert reply["error"]["data"] == {"supported": [MODERN], "requested": "2030-01-01"}


def test_a_modern_request_without_meta_is_refused(offer: Offer) -> None:
    assert new(offer, "tools/list", {"_meta": {}})[1]["error"]["code"] == -32602


@pytest.mark.parametrize(
    "headers", [{}, {"mcp-protocol-version": "2025-06-18"}, {"mcp-protocol-version": MODERN}]
)
def test_a_notification_is_accepted_without_an_answer(offer: Offer, headers: dict[str, str]) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

    assert handle(body, headers, offer) == (202, b"")


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
def test_a_body_that_is_no_request_is_400(offer: Offer, body: bytes, code: int) -> None:
    status, reply = handle(body, {}, offer)

    assert status == 400
    assert json.loads(reply)["error"]["code"] == code
    assert json.loads(reply)["id"] is None


def test_params_that_are_no_object_are_refused(offer: Offer) -> None:
    assert old(offer, "tools/list", [1])[1]["error"]["code"] == -32602


def test_half_a_surrogate_pair_comes_back_as_it_went(offer: Offer) -> None:
    body = b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}'

    status, reply = handle(body, {}, offer)

    assert status == 200
    assert json.loads(reply)["id"] == "\ud800"


def test_russian_is_sent_as_utf_8(offer: Offer) -> None:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "fetch", "arguments": {"path": RUSSIAN_SECTION}},
        }
    ).encode()

    assert "Подключите маршрутизатор".encode() in handle(body, {}, offer)[1]


def test_a_batch_is_answered_where_its_version_has_batches(offer: Offer) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "nothing"},
        5,
    ]
    body = json.dumps(batch).encode()

    status, reply = handle(body, {"mcp-protocol-version": "2025-03-26"}, offer)
    assert status == 200
    assert [(entry["id"], entry.get("error", {}).get("code")) for entry in json.loads(reply)] == [
        (1, None),
        (2, -32601),
        (None, -32600),
    ]
    assert handle(json.dumps(batch[1:2]).encode(), {}, offer) == (202, b"")
    assert handle(body, {"mcp-protocol-version": "2025-06-18"}, offer)[0] == 400
    assert handle(json.dumps(batch[:1] * 21).encode(), {}, offer)[0] == 400


def test_a_batch_is_answered_until_its_answers_are_large(tmp_path: Path) -> None:
    picture = "pictures/net/router/p005.png"
    write_small_shelf(tmp_path, extra={picture: b"\x89PNG\r\n\x1a\n".ljust(3_000_000)})
    params = {"name": "fetch", "arguments": {"path": picture}}
    batch = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params} for number in range(20)
    ]

    status, body = handle(json.dumps(batch).encode(), {}, shelf_offer(ShelfTools(Site(tmp_path))))

    replies = json.loads(body)
    answered = [reply["id"] for reply in replies if "result" in reply]
    assert (status, [reply["id"] for reply in replies], answered) == (200, [*range(20)], [0, 1])
    assert replies[2]["error"] == {
        "code": -32600,
        "message": "The answers of this batch are larger than 8 MB already; send this request alone",
    }
    assert len(body) < 9_000_000


def test_a_damaged_shelf_is_an_error_without_its_folder(tmp_path: Path) -> None:
    status, reply = new(shelf_offer(ShelfTools(Site(tmp_path / "gone"))), "tools/call", {"name": "list"})

    assert (status, reply["error"]["code"]) == (500, -32603)
    assert str(tmp_path) not in json.dumps(reply)


def test_a_scanned_page_comes_as_text_and_picture(offer: Offer) -> None:
    arguments = {"path": f"{LONG}#p8", "limit": 50}
    text, picture = old(offer, "tools/call", {"name": "fetch", "arguments": arguments})[1]["result"][
        "content"
    ]

    assert text["type"] == "text"
    assert text["text"].startswith("<!-- p8 -->")
    assert picture["type"] == "image"
    assert picture["mimeType"] == "image/jpeg"
    assert base64.b64decode(picture["data"]) == b"\xff\xd8\xff scanned"


def test_search_on_a_release_without_search_data_says_what_to_do(offer: Offer) -> None:
    reply = old(offer, "tools/call", {"name": "search", "arguments": {"query": "router"}})[1]["result"]

    assert reply["isError"] is True
    assert "build the shelf again" in reply["content"][0]["text"]


def test_the_prompt_asks_for_a_question_and_gives_the_route(offer: Offer) -> None:
    for ask in (old, new):
        [prompt] = ask(offer, "prompts/list")[1]["result"]["prompts"]
        assert prompt["name"] == "answer_from_shelf"
        assert [(it["name"], it["required"]) for it in prompt["arguments"]] == [("question", True)]
        params = {"name": "answer_from_shelf", "arguments": {"question": " Как настроить туннель? "}}
        status, reply = ask(offer, "prompts/get", params)
        assert status == 200
        [message] = reply["result"]["messages"]
        assert message["role"] == "user"
        assert message["content"]["text"].startswith(offer.instructions())
        assert message["content"]["text"].endswith("\n\nКак настроить туннель?")


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({}, "Unknown prompt; the prompts are answer_from_shelf"),
        ({"name": "other"}, "Unknown prompt"),
        ({"name": "answer_from_shelf"}, "needs the argument question"),
        ({"name": "answer_from_shelf", "arguments": {"question": 5}}, "an object of texts"),
        ({"name": "answer_from_shelf", "arguments": ["x"]}, "an object of texts"),
        ({"name": "answer_from_shelf", "arguments": {"question": "  "}}, "text of 1 to 4000 characters"),
        (
            {"name": "answer_from_shelf", "arguments": {"question": "x" * 4001}},
            "text of 1 to 4000 characters",
        ),
    ],
)
def test_a_prompt_that_is_wrong_is_an_error_of_the_protocol(
    offer: Offer, params: dict[str, object], reason: str
) -> None:
    error = old(offer, "prompts/get", params)[1]["error"]

    assert error["code"] == -32602
    assert reason in error["message"]


def test_a_modern_prompt_is_named_in_its_header(offer: Offer) -> None:
    params = {"name": "answer_from_shelf", "arguments": {"question": "How?"}}

    assert new(offer, "prompts/get", params, mcp_name="other")[1]["error"]["code"] == -32020


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/templates/list"])
def test_what_is_one_page_takes_no_cursor(offer: Offer, method: str) -> None:
    assert old(offer, method, {"cursor": "eA=="})[1]["error"]["code"] == -32602
