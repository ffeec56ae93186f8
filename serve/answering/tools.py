"""The tools a reader has: their names, schemas and descriptions, and how a call becomes a reading.

MCP and plain HTTP answer from here, so both mean the same by the same words.
"""

from collections.abc import Callable, Mapping
from typing import Any

from docshelf.serve.answering.inspection import inspect
from docshelf.serve.answering.reading import (
    FETCH_CHARACTERS,
    FETCH_CHARACTERS_MOST,
    Answer,
    fetch,
    list_index,
)
from docshelf.serve.answering.searching import search_answer
from docshelf.serve.errors import BadRequest, RequestError
from docshelf.serve.http.answers import AnswerCache
from docshelf.serve.http.calls import Call, is_gathering, note_call
from docshelf.serve.releases.tree import Release, Releases
from docshelf.serve.search.index import HITS, HITS_MOST, SearchIndex

_INTEGER_DIGITS = 9
INTEGER_MOST = 10**_INTEGER_DIGITS - 1
TEXT_CHARACTERS = 1024


def tools() -> list[dict[str, Any]]:
    """The tools as `tools/list` shows them; together under 2 KB, for a host sends them with every turn."""
    return [
        _tool(
            "list",
            "Contents of the shelf, a category or a document. Start without path; then pass a path that a line "
            "`- [title](path): pages, size` printed. A section's path gives the index it stands in.",
            {"path": _text("empty: the whole shelf")},
        ),
        _fetch_tool(),
        _tool(
            "search",
            "Finds sections by words in any form: one line a hit with path, title, pages, snippet. Then fetch.",
            {
                "query": _text("words, a command, an identifier"),
                "limit": _number(f"hits: {HITS}, at most {HITS_MOST}", 1),
                "path": _text("only below it"),
            },
            "query",
        ),
        _tool(
            "inspect",
            "How a document or section was made: source, hash, pages, grade (A structure, B text, C picture), "
            "outline, sizes, problems. For text that looks broken.",
            {"path": _text("empty: the shelf")},
        ),
    ]


def _fetch_tool() -> dict[str, Any]:
    return _tool(
        "fetch",
        "Text of one section as Markdown. Read the section that fits, not the whole document. The last line "
        "is what to cite; a cut text says how to go on. path#p12 of a scanned page brings its picture.",
        {
            "path": _text("as list or search printed it"),
            "offset": _number("first character", 0),
            "limit": _number(f"characters: {FETCH_CHARACTERS}, at most {FETCH_CHARACTERS_MOST}", 1),
            "release": _text("only to go on in the same release"),
        },
        "path",
    )


class ShelfTools:
    """The tools on one site; each call reads the release that is current then. Safe between threads."""

    def __init__(self, site: Releases) -> None:
        """Nothing is read before a call."""
        self.site = site
        self._arguments = {str(tool["name"]): tuple(tool["inputSchema"]["properties"]) for tool in tools()}
        self._answers = AnswerCache()
        self._search: tuple[Release, SearchIndex] | None = None

    def call(self, name: str, arguments: Mapping[str, object]) -> Answer:
        """What the tool `name` (one of `tools()`) answers.

        Raises: RequestError, its text made for the model that called; ShelfDamaged.
        """
        return noted(name, lambda: self._answer(name, arguments))

    def _answer(self, name: str, arguments: Mapping[str, object]) -> Answer:
        known = self._arguments[name]
        for key in arguments:
            if key not in known:
                raise BadRequest(f"{name} has no argument {key[:80]!r}; it takes {', '.join(known)}.")
        if name == "search":
            return self._found(arguments)
        path = _text_argument(arguments, "path")
        if name == "list":
            release = self.site.current()
            return self._answers.answer(("list", release.id, path), lambda: list_index(release, path))
        if name == "inspect":
            return inspect(self.site.current(), path)
        if arguments.get("path") is None:
            raise BadRequest('fetch needs a path; list() shows them, fetch(path="index.md") is the index.')
        offset = _integer_argument(arguments, "offset", 0)
        limit = _integer_argument(arguments, "limit", FETCH_CHARACTERS)
        named = _text_argument(arguments, "release")
        release = self.site.release(named) if named else self.site.current()
        question = ("fetch", release.id, path, offset, limit)
        return self._answers.answer(question, lambda: fetch(release, path, offset, limit))

    def index(self, release: Release) -> SearchIndex:
        """The search of `release`, from memory while it stays the current one."""
        known = self._search
        if known is None or known[0] is not release:
            known = self._search = (release, SearchIndex(release))
        return known[1]

    def _found(self, arguments: Mapping[str, object]) -> Answer:
        query = _text_argument(arguments, "query")
        if not query:
            raise BadRequest(
                'search needs a query: words, a command or an identifier; list("") shows the contents.'
            )
        limit = min(_integer_argument(arguments, "limit", HITS), HITS_MOST)
        release = self.site.current()
        hits = self.index(release).search(query, limit, _text_argument(arguments, "path"))
        return search_answer(release, query, hits)


def noted(tool: str, reading: Callable[[], Answer]) -> Answer:
    """What `reading` answers, noted as a call of `tool` for who gathers them."""
    try:
        answer = reading()
    except RequestError as exc:
        note_call(Call(tool, status=exc.status))
        raise
    if is_gathering():
        note_call(Call(tool, answer.path, answer.release, size_bytes=len(answer.text.encode())))
    return answer


def _tool(name: str, description: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = list(required)
    return {
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _number(description: str, least: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "description": description}


def _text_argument(arguments: Mapping[str, object], key: str) -> str:
    """Models send null for what they leave out."""
    value = arguments.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > TEXT_CHARACTERS:
        raise BadRequest(f"{key} must be text of at most {TEXT_CHARACTERS} characters.")
    return value.strip()


def _integer_argument(arguments: Mapping[str, object], key: str, default: int) -> int:
    """A whole number; `3.0` and `"3"` count, for models write both."""
    value = arguments.get(key)
    if value is None or value == "":
        return default
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _INTEGER_DIGITS:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > INTEGER_MOST:
        raise BadRequest(f"{key} must be a whole number, 0 or more.")
    return value
