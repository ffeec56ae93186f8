import gc
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docshelf.build.rendering.article import render_article
from docshelf.build.rendering.pages import LinkTo, PageView, ShelfView
from docshelf.build.rendering.render import render_page
from docshelf.build.rendering.theme import Theme, load_theme
from docshelf.build.wording import wording

SHELF = ShelfView("Полка", "ru")
HOME = LinkTo("Полка", "index.html")
DOCUMENT = LinkTo("Аплинки", "docs/routing/uplinks/subindex.html")
SECTION = PageView(
    path="docs/routing/uplinks/003-checks.html",
    title="Проверка <канала>",
    language="ru",
    kind="section",
    breadcrumbs=(HOME, LinkTo("Маршрутизация", "docs/routing/index.html"), DOCUMENT),
    markdown="docs/routing/uplinks/003-checks.md",
    llms="docs/routing/llms.txt",
    previous=LinkTo("Кабели", "docs/routing/uplinks/002-cables.html"),
    next=LinkTo("Резерв", "docs/routing/uplinks/004-failover.html#p15"),
    contents=DOCUMENT,
    source="sources/routing/uplinks.pdf#page=12",
    grade="A",
    pages="12–14",
)
INDEX = PageView(
    path="index.html",
    title="Полка",
    language="ru",
    kind="home",
    breadcrumbs=(),
    markdown="index.md",
    llms="llms.txt",
)
CASES = [
    pytest.param(file.stem, case["markdown"], case["expected"], id=case["name"])
    for file in sorted(Path(__file__).with_name("render").glob("*.md"))
    for case in re.finditer(
        r"^(?P<name>\S.*)\n\.\n(?P<markdown>(?:.*\n)*?)\.\n(?P<expected>(?:.*\n)*?)\.\n",
        file.read_text(),
        re.MULTILINE,
    )
]
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "# <svg onload=alert(1)>",
    "| <iframe src=x> |\n| --- |\n| <b onclick=x> |",
    "<!-- --><script>x</script>",
    "<!-- p1 -->\n<script>x</script>",
    "<!-- p1\n--><script>x</script>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](<java\tscript:alert(1)>)",
    "[a](&#106;avascript:alert(1))",
    "[a](javascript&colon;alert(1))",
    "[a](\x01javascript:alert(1))",
    "[a](\u00a0javascript:alert(1))",
    "[a](%6aavascript:alert(1))",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](data:text/html,<script>1</script>)",
    "[a](x:javascript:1)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    '<https://a"onmouseover="x>',
    '[a](https://x "t\\" onload=\\"x")',
    '[a](b.md "\\"><script>x</script>")',
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "![](http://evil.example/track.png)",
    '![" onerror="x](../a.png)',
    '```"><script>x\nq\n```',
    '``` a"b onclick=x\nq\n```',
    "[x]: javascript:alert(1)\n\n[x]",
    '- [a](javascript:1): "><script>x</script>',
    '> ["><script>x</script>](javascript:1)',
    "\\<script>alert(1)</script>",
    '[a](\\"onclick=x)',
]


