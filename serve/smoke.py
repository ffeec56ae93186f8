"""Walks every contract of a running server, from outside and with nothing but HTTP."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docshelf.serve.smoke_client import Broken, Client, Reply, expect

_LINK = re.compile(r"^- \[.*?(?<!\\)\]\(([^()\s]+)\)", re.MULTILINE)
_SAMPLE = 50
_TOOLS = ["fetch", "inspect", "list", "search"]
_MODERN = "2026-07-28"
_LEGACY = "2025-11-25"


def smoke(url: str, token: str | None = None, ca: Path | None = None) -> Iterator[tuple[str, str | None]]:
    """Each contract by name, with None or what is broken; `url` is the shelf's root, `token` goes along.

    `ca` are the authorities to trust, as in `Client`. Reads only; about 100 requests.

    Raises: ConfigError where `ca` cannot be used.
    """
    client = Client(url, token, ca)
    for name, contract in _contracts().items():
        try:
            contract(client)
        except Broken as exc:
            yield name, str(exc)
        else:
            yield name, None


def _contracts() -> dict[str, Callable[[Client], None]]:
    return {
        "healthz": _healthz,
        "index.md is UTF-8 Markdown": _index,
        "etag and 304": _etag,
        "html with CSP": _html,
        "links of index.md": _links,
        "release address": _release,
        "list, fetch, inspect": _endpoints,
        "route index, subindex, section": _route,
        "search": _search,
        "openapi.json": _openapi,
        "error shape": _errors,
        "paths stay on the shelf": _traversal,
        "read-only": _read_only,
        "mcp is POST only": _mcp_methods,
        "mcp without redirect": _mcp_slash,
        f"mcp {_LEGACY}": _mcp_legacy,
        f"mcp {_MODERN}": _mcp_modern,
    }


def _healthz(client: Client) -> None:
    health = client.get("healthz").json()
    expect(health.get("status") == "ok", f"healthz says {health}")
    expect(re.fullmatch("[0-9a-f]{16}", str(health.get("release"))), f"healthz names no release: {health}")
    expect(isinstance(health.get("documents"), int), f"healthz counts no documents: {health}")


def _index(client: Client) -> None:
    reply = client.get("index.md")
    _is_markdown(reply, "index.md")
    expect(reply.text.startswith("# "), "index.md does not begin with its heading")


def _etag(client: Client) -> None:
    reply = client.get("index.md")
    etag = reply.header("etag")
    expect(re.fullmatch('"[^"]+"', etag), f"index.md has no strong ETag: {etag!r}")
    again = client.get("index.md", {"If-None-Match": etag}, status=304)
    expect(again.body == b"", "a 304 has a body")
    head = client.ask("HEAD", "index.md")
    expect(head.status == 200 and head.header("etag") == etag, "HEAD differs from GET")
    expect(head.body == b"", "HEAD has a body")


def _html(client: Client) -> None:
    if "\nindex.html\t" not in client.get("files.tsv").text:
        # A checkout may hold no pages: then the root is Markdown.
        _is_markdown(client.get(""), "/")
        return
    for path in ("", "index.html"):
        reply = client.get(path)
        expect(reply.header("content-type") == "text/html; charset=utf-8", f"/{path} is no UTF-8 HTML")
        policy = reply.header("content-security-policy")
        expect(
            "default-src 'none'" in policy and "unsafe-inline" not in policy, f"/{path}: CSP is {policy!r}"
        )
        expect(reply.header("x-content-type-options") == "nosniff", f"/{path} lacks nosniff")
        expect('rel="alternate"' in reply.header("link"), f"/{path} names no Markdown twin in Link")


def _links(client: Client) -> None:
    links = _LINK.findall(client.get("index.md").text)
    expect(links, "index.md links to nothing")
    for link in links[:_SAMPLE]:
        if "://" not in link:
            client.get(link.partition("#")[0])


def _release(client: Client) -> None:
    release = client.get("healthz").json().get("release")
    reply = client.get(f"r/{release}/index.md")
    expect("immutable" in reply.header("cache-control"), "/r/… may not be kept for ever")
    expect(client.get("shelf.json").json().get("release") == release, "shelf.json is of another release")


def _endpoints(client: Client) -> None:
    release = str(client.get("healthz").json().get("release"))
    for path in ("list", "fetch?path=index.md", "inspect"):
        reply = client.get(path)
        _is_markdown(reply, path)
        expect(release in reply.text.rstrip().rpartition("\n")[2], f"/{path} does not name its release last")


def _route(client: Client) -> None:
    path = _section(client)
    section = client.get(f"fetch?path={quote(path)}").text
    last = section.rstrip().rpartition("\n")[2]
    expect(path in last and "sha256" in last, f"fetch of {path} does not say what to cite: {last[:120]!r}")


def _section(client: Client) -> str:
    """One section, found from the root by what each index prints, as a model goes."""
    path, text = "index.md", client.get("list").text
    for _ in range(20):
        path = _first_link(text, path)
        if not re.search(r"(^|/)(sub)?index(-[0-9]+)?\.md$", path):
            break
        text = client.get(f"list?path={quote(path)}").text
    return path


def _search(client: Client) -> None:
    """A document is found by a heading of its own; a release without search data says so."""
    path = _section(client)
    heading = client.get(path).text.partition("\n")[0].lstrip("# ")
    below = path.rpartition("/")[0]
    address = f"search?query={quote(heading[:200])}&path={quote(below)}"
    if not _is_searchable(client):
        _is_error(client.ask("GET", address), f"GET /{address}", 404)
        return
    reply = client.get(address)
    _is_markdown(reply, "search")
    found = any(link.startswith(f"{below}/") for link in _LINK.findall(reply.text))
    expect(found, f"search of {heading!r} finds nothing below {below}")


def _is_searchable(client: Client) -> bool:
    return "\nassets/search/" in client.get("files.tsv").text


def _openapi(client: Client) -> None:
    document = client.get("openapi.json").json()
    missing = [name for name in _TOOLS if f"/{name}" not in document.get("paths", {})]
    expect(not missing, f"openapi.json lacks {missing}")


def _first_link(text: str, where: str) -> str:
    links = [link for link in _LINK.findall(text) if "://" not in link]
    expect(links, f"{where} links to nothing")
    return str(links[0]).partition("#")[0]


def _errors(client: Client) -> None:
    for method, path, status in (
        ("GET", "no-such-file.md", 404),
        ("GET", "fetch?path=no-such-file.md", 404),
        ("GET", "fetch?path=index.md&offset=-1", 400),
        ("GET", "list?path=..", 400),
        ("GET", "r/0000000000000000/index.md", 404),
        ("DELETE", "index.md", 405),
        ("GET", "mcp", 405),
    ):
        _is_error(client.ask(method, path), f"{method} /{path}", status)


def _traversal(client: Client) -> None:
    for path in (
        "../shelf.json",
        "..%2fshelf.json",
        "%2e%2e/%2e%2e/etc/passwd",
        "docs/..%5c..%5cetc/passwd",
        "%2fetc/passwd",
        "index.md%00.txt",
        "..%252fshelf.json",
        "index.md/",
        "docs/%zz",
        "current/index.md",
        "releases/",
    ):
        reply = client.ask("GET", path)
        expect(reply.status in (400, 404), f"GET /{path} answers {reply.status}")
        _is_error(reply, f"GET /{path}", reply.status)


def _read_only(client: Client) -> None:
    before = client.get("index.md").body
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for path in ("index.md", "list", "healthz"):
            reply = client.ask(method, path, body=b"x")
            expect(reply.status == 405, f"{method} /{path} answers {reply.status}")
            expect("GET" in reply.header("allow"), f"{method} /{path} does not say what is allowed")
    expect(client.get("index.md").body == before, "index.md changed")


def _mcp_methods(client: Client) -> None:
    for method in ("GET", "DELETE"):
        reply = client.ask(method, "mcp")
        expect(reply.status == 405, f"{method} /mcp answers {reply.status}")
        expect(reply.header("allow") == "POST", f"{method} /mcp allows {reply.header('allow')!r}")


def _mcp_slash(client: Client) -> None:
    for path in ("mcp", "mcp/"):
        reply = client.post(path, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {})
        expect(reply.status == 200, f"POST /{path} answers {reply.status}")


def _mcp_legacy(client: Client) -> None:
    hello = {
        "protocolVersion": _LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "docshelf-smoke", "version": "1"},
    }
    result = client.call("initialize", hello, {})
    expect(result.get("protocolVersion") == _LEGACY, f"initialize agrees on {result.get('protocolVersion')}")
    expect(result.get("instructions"), "initialize gives no instructions")
    note = client.post("mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, {})
    expect(note.status == 202, f"a notification is answered with {note.status}")
    headers = {"MCP-Protocol-Version": _LEGACY}
    _mcp_tools(client, lambda method, params: client.call(method, params, headers))


def _mcp_modern(client: Client) -> None:
    def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
        meta = {f"io.modelcontextprotocol/{name}": value for name, value in _META.items()}
        headers = {"MCP-Protocol-Version": _MODERN, "Mcp-Method": method}
        if "name" in params:
            headers["Mcp-Name"] = params["name"]
        return client.call(method, params | {"_meta": meta}, headers)

    result = call("server/discover", {})
    expect(_MODERN in result.get("supportedVersions", []), "server/discover does not know the version")
    _mcp_tools(client, call)


_META: dict[str, Any] = {"protocolVersion": _MODERN, "clientCapabilities": {}}


def _mcp_tools(client: Client, call: Callable[[str, dict[str, Any]], dict[str, Any]]) -> None:
    names = sorted(str(tool.get("name")) for tool in call("tools/list", {}).get("tools", []))
    expect(names == _TOOLS, f"the tools are {names}")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list", {}),
        ("fetch", {"path": "index.md"}),
        ("inspect", {}),
    ]
    if _is_searchable(client):
        calls.append(("search", {"query": "1"}))
    for name, arguments in calls:
        result = call("tools/call", {"name": name, "arguments": arguments})
        expect(not result.get("isError"), f"{name} fails: {json.dumps(result)[:200]}")
        expect("structuredContent" not in result, f"{name} answers twice: some hosts hide the text then")
        expect(result["content"][0].get("text"), f"{name} answers nothing")
    wrong = call("tools/call", {"name": "fetch", "arguments": {"path": "no/such.md"}})
    expect(wrong.get("isError") is True, "fetch of a wrong path is no tool error")


def _is_markdown(reply: Reply, path: str) -> None:
    kind = reply.header("content-type")
    expect(kind == "text/markdown; charset=utf-8", f"/{path} is {kind!r}, not UTF-8 Markdown")


def _is_error(reply: Reply, what: str, status: int) -> None:
    expect(reply.status == status, f"{what} answers {reply.status}, not {status}")
    error = reply.json().get("error")
    expect(
        isinstance(error, dict) and set(error) == {"code", "message"} and all(error.values()),
        f"{what} has no error of the one shape",
    )
