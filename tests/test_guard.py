"""What the guard lets in and what every answer carries, asked of a real server."""

import asyncio
import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_http import RawReply, ask, get
from running_server import running_server
from small_shelf import BEGIN, CABLE, write_small_shelf
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from docshelf.serve.http.app import create_app
from docshelf.serve.http.guard import READY_PATH, TOOL_PATHS, Guard, Policy
from docshelf.serve.http.origins import make_allow_list
from docshelf.serve.releases.tree import Site

ANNA, BORIS = "anna-token-6f1d2c3b4a596877", "boris-token-6f1d2c3b4a596877"
ORIGIN = "https://chat.example"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PDF = "sources/net/cable.pdf"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site folder that no test changes."""
    folder = tmp_path_factory.mktemp("site")
    write_small_shelf(folder)
    return folder


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the token of Anna."""
    file = tmp_path_factory.mktemp("keys") / "tokens"
    file.touch(0o600)
    file.write_text(f"anna {ANNA}\n")
    return file


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """A server that everybody on this machine may ask."""
    options = {"allow_hosts": ("shelf.example",), "allow_origins": (ORIGIN,), "root_path": "/docs-of-ours"}
    with running_server(site, **options) as address:
        yield address


@pytest.fixture(scope="module")
def closed(site: Path, tokens: Path) -> Iterator[str]:
    """A server that asks for a token."""
    with running_server(site, token_file=tokens, allow_origins=(ORIGIN,)) as address:
        yield address


@pytest.fixture(scope="module")
def half_open(site: Path, tokens: Path) -> Iterator[str]:
    """A server whose pages are open and whose tools are not."""
    with running_server(site, token_file=tokens, public_pages=True) as address:
        yield address


