"""The routes of the application, in process; test_run.py has the real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import asking, error_of
from small_shelf import (
    CABLE,
    COMMANDS,
    LONG,
    NET_INDEX,
    ROUTER,
    RUSSIAN_SECTION,
    SCANNED_PAGE,
    TUNNELS,
    TUNNELS_TEXT,
    write_small_shelf,
)
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from docshelf.serve.http.app import create_app
from docshelf.serve.releases.tree import Site

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Asks the application of a shelf that no test changes."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    with asking(site) as asked:
        yield asked


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release, to be changed."""
    write_small_shelf(tmp_path)
    return tmp_path


def test_every_listed_file_is_served_with_its_bytes_and_type(site: Path) -> None:
    client, release = asking(site), Site(site).current()

    for path, row in release.files.items():
        response = client.get(f"/{path}")
        assert response.status_code == 200, path
        assert response.headers["content-type"] == row.type
        assert len(response.content) == row.bytes
        assert response.headers["content-length"] == str(row.bytes)
        assert response.headers["etag"] == f'"{row.sha256[:32]}"'
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cache-control"] == "no-cache"


def test_the_root_is_the_first_page(client: TestClient) -> None:
    assert client.get("/").content == client.get("/index.html").content


def test_a_kept_release_never_changes(site: Path) -> None:
    client = asking(site)
    old = client.get("/healthz").json()["release"]
    new = write_small_shelf(site, renumbered=True)

    assert client.get("/healthz").json() == {"status": "ok", "release": new, "documents": 3}
    assert client.get(f"/{TUNNELS}").status_code == 308
    response = client.get(f"/r/{old}/{TUNNELS}")
    assert response.text == TUNNELS_TEXT
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.get(f"/r/{old}/").headers["content-type"] == "text/html; charset=utf-8"
    assert client.get(f"/fetch?path={TUNNELS}&release={old}").status_code == 200


@pytest.mark.parametrize("release", ["0" * 16, "current", "%2e%2e", "a" * 300])
def test_a_release_that_is_not_kept_is_404(client: TestClient, release: str) -> None:
    response = client.get(f"/r/{release}/index.md")

    assert response.status_code in (400, 404)
    error_of(response)


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_stale_number_leads_to_the_section_of_that_name(client: TestClient, ending: str) -> None:
    response = client.get(f"/{ROUTER}/017-tunnels.{ending}")

    assert response.status_code == 308
    assert response.headers["location"] == f"002-tunnels.{ending}"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/..%2fshelf.json",
            "/%2e%2e/shelf.json",
            "/docs/..%5c..%5cx",
            "/index.md%00",
            "/%00",
            "/docs%2f..%2f..",
        ),
        *(
            "/..%252fshelf.json",
            "/%252e%252e/x",
            "//etc/passwd",
            "/%2fetc/passwd",
            "/index.md/",
            "/index.md%23",
        ),
        *(
            "/docs",
            "/docs/",
            "/docs//net/index.md",
            "/./index.md%20",
            "/INDEX.MD",
            "/current/index.md",
            "/releases",
        ),
        *(
            "/.git/config",
            "/%c0%ae%c0%ae/x",
            "/%uff0e",
            "/docs/%zz",
            "/" + "a/" * 4000,
            "/" + "x" * 9000,
            "/r",
            "/r/",
        ),
    ],
)
def test_what_is_no_file_of_the_shelf_is_an_error(client: TestClient, path: str) -> None:
    response = client.get(path)

    assert response.status_code in (400, 404)
    error_of(response)


def test_the_reading_endpoints_answer_markdown(client: TestClient) -> None:
    for path, expected in (
        ("/list", "- [Network](docs/net/index.md)"),
        ("/list?path=docs/net", "- [Router manual](docs/net/router/subindex.md)"),
        (f"/fetch?path={RUSSIAN_SECTION}", "Подключите маршрутизатор"),
        (f"/fetch?path={LONG}&offset=20000&limit=100", "[characters 20000–20100 of "),
        ("/inspect", "- documents: 3"),
        (f"/inspect?path={CABLE}", "headings from fonts"),
    ):
        response = client.get(path)
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/markdown; charset=utf-8"
        assert expected in response.text
        etag = response.headers["etag"]
        assert client.get(path, headers={"If-None-Match": etag}).status_code == 304


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/fetch", 400, "bad-request"),
        ("/fetch?path=no/such.md", 404, "not-on-shelf"),
        ("/fetch?path=..", 400, "bad-request"),
        ("/fetch?path=a%00", 400, "bad-request"),
        (f"/fetch?path={CABLE}&offset=-1", 400, "bad-request"),
        (f"/fetch?path={CABLE}&offset=9999999999", 400, "bad-request"),
        (f"/fetch?path={CABLE}&offset=%D9%A1", 400, "bad-request"),
        (f"/fetch?path={CABLE}&limit=0", 400, "bad-request"),
        (f"/fetch?path={CABLE}&release=0000000000000000", 404, "not-on-shelf"),
        (f"/fetch?path={CABLE}&path={CABLE}", 400, "bad-request"),
        ("/fetch?id=x", 400, "bad-request"),
        ("/list?path=nothing", 404, "not-on-shelf"),
        ("/inspect?path=nothing", 404, "not-on-shelf"),
        ("/nothing", 404, "not-on-shelf"),
        ("/mcp", 405, "method-not-allowed"),
    ],
)
def test_every_error_has_one_shape(client: TestClient, path: str, status: int, code: str) -> None:
    response = client.get(path)

    assert response.status_code == status
    assert error_of(response)["code"] == code


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"])
@pytest.mark.parametrize(
    "path",
    [
        "/index.md",
        "/",
        "/list",
        "/fetch",
        "/search",
        "/inspect",
        "/openapi.json",
        "/healthz",
        "/r/0/x",
        "/nothing",
    ],
)
def test_nothing_but_get_and_head_is_allowed(client: TestClient, method: str, path: str) -> None:
    response = client.request(method, path)

    assert response.status_code == 405
    assert sorted(response.headers["allow"].split(", ")) == ["GET", "HEAD"]
    error_of(response)


