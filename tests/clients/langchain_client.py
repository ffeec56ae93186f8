"""The snippet of docs/hosts.md for LangChain, run: langchain_client.py SNIPPET URL SECTION QUERY TOKEN."""

import asyncio
import json
import sys
from pathlib import Path

snippet, url, section, query, token = sys.argv[1:]
source = Path(snippet).read_text("utf-8").replace("http://shelf.lan:8080/mcp", url).replace("TOKEN", token)


async def read() -> None:
    names: dict[str, object] = {}
    body = "".join(f"    {line}\n" for line in source.splitlines())
    exec(f"async def snippet():\n{body}    return client, tools\n", names)  # noqa: S102
    client, tools = await names["snippet"]()
    by_name = {tool.name: tool for tool in tools}
    told = {"tools": list(by_name)}
    told["list"] = text_of(await by_name["list"].ainvoke({}))
    told["fetch"] = text_of(await by_name["fetch"].ainvoke({"path": section}))
    told["search"] = text_of(await by_name["search"].ainvoke({"query": query}))
    told["resource"] = (await client.get_resources("docshelf", uris="shelf:///index.md"))[0].as_string()
    print(json.dumps(told))


def text_of(result: object) -> str:
    return result if isinstance(result, str) else result[0]["text"]


asyncio.run(read())