def post(url: str, *headers: str, body: bytes = PING) -> RawReply:
    lines = ["POST /mcp HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers]
    return ask(url, "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body)


def code_of(reply: RawReply) -> str:
    """The code of an error in its one shape."""
    value = json.loads(reply.body)
    assert list(value) == ["error"]
    return str(value["error"]["code"])


ROUTES = ["/", f"/{BEGIN}", "/r/0123456789abcdef/index.md", "/list", "/fetch?path=index.md", "/search?query=x",
          "/inspect", "/healthz", "/openapi.json", "/mcp", "/mcp/", "/nothing"]  # fmt: skip


@pytest.mark.parametrize("target", ROUTES)
def test_a_foreign_name_is_refused_on_every_route_and_told_the_setting(url: str, target: str) -> None:
    reply = get(url, target, host="evil.example")

    assert reply.status == 403
    assert code_of(reply) == "host-not-allowed"
    assert b"--allow-host" in reply.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]", "shelf.example", "Shelf.Example:8443"])
def test_a_listed_name_is_answered(url: str, host: str) -> None:
    assert get(url, "/healthz", host=host).status == 200


def test_a_request_with_two_hosts_or_without_one_is_refused(url: str) -> None:
    assert get(url, "/healthz", "Host: evil.example").status in (400, 403)
    assert get(url, "/healthz", "Host: 127.0.0.1").status in (400, 403)
    assert get(url, "/healthz", host=None).status in (400, 403)
    assert ask(url, b"GET /healthz HTTP/1.0\r\n\r\n").status == 403
    assert ask(url, b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n").status == 200


def test_forwarded_headers_change_nothing(url: str) -> None:
    forged = ("X-Forwarded-Host: 127.0.0.1", "X-Forwarded-For: 127.0.0.1", "Forwarded: host=127.0.0.1;proto=https",
              "X-Forwarded-Proto: https", "X-Original-URL: /healthz", "X-Rewrite-URL: /healthz")  # fmt: skip
    assert get(url, "/healthz", *forged, host="evil.example").status == 403
    assert get(url, "/healthz", "X-Forwarded-Host: evil.example").status == 200
    assert get(url, "/nothing", *forged).status == 404


@pytest.mark.parametrize("target", ROUTES)
def test_a_page_from_elsewhere_is_refused_on_every_route(url: str, target: str) -> None:
    reply = get(url, target, "Origin: http://evil.example")

    assert (reply.status, code_of(reply)) == (403, "origin-not-allowed")
    assert b"--allow-origin" in reply.body


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", ORIGIN])
def test_a_page_of_this_machine_or_a_listed_one_is_answered(url: str, origin: str) -> None:
    assert post(url, f"Origin: {origin}").status == 200
    assert get(url, f"/{BEGIN}", f"Origin: {origin}").status == 200


@pytest.mark.parametrize("target", ["/mcp", "/fetch?path=index.md", f"/{BEGIN}"])
def test_only_a_listed_page_may_read_answers(url: str, target: str) -> None:
    asked = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
    before = get(url, target, f"Origin: {ORIGIN}", *asked, method="OPTIONS")
    answer = get(url, target, f"Origin: {ORIGIN}")
    here = get(url, target, "Origin: http://localhost:3000")

    assert (before.status, before.body) == (204, b"")
    assert before.header("access-control-allow-methods") == "GET, HEAD, POST"
    assert before.header("access-control-allow-headers") == "*, Authorization"
    for reply in (before, answer):
        assert reply.header("access-control-allow-origin") == ORIGIN
        assert ("vary", "Origin") in reply.headers
    assert here.header("access-control-allow-origin") is None
    assert get(url, target, "Origin: http://localhost:3000", *asked, method="OPTIONS").status == 405


def test_a_preflight_needs_no_token_and_the_answer_does(closed: str) -> None:
    asked = "Access-Control-Request-Method: POST"
    assert get(closed, "/mcp", f"Origin: {ORIGIN}", asked, method="OPTIONS").status == 204
    refused = get(closed, "/mcp", f"Origin: {ORIGIN}")
    assert (refused.status, refused.header("access-control-allow-origin")) == (401, ORIGIN)


def password(token: str) -> str:
    return "Authorization: Basic " + base64.b64encode(f"me:{token}".encode()).decode()


@pytest.mark.parametrize("target", [target for target in ROUTES if "mcp" not in target])
def test_without_a_token_nothing_is_read(closed: str, target: str) -> None:
    for headers in ((), ("Authorization: Bearer wrong",), (password("wrong"),), (f"Cookie: token={ANNA}",)):
        reply = get(closed, target, *headers)
        assert (reply.status, code_of(reply)) == (401, "token-needed")
        assert reply.header("www-authenticate") == 'Basic realm="DocShelf", charset="UTF-8", Bearer'
    assert get(closed, f"{target}{'&' if '?' in target else '?'}token={ANNA}").status == 401


def test_a_program_that_lacks_a_token_is_not_asked_for_a_password(closed: str) -> None:
    reply = post(closed)

    assert (reply.status, code_of(reply)) == (401, "token-needed")
    assert reply.header("www-authenticate") == "Bearer"


def test_a_token_opens_everything_as_bearer_and_as_password(closed: str) -> None:
    for header in (f"Authorization: Bearer {ANNA}", password(ANNA)):
        assert post(closed, header).status == 200
        assert get(closed, f"/{BEGIN}", header).status == 200
        assert get(closed, "/list", header).status == 200
    twice = get(closed, "/list", f"Authorization: Bearer {ANNA}", "Authorization: Bearer wrong")
    assert twice.status == 400


def test_what_a_token_opened_is_for_no_shared_cache(url: str, closed: str, site: Path) -> None:
    release = Site(site).current().id
    target = f"/r/{release}/{BEGIN}"

    assert get(url, target).header("cache-control") == "public, max-age=31536000, immutable"
    private = get(closed, target, f"Authorization: Bearer {ANNA}").header("cache-control")
    assert private == "private, max-age=31536000, immutable"


def test_tokens_come_and_go_without_a_restart(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.touch(0o600)
    file.write_text(f"anna {ANNA}\n")
    with running_server(site, token_file=file) as address:
        assert get(address, "/list", f"Authorization: Bearer {ANNA}").status == 200
        file.write_text(f"boris {BORIS}\n")
        give_up_s = time.monotonic() + 10
        while get(address, "/list", f"Authorization: Bearer {BORIS}").status != 200:
            assert time.monotonic() < give_up_s
            time.sleep(0.1)
        assert get(address, "/list", f"Authorization: Bearer {ANNA}").status == 401


@pytest.mark.parametrize("target", ["/", f"/{BEGIN}", f"/{CABLE}", f"/{PDF}", "/shelf.json", "/llms.txt"])
def test_public_pages_are_read_without_a_token(half_open: str, target: str) -> None:
    assert get(half_open, target).status == 200


def test_public_pages_open_no_other_route(half_open: str, site: Path) -> None:
    routes = [route for route in create_app(Site(site)).routes if isinstance(route, Route)]
    files = {"/{path:path}", "/r/{release}/{path:path}"}
    tools = sorted(route.path for route in routes if route.path not in files)
    assert {path.split("/")[1] for path in tools} == TOOL_PATHS
    tools.remove(READY_PATH)
    for path in tools:
        for target in (path, path + "?path=", path + "%0A", path + "%0a?path=", "/" + path, path + "/",
                       path.replace("/", "/%6d" if path.startswith("/m") else "/%", 1)):  # fmt: skip
            reply = get(half_open, target)
            assert reply.status in (400, 401, 404), target
            assert b"Small shelf" not in reply.body
        assert get(half_open, path).status == 401
    assert get(half_open, "/%6dcp").status == 401


def test_only_readiness_is_told_without_a_token(half_open: str, closed: str) -> None:
    for address in (half_open, closed):
        assert get(address, READY_PATH).body == b'{"status": "ready"}'
        for target in ("/readyz/", "/readyz/index.md", "//readyz", "/readyz%2findex.md", "/readyz%0a"):
            assert get(address, target).status in (400, 401)


def test_a_prefix_that_a_proxy_leaves_is_not_the_shelfs(url: str) -> None:
    assert get(url, f"/docs-of-ours/{BEGIN}").body == get(url, f"/{BEGIN}").body
    assert get(url, "/docs-of-ours/list").status == 200
    assert get(url, "/docs-of-oursX/list").status == 404
    request = b"POST /docs-of-ours/mcp/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
    assert ask(url, request % (len(PING), PING)).status == 200


ANSWERS = {
    "page": (("/",), 200),
    "Markdown": ((f"/{BEGIN}",), 200),
    "PDF": ((f"/{PDF}",), 200),
    "picture": (("/pictures/net/cable/p001.png",), 200),
    "drawing": (("/assets/mark.svg",), 200),
    "manifest": (("/shelf.json",), 200),
    "tool": (("/list",), 200),
    "health": (("/healthz",), 200),
    "part": ((f"/{PDF}", "Range: bytes=0-3"), 206),
    "moved": (("/docs/net/router/009-begin.md",), 308),
    "known": ((f"/{BEGIN}", "If-None-Match: *"), 304),
    "no range": ((f"/{PDF}", "Range: bytes=999-"), 416),
    "not there": (("/nothing",), 404),
    "wrong": (("/fetch",), 400),
    "no method": (("/mcp",), 405),
    "long path": (("/" + "x" * 9000,), 414),
    "long query": (("/list?" + "x" * 9000,), 414),
    "many headers": (("/", *(f"X-{number}: 1" for number in range(100))), 431),
    "foreign": (("/", "Origin: http://evil.example"), 403),
    "control": (("/docs%0Ax",), 400),
    "zero": (("/docs%00x",), 400),
    "no HTTP": (("/ x x x",), 400),
    "large head": (("/", "X: " + "x" * 70_000), 431),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_carries_the_security_headers_once(url: str, name: str) -> None:
    (target, *headers), status = ANSWERS[name]

    reply = get(url, target, *headers)

    assert reply.status == status
    assert reply.header("x-content-type-options") == "nosniff"
    assert reply.header("referrer-policy") == "no-referrer"
    assert reply.header("cross-origin-resource-policy") == "same-origin"
    policy = reply.header("content-security-policy")
    is_page = name in ("page", "drawing")
    start = (
        "default-src 'none'; script-src 'self'" if is_page else "default-src 'none'; frame-ancestors 'self'"
    )
    # An answer without a body leaves the policy of the page that a browser keeps.
    assert (policy is None) == (name in ("moved", "known"))
    assert policy is None or policy.startswith(
        "frame-ancestors 'self'" if name == "PDF" or name == "part" else start
    )
    assert reply.header("x-frame-options") == ("SAMEORIGIN" if is_page else None)
    assert reply.header("cross-origin-opener-policy") == ("same-origin" if is_page else None)
    assert reply.header("server") is None
    if status >= 400:
        code_of(reply)


def test_a_body_over_1_mb_is_refused(url: str) -> None:
    assert code_of(post(url, body=b" " * (1024 * 1024 + 1))) == "too-large"


@pytest.mark.parametrize(
    "request_head",
    [
        b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX : 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        "GET /docs/Глава.md HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_an_error_of_the_one_shape(url: str, request_head: bytes) -> None:
    reply = ask(url, request_head)

    assert (reply.status, code_of(reply)) == (400, "bad-request")
    assert reply.header("x-content-type-options") == "nosniff"
    assert reply.header("connection") == "close"


def test_an_offer_of_another_protocol_is_answered_in_ours(url: str) -> None:
    for upgrade in ("h2c", "websocket"):
        assert get(url, "/healthz", f"Upgrade: {upgrade}", "Connection: Upgrade").status == 200


def test_our_own_fault_is_logged_without_what_was_asked(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(f"what {scope['path']} asked")

    policy = Policy(make_allow_list("127.0.0.1", (), ()))
    client = TestClient(Guard(failing, policy), base_url="http://localhost", client=("127.0.0.1", 1))

    reply = client.get("/CANARY?CANARY")

    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert "a request failed with RuntimeError" in caplog.text
    assert "in failing" in caplog.text
    assert "CANARY" not in caplog.text


def test_an_answer_that_breaks_off_is_not_answered_twice(caplog: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    guard = Guard(failing, Policy(make_allow_list("127.0.0.1", (), ())))
    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "root_path": "",
             "headers": [(b"host", b"localhost")], "server": ("127.0.0.1", 80)}  # fmt: skip
    asyncio.run(guard(scope, receive, send))

    assert [message["type"] for message in sent] == ["http.response.start"]
