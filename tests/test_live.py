"""What a watched shelf adds to its pages, in process; test_watch.py has the real server and its events."""

from dataclasses import replace
from pathlib import Path

import pytest
from small_shelf import CABLE_TEXT, write_small_shelf
from starlette.testclient import TestClient

from docshelf.serve.http.app import create_app
from docshelf.serve.live.events import News, Part, add_live, page_state, page_version
from docshelf.serve.live.words import live_words
from docshelf.serve.manifest import SHELF_FILE, Finding, read_shelf, write_shelf
from docshelf.serve.releases.tree import Site

HTML = {"Accept": "text/html"}
PAGE = "docs/net/seen.html"
SEEN = (
    b'<!doctype html><html><head><title>t</title><script src="../../assets/release.js"></script></head>'
    b'<body><img src="../../pictures/net/a&amp;b.png"><img src="https://elsewhere.example/x.png"></body></html>'
)
PICTURE = "pictures/net/a&b.png"


def write(site: Path, picture: bytes = b"one", description: str = "") -> None:
    extra = {PAGE: SEEN, PICTURE: picture}
    write_small_shelf(site, extra=extra, description=description or "Some manuals.")


def watched(site: Path, news: News | None = None) -> TestClient:
    app = create_app(Site(site))
    add_live(app, Site(site), news or News())
    return TestClient(app, follow_redirects=False)


def version(site: Path, page: str = PAGE) -> str:
    return page_version(Site(site).current(), page)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


def test_a_shelf_that_is_not_watched_has_none_of_it(site: Path) -> None:
    client = TestClient(create_app(Site(site)))
    assert client.get("/live?page=index.html").status_code == 404
    assert client.get("/live.js").status_code == 404
    assert "live.js" not in client.get(f"/{PAGE}", headers=HTML).text


def test_a_page_gets_the_script_at_the_end_of_its_head_and_is_not_kept(site: Path) -> None:
    response = watched(site).get(f"/{PAGE}", headers=HTML)
    tag = f'<script defer src="../../live.js" data-page="{PAGE}" data-version="{version(site)}"></script>\n'
    assert response.text == SEEN.decode().replace("</head>", f"{tag}</head>")
    assert response.headers["content-length"] == str(len(response.content))
    assert response.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in response.headers["content-security-policy"]
    assert "etag" not in response.headers


def test_the_root_and_a_page_without_a_head_get_it_too(site: Path) -> None:
    text = watched(site).get("/", headers=HTML).text
    shown = (
        f'<script defer src="live.js" data-page="index.html" data-version="{version(site, "index.html")}">'
    )
    assert text.endswith(f"{shown}</script>\n")


def test_what_a_browser_kept_of_the_bare_page_is_not_asked_for(site: Path) -> None:
    row = Site(site).current().row(PAGE)
    asked = HTML | {"If-None-Match": f'"{row.sha256[:32]}"', "Range": "bytes=0-9"}
    response = watched(site).get(f"/{PAGE}", headers=asked)
    assert response.status_code == 200
    assert "live.js" in response.text


def test_a_page_is_asked_for_by_its_head_alone(site: Path) -> None:
    response = watched(site).head(f"/{PAGE}", headers=HTML)
    assert (response.status_code, response.content) == (200, b"")
    assert response.headers["cache-control"] == "no-store"


def test_models_kept_releases_and_other_files_see_the_shelf_as_it_is(site: Path) -> None:
    client = watched(site)
    assert client.get("/docs/net/cable.md").text == CABLE_TEXT
    assert client.get(f"/{PICTURE}").headers["etag"]
    markdown = client.get("/docs/net/cable.html", headers={"Accept": "text/markdown"})
    assert markdown.text == CABLE_TEXT
    kept = client.get(f"/r/{Site(site).current().id}/{PAGE}", headers=HTML)
    assert kept.content == SEEN
    assert client.get("/docs/none.html", headers=HTML).status_code == 404


def test_until_there_is_a_release_every_page_waits_for_it(tmp_path: Path) -> None:
    response = watched(tmp_path).get("/docs/net/seen.html", headers=HTML)
    assert response.status_code == 503
    assert (
        '<script defer src="../../live.js" data-page="index.html" data-version=""></script>' in response.text
    )
    assert live_words("ru").waiting in response.text
    assert live_words("en").waiting in response.text
    assert "script-src 'self'" in response.headers["content-security-policy"]


def test_the_script_is_served_as_one(site: Path) -> None:
    response = watched(site).get("/live.js")
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.text == (Path(__file__).parents[1] / "serve/live/live.js").read_text("utf-8")


def test_events_are_asked_for_a_page(site: Path) -> None:
    client = watched(site)
    assert client.get("/live").status_code == 400
    response = client.head("/live?page=index.html")
    assert (response.status_code, response.headers["content-type"]) == (
        200,
        "text/event-stream; charset=utf-8",
    )


def test_streams_end_when_the_server_is_to_stop(site: Path) -> None:
    news = News()
    news.close()
    assert watched(site, news).get("/live?page=index.html").text == "retry: 500\n\n"


def test_a_page_is_another_one_where_its_bytes_or_its_pictures_changed(site: Path) -> None:
    first = version(site)
    write(site, description="Only the index changed, and the release.")
    assert version(site) == first
    write(site, picture=b"two")
    assert version(site) != first


def test_a_page_that_is_not_there_has_no_version(site: Path) -> None:
    assert version(site, "docs/none.html") == ""


def with_findings(site: Path, *findings: Finding, language: str = "en") -> Site:
    """The site with these findings in its shelf.json."""
    file = site / "current" / SHELF_FILE
    manifest = read_shelf(file.read_bytes())
    file.write_bytes(write_shelf(replace(manifest, findings=findings, language=language)))
    return Site(site)


def finding(source: str, number: int = 0, severity: str = "error") -> Finding:
    return Finding(source, number, "error" if severity == "error" else "warning", "damaged", f"text {number}")


def test_a_page_hears_the_findings_of_its_document_alone(site: Path) -> None:
    cable, other = "net/cable.pdf", "net/router.pdf"
    shelf = with_findings(
        site, finding(cable, 1, "warning"), finding(cable), finding(other), finding("new.pdf")
    )
    [part] = page_state(shelf, "", "docs/net/cable.html").parts
    assert part == Part("findings", "Findings of this document: 2", ("page 1: text 1", "text 0"))


def test_an_index_names_what_is_not_on_the_shelf_and_does_not_grow_without_end(site: Path) -> None:
    lost = [finding("new.pdf", number) for number in range(25)]
    shelf = with_findings(site, finding("net/cable.pdf"), *lost, language="ru")
    [part] = page_state(shelf, "", "docs/net/index.html").parts
    assert part.title == "Не попали на полку: 25"
    assert part.lines[:2] == ("new.pdf: text 0", "new.pdf, page 1: text 1")
    assert (len(part.lines), part.lines[-1]) == (21, "и ещё 5")


def test_a_failure_comes_first_and_keeps_its_lines(site: Path) -> None:
    shelf = with_findings(site, finding("new.pdf"))
    failure, left_out = page_state(shelf, "one\ntwo", "index.html").parts
    title = "The last build failed. The shelf is shown as it was before:"
    assert failure == Part("failure", title, ("one", "two"))
    assert left_out.title == "Not on the shelf: 1"
    assert page_state(shelf, "", "assets/style.css").parts == ()