class Watch(HTMLParser):
    """Collects what a browser would run, load from elsewhere or style inline."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in ("iframe", "object", "embed", "base", "form", "svg", "style"):
            self.found.append(tag)
        if tag == "script" and not re.fullmatch(r"(\.\./)*assets/[a-z0-9-]+\.js", values.get("src", "")):
            self.found.append("script")
        self.found += [name for name in values if name.startswith("on") or name == "style"]
        for name in ("href", "src"):
            scheme = re.match(r"[\x00-\x20]*([^/?#]*):|[\\/]", re.sub(r"[\t\r\n]", "", values.get(name, "")))
            outside = tag != "a" or (scheme and scheme[1] not in ("http", "https", "mailto"))
            if scheme and outside:
                self.found.append(f"{tag} {name}={values[name]}")


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme()


@pytest.mark.parametrize(("file", "markdown", "expected"), CASES)
def test_markdown_becomes_the_html_written_beside_it(
    file: str, markdown: str, expected: str, theme: Theme
) -> None:
    page = INDEX if file == "indexes" else SECTION
    html = render_page(markdown, page, SHELF, theme).decode().replace("\N{NO-BREAK SPACE}", " ")
    main = html[html.index("<main") : html.index("</main>")]
    for line in expected.splitlines():
        if line.startswith("! "):
            assert line[2:] not in main
        else:
            assert line in main


def test_every_file_of_cases_is_read() -> None:
    written = sum(file.read_text().count("\n.\n") for file in Path(__file__).with_name("render").glob("*.md"))
    assert written == 3 * len(CASES) > 60


@pytest.mark.parametrize("markdown", HOSTILE)
@pytest.mark.parametrize("page", [SECTION, INDEX], ids=["section", "home"])
def test_nothing_in_a_source_runs_or_is_loaded_from_elsewhere(
    markdown: str, page: PageView, theme: Theme
) -> None:
    for text in (markdown, f"# T\n\n{markdown}\n", f"# {markdown}\n"):
        watch = Watch()
        watch.feed(render_page(text, page, SHELF, theme).decode())
        watch.close()
        assert watch.found == []


@pytest.mark.parametrize(
    "html",
    ["<script>1</script>", '<a href="java\tscript:1">', '<p style="x">', '<img src="//evil.example/x">'],
)
def test_the_watch_sees_what_it_watches_for(html: str) -> None:
    watch = Watch()
    watch.feed(html)
    assert watch.found != []


def test_titles_and_notices_are_text_wherever_they_stand(theme: Theme) -> None:
    bad = '"><script>x</script>'
    link = LinkTo(bad, "docs/x.html")
    page = replace(
        SECTION,
        title=bad,
        breadcrumbs=(link,),
        previous=link,
        next=link,
        contents=link,
        notices=(bad,),
        pages=bad,
    )
    html = render_page(f"# {bad}\n\n## {bad}\n\n## {bad}\n\n## {bad}\n", page, ShelfView(bad, "ru"), theme)
    watch = Watch()
    watch.feed(html.decode())
    assert watch.found == []
    assert html.count(b"&lt;script&gt;x&lt;/script&gt;") >= 12


@pytest.mark.parametrize(
    "unit", ["[", "![", r"\[", "[a](", "*_", "<", "`a``", "> ", "- ", "|a", "a\n\n", "- [a](b): c\n"]
)
def test_a_hostile_text_takes_time_in_proportion_to_its_length(unit: str, theme: Theme) -> None:
    def rendering_s(size: int) -> float:
        start = time.process_time()
        render_page((unit * size)[:size], SECTION, SHELF, theme)
        return time.process_time() - start

    gc.collect()
    gc.disable()  # It would look through all that thousands of other tests left.
    try:
        short_s, long_s = (min(rendering_s(size) for _ in range(3)) for size in (25_000, 100_000))
    finally:
        gc.enable()
    # Four times the text: in proportion takes 4 times as long, quadratic 16 times.
    assert long_s < max(10 * short_s, 1.0)


def test_a_note_above_its_reference_is_no_target(theme: Theme) -> None:
    page = PageView(
        path="docs/a.html",
        title="T",
        language="en",
        kind="section",
        breadcrumbs=(),
        markdown="docs/a.md",
        llms="llms.txt",
    )
    markdown = "# T\n\n<!-- p1 -->\n\n¹ A note of the page before.\n\nText with a figure¹ after it.\n"
    html = render_page(markdown, page, ShelfView("S", "en"), theme)
    text = html.decode()
    assert "A note of the page before" in text and "#_n1-1" not in text


@pytest.mark.parametrize(
    ("below", "html"),
    [
        (
            "Рис. 4. Схема *сети*",
            '<figure>PICTURE<figcaption class="printed">Рис. 4. Схема <em>сети</em></figcaption></figure>',
        ),
        (
            "Figure 2-1: Ports",
            '<figure>PICTURE<figcaption class="printed">Figure 2-1: Ports</figcaption></figure>',
        ),
        ("Таблица 4. Порты", '<figure>PICTURE</figure>\n<p class="caption">Таблица 4. Порты</p>'),
        ("Рисунок показывает сеть", "<figure>PICTURE</figure>\n<p>Рисунок показывает сеть</p>"),
        ("## Рис. 4. Схема", '<figure>PICTURE</figure>\n<h2 id="ris-4-skhema">'),
        ("", "<figure>PICTURE</figure>"),
    ],
)
def test_a_caption_printed_below_a_picture_is_part_of_its_figure(below: str, html: str) -> None:
    page = replace(SECTION, pictures={"p1-f1.png": (8, 4)})
    body = render_article(f"# Т\n\n![](../../../pictures/p1-f1.png)\n\n{below}\n", page, wording("ru")).body
    picture = re.search(r'<a class="picture".*?</a>', body)
    assert picture
    assert body.replace(picture[0], "PICTURE").startswith(html)


def test_the_picture_of_a_page_keeps_its_name_and_takes_no_caption() -> None:
    markdown = "# Т\n\n![с. 7](../../../pictures/p007.png)\n\nРис. 2. Схема\n"
    body = render_article(markdown, SECTION, wording("ru")).body
    assert "<figcaption>с. 7</figcaption></figure>" in body
    assert '<p class="caption">Рис. 2. Схема</p>' in body


def test_the_labels_of_a_figure_describe_its_picture_to_who_cannot_see_it() -> None:
    markdown = "# Т\n\n![WAN; LAN](../../../pictures/p007-f1.png)\n\nРис. 2. Схема\n"
    body = render_article(markdown, SECTION, wording("ru")).body
    assert 'alt="WAN; LAN"' in body
    assert '</a><figcaption class="printed">Рис. 2. Схема</figcaption></figure>' in body


def test_a_heading_cell_without_words_heads_nothing() -> None:
    body = render_article("# Т\n\n| | Порт |\n| --- | --- |\n| 1 | |\n", SECTION, wording("ru")).body
    assert "<tr>\n<td></td>\n<th>Порт</th>\n</tr>" in body
    assert "<tr>\n<td>1</td>\n<td></td>\n</tr>" in body


def test_a_title_of_several_headings_is_set_smaller() -> None:
    long = " · ".join(["Как собрать пакет"] * 6)
    assert '<h1 id="kak-sobrat-paket' in render_article(f"# {long}\n", SECTION, wording("ru")).title
    assert 'class="long">' in render_article(f"# {long}\n", SECTION, wording("ru")).title
    assert "class" not in render_article("# Как собрать пакет\n", SECTION, wording("ru")).title
