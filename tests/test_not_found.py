"""What a browser is told of a page that is not there."""

from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from asking import asking
from browsing import open_browser, visiting
from nginx_server import running_nginx
from playwright.sync_api import expect
from running_server import running_server
from small_shelf import write_small_shelf

from docshelf.serve.nginx.options import NginxOptions

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
STALE = "docs/hardware/vr-340-operator-manual/failover-between-two-links.html"


def test_a_program_gets_the_error_of_all_others(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    for accept in ("*/*", "application/json", "text/markdown"):
        response = asking(tmp_path).get("/docs/nothing.html", headers={"Accept": accept})
        assert (response.status_code, response.json()["error"]["code"]) == (404, "not-on-shelf")


@pytest.mark.parametrize(
    "path", ["/fetch?path=nothing", "/list?path=nothing", "/r/0000000000000000/index.html"]
)
def test_a_tool_and_a_release_that_is_not_there_answer_browsers_as_programs(
    path: str, tmp_path: Path
) -> None:
    write_small_shelf(tmp_path)
    response = asking(tmp_path).get(path, headers=BROWSER)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not-on-shelf")


def test_a_browser_gets_a_page_that_runs_nothing(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    response = asking(tmp_path).get("/docs/%3Cscript%3Ealert(1)%3C/script%3E/router.html", headers=BROWSER)
    assert response.status_code == 404
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert "script-src 'self'" in response.headers["content-security-policy"]
    assert "alert" not in response.text
    assert asking(tmp_path).head("/docs/x.html", headers=BROWSER).content == b""


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_leads_on_from_any_depth(colours: str, sample_site: Path) -> None:
    axe = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    with (
        running_server(sample_site) as server,
        open_browser() as browser,
        visiting(browser, f"{server}/index.html", color_scheme=colours) as visit,
    ):
        page = visit.page
        for path in ("nothing", "docs/nothing/at/all.html", STALE):
            page.goto(f"{server}/{path}")
            # Chromium tells of the status itself; nothing else is wrong.
            assert [it for it in visit.complaints if "404" not in it] == []
            visit.complaints.clear()
            expect(page.locator("h1")).to_have_text("Такой страницы на полке нет")
            assert page.evaluate("getComputedStyle(document.querySelector('.bar')).position") == "sticky"
        page.evaluate(axe)
        found = page.evaluate("async () => (await axe.run({preload: false})).violations.map(it => it.id)")
        assert found == []
        page.get_by_role("link", name="9 How to set up failover between two WAN links").click()
        expect(page.locator("h1")).to_have_text("9 How to set up failover between two WAN links")
        page.go_back()
        page.get_by_role("link", name="Поиск по полке").click()
        expect(page.get_by_role("searchbox")).to_be_focused()
        visit.complaints.clear()


def test_behind_nginx_under_a_prefix_the_page_leads_on_too(sample_site: Path, tmp_path: Path) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(running_server(sample_site))
        options = NginxOptions(sample_site, prefix="/kb", upstream=urlsplit(server).netloc)
        nginx = stack.enter_context(running_nginx(sample_site, tmp_path / "nginx", options))
        visit = stack.enter_context(visiting(stack.enter_context(open_browser()), f"{nginx}/kb/index.html"))
        visit.page.goto(f"{nginx}/kb/{STALE}")
        visit.page.get_by_role("link", name="9 How to set up failover between two WAN links").click()
        visit.page.wait_for_url(f"{nginx}/kb/docs/hardware/**")
        assert visit.count(".tree") == 1
        assert [it for it in visit.complaints if "404" not in it] == []
        visit.complaints.clear()
