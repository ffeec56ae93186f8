"""The profile `openai`: `search` and `fetch` in the shapes that ChatGPT's connectors and deep research want.

Each takes one string and answers one text item that holds JSON, and the same value as structured content
(developers.openai.com/api/docs/mcp, 2026-11). A citation is shown only where `url` is not empty, so a shelf
without `base_url` gives the URI of the resource there.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from docshelf.serve.answering.citing import pages_text, section_of, web_address
from docshelf.serve.answering.reading import FETCH_CHARACTERS_MOST, fetch
from docshelf.serve.answering.tools import ShelfTools, noted
from docshelf.serve.errors import BadRequest, RequestError
from docshelf.serve.http.calls import Call, note_call
from docshelf.serve.mcp.offer import Result, Tool, text_content
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.index import HITS

CONNECTOR_ROUTE = (
    "Route: search(query) finds sections; fetch(id) reads one; fetch(index.md) shows the contents and "
    "fetch of any id that an index prints opens it."
)

_ID_CHARACTERS = 1200
_FROM_OFFSET = re.compile(r"(.*)\?offset=([0-9]{1,9})")


def connector_tools(shelf: ShelfTools) -> dict[str, Tool]:
    """The two tools by name."""

    def search(arguments: Mapping[str, object]) -> Result:
        query = _only(arguments, "query")
        return _result(lambda: {"results": _results(shelf, query)})

    def read(arguments: Mapping[str, object]) -> Result:
        wanted = _only(arguments, "id")
        return _result(lambda: _document(shelf.site.current(), wanted))

    about_search = "Finds sections of the shelf by words, the best first. Then fetch(id)."
    about_fetch = "The text of one section; an index where the id is one. A cut text says which id goes on."
    return {
        "search": Tool(
            _described("search", about_search, "query", "words, a command, an identifier"), search
        ),
        "fetch": Tool(_described("fetch", about_fetch, "id", "as search or an index printed it"), read),
    }


def _results(shelf: ShelfTools, query: str) -> list[dict[str, str]]:
    release = shelf.site.current()
    hits = shelf.index(release).search(query, HITS)
    note_call(Call("search", release=release.id, status=200))
    return [
        {"id": hit.path, "title": f"{hit.title} ({hit.document})", "url": _url(release, hit.path)}
        for hit in hits
    ]


def _document(release: Release, wanted: str) -> dict[str, Any]:
    match = _FROM_OFFSET.fullmatch(wanted)
    path, offset = (match[1], int(match[2])) if match else (wanted, 0)
    answer = noted("fetch", lambda: fetch(release, path, offset, FETCH_CHARACTERS_MOST, _next_call))
    title, metadata = answer.path, {"release": release.id, "path": answer.path}
    entry = release.addresses.document(answer.path)
    if entry is not None:
        meta = release.meta(entry.meta)
        section = section_of(meta, answer.path)
        title = meta.title if section is None else f"{section.title} ({meta.title})"
        metadata |= {"source": meta.source, "sha256": meta.sha256}
        if section is not None:
            metadata["pages"] = pages_text(section.labels)
    return {
        "id": wanted,
        "title": title,
        "text": answer.text,
        "url": _url(release, answer.path),
        "metadata": metadata,
    }


def _next_call(path: str, offset: int, release: str) -> str:
    return f'fetch(id="{path}?offset={offset}")'


def _url(release: Release, path: str) -> str:
    return web_address(release, path) or f"shelf:///{path}"


def _only(arguments: Mapping[str, object], name: str) -> str:
    """The one argument, a text."""
    value = arguments.get(name)
    if (
        list(arguments) != [name]
        or not isinstance(value, str)
        or not 0 < len(value.strip()) <= _ID_CHARACTERS
    ):
        raise BadRequest(f"Give {name} only: text of 1 to {_ID_CHARACTERS} characters.")
    return value.strip()


def _result(reading: Callable[[], dict[str, Any]]) -> Result:
    """What `reading` gives, in the shape of both pages of the documentation.

    Raises: RequestError whose text names no tool that is not there: `fetch` opens an index too.
    """
    try:
        value = reading()
    except RequestError as exc:
        text = str(exc).replace('list("")', 'fetch("index.md")').replace("list(", "fetch(")
        raise type(exc)(text) from exc
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return {"content": [text_content(text)], "structuredContent": value}


def _described(name: str, description: str, argument: str, meaning: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {argument: {"type": "string", "description": meaning}},
            "required": [argument],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
