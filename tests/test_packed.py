"""Packed twins over HTTP: who can unpack gets them, and nothing else changes for anybody."""

import gzip
from collections.abc import Iterator

import brotli
import pytest
from asking import error_of
from small_shelf import CABLE, LONG, LONG_TEXT, SOURCE_BYTES, page, write_small_shelf
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.errors import NotOnShelf
from docshelf.serve.http.app import create_app
from docshelf.serve.http.short_ways import ShortWays
from docshelf.serve.releases.packed import accepted_packings, is_twin
from docshelf.serve.releases.tree import Site

PLAIN = LONG_TEXT.encode()
GZ = gzip.compress(PLAIN, mtime=0)
BR = brotli.compress(PLAIN, quality=5)
PAGE = LONG.replace(".md", ".html")
PAGE_GZ = gzip.compress(page("All commands").encode(), mtime=0)
SOURCE = "sources/net/router.pdf"
LARGE_GZ = gzip.compress(SOURCE_BYTES, 0, mtime=0)
"""Larger than what is kept in memory."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A shelf with twins, which no test changes."""
    folder = tmp_path_factory.mktemp("site")
    twins = {f"{LONG}.gz": GZ, f"{LONG}.br": BR, f"{PAGE}.gz": PAGE_GZ, f"{SOURCE}.gz": LARGE_GZ}
    write_small_shelf(folder, extra=twins)
    return Site(folder)


@pytest.fixture(scope="module")
def client(site: Site) -> Iterator[TestClient]:
    """Asks the application."""
    with TestClient(create_app(site), follow_redirects=False) as asked:
        yield asked


@pytest.mark.parametrize(
    ("accept_encoding", "packings"),
    [
        ("", ()),
        ("gzip", ("gz",)),
        ("gzip, deflate, br, zstd", ("br", "gz")),
        ("br;q=0.5, gzip;q=0.8", ("gz", "br")),
        ("GZIP;Q=1", ("gz",)),
        ("br;q=0, *", ("gz",)),
        ("*", ("br", "gz")),
        ("identity", ()),
        ("identity;q=0.5, gzip;q=0.4", ()),
        ("identity;q=0.5, gzip;q=0.5", ("gz",)),
        ("gzip;q=0", ()),
        ("gzip;q=x", ()),
        ("gzip;q=nan", ()),
        ("x-gzip, deflate", ()),
        (",;=", ()),
    ],
)
def test_a_reader_is_sent_what_it_can_unpack(accept_encoding: str, packings: tuple[str, ...]) -> None:
    assert accepted_packings(accept_encoding) == packings


def test_a_twin_is_one_only_beside_its_file() -> None:
    files = {"a.md", "a.md.gz", "b.md.gz", "a.md.zip"}

    assert [path for path in sorted(files) if is_twin(path, files)] == ["a.md.gz"]


@pytest.mark.parametrize(
    ("accept_encoding", "coding", "body"),
    [("gzip", "gzip", PLAIN), ("gzip, br", "br", PLAIN), ("identity", None, PLAIN), ("deflate", None, PLAIN)],
)
def test_a_text_is_sent_packed_to_who_can_unpack_it(
    client: TestClient, accept_encoding: str, coding: str | None, body: bytes
) -> None:
    response = client.get(f"/{LONG}", headers={"Accept-Encoding": accept_encoding})

    assert response.headers.get("content-encoding") == coding
    assert response.content == body
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.headers["vary"] == "Accept-Encoding"
    size = {"gzip": len(GZ), "br": len(BR), None: len(PLAIN)}[coding]
    assert response.headers["content-length"] == str(size)


def test_each_version_has_an_etag_of_its_own_that_is_answered_by_304(client: TestClient) -> None:
    tags = {}
    for coding in ("gzip", "br", "identity"):
        asked = {"Accept-Encoding": coding}
        tags[coding] = client.get(f"/{LONG}", headers=asked).headers["etag"]
        again = client.get(f"/{LONG}", headers=asked | {"If-None-Match": tags[coding]})
        assert (again.status_code, again.headers["vary"]) == (304, "Accept-Encoding")
        assert (again.headers["etag"], again.content) == (tags[coding], b"")
    assert len(set(tags.values())) == 3
    other = client.get(f"/{LONG}", headers={"Accept-Encoding": "gzip", "If-None-Match": tags["identity"]})
    assert (other.status_code, other.headers["content-encoding"]) == (200, "gzip")


