"""The official client reads the shelf from a real server, in both eras."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import mcp_types
import pytest
from mcp.client import Client
from running_server import running_server
from shelftest import ShelfTest
from small_shelf import ROUTER, RUSSIAN_SECTION, write_small_shelf

MODERN = "2026-07-28"
TOOLS = ["list", "fetch", "search", "inspect"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and site folder of a real server."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with running_server(site) as url:
        yield url, site


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", MODERN), (MODERN, MODERN)])
@pytest.mark.parametrize("path", ["mcp", "mcp/"])
def test_the_official_client_reads_the_shelf(
    server: tuple[str, Path], mode: str, version: str, path: str
) -> None:
    async def read() -> None:
        async with Client(f"{server[0]}/{path}", mode=mode, cache=None) as client:
            assert client.protocol_version == version
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            assert "docs/net/index.md" in await called(client, "list")
            assert "docs/net/cable.md" in await called(client, "list", path="docs/net")
            assert "Подключите" in await called(client, "fetch", path=RUSSIAN_SECTION)
            assert "pages B: 5–6" in await called(client, "inspect", path=ROUTER)
            listed = (await client.list_resources()).resources
            assert str(listed[-1].uri) == "shelf:///index.md"
            [content] = (await client.read_resource("shelf:///index.md")).contents
            assert isinstance(content, mcp_types.TextResourceContents)
            assert content.text.startswith("# Small shelf")
            [prompt] = (await client.list_prompts()).prompts
            asked = await client.get_prompt(prompt.name, {"question": "How?"})
            assert "How?" in asked.messages[0].model_dump_json()
            wrong = await client.call_tool("fetch", {"path": "no/such.md"})
            assert wrong.is_error

    asyncio.run(read())


def test_an_open_client_sees_a_new_release_with_its_next_call(server: tuple[str, Path]) -> None:
    async def read() -> None:
        async with Client(f"{server[0]}/mcp") as client:
            before = await called(client, "inspect")
            release = write_small_shelf(server[1], description="Newer words.")
            after = await called(client, "inspect")
            assert release not in before
            assert f"[release {release}]" in after
            assert "Newer words." in after

    asyncio.run(read())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_open_client_searches_and_outlives_a_restart(shelf: ShelfTest, mode: str) -> None:
    shelf.pdf("router.pdf", "# Tunnels\n\nA tunnel joins two networks.")
    shelf.build()

    async def read() -> None:
        with ExitStack() as server:
            url = server.enter_context(running_server(shelf.site))
            async with Client(f"{url}/mcp", mode=mode, cache=None) as client:
                found = await called(client, "search", query="tunnels")
                assert "](docs/router.md#p1): " in found
                await asyncio.to_thread(server.close)
                port = int(url.rpartition(":")[2])
                await asyncio.to_thread(server.enter_context, running_server(shelf.site, port=port))
                assert await called(client, "search", query="tunnels") == found
                await asyncio.to_thread(server.close)

    asyncio.run(read())


async def called(client: Client, name: str, **arguments: str) -> str:
    result = await client.call_tool(name, arguments)
    assert not result.is_error
    [content] = result.content
    assert isinstance(content, mcp_types.TextContent)
    return content.text
