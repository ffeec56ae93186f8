"""axe-core finds nothing on the pages of the sample shelf, in light and dark, wide and narrow."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from browsing import Visit, open_browser, visiting
from playwright.sync_api import Browser

MANUAL = "docs/hardware/vr-340-operator-manual"
PAGES = {
    "home": "index.html",
    "category": "docs/hardware/index.html",
    "document": f"{MANUAL}/subindex.html",
    "section": f"{MANUAL}/013-part-vii-command-reference.html",
    "short document": "docs/operations/pamyatka-dezhurnogo-inzhenera.html",
    "search": "search.html?q=wan",
    "found words": f"{MANUAL}/006-9-how-to-set-up-failover-between.html?hl=failover",
    "whole document": f"{MANUAL}/print.html",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def root(sample_site: Path) -> str:
    return f"{(sample_site / 'current').resolve().as_uri()}/"


def violations(visit: Visit, axe: str) -> list[str]:
    """What axe-core's standard rules name, each with the first element it is about."""
    visit.page.evaluate(axe)
    found = visit.page.evaluate(
        "async () => (await axe.run({preload: false, resultTypes: ['violations']})).violations"
    )
    return [f"{it['id']}: {it['nodes'][0]['html']}: {it['nodes'][0]['failureSummary']}" for it in found]


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_has_no_violation(path: str, colours: str, root: str, axe: str, browser: Browser) -> None:
    with visiting(browser, root + path, color_scheme=colours) as visit:
        if "search" in path:
            visit.page.locator(".seek-hits a").first.wait_for()
        if "hl=" in path:
            visit.page.locator(".found-here").wait_for()
        assert violations(visit, axe) == []


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_dialogs_have_no_violation(colours: str, root: str, axe: str, browser: Browser) -> None:
    with visiting(browser, root + PAGES["section"], color_scheme=colours) as visit:
        visit.page.keyboard.press("/")
        visit.page.keyboard.type("failover")
        visit.page.locator(".seek-hits a").first.wait_for()
        assert violations(visit, axe) == []
        visit.page.keyboard.press("Escape")
        visit.page.locator("dialog").wait_for(state="detached")
        visit.page.keyboard.press("?")
        visit.page.locator("dialog dl").wait_for()
        assert violations(visit, axe) == []


def test_a_phone_has_no_violation_with_its_drawer_open(root: str, axe: str, browser: Browser) -> None:
    with visiting(browser, root + PAGES["section"], 390) as visit:
        assert violations(visit, axe) == []
        visit.page.locator(".menu").click()
        assert violations(visit, axe) == []
