"""What stands around the text of a page."""

import re
from dataclasses import replace

import pytest
from test_render import DOCUMENT, INDEX, SECTION, SHELF

from docshelf.build.rendering.pages import Card, LinkTo, ReaderFinding, ShelfView
from docshelf.build.rendering.render import POLICY, render_document, render_page, render_search_page
from docshelf.build.rendering.theme import Theme, load_theme


@pytest.fixture(scope="module")
def theme() -> Theme:
    return load_theme()


def test_the_head_names_the_twin_and_the_covering_index(theme: Theme) -> None:
    html = render_page("# T\n", SECTION, SHELF, theme).decode()
    assert html.startswith("<!DOCTYPE html>")
    assert "<title>Проверка &lt;канала&gt; — Аплинки — Полка</title>" in html
    assert '<link rel="alternate" type="text/markdown" title="Markdown" href="003-checks.md">' in html
    assert '<link rel="describedby" type="text/markdown" title="llms.txt" href="../llms.txt">' in html
    assert '<script defer src="../../../assets/release.js"></script>' in html
    assert re.search(r'<link rel="stylesheet" href="\.\./\.\./\.\./assets/style-[a-p]{8}\.css">', html)


def test_the_home_page_does_not_repeat_the_shelf_in_its_title(theme: Theme) -> None:
    html = render_page("# Полка\n", INDEX, SHELF, theme).decode()
    assert "<title>Полка</title>" in html
    assert '<script defer src="assets/release.js"></script>' in html


def test_a_section_leads_on_and_back(theme: Theme) -> None:
    html = render_page("# T\n", SECTION, SHELF, theme).decode()
    assert (
        '<a class="previous" rel="prev" href="002-cables.html"><small>Назад</small><span>Кабели</span></a>'
        in html
    )
    assert '<a class="next" rel="next" href="004-failover.html#p15">' in html
    assert '<li><a href="../index.html">Маршрутизация</a></li>' in html
    assert '<li><a href="subindex.html">Аплинки</a></li>' in html


def test_the_first_section_leads_up_once(theme: Theme) -> None:
    html = render_page("# T\n", replace(SECTION, previous=DOCUMENT), SHELF, theme).decode()
    pager = html[html.index('<nav class="pager"') :]
    assert pager.count('href="subindex.html"') == 1


def test_a_section_says_its_printed_pages_and_the_page_of_the_file(theme: Theme) -> None:
    html = render_page("# T\n\nText\n", SECTION, SHELF, theme).decode().replace("\N{NO-BREAK SPACE}", " ")
    place = '<p class="place">с. 12–14 · <a href="../../../sources/routing/uplinks.pdf#page=12">источник, с. 12 PDF</a></p>'
    assert place in html


def test_the_contents_of_a_page_list_its_two_highest_levels(theme: Theme) -> None:
    markdown = "# T\n\n## Один\n\n### Два `x`\n\n#### Мелко\n\n## Три & четыре\n"
    html = render_page(markdown, SECTION, SHELF, theme).decode()
    contents = html[html.index('<details class="here">') : html.index("</details>")]
    assert re.findall(r'<li class="(\w+)"><a href="(#[\w-]+)">(.+)</a>', contents) == [
        ("depth1", "#odin", "Один"),
        ("depth2", "#dva-x", "Два x"),
        ("depth1", "#tri-chetyre", "Три &amp; четыре"),
    ]


def test_the_contents_begin_at_the_highest_level_that_is_there(theme: Theme) -> None:
    markdown = "# 24\n\n### 24.1\n\n### 24.2\n\n##### Мелко\n\n###### Мельче\n"
    html = render_page(markdown, SECTION, SHELF, theme).decode()
    assert re.findall(r'<li class="(\w+)"><a href="#[\w-]+">(.+)</a>', html) == [
        ("depth1", "24.1"),
        ("depth1", "24.2"),
        ("depth2", "Мелко"),
    ]


def test_one_heading_needs_no_contents(theme: Theme) -> None:
    html = render_page("# T\n\n## Один\n", SECTION, SHELF, theme).decode()
    assert "details" not in html


def test_a_scan_without_text_says_so_in_the_language_of_the_document(theme: Theme) -> None:
    page = replace(SECTION, grade="C", notices=("page 3 was not read",))
    html = render_page("# T\n", page, ShelfView("Shelf", "en"), theme).decode()
    assert "<p>Скан без текста: " in html
    assert '<p lang="en" dir="ltr">page 3 was not read</p>' in html
    assert "Скан без текста" not in render_page("# T\n", SECTION, SHELF, theme).decode()


