"""Files over HTTP: headers, versions, ranges, and Markdown for who asks for it."""

from collections.abc import Iterator

import pytest
from asking import asking, error_of
from small_shelf import (
    BEGIN,
    CABLE,
    ROOT_INDEX,
    SOURCE_BYTES,
    TUNNELS,
    TUNNELS_TEXT,
    write_small_shelf,
)
from starlette.testclient import TestClient

PDF = "/sources/net/router.pdf"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Asks the application of a shelf that no test changes."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with asking(site) as asked:
        yield asked


def test_a_page_has_a_policy_and_names_its_twin_and_its_llms_txt(client: TestClient) -> None:
    response = client.get(f"/{BEGIN.replace('.md', '.html')}")

    assert response.headers["content-security-policy"] == CSP
    assert response.headers["vary"] == "Accept"
    assert response.headers["link"] == (
        '<001-begin.md>; rel="alternate"; type="text/markdown", <../llms.txt>; rel="describedby"'
    )


def test_markdown_names_its_llms_txt(client: TestClient) -> None:
    assert client.get("/index.md").headers["link"] == '<llms.txt>; rel="describedby"'
    assert client.get(f"/{BEGIN}").headers["link"] == '<../llms.txt>; rel="describedby"'


def test_a_drawing_runs_no_script_of_its_own(client: TestClient) -> None:
    assert client.get("/assets/mark.svg").headers["content-security-policy"] == CSP


@pytest.mark.parametrize(
    "accept",
    [
        "text/markdown",
        "text/markdown, text/html, */*",
        "text/html;q=0.8, text/markdown;q=0.9",
        "TEXT/MARKDOWN",
    ],
)
def test_who_asks_for_markdown_gets_the_twin_of_a_page(client: TestClient, accept: str) -> None:
    response = client.get(f"/{TUNNELS.replace('.md', '.html')}", headers={"Accept": accept})

    assert response.text == TUNNELS_TEXT
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.headers["content-location"] == "002-tunnels.md"
    assert response.headers["vary"] == "Accept"
    assert response.headers["etag"] == client.get(f"/{TUNNELS}").headers["etag"]


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "*/*",
        "",
        "text/markdown;q=0",
        "text/html, text/markdown;q=0.5",
        "text/markdown;q=x",
        "text/*",
    ],
)
def test_everyone_else_gets_the_page(client: TestClient, accept: str) -> None:
    response = client.get("/", headers={"Accept": accept})

    assert response.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("prefix", ["", "W/", '"other", ', '"a", W/'])
def test_what_is_known_is_not_sent_again(client: TestClient, prefix: str) -> None:
    etag = client.get("/index.md").headers["etag"]

    response = client.get("/index.md", headers={"If-None-Match": prefix + etag})

    assert response.status_code == 304
    assert response.content == b""
    assert response.headers["etag"] == etag
    assert response.headers["cache-control"] == "no-cache"


def test_any_known_version_is_enough_for_a_star(client: TestClient) -> None:
    assert client.get("/index.md", headers={"If-None-Match": "*"}).status_code == 304
    assert client.get("/nothing.md", headers={"If-None-Match": "*"}).status_code == 404


@pytest.mark.parametrize("known", ['"other"', "", "index", '"'])
def test_what_is_not_known_is_sent(client: TestClient, known: str) -> None:
    assert client.get("/index.md", headers={"If-None-Match": known}).status_code == 200


@pytest.mark.parametrize("path", [f"/{CABLE}", PDF, "/", "/list", "/healthz", f"/fetch?path={CABLE}"])
def test_head_is_get_without_a_body(client: TestClient, path: str) -> None:
    get, head = client.get(path), client.head(path)

    assert head.status_code == 200
    assert head.content == b""
    assert dict(head.headers) == dict(get.headers)


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=10-19", 10, 20),
        ("bytes=524000-", 524000, 524297),
        ("bytes=-5", 524292, 524297),
        ("bytes=-9999999", 0, 524297),
        ("bytes=524290-9999999", 524290, 524297),
    ],
)
def test_a_range_of_a_large_file(client: TestClient, asked: str, start: int, end: int) -> None:
    response = client.get(PDF, headers={"Range": asked})

    assert response.status_code == 206
    assert response.content == SOURCE_BYTES[start:end]
    assert response.headers["content-range"] == f"bytes {start}-{end - 1}/524297"
    assert response.headers["content-length"] == str(end - start)


def test_a_range_of_a_small_file(client: TestClient) -> None:
    response = client.get("/index.md", headers={"Range": "bytes=2-6"})

    assert (response.status_code, response.content) == (206, b"Small")


@pytest.mark.parametrize("asked", ["bytes=524297-", "bytes=9999999-", "bytes=-0"])
def test_a_range_outside_the_file_is_416(client: TestClient, asked: str) -> None:
    response = client.get(PDF, headers={"Range": asked})

    assert response.status_code == 416
    assert response.headers["content-range"] == "bytes */524297"
    error_of(response)


@pytest.mark.parametrize(
    "asked", ["bytes=5-2", "bytes=-", "bytes=0-1,5-6", "lines=0-1", "bytes=x-y", "bytes=0-" + "9" * 30]
)
def test_a_range_that_is_none_is_not_looked_at(client: TestClient, asked: str) -> None:
    assert client.get("/index.md", headers={"Range": asked}).text == ROOT_INDEX


def test_a_range_holds_only_for_the_version_it_was_asked_for(client: TestClient) -> None:
    etag = client.get(PDF).headers["etag"]

    assert client.get(PDF, headers={"Range": "bytes=0-1", "If-Range": etag}).status_code == 206
    for other in ('"other"', f"W/{etag}", "Mon, 30 Nov 2026 00:00:00 GMT"):
        assert client.get(PDF, headers={"Range": "bytes=0-1", "If-Range": other}).status_code == 200
