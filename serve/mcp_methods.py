"""What each MCP method answers, in both eras of the protocol; no I/O but the reader's."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from docshelf.serve import mcp_tools
from docshelf.serve.errors import NotOnShelf, RequestError
from docshelf.serve.mcp_tools import Reader

LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""
MODERN_VERSIONS = ("2026-07-28",)
"""Versions whose requests carry everything themselves."""

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
_RESOURCE_NOT_FOUND_LEGACY = -32002

SCHEME = "shelf:///"
_PAGE = 100
_TTL_MS = 60_000
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"


class RpcError(Exception):
    """A JSON-RPC error on its way to the client."""

    def __init__(self, code: int, text: str, data: object = None) -> None:
        super().__init__(text)
        self.code = code
        self.data = data


@dataclass(frozen=True, slots=True)
class Call:
    """One request, checked as far as JSON-RPC and the era go."""

    reader: Reader
    params: Mapping[str, Any]
    modern: bool
    server: Mapping[str, str]
    """Name and version of this server."""


Answer = dict[str, Any]


def answer(method: str, call: Call) -> Answer:
    """The result of `method`.

    Raises: RpcError; ShelfDamaged.
    """
    methods = _modern() if call.modern else _legacy()
    if method not in methods:
        raise RpcError(METHOD_NOT_FOUND, "Method not found")
    work, cacheable = methods[method]
    result = work(call)
    if not call.modern:
        return result
    extra: Answer = {"resultType": "complete", "_meta": {_SERVER_INFO: dict(call.server)}}
    if cacheable:
        extra |= {"ttlMs": _TTL_MS, "cacheScope": "private"}
    return result | extra


_Method = tuple[Callable[[Call], Answer], bool]
"""What answers, and whether a modern client may keep the answer."""


def _both_eras() -> dict[str, _Method]:
    return {
        "tools/list": (_tools_list, True),
        "tools/call": (_tools_call, False),
        "resources/list": (_resources_list, True),
        "resources/read": (_resources_read, True),
        "resources/templates/list": (_templates_list, True),
    }


def _legacy() -> dict[str, _Method]:
    return _both_eras() | {"initialize": (_initialize, False), "ping": (_ping, False)}


def _modern() -> dict[str, _Method]:
    return _both_eras() | {"server/discover": (_discover, True)}


def _initialize(call: Call) -> Answer:
    wanted = call.params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
        "capabilities": _capabilities(),
        "serverInfo": dict(call.server),
        "instructions": mcp_tools.instructions(call.reader),
    }


def _discover(call: Call) -> Answer:
    return {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": _capabilities(),
        "instructions": mcp_tools.instructions(call.reader),
    }


def _ping(call: Call) -> Answer:
    return {}


def _capabilities() -> Answer:
    return {"tools": {}, "resources": {}}


def _tools_list(call: Call) -> Answer:
    if call.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Invalid cursor: the tools are one page")
    return {"tools": mcp_tools.tools()}


def _tools_call(call: Call) -> Answer:
    name, arguments = call.params.get("name"), call.params.get("arguments")
    names = [tool["name"] for tool in mcp_tools.tools()]
    if not isinstance(name, str) or name not in names:
        raise RpcError(INVALID_PARAMS, f"Unknown tool; the tools are {', '.join(names)}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments must be an object")
    try:
        text, failed = mcp_tools.call(call.reader, name, arguments), {}
    except RequestError as exc:
        text, failed = f"{name}: {exc}", {"isError": True}
    return {"content": [{"type": "text", "text": text}], **failed}


def _resources_list(call: Call) -> Answer:
    """All indexes; a cursor is the last path before the page, so it outlives a change of release."""
    after = _after(call.params.get("cursor"))
    paths = [path for path in call.reader.indexes() if path > after]
    page = [_described(call.reader.resource(path)) for path in paths[:_PAGE]]
    result: Answer = {"resources": page}
    if len(paths) > _PAGE:
        result["nextCursor"] = base64.urlsafe_b64encode(paths[_PAGE - 1].encode()).decode()
    return result


def _resources_read(call: Call) -> Answer:
    uri = call.params.get("uri")
    if not isinstance(uri, str) or not uri.startswith(SCHEME):
        raise _no_resource(call, uri)
    try:
        resource = call.reader.resource(uri.removeprefix(SCHEME))
    except RequestError as exc:
        raise _no_resource(call, uri) from exc
    content: Answer = {"uri": uri, "mimeType": resource.type}
    try:
        content["text"] = resource.content.decode()
    except UnicodeDecodeError:
        content["blob"] = base64.b64encode(resource.content).decode()
    return {"contents": [content]}


def _templates_list(call: Call) -> Answer:
    return {
        "resourceTemplates": [
            {
                "uriTemplate": SCHEME + "{+path}",
                "name": "file",
                "title": "A file of the shelf",
                "description": "Index, subindex, section or picture, by the path that an index prints.",
            }
        ]
    }


def _described(resource: mcp_tools.Resource) -> Answer:
    return {
        "uri": SCHEME + resource.path,
        "name": resource.path,
        "title": resource.title,
        "mimeType": resource.type,
        "size": len(resource.content),
    }


def _after(cursor: object) -> str:
    if cursor is None:
        return ""
    try:
        if not isinstance(cursor, str):
            raise NotOnShelf(repr(type(cursor)))
        return base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (ValueError, NotOnShelf) as exc:
        raise RpcError(INVALID_PARAMS, "Invalid cursor; leave it out to begin") from exc


def _no_resource(call: Call, uri: object) -> RpcError:
    code = INVALID_PARAMS if call.modern else _RESOURCE_NOT_FOUND_LEGACY
    return RpcError(code, "Resource not found", {"uri": uri if isinstance(uri, str) else None})