@pytest.mark.parametrize(
    ("document", "shelf", "interface"),
    [("ru", "en", "ru"), ("en-GB", "ru", "en"), ("de", "ru", "ru"), ("de", "fr", "en")],
)
def test_a_page_speaks_the_language_of_its_document_where_it_can_else_that_of_the_shelf(
    document: str, shelf: str, interface: str, theme: Theme
) -> None:
    page = replace(SECTION, language=document)
    html = render_page("# T\n", page, ShelfView("Shelf", shelf), theme).decode()
    assert f'<html lang="{interface}" dir="ltr">' in html
    assert {"ru": "Далее", "en": "Next"}[interface] in html


def test_a_page_tells_the_language_of_its_text_where_it_speaks_another(theme: Theme) -> None:
    html = render_page("# T\n", replace(SECTION, language="ar"), SHELF, theme).decode()
    assert '<html lang="ru" dir="rtl">' in html
    assert '<main id="_text" lang="ar">' in html
    assert '<main id="_text">' in render_page("# T\n", SECTION, SHELF, theme).decode()


def test_what_is_of_another_language_than_what_it_stands_in_says_so(theme: Theme) -> None:
    html = render_page("# T\n\n## A\n\n## B\n", replace(SECTION, language="ja"), SHELF, theme).decode()
    assert '<a class="name" href="../../../index.html"><img' in html
    # The document's own name is of its language, the shelf's categories are not.
    assert '<li lang="ru"><a href="../index.html">Маршрутизация</a></li>' in html
    assert f'<li><a href="subindex.html">{SECTION.breadcrumbs[-1].title}</a></li>' in html
    assert '<p class="place" lang="ru">' in html
    assert '<small lang="ru">Далее</small>' in html
    assert '<summary lang="ru">На этой странице</summary>' in html
    english = render_page("# T\n", replace(SECTION, language="en"), SHELF, theme).decode()
    assert '<a class="name" href="../../../index.html" lang="ru">' in english
    assert '<p class="place">' in english
    assert 'lang="ru"' not in render_page("# T\n", SECTION, SHELF, theme).decode().partition("<body")[2]


def test_a_mark_shows_the_printed_number_and_leads_to_the_page_of_the_file(theme: Theme) -> None:
    html = render_page("# T\n\n<!-- p12 -->\n", replace(SECTION, labels={12: "iv"}), SHELF, theme).decode()
    mark = '<span class="page" id="p12"><a href="../../../sources/routing/uplinks.pdf#page=12" title='
    assert mark in html
    assert ">iv</a></span>" in html


def test_a_picture_keeps_its_place_free_while_it_loads(theme: Theme) -> None:
    page = replace(SECTION, pictures={"p012-f1.jpg": (640, 480)})
    html = render_page("# T\n\n![](../../../pictures/x/p012-f1.jpg)\n", page, SHELF, theme).decode()
    assert 'width="640" height="480"' in html


def test_findings_are_listed_with_the_pages_they_are_about(theme: Theme) -> None:
    place = LinkTo("13", "docs/routing/uplinks/003-checks.html#p13")
    findings = (ReaderFinding("<b> is lost", "warning", place), ReaderFinding("No text", "error", None))
    html = render_page("# T\n", replace(SECTION, findings=findings, finding_count=5), SHELF, theme).decode()
    assert "<summary>Замечания сборки: 2</summary>" in html
    link = '<a href="003-checks.html#p13">страница PDF 13</a>'
    assert f'<li class="warning" dir="ltr" lang="en">{link}: &lt;b&gt; is lost</li>' in html
    assert '<li class="error" dir="ltr" lang="en">No text</li>' in html
    assert '<a class="found" href="subindex.html#_findings">Замечания ко всему документу: 5</a>' in html


def test_the_pages_a_finding_begins_with_lead_to_the_first_of_them(theme: Theme) -> None:
    place = LinkTo("13", "docs/routing/uplinks/003-checks.html#p13")
    findings = (
        ReaderFinding("таблицы: <развёрнуты>", "warning", place, "страницы PDF 13, 15", "ru"),
        ReaderFinding("damaged", "warning", None, "page 20"),
    )
    html = render_page("# T\n", replace(SECTION, findings=findings, finding_count=1), SHELF, theme).decode()
    link = '<a href="003-checks.html#p13">страницы PDF 13, 15</a>'
    assert f'<li class="warning" dir="ltr">{link}: таблицы: &lt;развёрнуты&gt;</li>' in html
    assert '<li class="warning" dir="ltr" lang="en">page 20: damaged</li>' in html
    assert 'class="found"' not in html


