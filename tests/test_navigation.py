import re

import pytest

from docshelf.build.rendering.navigation import TREE_BYTES, document_tree, tree_html
from docshelf.build.rendering.pages import DocumentTree, LinkTo

FOLDER = "docs/net/router"


def sections(first: int, count: int, title: str = "Section") -> list[LinkTo]:
    return [LinkTo(f"{title} {n}", f"{FOLDER}/{n:03d}-s.html") for n in range(first, first + count)]


def tree_of(chapters: list[tuple[str, list[LinkTo]]]) -> DocumentTree:
    return document_tree(chapters, "Beginning")


def shown(tree: DocumentTree, name: str) -> str:
    return tree_html(tree, f"{FOLDER}/{name}")


def test_chapters_fold_and_the_one_of_the_page_is_open() -> None:
    tree = tree_of([("One", sections(1, 2)), ("Two", sections(3, 1)), ("Three", sections(4, 2))])
    assert shown(tree, "005-s.html") == (
        "<li><details><summary>One</summary>\n<ul>\n"
        '<li><a href="001-s.html">Section 1</a></li>\n'
        '<li><a href="002-s.html">Section 2</a></li>\n'
        "</ul>\n</details></li>\n"
        '<li><a href="003-s.html">Section 3</a></li>\n'
        "<li><details open><summary>Three</summary>\n<ul>\n"
        '<li><a href="004-s.html">Section 4</a></li>\n'
        '<li><a href="005-s.html" aria-current="page">Section 5</a></li>\n'
        "</ul>\n</details></li>\n"
    )


def test_the_index_of_the_document_marks_no_section() -> None:
    html = shown(tree_of([("One", sections(1, 2))]), "subindex.html")
    assert "aria-current" not in html
    assert "open" not in html


def test_below_its_chapter_the_section_of_the_same_title_is_its_beginning() -> None:
    alone, first = LinkTo("Two", f"{FOLDER}/001-s.html"), LinkTo("One", f"{FOLDER}/002-s.html")
    html = shown(tree_of([("Two", [alone]), ("One", [first, *sections(3, 1)])]), "subindex.html")
    assert re.findall(r">([^<\n]+)<", html) == ["Two", "One", "Beginning", "Section 3"]


def test_sections_without_a_chapter_stand_for_themselves() -> None:
    html = shown(tree_of([("", sections(1, 3))]), "002-s.html")
    assert html.count("<li>") == 3
    assert "details" not in html


def test_titles_are_text_and_not_too_long() -> None:
    tree = tree_of([("<b>", [LinkTo('"><script>', f"{FOLDER}/001-s.html"), *sections(2, 1, "слово " * 40)])])
    html = shown(tree, "001-s.html")
    assert "<summary>&lt;b&gt;</summary>" in html
    assert ">&quot;&gt;&lt;script&gt;</a>" in html
    assert max(len(title) for title in re.findall(r">([^<\n]+)</a>", html)) <= 72


def test_a_large_tree_shows_other_chapters_as_one_line_each() -> None:
    tree = tree_of([(f"Chapter {n}", sections(n * 10 + 1, 10)) for n in range(20)])
    html = shown(tree, "045-s.html")
    assert html.count("<details") == 1
    assert "<details open><summary>Chapter 4</summary>" in html
    assert '<li class="more"><a href="051-s.html">Chapter 5</a></li>' in html
    assert html.count("<li") == 20 + 10
    assert '<a href="045-s.html" aria-current="page">' in html


@pytest.mark.parametrize("chapters", [1, 3, 400])
def test_a_tree_of_any_size_keeps_to_its_budget_and_shows_the_page_with_its_neighbours(chapters: int) -> None:
    tree = tree_of(
        [(f"Глава {n}", sections(n * 10 + 1, 1200 // chapters, "Раздел")) for n in range(chapters)]
    )
    for name in ("001-s.html", "012-s.html", "1003-s.html"):
        if name not in tree.part_of:
            continue
        html = shown(tree, name)
        assert len(html.encode()) < TREE_BYTES + 500
        assert f'<a href="{name}" aria-current="page">' in html
        assert '<li class="gap">…</li>' in html
        following = f"{int(name.split('-')[0]) + 1:03d}-s.html"
        assert f'href="{following}"' in html or chapters == 400
