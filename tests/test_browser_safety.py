"""Whatever stands in a source, no script of it runs in a real Chromium and no other host is asked."""

import ast
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from browsing import open_browser, visiting
from playwright.sync_api import Browser
from searched_shelf import words_of
from shelftest import ShelfTest
from test_render import HOSTILE
from written_shelf import written_document

from docshelf.build.rendering.navigation import document_tree
from docshelf.build.rendering.pages import Card, LinkTo, PageKind, PageView, ReaderFinding, ShelfView
from docshelf.build.rendering.render import render_page
from docshelf.build.rendering.theme import load_theme
from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.serve.manifest import RELEASE_SCRIPT

KINDS: tuple[PageKind, ...] = ("section", "document", "home", "whole", "search")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as chromium:
        yield chromium


def hostile_page(text: str, kind: PageKind) -> PageView:
    """A page on which everything that a source can decide says `text`."""
    link = LinkTo(text, "docs/a/001-x.html")
    return PageView(
        path=f"docs/a/{kind}.html", title=text, language="en", kind=kind, breadcrumbs=(link,), markdown="docs/a/x.md",
        llms="llms.txt", previous=link, next=link, contents=link, source="sources/a.pdf#page=1", grade="B",
        notices=(text,), pages=text, page_count=1, findings=(ReaderFinding(text, "warning", link),), finding_count=1,
        tree=document_tree([(text, [link, link])], text), whole="docs/a/print.html", labels={1: text},
        cards=(Card(text, "docs/a/index.html", text, text, (link,), text),),
    )  # fmt: skip


def write_pages(folder: Path, texts: list[str]) -> None:
    """A shelf whose pages hold all the texts, each as Markdown, as a heading and in a table."""
    theme, name = load_theme(), " ".join(texts)
    parts = [
        f"{text}\n\n## {text}\n\n| {text} |\n| --- |\n| {text} |\n\n- [a](b.md): {text}\n" for text in texts
    ]
    markdown = f"# {name}\n\n> {name}\n\n<!-- p1 -->\n\n" + "\n\n".join(parts)
    pixels = pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 1, 1))
    pixels.clear_with(240)
    found = written_document(
        "docs/found", name, [(f"{text} watchword", f"watchword {text}") for text in texts]
    )
    files = {
        **theme.assets(),
        **search_files(merged(words_of([found]))),
        "docs/a.png": pixels.tobytes(),
        RELEASE_SCRIPT: b'window.docshelfRelease = "0";\n',
    }
    for kind in KINDS:
        page = hostile_page(name, kind)
        files[page.path] = render_page(markdown, page, ShelfView(name, "ru"), theme)
    # What is found is shown unseen, to be told the words around.
    for path, text in found.texts.items():
        page = replace(hostile_page(name, "section"), path=f"{path.removesuffix('.md')}.html", markdown=path)
        files[page.path] = render_page(text, page, ShelfView(name, "ru"), theme)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def xss_strings(file: Path) -> list[str]:
    """The list `C` of the developers' file; the rest of it is not run."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "C":
            return [str(text) for text in ast.literal_eval(node.value)]
    raise AssertionError(f"{file} has no list C")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_texts_run_nothing_wherever_they_stand(kind: str, tmp_path: Path, browser: Browser) -> None:
    write_pages(tmp_path, HOSTILE)
    with visiting(browser, (tmp_path / f"docs/a/{kind}.html").as_uri()) as visit:
        links = visit.value("[...document.links].map(link => link.protocol)")
        assert set(links) <= {"file:", "http:", "https:", "mailto:"}
        assert visit.count("main script, main iframe, main [onload], main [onerror], main [style]") == 0


def test_hostile_titles_and_texts_are_found_as_text(tmp_path: Path, browser: Browser) -> None:
    write_pages(tmp_path, HOSTILE)
    with visiting(browser, (tmp_path / "docs/a/search.html").as_uri()) as visit:
        visit.page.keyboard.type("watchword")
        visit.page.locator(".seek-hits a").first.wait_for()
        hits = visit.page.locator(".seek-hits a").all_inner_texts()
        assert len(hits) == min(10, len(HOSTILE))
        visit.page.locator(".seek-hits a[href*='#p']").first.wait_for()
        inside = visit.value(
            "[...new Set([...document.querySelectorAll('.seek-hits a *')].map(it => it.localName))]"
        )
        assert set(inside) == {"b", "small", "span", "mark"}


def test_the_strings_of_the_developers_run_nothing(shared: Path, tmp_path: Path, browser: Browser) -> None:
    write_pages(tmp_path, xss_strings(shared / "sketches" / "xss_strings.py"))
    for kind in KINDS:
        with visiting(browser, (tmp_path / f"docs/a/{kind}.html").as_uri()) as visit:
            assert visit.count("main script, main iframe, main [onload], main [onerror], main [style]") == 0


def test_no_name_title_or_text_of_the_cases_runs_anything(
    shared: Path, shelf: ShelfTest, browser: Browser
) -> None:
    for folder in ("index", "lookalike", "slugs", "encoding", "headings"):
        shutil.copytree(shared / "cases" / folder, shelf.source / folder)
    subprocess.run(["tar", "-xf", str(shared / "cases" / "names.tar"), "-C", str(shelf.source)], check=True)
    shelf.build()
    pages = sorted((shelf.current.resolve()).rglob("*.html"))
    assert len(pages) > 60
    with visiting(browser, pages[0].as_uri()) as visit:
        for page in pages:
            visit.go(page.as_uri())


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        '<img src="http://tracker.invalid/t.png">',
        '<p style="color: red">x</p>',
        "<img src=x onerror=alert(1)>",
        '<script src="data:text/javascript,alert(1)"></script>',
    ],
)
def test_the_watch_and_the_policy_of_a_page_see_what_slips_through(
    html: str, tmp_path: Path, browser: Browser
) -> None:
    write_pages(tmp_path, ["plain"])
    file = tmp_path / "docs/a/section.html"
    file.write_text(file.read_text("utf-8").replace("<p>plain</p>", html, 1), "utf-8")
    with pytest.raises(AssertionError, match=r"policy|violates"), visiting(browser, file.as_uri()):
        pass
