"""An answer by a short way is the same as by the application, byte for byte."""

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from small_shelf import BEGIN, CABLE, RUSSIAN_SECTION, write_small_shelf
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from docshelf.build.indexing.stubs import stub_files
from docshelf.build.wording import wording
from docshelf.serve.http.app import create_app
from docshelf.serve.http.calls import gathered_calls
from docshelf.serve.http.short_ways import ShortWays
from docshelf.serve.releases.tree import Site

PATHS = ["/", f"/{BEGIN}", f"/{RUSSIAN_SECTION}", "/index.html", "/shelf.json", "/sources/net/cable.pdf",
         "/assets/mark.svg", "/llms.txt"]  # fmt: skip
GOES_ON = [
    ("/sources/net/router.pdf", {}),
    ("/docs/nowhere.md", {}),
    ("/list", {}),
    ("/docs/net/router/009-begin.md", {}),
    (f"/{BEGIN}", {"If-None-Match": "*"}),
    (f"/{BEGIN}", {"Range": "bytes=0-3"}),
    ("/index.html", {"Accept": "text/markdown"}),
]


class Counting:
    """The application, and how often it was asked."""

    def __init__(self, site: Site) -> None:
        self.asked = 0
        self._app = create_app(site)

    async def __call__(self, *arguments: object) -> None:
        self.asked += 1
        await self._app(*arguments)  # type: ignore[arg-type]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    write_small_shelf(tmp_path)
    return tmp_path


def clients(folder: Path) -> tuple[Counting, TestClient, TestClient]:
    """The application, a client by the short way and one by the usual one."""
    site = Site(folder)
    app = Counting(site)
    usual = TestClient(create_app(site), follow_redirects=False)
    return app, TestClient(ShortWays(app, site, {}), follow_redirects=False), usual


@pytest.mark.parametrize("path", PATHS)
def test_a_small_file_is_the_same_by_the_short_way(site: Path, path: str) -> None:
    app, short, usual = clients(site)
    expected = usual.get(path)

    for _ in range(2):
        answer = short.get(path)
        assert (answer.status_code, answer.content) == (200, expected.content)
        assert sorted(answer.headers.items()) == sorted(expected.headers.items())
    assert app.asked == 0


@pytest.mark.parametrize(("path", "headers"), GOES_ON)
def test_all_other_requests_go_on(site: Path, path: str, headers: dict[str, str]) -> None:
    app, short, usual = clients(site)
    expected = usual.get(path, headers=headers)

    answer = short.get(path, headers=headers)

    assert (answer.status_code, answer.content) == (expected.status_code, expected.content)
    assert app.asked == 1
    assert short.head(f"/{BEGIN}").content == short.post(f"/{BEGIN}").content[:0]
    assert app.asked == 3


@pytest.mark.parametrize("ending", ["md", "html"])
def test_an_address_that_fell_away_is_redirected_although_a_stub_stands_there(
    tmp_path: Path, ending: str
) -> None:
    gone = {"docs/net/old.md": CABLE}
    write_small_shelf(tmp_path, extra=stub_files(gone, {}, wording("en")))
    _, short, usual = clients(tmp_path)
    for client in (short, usual, short):
        answer = client.get(f"/docs/net/old.{ending}")
        assert (answer.status_code, answer.headers["location"]) == (308, f"cable.{ending}")


def test_a_new_release_is_seen_at_once(site: Path) -> None:
    _, short, _ = clients(site)
    before = short.get("/shelf.json")
    write_small_shelf(site, renumbered=True)
    after = short.get("/shelf.json")

    assert before.headers["etag"] != after.headers["etag"]
    assert before.content != after.content


def test_a_file_that_is_damaged_is_left_to_the_application(site: Path) -> None:
    app, short, _ = clients(site)
    (site / "current" / CABLE).write_text("x")

    assert short.get(f"/{CABLE}").status_code == 503
    assert app.asked == 1


def test_what_was_read_is_noted(site: Path) -> None:
    site_read = Site(site)
    app = ShortWays(create_app(site_read), site_read, {})
    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/{BEGIN}",
        "root_path": "",
        "headers": [],
        "query_string": b"",
    }
    with gathered_calls() as calls:
        asyncio.run(app(scope, receive, send))

    assert [(call.tool, call.path) for call in calls] == [("file", BEGIN)]
    assert len(sent) == 2


def test_what_needs_nothing_of_the_application_goes_past_it(site: Path) -> None:
    class Part:
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            await Response("part")(scope, receive, send)

    site_read = Site(site)
    app = Counting(site_read)
    client = TestClient(ShortWays(app, site_read, {"/mcp": Part()}))

    assert (client.post("/mcp").text, client.get("/mcp").text, app.asked) == ("part", "part", 0)
    assert client.post("/mcp/").status_code == 400
    assert app.asked == 1
