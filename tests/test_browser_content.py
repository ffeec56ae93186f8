"""What stands in a page's text, in a real Chromium: pictures beside text, zoom, tables, listings, notes, right to left."""

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from browsing import open_browser, visiting
from playwright.sync_api import Browser, Page, expect

from docshelf.build.rendering.pages import PageView, ShelfView
from docshelf.build.rendering.render import render_page
from docshelf.build.rendering.theme import load_theme
from docshelf.serve.manifest import RELEASE_SCRIPT

MARKDOWN = f"""\
# Проверка

<!-- p1 -->

Текст страницы¹ рядом с её изображением.

![с. 1](../pictures/a/p001.png)

1 Сноска к тексту.

<!-- p2 -->

![](../pictures/a/p002-f1.png)

Рис. 4. Схема

| {" | ".join(f"Столбец {n}" for n in range(20))} |
| {" | ".join("---" for _ in range(20))} |
| {" | ".join(f"значение{n}" for n in range(20))} |

```python
def ping(host):
    return host
```
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


def write_page(folder: Path, markdown: str, language: str = "ru") -> str:
    """The address of a page with this text, on a disk."""
    theme = load_theme()
    page = PageView(
        path="docs/a.html", title="Проверка", language=language, kind="section", breadcrumbs=(), markdown="docs/a.md",
        llms="llms.txt", pictures={"p001.png": (793, 1123), "p002-f1.png": (400, 200)},
    )  # fmt: skip
    sheet, figure = (pymupdf.Pixmap(pymupdf.csRGB, (0, 0, *size)) for size in ((400, 566), (800, 400)))
    for pixels in (sheet, figure):
        pixels.clear_with(240)
    files = {
        **theme.assets(),
        RELEASE_SCRIPT: b'window.docshelfRelease = "0";\n',
        "pictures/a/p001.png": sheet.tobytes(),
        "pictures/a/p002-f1.png": figure.tobytes(),
        page.path: render_page(markdown, page, ShelfView("Полка", "ru"), theme),
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return (folder / page.path).as_uri()


def left_and_top(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["x"], box["y"]


def test_a_doubtful_page_shows_its_picture_beside_the_text_or_above_it(
    tmp_path: Path, browser: Browser
) -> None:
    address = write_page(tmp_path, MARKDOWN)
    with visiting(browser, address) as visit:
        text, picture = left_and_top(visit.page, ".beside .read p"), left_and_top(visit.page, ".beside img")
        assert picture[0] > text[0] + 300
        assert abs(picture[1] - text[1]) < 60
    with visiting(browser, address, 390) as visit:
        text, picture = left_and_top(visit.page, ".beside .read p"), left_and_top(visit.page, ".beside img")
        assert picture[1] < text[1]
        assert visit.value("document.documentElement.scrollWidth") <= 390


def test_a_picture_opens_large_and_closes(tmp_path: Path, browser: Browser) -> None:
    with visiting(browser, write_page(tmp_path, MARKDOWN)) as visit:
        visit.page.locator("figcaption", has_text="Рис. 4. Схема").wait_for()
        visit.page.locator("a.picture").last.click()
        dialog = visit.page.get_by_role("dialog", name="Рисунок")
        expect(dialog.locator("img")).to_be_visible()
        visit.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert visit.page.url.endswith("/docs/a.html")


def test_a_wide_table_scrolls_in_itself(tmp_path: Path, browser: Browser) -> None:
    with visiting(browser, write_page(tmp_path, MARKDOWN), 390) as visit:
        assert visit.value("document.querySelector('.table').scrollWidth > 1000")
        assert visit.value("document.documentElement.scrollWidth") <= 390


def test_a_wide_table_is_printed_whole(tmp_path: Path, browser: Browser) -> None:
    with visiting(browser, write_page(tmp_path, MARKDOWN)) as visit:
        content = visit.page.pdf()
    with pymupdf.open(stream=content, filetype="pdf") as printed:
        sheet, text = printed[0].rect, "".join(page.get_text() for page in printed)
        boxes = [word[:4] for page in printed for word in page.get_text("words")]
    assert "значение19" in "".join(text.split())
    assert max(box[2] for box in boxes) <= sheet.x1


def test_a_caption_below_a_picture_is_copied_as_a_paragraph(tmp_path: Path, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    markdown = "# Проверка\n\n<!-- p2 -->\n\n![](../pictures/a/p002-f1.png)\n\nРис. 4. Схема **сети**\n"
    with visiting(browser, write_page(tmp_path, markdown), permissions=allowed) as visit:
        expect(visit.page.locator("figure figcaption")).to_have_text("Рис. 4. Схема сети")
        assert visit.copied("button.copy") == markdown


def test_the_labels_of_a_figure_are_copied_with_it(tmp_path: Path, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    markdown = "# Проверка\n\n<!-- p2 -->\n\n![WAN; LAN](../pictures/a/p002-f1.png)\n"
    with visiting(browser, write_page(tmp_path, markdown), permissions=allowed) as visit:
        expect(visit.page.locator("figure img")).to_have_attribute("alt", "WAN; LAN")
        assert visit.copied("button.copy") == markdown


def test_lists_inside_of_lists_are_copied_as_they_are(tmp_path: Path, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    markdown = "# Проверка\n\n<!-- p2 -->\n\n3. Сеть:\n   - WAN\n     - основной\n   - LAN\n4. Питание\n"
    with visiting(browser, write_page(tmp_path, markdown), permissions=allowed) as visit:
        expect(visit.page.locator(".text > ol > li > ul > li > ul > li")).to_have_text("основной")
        assert visit.copied("button.copy") == markdown


def test_a_listing_is_copied_as_it_is(tmp_path: Path, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with visiting(browser, write_page(tmp_path, MARKDOWN), permissions=allowed) as visit:
        assert visit.copied(".copy-code") == "def ping(host):\n    return host"


def test_a_footnote_is_a_click_away_and_back(tmp_path: Path, browser: Browser) -> None:
    with visiting(browser, write_page(tmp_path, MARKDOWN)) as visit:
        visit.page.locator("a", has_text="¹").click()
        assert visit.page.url.endswith("#_n1-1")
        visit.page.locator(".footnote a").click()
        assert visit.page.url.endswith("#_r1-1")


def test_a_document_from_right_to_left_is_mirrored(tmp_path: Path, browser: Browser) -> None:
    address = write_page(tmp_path, "# شبكات\n\n<!-- p1 -->\n\nالنص الأول\n\n```\nshow bgp\n```\n", "ar")
    with visiting(browser, address) as visit:
        assert visit.value("getComputedStyle(document.querySelector('.text p')).direction") == "rtl"
        assert visit.value("getComputedStyle(document.querySelector('pre')).direction") == "ltr"
        title, mark = left_and_top(visit.page, ".text p"), left_and_top(visit.page, ".page")
        assert mark[0] > title[0]
