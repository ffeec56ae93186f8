"""What each MCP method answers, in both eras of the protocol; no I/O but the offer's."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from docshelf.serve.errors import RequestError
from docshelf.serve.mcp.offer import Offer, Result, text_content

LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""
MODERN_VERSIONS = ("2026-07-28",)
"""Versions whose requests carry everything themselves."""

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
_RESOURCE_NOT_FOUND_LEGACY = -32002

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

    offer: Offer
    params: Mapping[str, Any]
    modern: bool
    server: Mapping[str, str]
    """Name and version of this server."""


def answer(method: str, call: Call) -> Result:
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
    extra: Result = {"resultType": "complete", "_meta": {_SERVER_INFO: dict(call.server)}}
    if cacheable:
        extra |= {"ttlMs": _TTL_MS, "cacheScope": "private"}
    return result | extra


_Method = tuple[Callable[[Call], Result], bool]
"""What answers, and whether a modern client may keep the answer."""


def _both_eras() -> dict[str, _Method]:
    return {
        "tools/list": (_tools_list, True),
        "tools/call": (_tools_call, False),
        "prompts/list": (_prompts_list, True),
        "prompts/get": (_prompts_get, False),
        "resources/list": (_resources_list, True),
        "resources/read": (_resources_read, True),
        "resources/templates/list": (_templates_list, True),
    }


def _legacy() -> dict[str, _Method]:
    return _both_eras() | {"initialize": (_initialize, False), "ping": (_ping, False)}


def _modern() -> dict[str, _Method]:
    return _both_eras() | {"server/discover": (_discover, True)}


def _initialize(call: Call) -> Result:
    wanted = call.params.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in LEGACY_VERSIONS else LEGACY_VERSIONS[0],
        "capabilities": _capabilities(),
        "serverInfo": dict(call.server),
        "instructions": call.offer.instructions(),
    }


def _discover(call: Call) -> Result:
    return {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": _capabilities(),
        "instructions": call.offer.instructions(),
    }


def _ping(call: Call) -> Result:
    return {}


def _capabilities() -> Result:
    return {"tools": {}, "prompts": {}, "resources": {}}


def _tools_list(call: Call) -> Result:
    _one_page(call)
    return {"tools": [tool.description for tool in call.offer.tools.values()]}


def _tools_call(call: Call) -> Result:
    name, arguments = call.params.get("name"), call.params.get("arguments")
    tool = call.offer.tools.get(name) if isinstance(name, str) else None
    if tool is None:
        raise RpcError(INVALID_PARAMS, f"Unknown tool; the tools are {', '.join(call.offer.tools)}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments must be an object")
    try:
        return tool.call(arguments)
    except RequestError as exc:
        return {"content": [text_content(f"{name}: {exc}")], "isError": True}


def _prompts_list(call: Call) -> Result:
    _one_page(call)
    return {"prompts": [prompt.description for prompt in call.offer.prompts.values()]}


def _prompts_get(call: Call) -> Result:
    name, arguments = call.params.get("name"), call.params.get("arguments")
    prompt = call.offer.prompts.get(name) if isinstance(name, str) else None
    if prompt is None:
        raise RpcError(INVALID_PARAMS, f"Unknown prompt; the prompts are {', '.join(call.offer.prompts)}")
    given = {} if arguments is None else arguments
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise RpcError(INVALID_PARAMS, "arguments must be an object of texts")
    for argument in prompt.description.get("arguments", ()):
        if argument.get("required") and argument["name"] not in given:
            raise RpcError(INVALID_PARAMS, f"{name} needs the argument {argument['name']}")
    try:
        return prompt.get(given)
    except RequestError as exc:
        raise RpcError(INVALID_PARAMS, str(exc)) from exc


def _resources_list(call: Call) -> Result:
    """The cursor is the place to go on from, made opaque."""
    page, place = call.offer.list_resources(_place(call.params.get("cursor")))
    result: Result = {"resources": list(page)}
    if place:
        result["nextCursor"] = base64.urlsafe_b64encode(place.encode()).decode()
    return result


def _resources_read(call: Call) -> Result:
    uri = call.params.get("uri")
    if not isinstance(uri, str):
        raise _no_resource(call, None)
    try:
        return {"contents": [call.offer.read_resource(uri)]}
    except RequestError as exc:
        raise _no_resource(call, uri) from exc


def _templates_list(call: Call) -> Result:
    _one_page(call)
    return {"resourceTemplates": list(call.offer.resource_templates)}


def _one_page(call: Call) -> None:
    if call.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "Invalid cursor: there is one page only")


def _place(cursor: object) -> str:
    if cursor is None:
        return ""
    try:
        if isinstance(cursor, str):
            return base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError:
        pass
    raise RpcError(INVALID_PARAMS, "Invalid cursor; leave it out to begin")


def _no_resource(call: Call, uri: str | None) -> RpcError:
    code = INVALID_PARAMS if call.modern else _RESOURCE_NOT_FOUND_LEGACY
    return RpcError(code, "Resource not found", {"uri": uri})
