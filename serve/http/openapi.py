"""The OpenAPI 3.1 document of the reading endpoints; parameters come from the tools' own schemas."""

from typing import Any

from docshelf.serve.answering.tools import INTEGER_MOST, TEXT_CHARACTERS, tools
from docshelf.serve.media import MARKDOWN

OPENAPI_VERSION = "3.1.0"

_PATTERNS = {"query": r"\S"}
_EXAMPLES = {"path": "index.md", "query": "ip route"}

_ERRORS = {
    "400": "An argument is missing, unknown, repeated, of a wrong type or out of range.",
    "401": "The server asks for a token.",
    "403": "The server does not go by that name, or a web page of another host asks.",
    "404": "No such path or release; the message names the nearest paths.",
    "414": "Path or query is too long.",
    "503": "The shelf on disk is damaged, or being put in place.",
}


def openapi() -> dict[str, Any]:
    """The document; addresses in it are relative to where it is served."""
    return {
        "openapi": OPENAPI_VERSION,
        "info": {
            "title": "DocShelf",
            "version": "1",
            "summary": "Reading a shelf of documents",
            "description": "Read-only. Start with /list or /search, then fetch the one section you need; the "
            "last line of each answer says what to cite.",
        },
        "servers": [{"url": "./"}],
        "paths": {
            **{f"/{tool['name']}": {"get": _reading(tool)} for tool in tools()},
            "/healthz": {"get": _health()},
        },
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _reading(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool["inputSchema"]
    headers = {"ETag": {"schema": {"type": "string"}}}
    return {
        "operationId": tool["name"],
        "description": tool["description"],
        "parameters": [
            {
                "name": name,
                "in": "query",
                "description": described["description"],
                "required": name in schema.get("required", ()),
                "schema": {"type": described["type"]} | _bounds(name, described),
                **({"example": _EXAMPLES[name]} if name in _EXAMPLES else {}),
            }
            for name, described in schema["properties"].items()
        ],
        "responses": {
            "200": {
                "description": "Markdown.",
                "headers": headers,
                "content": {MARKDOWN: {"schema": {"type": "string"}}},
            },
            "304": {"description": "What If-None-Match names is still right.", "headers": headers},
            **{status: _error(text) for status, text in _ERRORS.items()},
        },
    }


def _bounds(name: str, described: dict[str, Any]) -> dict[str, Any]:
    """What the tool's schema leaves out: a model pays for it with every turn, a program does not."""
    if described["type"] == "integer":
        return {"minimum": described["minimum"], "maximum": INTEGER_MOST}
    return {"maxLength": TEXT_CHARACTERS} | ({"pattern": _PATTERNS[name]} if name in _PATTERNS else {})


def _health() -> dict[str, Any]:
    facts = {
        "type": "object",
        "properties": {
            "status": {"const": "ok"},
            "release": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
            "documents": {"type": "integer", "minimum": 0},
        },
        "required": ["status", "release", "documents"],
        "additionalProperties": False,
    }
    return {
        "operationId": "health",
        "description": "Whether the shelf can be read, and which release is current.",
        "responses": {
            "200": {"description": "It can.", "content": {"application/json": {"schema": facts}}},
            **{status: _error(_ERRORS[status]) for status in ("401", "403", "414", "503")},
        },
    }


def _error(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_ERROR: dict[str, Any] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "minLength": 1},
                "message": {"type": "string", "minLength": 1, "description": "what to do next"},
            },
            "required": ["code", "message"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