def test_every_page_carries_its_policy(theme: Theme) -> None:
    html = render_page("# T\n", INDEX, SHELF, theme).decode()
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in html


def test_a_whole_document_is_its_sections_with_links_that_stay_inside(theme: Theme) -> None:
    first = replace(SECTION, path="docs/routing/uplinks/001-a.html", markdown="a", title="А")
    second = replace(SECTION, path="docs/routing/uplinks/002-b.html", markdown="b", title="Б")
    whole = replace(SECTION, path="docs/routing/uplinks/print.html", markdown="i", kind="whole")
    texts = {
        "a": '# А & "Я"\n\n<!-- p1 -->\n\n## Итог\n\n[вперёд](002-b.md#itog) [мимо](009-z.md) [к себе](#p1)\n',
        "b": '# Б\n\n## Итог\n\n` id="x" href="#y"`\n\n![](../../../pictures/x.png)\n\n[назад](001-a.md)\n',
    }
    pages = render_document(texts, [first, second, whole], SHELF, theme)
    html = pages[whole.path].decode()
    assert '<section id="n1" data-name="001-a.md">\n<h1 id="n1-a-ya">А &amp; &quot;Я&quot;</h1>' in html
    assert '<a href="#n2-itog">вперёд</a> <a href="009-z.html">мимо</a> <a href="#n1-p1">к себе</a>' in html
    assert '<h2 id="n2-itog"><a class="anchor" href="#n2-itog">Итог</a></h2>' in html
    assert '<a href="#n1">назад</a>' in html
    assert "id=&quot;x&quot; href=&quot;#y&quot;" in html
    assert "lazy" not in html
    assert '<li><a href="#n1">А &amp; &#34;Я&#34;</a></li>' in html
    assert list(pages) == [first.path, second.path, whole.path]


def test_the_home_shows_a_card_for_each_category_under_the_heading_of_its_group(theme: Theme) -> None:
    card = Card(
        "<Сеть>", "docs/net/index.html", "О сети", "2 документа, 9 КБ", (LinkTo("Т", "docs/net/t.html"),), "Г"
    )
    page = replace(INDEX, cards=(card, replace(card, title="Ещё"), replace(card, title="Три", group="")))
    html = render_page("# Полка\n", page, SHELF, theme).decode()
    assert html.count('<ul class="cards">') == 2
    assert html.count("<h2>Г</h2>") == 1
    assert '<h3 class="title"><a href="docs/net/index.html">&lt;Сеть&gt;</a></h3>' in html
    assert '<h2 class="title"><a href="docs/net/index.html">Три</a></h2>' in html
    assert '<li><a href="docs/net/t.html">Т</a></li>' in html
    assert html.count("<ul") == html.count("</ul>") == 5


def test_the_page_that_searches_says_what_it_needs_and_lists_the_categories(theme: Theme) -> None:
    card = Card("Сеть", "docs/net/index.html", "", "", ())
    html = render_search_page(SHELF, theme, (card,)).decode()
    assert "<noscript><p>Для поиска нужен JavaScript." in html
    assert '<li><a href="docs/net/index.html">Сеть</a></li>' in html
    assert "<title>Поиск — Полка</title>" in html


def test_no_link_to_the_source_is_made_where_the_release_holds_none(theme: Theme) -> None:
    html = render_page("# T\n\n<!-- p12 -->\n", replace(SECTION, source=""), SHELF, theme).decode()
    assert '<span class="page" id="p12">12</span>' in html
    assert "sources/" not in html


def test_the_same_page_is_the_same_bytes(theme: Theme) -> None:
    text = "# T\n\n## A\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n<!-- p2 -->\n\n[x](y.md)\n"
    assert render_page(text, SECTION, SHELF, theme) == render_page(text, SECTION, SHELF, load_theme())


def test_an_empty_text_is_a_page_with_its_title(theme: Theme) -> None:
    assert "<h1>Проверка &lt;канала&gt;</h1>" in render_page("", SECTION, SHELF, theme).decode()