def test_a_part_is_one_of_the_file_and_never_of_a_twin(client: TestClient) -> None:
    asked = {"Accept-Encoding": "gzip", "Range": "bytes=2-13"}
    whole = client.get(f"/{LONG}", headers={"Accept-Encoding": "gzip"})

    part = client.get(f"/{LONG}", headers=asked)

    assert (part.status_code, part.content) == (206, b"All commands")
    assert "content-encoding" not in part.headers
    assert part.headers["content-range"] == f"bytes 2-13/{len(PLAIN)}"
    assert part.headers["accept-ranges"] == "bytes"
    assert whole.headers["accept-ranges"] == "none"
    # Who holds the begin of a twin must not be given the rest of the file.
    resumed = client.get(f"/{LONG}", headers=asked | {"If-Range": whole.headers["etag"]})
    assert (resumed.status_code, resumed.content) == (200, PLAIN)


def test_head_says_of_a_twin_what_get_does(client: TestClient) -> None:
    asked = {"Accept-Encoding": "br"}

    head, get = client.head(f"/{LONG}", headers=asked), client.get(f"/{LONG}", headers=asked)

    assert head.headers == get.headers
    assert (head.content, head.headers["content-length"]) == (b"", str(len(BR)))


def test_the_markdown_of_a_page_is_packed_too(client: TestClient) -> None:
    asked = {"Accept": "text/markdown", "Accept-Encoding": "gzip"}

    response = client.get(f"/{PAGE}", headers=asked)

    assert (response.content, response.headers["content-encoding"]) == (PLAIN, "gzip")
    assert response.headers["vary"] == "Accept, Accept-Encoding"
    assert response.headers["content-location"] == "003-all-commands.md"
    html = client.get(f"/{PAGE}", headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
    assert html.text == page("All commands")
    assert (html.headers["content-encoding"], html.headers["vary"]) == ("gzip", "Accept, Accept-Encoding")


def test_a_large_twin_is_streamed(client: TestClient) -> None:
    response = client.get(f"/{SOURCE}", headers={"Accept-Encoding": "gzip"})

    assert (response.headers["content-encoding"], response.content) == ("gzip", SOURCE_BYTES)
    assert response.headers["content-length"] == str(len(LARGE_GZ))


def test_a_file_without_twins_is_sent_as_ever(client: TestClient) -> None:
    response = client.get(f"/{CABLE}", headers={"Accept-Encoding": "gzip, br"})

    assert "content-encoding" not in response.headers
    assert "vary" not in response.headers
    assert response.headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize("under", ["", "r/{release}/"])
@pytest.mark.parametrize("ending", ["gz", "br"])
def test_a_twin_is_no_page_of_its_own(client: TestClient, site: Site, under: str, ending: str) -> None:
    where = under.format(release=site.current().id)

    response = client.get(f"/{where}{LONG}.{ending}", headers={"Accept-Encoding": "gzip, br"})

    assert (response.status_code, error_of(response)["code"]) == (404, "not-on-shelf")


def test_models_do_not_see_twins(site: Site) -> None:
    tools = ShelfTools(site)

    assert "Command number 25 does thing 25." in tools.call("fetch", {"path": LONG}).text
    assert ".gz" not in tools.call("list", {}).text
    for tool in ("fetch", "inspect", "list"):
        with pytest.raises(NotOnShelf):
            tools.call(tool, {"path": f"{LONG}.gz"})


@pytest.mark.parametrize("accept_encoding", ["", "gzip", "gzip, deflate, br, zstd", "identity"])
@pytest.mark.parametrize("path", [LONG, PAGE, CABLE, "index.html"])
def test_the_short_way_sends_the_same(
    client: TestClient, site: Site, path: str, accept_encoding: str
) -> None:
    short = TestClient(ShortWays(_nobody, site, {}))
    asked = {"Accept-Encoding": accept_encoding}
    usual = client.get(f"/{path}", headers=asked)

    for _ in range(2):  # The second time from what it remembers.
        answer = short.get(f"/{path}", headers=asked)
        assert (answer.status_code, answer.headers, answer.content) == (200, usual.headers, usual.content)


def test_the_short_way_leaves_a_header_that_stands_twice_to_the_application(site: Site) -> None:
    short = TestClient(ShortWays(_nobody, site, {}))

    answer = short.get(f"/{LONG}", headers=[("Accept-Encoding", "identity"), ("Accept-Encoding", "gzip")])

    assert answer.status_code == 418


async def _nobody(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that knows nothing."""
    await Response(status_code=418)(scope, receive, send)
