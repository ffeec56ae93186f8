"""The smoke walk passes a whole server and names what is broken in another."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from running_server import running_server
from shelftest import ShelfTest
from small_shelf import write_small_shelf

from docshelf.serve.smoke import smoke
from docshelf.serve.smoke_client import Client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of the small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with running_server(site) as url:
        yield url


@contextmanager
def in_front_of(url: str, change: str) -> Iterator[str]:
    """The address of a proxy that spoils one thing: `change` names it."""

    class Proxy(BaseHTTPRequestHandler):
        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

        def do(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            body = self.rfile.read(length) if length else None
            dropped = {*_HOP, "if-none-match"} if change == "forgets what is known" else _HOP
            sent = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            method = "GET" if change == "allows writing" and self.command == "PUT" else self.command
            reply = Client(url).ask(method, self.path[1:], sent, body)
            status, headers, content = reply.status, dict(reply.headers.items()), reply.body
            if change == "redirects" and self.path == "/mcp/":
                status, headers, content = 307, {"location": "/mcp"}, b""
            elif change == "loses charset":
                headers["content-type"] = headers.get("content-type", "").partition(";")[0]
            elif change == "loses policy":
                headers.pop("content-security-policy", None)
            elif change == "renames a tool":
                content = content.replace(b'"name":"inspect"', b'"name":"look_at"')
            elif change == "has its own errors" and status == 404:
                content = b"<h1>Not found</h1>"
            elif change == "loses a page" and self.path.startswith("/docs/ru/index.md"):
                status = 404
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "connection", "date", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do

        def log_message(self, format: str, *args: object) -> None:
            """Stays silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{proxy.server_address[1]}"
        finally:
            proxy.shutdown()
            thread.join()


_HOP = frozenset({"host", "connection", "content-length", "accept-encoding", "user-agent"})


def broken(url: str) -> dict[str, str]:
    return {name: problem for name, problem in smoke(url) if problem is not None}


def test_a_whole_server_keeps_every_contract(server: str) -> None:
    results = list(smoke(server))

    assert [problem for _, problem in results] == [None] * 17
    assert len({name for name, _ in results}) == 17


def test_a_proxy_that_changes_nothing_breaks_nothing(server: str) -> None:
    with in_front_of(server, "nothing") as url:
        assert broken(f"{url}/") == {}


@pytest.mark.parametrize(
    ("change", "contract", "problem"),
    [
        ("forgets what is known", "etag and 304", "answers 200, not 304"),
        ("redirects", "mcp without redirect", "POST /mcp/ answers 307"),
        ("loses charset", "index.md is UTF-8 Markdown", "'text/markdown'"),
        ("loses policy", "html with CSP", "CSP is ''"),
        ("renames a tool", "mcp 2025-11-25", "['fetch', 'list', 'look_at', 'search']"),
        ("renames a tool", "mcp 2026-07-28", "['fetch', 'list', 'look_at', 'search']"),
        ("has its own errors", "error shape", "not JSON"),
        ("loses a page", "links of index.md", "GET /docs/ru/index.md answers 404"),
        ("allows writing", "read-only", "PUT /index.md answers 200"),
    ],
)
def test_what_is_broken_is_named(server: str, change: str, contract: str, problem: str) -> None:
    with in_front_of(server, change) as url:
        assert problem in broken(url)[contract]


def test_a_server_that_is_not_there_breaks_every_contract() -> None:
    results = list(smoke("http://127.0.0.1:9"))

    assert len(results) == 17
    assert all(problem and "http://127.0.0.1:9/" in problem for _, problem in results)


def test_an_address_that_is_none_is_named(tmp_path: Path) -> None:
    assert all(problem for _, problem in smoke("shelf.lan:8080"))


def test_a_server_that_asks_for_a_token_is_given_one(tmp_path: Path) -> None:
    write_small_shelf(tmp_path / "site")
    tokens = tmp_path / "tokens"
    tokens.write_text("smoke a-token-of-twenty-letters\n")
    tokens.chmod(0o600)
    with running_server(tmp_path / "site", token_file=tokens) as url:
        assert [problem for _, problem in smoke(url, "a-token-of-twenty-letters")] == [None] * 17
        assert all("401" in str(problem) for name, problem in smoke(url) if name == "healthz")


def test_search_is_walked_where_a_release_has_search_data(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", "# Tunnels\n\nA tunnel joins two networks.", "# Routes\n\nA route leads on.")
    shelf.build()
    with running_server(shelf.site) as url:
        assert "\nassets/search/" in Client(url).get("files.tsv").text
        assert broken(url) == {}
