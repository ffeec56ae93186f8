"""The older official SDK (mcp 1.x) reads a shelf: python_1.py URL SECTION QUERY; a line on stdin reads once more."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def read(url: str, section: str, query: str) -> None:
    async with streamablehttp_client(url) as (received, sent, _), ClientSession(received, sent) as session:
        begun = await session.initialize()
        told = {"version": begun.protocolVersion, "instructions": begun.instructions}
        told["tools"] = [tool.name for tool in (await session.list_tools()).tools]
        told["list"] = await called(session, "list", {})
        told["fetch"] = await called(session, "fetch", {"path": section})
        told["search"] = await called(session, "search", {"query": query})
        told["resource"] = (await session.read_resource("shelf:///index.md")).contents[0].text
        told["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
        print(json.dumps(told), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps({"fetch": await called(session, "fetch", {"path": section})}), flush=True)


async def called(session: ClientSession, name: str, arguments: dict[str, str]) -> str:
    result = await session.call_tool(name, arguments)
    assert not result.isError, result
    return result.content[0].text


asyncio.run(read(*sys.argv[1:]))
