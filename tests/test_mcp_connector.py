"""The profile for ChatGPT's connectors: two tools, one text each, results of their own shape."""

import json
from pathlib import Path
from typing import Any

import pytest
from shelftest import ShelfTest
from small_shelf import CABLE, LONG, ROUTER, TUNNELS, write_small_shelf

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.mcp.protocol import handle
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.releases.tree import Site


def result_of(site: Path, method: str, **params: object) -> dict[str, Any]:
    """The result of a request to a shelf of this profile."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = handle(json.dumps(message).encode(), {}, shelf_offer(ShelfTools(Site(site)), "openai"))[1]
    return dict(json.loads(reply)["result"])


def called(site: Path, name: str, **arguments: object) -> dict[str, Any]:
    """What a tool answers: one text that holds JSON, the same as its structured content."""
    result = result_of(site, "tools/call", name=name, arguments=arguments)
    [content] = result["content"]
    assert content["type"] == "text"
    value = json.loads(content["text"])
    assert value == result["structuredContent"]
    return dict(value)


def refused(site: Path, name: str, **arguments: object) -> str:
    """The text of a result that is an error."""
    result = result_of(site, "tools/call", name=name, arguments=arguments)
    assert result["isError"] is True
    return str(result["content"][0]["text"])


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A published shelf."""
    write_small_shelf(tmp_path, base_url="https://shelf.example/manuals/")
    return tmp_path


def test_there_are_just_two_tools_with_one_text_each(site: Path) -> None:
    tools = result_of(site, "tools/list")["tools"]

    assert {tool["name"]: list(tool["inputSchema"]["properties"]) for tool in tools} == {
        "search": ["query"],
        "fetch": ["id"],
    }
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_the_instructions_name_only_these_tools(site: Path) -> None:
    text = result_of(site, "initialize", protocolVersion="2025-11-25", capabilities={})["instructions"]

    assert "search(query)" in text
    assert "fetch(id)" in text
    assert "list(" not in text
    assert len(text) <= 600


def test_fetch_gives_what_a_citation_needs(site: Path) -> None:
    release = Site(site).current()
    document = called(site, "fetch", id=TUNNELS)

    assert list(document) == ["id", "title", "text", "url", "metadata"]
    assert document["id"] == TUNNELS
    assert document["title"] == "Tunnels (Router manual)"
    assert "A tunnel joins two networks." in document["text"]
    assert document["url"] == f"https://shelf.example/manuals/{TUNNELS.replace('.md', '.html')}"
    assert document["metadata"] == {
        "release": release.id,
        "path": TUNNELS,
        "source": "net/router.pdf",
        "sha256": release.meta(f"{ROUTER}.meta.json").sha256,
        "pages": "p. 3–4",
    }


def test_an_index_is_fetched_like_a_document(site: Path) -> None:
    assert called(site, "fetch", id="index.md")["url"] == "https://shelf.example/manuals/index.html"
    assert called(site, "fetch", id=ROUTER)["title"] == "Router manual"


def test_a_long_text_goes_on_under_an_id_of_its_own(tmp_path: Path) -> None:
    path = f"{ROUTER}/004-large.md"
    text = "".join(f"Line {number}\n" for number in range(10_000))
    write_small_shelf(tmp_path, extra={path: text.encode()})
    first = called(tmp_path, "fetch", id=path)["text"]
    call = f'fetch(id="{path}?offset=48000")'
    second = called(tmp_path, "fetch", id=f"{path}?offset=48000")["text"]

    assert first.startswith(text[:48_000])
    assert f"of {len(text)}; go on with {call}]" in first
    assert second.startswith(text[48_000:96_000])


def test_a_shelf_without_an_address_gives_the_resource(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)

    assert called(tmp_path, "fetch", id=CABLE)["url"] == f"shelf:///{CABLE}"


@pytest.mark.parametrize("arguments", [{}, {"id": ""}, {"id": 5}, {"id": LONG, "limit": 5}, {"path": LONG}])
def test_anything_but_one_text_is_refused(site: Path, arguments: dict[str, object]) -> None:
    assert "Give id only" in refused(site, "fetch", **arguments)


def test_a_wrong_id_names_the_nearest(site: Path) -> None:
    text = refused(site, "fetch", id="docs/net/router/tunnel.md")

    assert TUNNELS in text
    assert text.endswith('See what is there: fetch("docs/net/router")')
    assert refused(site, "fetch", id="nothing").endswith('See what is there: fetch("index.md")')


def test_search_without_search_data_says_what_to_do(site: Path) -> None:
    assert "build the shelf again" in refused(site, "search", query="router")


def test_search_gives_id_title_and_url_of_each_hit(shelf: ShelfTest) -> None:
    shelf.config(name="Shelf", base_url="https://shelf.example/")
    shelf.pdf("router.pdf", "# Tunnels\n\nA tunnel joins two networks.\n\n" + "More about tunnels.\n" * 20)
    shelf.build()
    [hit] = called(shelf.site, "search", query="tunnel")["results"]

    assert hit == {
        "id": "docs/router.md",
        "title": "Tunnels (Tunnels)",
        "url": "https://shelf.example/docs/router.html",
    }
    assert called(shelf.site, "fetch", id=hit["id"])["url"] == hit["url"]
    assert called(shelf.site, "search", query="zebra")["results"] == []
