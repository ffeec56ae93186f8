"""What a reader meets on the way: keys alone, a document of 300 sections, found pages, no scripts at all."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browsing import Visit, open_browser, visiting
from playwright.sync_api import Browser, expect
from running_server import running_server
from shelftest import ShelfTest

CHAPTERS = 300
MANUAL = "docs/hardware/vr-340-operator-manual"
CHAPTER = f"{MANUAL}/006-9-how-to-set-up-failover-between.html"
REFERENCE = f"{MANUAL}/013-part-vii-command-reference.html"
PHONE = 390
FOCUSED = """() => {
  const it = document.activeElement, box = it.getBoundingClientRect(), style = getComputedStyle(it);
  return it === document.body ? null : {
    name: it.getAttribute("aria-label") || it.textContent.trim() || it.placeholder,
    place: it.closest("main, .bar, .tree")?.className || it.closest("main")?.id || it.className,
    seen: box.width > 0 && box.bottom > 0 && box.top < innerHeight,
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def server(sample_site: Path) -> Iterator[str]:
    with running_server(sample_site) as address:
        yield address


@pytest.fixture(scope="module")
def long_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree of a shelf with a document of 300 chapters, each a section."""
    shelf = ShelfTest(tmp_path_factory.mktemp("long"))
    lines = "\n".join(f"Line {number} of the chapter tells of valves and pumps." for number in range(50))
    chapters = [f"# {number} Chapter of valves\n\n{lines}" for number in range(1, CHAPTERS + 1)]
    outline = [(1, f"{number} Chapter of valves", number) for number in range(1, CHAPTERS + 1)]
    shelf.pdf("long.pdf", *chapters, outline=outline)
    shelf.build()
    assert len(list(shelf.current.glob("docs/long/*-*.html"))) >= CHAPTERS
    return shelf.current.resolve()


def walk(visit: Visit, steps: int) -> list[dict[str, object]]:
    """What has the focus after each press of Tab, to the end of the page at most."""
    stops: list[dict[str, object]] = []
    while len(stops) < steps:
        visit.page.keyboard.press("Tab")
        stop = visit.value(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    return stops


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("path", ["index.html", REFERENCE, "search.html?q=wan"])
def test_each_stop_of_the_tab_key_is_seen_and_outlined(
    path: str, colours: str, server: str, browser: Browser
) -> None:
    with visiting(browser, f"{server}/{path}", color_scheme=colours, reduced_motion="reduce") as visit:
        if "search" in path:
            visit.page.locator(".seek-hits a").first.wait_for()
        stops = walk(visit, 30)
    assert len(stops) > 10
    assert [stop for stop in stops if not (stop["seen"] and stop["outlined"])] == []


def test_the_first_stop_leads_past_the_bar_to_the_text(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/{CHAPTER}") as visit:
        assert walk(visit, 1)[0]["name"] == "Skip to the text"
        visit.page.keyboard.press("Enter")
        assert walk(visit, 1)[0]["place"] == "_text"


def test_a_reader_finds_reads_and_goes_on_by_keys_alone(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/index.html") as visit:
        page = visit.page
        page.keyboard.press("/")
        # Enter at once: it means what was typed, not what was found before the last letters.
        page.keyboard.type("failover two WAN links")
        visit.follow("Enter")
        assert re.search(r"failover.*\?hl=", page.url)
        title = page.locator("h1")
        first = title.inner_text()
        visit.follow("n")
        expect(title).not_to_have_text(first)
        visit.follow("p")
        expect(title).to_have_text(first)


def test_a_hit_leads_to_the_page_on_which_its_words_stand(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/{MANUAL}/subindex.html") as visit:
        page = visit.page
        page.keyboard.press("/")
        page.keyboard.type("health checks")
        hit = page.locator(".seek-hits li", has_text="9 How to set up failover").first
        expect(hit.locator("a")).to_have_attribute("href", re.compile(r"\.html\?hl=health%20checks#p\d+$"))
        number = int(hit.locator("a").evaluate("link => link.hash.slice(2)"))
        label = hit.locator("small").inner_text().replace("\N{NO-BREAK SPACE}", " ")
        # Printed numbers begin after eight pages of front matter.
        assert label.endswith(f" · p. {number - 8}")
        hit.locator("a").click()
        now = page.locator("mark.now")
        expect(now).to_be_in_viewport()
        assert now.evaluate("mark => mark.closest('.text') !== null")
        above = now.evaluate(
            "mark => [...document.querySelectorAll('.page[id]')].filter("
            "it => it.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING).pop().id"
        )
        assert above == f"p{number}"


def test_more_hits_come_when_a_reader_asks(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/search.html?q=router") as visit:
        page = visit.page
        expect(page.locator(".seek-hits a")).to_have_count(10)
        page.get_by_role("button", name="Показать ещё").click()
        page.wait_for_function("document.querySelectorAll('.seek-hits a').length > 10")
        assert (
            visit.value("[...document.querySelectorAll('.seek-hits a')].indexOf(document.activeElement)")
            == 10
        )


def test_the_way_back_leads_to_what_was_found(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/search.html") as visit:
        page = visit.page
        page.keyboard.type("failover")
        page.locator(".seek-hits a").first.wait_for()
        page.get_by_role("button", name="Сетевое оборудование").click()
        page.wait_for_url("**/search.html?q=failover&in=docs%2Fhardware")
        page.wait_for_function(
            "() => { const links = [...document.querySelectorAll('.seek-hits a')];"
            " return links.length && links.every(link => link.pathname.includes('/docs/hardware/')); }"
        )
        page.locator(".seek-hits a").first.click()
        page.wait_for_url("**/docs/**")
        page.go_back()
        expect(page.get_by_role("searchbox")).to_have_value("failover")
        expect(page.get_by_role("button", name="Сетевое оборудование")).to_have_attribute(
            "aria-pressed", "true"
        )
        page.locator(".seek-hits a").first.wait_for()


def test_places_with_the_found_words_are_walked_both_ways(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/{CHAPTER}?hl=health%20checks%20wan1") as visit:
        bar = visit.page.locator(".found-here")
        shown = re.compile(r"^Found here: (\d+) of (\d+)")
        expect(bar).to_have_text(shown)
        number, count = map(int, re.findall(r"\d+", bar.inner_text()))
        # Two words beside each other are one place.
        assert visit.count("main mark, main img.found") == count
        assert "Health checks" in visit.page.locator("main mark").all_inner_texts()
        bar.get_by_role("button", name="Next place").click()
        expect(bar).to_have_text(re.compile(f"^Found here: {number % count + 1} of"))
        bar.get_by_role("button", name="Previous place").click()
        bar.get_by_role("button", name="Previous place").click()
        expect(bar).to_have_text(re.compile(f"^Found here: {(number - 2) % count + 1} of"))
        expect(visit.page.locator("main .now")).to_have_count(1)


def test_a_word_in_a_drawing_is_found_in_its_figure(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/{CHAPTER}?hl=radio") as visit:
        expect(visit.page.locator(".found-here")).to_have_text(re.compile("^Found here: 1 of 1"))
        figure = visit.page.locator("img.found.now")
        expect(figure).to_have_attribute("alt", re.compile("Provider B, radio"))
        expect(figure).to_be_in_viewport()
        visit.page.locator(".found-here").get_by_role("button", name="Close").click()
        expect(visit.page.locator("img.found")).to_have_count(0)


def test_a_whole_document_is_copied_whole(server: str, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with visiting(browser, f"{server}/{MANUAL}/print.html", permissions=allowed) as visit:
        copied = visit.copied("button.copy")
        assert visit.count(".tools .markdown") == 0
    assert "\n# 9 How to set up failover between two WAN links\n" in copied
    assert "\n<!-- p28 -->\n" in copied
    assert "# Appendix C. Glossary" in copied


@pytest.mark.parametrize("number", [1, 150, CHAPTERS])
def test_a_long_tree_shows_where_the_reader_is(number: int, long_document: Path, browser: Browser) -> None:
    [file] = long_document.glob(f"docs/long/*-{number}-chapter-of-valves.html")
    assert (
        len(file.read_text("utf-8").partition('<nav class="tree"')[2].partition("</nav>")[0].encode()) <= 8192
    )
    with visiting(browser, file.as_uri()) as visit:
        current = visit.page.locator('.tree [aria-current="page"]')
        expect(current).to_have_text(f"{number} Chapter of valves")
        expect(current).to_be_in_viewport()
        for other in {max(1, number - 1), min(CHAPTERS, number + 1)} - {number}:
            expect(visit.page.locator(".tree a", has_text=re.compile(f"^{other} Chapter"))).to_have_count(1)


def test_a_long_document_reads_on_a_phone(long_document: Path, browser: Browser) -> None:
    [file] = long_document.glob("docs/long/*-150-chapter-of-valves.html")
    with visiting(browser, file.as_uri(), PHONE, has_touch=True) as visit:
        page = visit.page
        page.locator(".menu").tap()
        drawer = page.get_by_role("dialog", name="Contents of the document")
        expect(drawer.locator('[aria-current="page"]')).to_be_in_viewport()
        drawer.get_by_role("button", name="Close").tap()
        expect(drawer).to_have_count(0)
        for name in ("subindex.html", "print.html"):
            visit.go((long_document / "docs/long" / name).as_uri())
            assert visit.value("document.documentElement.scrollWidth") <= PHONE


def test_every_section_of_a_long_document_is_some_clicks_from_its_contents(long_document: Path) -> None:
    """Through the pages of its contents alone, without scripts and without the tree."""
    folder = long_document / "docs/long"
    reached, waiting = set[str](), ["subindex.html"]
    while waiting:
        name = waiting.pop()
        text = (folder / name).read_text("utf-8").partition('<div class="text">')[2].partition("</main>")[0]
        for link in re.findall(r'href="([\w-]+\.html)', text):
            if link not in reached:
                reached.add(link)
                waiting += [link] if link.startswith("subindex") else []
    assert reached >= {it.name for it in folder.glob("[0-9]*-*.html")}


def test_tables_listings_and_contents_are_there_without_scripts(server: str, browser: Browser) -> None:
    with visiting(browser, f"{server}/{REFERENCE}", java_script_enabled=False) as visit:
        page = visit.page
        expect(page.locator(".text table").first).to_be_visible()
        expect(page.locator(".text pre").first).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        page.locator(".pager .next").click()
        page.locator(".text .page a").first.wait_for()
        visit.go(f"{server}/{MANUAL}/print.html")
        assert page.locator(".text > section").count() > 10


def test_numbers_of_pages_never_stand_on_one_another(
    sample_site: Path, browser: Browser, tmp_path: Path
) -> None:
    root = (sample_site / "current").resolve()
    with visiting(browser, (root / REFERENCE).as_uri()) as visit:
        visit.value(
            "document.querySelector('.text').insertAdjacentHTML('afterbegin', "
            "[7, 8, 9].map(n => `<span class=page id=p${n}><a href='#'>${n}</a></span>`).join(''))"
        )
        tops = visit.value(
            "[...document.querySelectorAll('.page a')].map(it => it.getBoundingClientRect().top)"
        )
    gaps = [below - above for above, below in pairwise(tops)]
    assert min(gaps) >= 12