def test_a_new_release_is_served_with_the_next_request(site: Path) -> None:
    client = asking(site)
    before = client.get("/index.md").headers["etag"]
    release = write_small_shelf(site, description="Newer words.")

    assert client.get("/healthz").json()["release"] == release
    assert client.get("/shelf.json").json()["description"] == "Newer words."
    assert release in client.get("/list").text
    assert client.get("/index.md").headers["etag"] == before


def test_a_damaged_shelf_is_503_without_its_folder(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = asking(site)
    (site / "current").unlink()

    for path in ("/healthz", "/index.md", "/list"):
        response = client.get(path)
        assert response.status_code == 503
        assert error_of(response)["code"] == "shelf-damaged"
        assert str(site) not in response.text
    assert str(site) in caplog.text


def test_our_own_fault_is_500_in_the_same_shape(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Site(site)
    client = TestClient(create_app(served), raise_server_exceptions=False)
    monkeypatch.setattr(served, "current", lambda: 1 / 0)

    response = client.get("/index.md")

    assert response.status_code == 500
    assert error_of(response)["code"] == "internal"


def test_everything_works_under_a_prefix(site: Path) -> None:
    outer = Starlette(routes=[Mount("/manuals", create_app(Site(site)))])
    client = TestClient(outer, follow_redirects=True)

    assert client.get("/manuals/docs/net/index.md").text == NET_INDEX
    assert client.get(f"/manuals/{ROUTER}/017-tunnels.md").text == TUNNELS_TEXT
    for path in ("/manuals/mcp", "/manuals/mcp/"):
        answered = client.post(path, json=PING, follow_redirects=False)
        assert (answered.status_code, answered.headers.get("location")) == (200, None)
    assert client.get("/manuals/").headers["link"].startswith("<index.md>")


def test_a_large_text_is_read_in_pieces_over_http(client: TestClient) -> None:
    whole, offset = "", 0
    while offset < len(client.get(f"/{LONG}").text):
        text = client.get(f"/fetch?path={LONG}&offset={offset}&limit=9000").text
        whole += text.rpartition("\n\n[release ")[0].partition("\n\n[characters ")[0]
        offset += 9000

    assert COMMANDS[:19000] in whole


def test_answers_link_to_what_they_are_of(client: TestClient) -> None:
    described = '<llms.txt>; rel="describedby", <openapi.json>; rel="service-desc"'

    assert client.get("/inspect").headers["link"] == described
    assert client.get(f"/fetch?path={CABLE}").headers["link"] == f'<{CABLE}>; rel="canonical", {described}'


def test_a_scanned_page_is_named_over_http(client: TestClient) -> None:
    text = client.get("/fetch", params={"path": f"{ROUTER}#p8"}).text

    assert f"![p008.jpg]({SCANNED_PAGE})" in text


def test_the_tools_mean_the_same_over_http_and_mcp(client: TestClient) -> None:
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        ("list", {"path": "docs/net"}),
        ("fetch", {"path": LONG, "offset": "5", "limit": "50"}),
        ("fetch", {"path": "no/such.md"}),
        ("fetch", {"path": CABLE, "limit": "x"}),
        ("fetch", {"path": CABLE, "page": "1"}),
        ("inspect", {"path": TUNNELS}),
    )
    for name, arguments in calls:
        plain = client.get(f"/{name}", params=arguments)
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        result = client.post("/mcp", json=message).json()["result"]
        text = plain.text if plain.status_code == 200 else f"{name}: {error_of(plain)['message']}"
        assert result["content"][0]["text"] == text
        assert result.get("isError", False) == (plain.status_code != 200)


def test_a_name_that_no_header_holds_is_written_in_percent(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, extra={"docs/net/я, б.md": b"# Letters\n"})
    response = asking(tmp_path).get("/fetch", params={"path": "docs/net/я, б.md"})

    assert response.status_code == 200
    assert response.headers["link"].startswith('<docs/net/%D1%8F%2C%20%D0%B1.md>; rel="canonical", ')
