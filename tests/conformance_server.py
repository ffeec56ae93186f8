"""The shelf's own server with what the conformance suite calls beside it: `conformance_server.py SITE`.

The suite's scenarios call tools, prompts and resources of fixed names; they stand here and nowhere else.
"""

import base64
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.cli import say
from docshelf.serve.errors import BadRequest
from docshelf.serve.http.app import create_app
from docshelf.serve.mcp.offer import Offer, Prompt, Result, Tool, text_content
from docshelf.serve.mcp.shelf import shelf_offer
from docshelf.serve.releases.tree import Site
from docshelf.serve.run import ServeOptions, opened_server

PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
        "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
    )
).decode()
"""A PNG of one pixel."""


def with_fixtures(offer: Offer) -> Offer:
    """`offer`, and what the suite calls."""

    def read(uri: str) -> Result:
        template = re.fullmatch(r"test://template/([^/]+)/data", uri)
        if template:
            return {"uri": uri, "mimeType": "application/json", "text": f'{{"id":"{template[1]}"}}'}
        if uri == "test://static-text":
            return {"uri": uri, "mimeType": "text/plain", "text": "The text of a resource."}
        if uri == "test://static-binary":
            return {"uri": uri, "mimeType": "image/png", "blob": PIXEL}
        return offer.read_resource(uri)

    image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    embedded = {
        "type": "resource",
        "resource": {"uri": "test://r", "mimeType": "text/plain", "text": "Text."},
    }
    tools = (
        tool("test_simple_text", text_content("A text.")),
        tool("test_image_content", image),
        tool("test_embedded_resource", embedded),
        tool("test_multiple_content_types", text_content("Several:"), image, embedded),
        Tool(described("test_error_handling") | {"inputSchema": {"type": "object"}}, failing),
    )
    prompts = (
        Prompt(described("test_simple_prompt"), lambda arguments: message(text_content("A prompt."))),
        Prompt(described("test_prompt_with_arguments", "arg1", "arg2"), with_arguments),
    )
    return replace(
        offer,
        tools={**offer.tools, **{str(it.description["name"]): it for it in tools}},
        prompts={**offer.prompts, **{str(it.description["name"]): it for it in prompts}},
        read_resource=read,
    )


def tool(name: str, *content: Result) -> Tool:
    """A tool that always gives `content`."""
    schema = {"inputSchema": {"type": "object"}}
    return Tool(described(name) | schema, lambda arguments: {"content": list(content)})


def failing(arguments: Mapping[str, object]) -> Result:
    """Fails as a tool of the shelf does."""
    raise BadRequest("This tool always fails.")


def with_arguments(arguments: Mapping[str, str]) -> Result:
    """A prompt that repeats what it was given."""
    return message(text_content(f"{arguments['arg1']} and {arguments['arg2']}"))


def message(content: Result) -> Result:
    """A prompt's result."""
    return {"messages": [{"role": "user", "content": content}]}


def described(name: str, *arguments: str) -> Result:
    """How a fixture is listed."""
    named = [{"name": argument, "required": True} for argument in arguments]
    return {"name": name, "description": "A fixture of the conformance suite"} | (
        {"arguments": named} if named else {}
    )


if __name__ == "__main__":
    served = Site(Path(sys.argv[1]))
    app = create_app(served, offer=with_fixtures(shelf_offer(ShelfTools(served))))
    with opened_server(app, served, ServeOptions(port=0)) as opened:
        opened.run(lambda url: say(sys.stdout, url))
