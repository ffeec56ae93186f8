"""The reading site in a real Chromium: from our server, from nginx under a prefix, and from a disk."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import pymupdf
import pytest
from browsing import open_browser, visiting
from nginx_server import running_nginx
from playwright.sync_api import Browser, expect
from running_server import running_server

MANUAL = "docs/hardware/vr-340-operator-manual"
CHAPTER = f"{MANUAL}/006-9-how-to-set-up-failover-between"
SHORT = "docs/wireless/wifi-standards.html"
PHONE = 390
SHOWN = 3
"""How many hits stand on the screen for certain; of those that do the page asks for the text."""
TOLD = """(wanted) => [...document.querySelectorAll(".seek-hits a")].slice(0, wanted).every((it) => it.hash) &&
  document.querySelector(".seek-status").textContent"""
HITS = """[...document.querySelectorAll(".seek-hits a")].map((it) => ({
  page: it.href.replace(/.*\\/docs\\//, ""),
  text: it.textContent,
  marked: [...it.querySelectorAll("span mark")].map((mark) => mark.textContent),
}))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def addresses(sample_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Where the same release stands, by what serves it; each ends in "/"."""
    release = (sample_site / "current").resolve()
    with ExitStack() as stack:
        server = stack.enter_context(running_server(sample_site))
        nginx = stack.enter_context(running_nginx(sample_site, tmp_path_factory.mktemp("nginx") / "own"))
        yield {
            "server": f"{server.rstrip('/')}/",
            "nginx": f"{nginx}/r/{release.name}/",
            "file": f"{release.as_uri()}/",
        }


@pytest.fixture(params=["server", "nginx", "file"])
def root(request: pytest.FixtureRequest, addresses: dict[str, str]) -> str:
    return addresses[request.param]


def test_a_reader_walks_from_the_home_to_a_section_and_on(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}index.html") as visit:
        page = visit.page
        page.get_by_role("link", name="Сетевое оборудование").click()
        page.get_by_role("link", name="VR-340 Dual-WAN Router: Operator Manual").click()
        page.locator(".tree summary", has_text="Part III. Access to the internet").click()
        page.locator(".tree").get_by_role(
            "link", name="9 How to set up failover between two WAN links"
        ).click()
        expect(page.locator("h1")).to_have_text("9 How to set up failover between two WAN links")
        assert page.locator('.tree [aria-current="page"]').inner_text() == page.locator("h1").inner_text()
        page.locator('a[rel="next"]').last.click()
        expect(page.locator("h1")).to_have_text("10 Static and policy routes")
        page.locator(".breadcrumbs a").last.click()
        expect(page.locator("h1")).to_have_text("VR-340 Dual-WAN Router: Operator Manual")
        expect(page.locator("#_release code")).to_have_text(re.compile("^[0-9a-f]{16}$"))
        assert page.url == f"{root}{MANUAL}/subindex.html"


def test_a_page_number_in_the_margin_leads_to_that_page_of_the_source(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}{CHAPTER}.html") as visit:
        mark = visit.page.locator(".page a").first
        address = mark.evaluate("link => link.href")
        assert (mark.inner_text(), address) == (
            "18",
            f"{root}sources/hardware/vr-340-operator-manual.pdf#page=26",
        )
        if root.startswith("http"):
            answer = visit.page.request.get(address)
            assert (answer.status, answer.headers["content-type"]) == (200, "application/pdf")


@pytest.mark.parametrize(
    ("query", "title", "marked"),
    [
        ("переключение", "Два канала в интернет: переключение при отказе", "переключение"),
        ("failover", "failover", "failover"),
    ],
)
def test_a_word_is_found_and_marked_on_its_page(
    query: str, title: str, marked: str, root: str, browser: Browser
) -> None:
    with visiting(browser, f"{root}index.html") as visit:
        page = visit.page
        page.keyboard.press("/")
        page.keyboard.type(query)
        # What is found for the whole word: on the way there its beginnings are searched, too.
        whole = page.locator(f'.seek-hits a[href*="?hl={quote(query)}"]')
        hit = whole.and_(page.locator("a", has=page.locator("mark"), has_text=title)).first
        hit.wait_for()
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement === document.querySelector('.seek-hits a')")
        hit.click()
        page.locator(".text mark, h1 mark").first.wait_for()
        assert marked in page.locator("main mark").first.inner_text().lower()
        page.locator(".found-here button").last.click()
        assert visit.count("main mark") == 0


@pytest.mark.parametrize("query", ["health checks", "переключение канала", "show ip nat", "mtu 1492"])
def test_a_hit_shows_the_found_words_and_their_page_wherever_the_shelf_stands(
    query: str, addresses: dict[str, str], browser: Browser
) -> None:
    shown = {}
    for place, root in addresses.items():
        with visiting(browser, f"{root}search.html?q={query}") as visit:
            visit.page.wait_for_function(TOLD, arg=SHOWN)
            shown[place] = visit.value(HITS)[:SHOWN]
            expect(visit.page.locator("iframe")).to_have_count(0)
    assert shown["file"] == shown["nginx"] == shown["server"]
    assert all(hit["marked"] and "#p" in hit["page"] for hit in shown["file"])


def test_a_search_keeps_to_a_category(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}search.html?q=wan") as visit:
        page = visit.page
        page.locator(".seek-hits a").first.wait_for()
        page.get_by_role("button", name="Сетевое оборудование").click()
        page.wait_for_function(
            "() => { const links = [...document.querySelectorAll('.seek-hits a')];"
            " return links.length && links.every(link => link.pathname.includes('/docs/hardware/')); }"
        )
        page.get_by_role("searchbox").fill("этого слова нет нигде ъъъ")
        page.get_by_text("Ничего не найдено").wait_for()


def test_colours_follow_the_system_until_a_reader_chooses(root: str, browser: Browser) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    with visiting(browser, f"{root}{SHORT}", color_scheme="dark") as visit:
        dark = visit.value(background)
        visit.page.locator("button.colours").click()
        light = visit.value(background)
        assert (dark, light) == ("rgb(21, 25, 27)", "rgb(255, 255, 255)")
        visit.page.reload()
        assert visit.value(background) == light
        visit.page.locator("button.colours").click()
        assert visit.value(background) == dark


def test_keys_turn_pages_and_may_be_switched_off(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}{CHAPTER}.html") as visit:
        page = visit.page
        for key, title in (("n", "10 "), ("ArrowRight", "11 "), ("p", "10 "), ("ArrowLeft", "9 ")):
            visit.follow(key)
            assert page.locator("h1").inner_text().startswith(title)
        # The place of the key counts: "n" lies where "т" does.
        with page.expect_navigation():
            page.evaluate(
                "document.body.dispatchEvent(new KeyboardEvent('keydown', {code: 'KeyN', key: 'т', bubbles: true}))"
            )
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog", name="Search").get_by_role("searchbox")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").get_by_role("checkbox").uncheck()
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        page.keyboard.press("s")
        page.wait_for_timeout(300)
        expect(page.locator("dialog")).to_have_count(0)


def test_a_phone_shows_the_text_and_the_tree_in_a_drawer(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}{CHAPTER}.html", PHONE, has_touch=True) as visit:
        page = visit.page
        page.locator(".menu").tap()
        drawer = page.get_by_role("dialog", name="Contents of the document")
        assert drawer.evaluate("dialog => dialog.contains(document.activeElement)")
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)
        page.locator(".menu").tap()
        drawer.get_by_role("link", name="12 IPv6").tap()
        page.wait_for_url("**/*-12-ipv6.html")
        for path in ("index.html", SHORT, "search.html", f"{MANUAL}/subindex.html", f"{MANUAL}/print.html"):
            visit.go(f"{root}{path}")
            assert visit.value("document.documentElement.scrollWidth") <= PHONE


def test_a_whole_document_prints(root: str, browser: Browser) -> None:
    with visiting(browser, f"{root}{MANUAL}/print.html") as visit:
        content = visit.page.pdf()
    with pymupdf.open(stream=content, filetype="pdf") as printed:
        pages = [page.get_text() for page in printed]
    text = "".join(pages)
    assert len(pages) > 30
    assert "This chapter leads from two working lines" in text
    assert "Appendix C. Glossary" in text
    assert "Copy as Markdown" not in text
    assert "Search" not in text.splitlines()


def test_the_contents_of_a_page_follow_the_scroll(addresses: dict[str, str], browser: Browser) -> None:
    with visiting(browser, f"{addresses['file']}{CHAPTER}.html") as visit:
        assert visit.count(".here[open]") == 1
        visit.page.locator('[id="9-4-health-checks"]').evaluate("heading => heading.scrollIntoView()")
        visit.page.locator('.here a[aria-current="true"]', has_text="9.4 Health checks").wait_for()
        visit.value("scrollTo(0, document.body.scrollHeight)")
        visit.page.locator('.here a[aria-current="true"]', has_text="9.10 The rehearsal").wait_for()


@pytest.mark.parametrize("path", [f"{CHAPTER}", "docs/routing/dual-wan-failover/003-proverka-kanala"])
def test_the_copied_markdown_is_the_file_and_from_a_disk_nearly_so(
    path: str, addresses: dict[str, str], sample_site: Path, browser: Browser
) -> None:
    text = (sample_site / "current" / f"{path}.md").read_text("utf-8")
    copied = {}
    for place in ("server", "file"):
        allowed = ["clipboard-read", "clipboard-write"]
        with visiting(browser, f"{addresses[place]}{path}.html", permissions=allowed) as visit:
            copied[place] = visit.copied("button.copy")
    assert copied["server"] == text
    # The quote line below the title is made for models; the page has another one.
    with_marks = [line for line in text.split("\n") if line and not line.startswith(("> ", "| ---"))]
    shown = [line for line in copied["file"].split("\n") if line and not line.startswith(("> ", "| ---"))]
    assert shown == with_marks


def test_a_citation_names_title_page_path_and_release(addresses: dict[str, str], browser: Browser) -> None:
    with visiting(browser, f"{addresses['server']}{CHAPTER}.html#p28") as visit:
        visit.page.locator("#p28").evaluate("mark => mark.scrollIntoView()")
        visit.page.locator("button.cite").evaluate("button => button.click()")
        release = visit.value("window.docshelfRelease")
        assert visit.page.locator(".quoted").inner_text() == (
            "VR-340 Dual-WAN Router: Operator Manual, 9 How to set up failover between two WAN links, p. 20. "
            f"{CHAPTER}.md#p28, release {release}"
        )


def test_a_citation_from_the_whole_document_names_the_section(
    addresses: dict[str, str], browser: Browser
) -> None:
    with visiting(browser, f"{addresses['server']}{MANUAL}/print.html") as visit:
        visit.page.locator('[id$="-p28"]').evaluate("mark => mark.scrollIntoView()")
        visit.page.locator("button.cite").evaluate("button => button.click()")
        assert (
            visit.page.locator(".quoted")
            .inner_text()
            .startswith(
                "VR-340 Dual-WAN Router: Operator Manual, 9 How to set up failover between two WAN links, p. 20. "
                f"{CHAPTER}.md#p28, release "
            )
        )


def test_a_page_reads_without_scripts(addresses: dict[str, str], browser: Browser) -> None:
    with visiting(browser, f"{addresses['nginx']}{CHAPTER}.html", java_script_enabled=False) as visit:
        page = visit.page
        assert page.locator(".tree").get_by_role("link", name="12 IPv6").is_visible()
        assert page.get_by_role("button").count() == 0
        page.locator(".find").click()
        assert "Для поиска нужен JavaScript" in page.locator("main").inner_text()


@pytest.mark.parametrize("width", [1280, PHONE])
@pytest.mark.parametrize("path", ["index.html", f"{CHAPTER}.html", SHORT])
def test_nothing_moves_while_a_page_loads(
    path: str, width: int, addresses: dict[str, str], browser: Browser
) -> None:
    with visiting(browser, f"{addresses['server']}{path}", width) as visit:
        visit.page.wait_for_load_state("networkidle")
        assert visit.value("window.moved") < 0.01
