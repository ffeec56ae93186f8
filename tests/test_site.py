"""What a whole shelf's pages weigh, and on what they depend."""

import gzip
import json
import re
from pathlib import Path

import brotli
import pytest
from shelftest import ShelfTest

FRAME_BYTES, TREE_BYTES, PACKED_BYTES = 6 * 1024, 8 * 1024, 5 * 1024
ASSET_BYTES = 25 * 1024


def sections(site: Path) -> list[Path]:
    return sorted((site / "current/docs").rglob("[0-9][0-9][0-9]-*.html"))


def test_a_section_page_beyond_its_text_is_small(sample_site: Path) -> None:
    pages = sections(sample_site)
    assert len(pages) > 40
    for page in pages:
        html = page.read_text("utf-8")
        tree = html[html.index('<nav class="tree"') : html.index("</nav>", html.index('<nav class="tree"'))]
        text = html[html.index('<div class="text">') : html.index('<nav class="pager"')]
        contents = re.search(r'<div class="aside">.*?</div>\n', html, re.DOTALL)
        frame = html.replace(tree, "").replace(text, "").replace(contents[0] if contents else "", "")
        assert len(frame.encode()) <= FRAME_BYTES, page.name
        assert len(tree.encode()) <= TREE_BYTES, page.name
        # gzip packs less well than brotli does.
        assert len(gzip.compress((frame + tree).encode())) <= PACKED_BYTES, page.name


def test_style_and_scripts_together_are_small(sample_site: Path) -> None:
    assets = [file for file in (sample_site / "current/assets").glob("*") if file.suffix in (".css", ".js")]
    assert len(assets) >= 6
    assert sum(len(brotli.compress(file.read_bytes())) for file in assets) <= ASSET_BYTES


def test_the_pages_of_a_document_depend_on_that_document_only(shelf: ShelfTest) -> None:
    shelf.config(
        name="Shelf", budget={"section_bytes": 1024, "section_min_bytes": 0, "section_max_bytes": 2048}
    )
    chapters = [
        "# Chapter\n" + "\n".join(f"Words about chapter {n} and line {m}." for m in range(30))
        for n in range(3)
    ]
    shelf.pdf("net/stays.pdf", *chapters)
    shelf.pdf("net/changes.pdf", "# Old\nText of the other document.")
    shelf.build()
    before = {path: text for path, text in shelf.tree().items() if "/stays" in path}
    shelf.pdf("net/changes.pdf", "# New\nAnother text altogether.")
    shelf.pdf("power/new.pdf", "# More\nA category that was not there.")
    shelf.build()
    after = {path: text for path, text in shelf.tree().items() if "/stays" in path}
    assert after == before
    assert "docs/net/stays/print.html" in after
    assert "docs/power/new.html" in shelf.tree()


def test_a_shelf_is_built_with_a_theme_of_ones_own(shelf: ShelfTest) -> None:
    theme = {
        "templates/base.html": (
            "<!DOCTYPE html><html lang={{ words.language }}><head>{% block head %}<title>{{ head_title }}</title>"
            '<link rel="stylesheet" href="{{ asset("own.css") }}">{% endblock %}</head><body>'
            "{% block title %}{{ title }}{% endblock %}{% block contents %}{% endblock %}"
            "{% block content %}{{ body }}{% endblock %}<p>Own</p></body></html>"
        ),
        "templates/tools.html": "<p>{{ page.grade }}</p>",
        "assets/own.css": "body { color: teal }",
    }
    for name, text in theme.items():
        shelf.file(f".theme/{name}", text.encode())
    shelf.config(name="Shelf", theme=".theme")
    shelf.pdf("net/a.pdf", "# One\nText.")
    shelf.build()
    pages = {path: text.decode() for path, text in shelf.tree().items() if path.endswith(".html")}
    assert {"index.html", "search.html", "docs/net/index.html", "docs/net/a.html"} <= pages.keys()
    assert all("<p>Own</p>" in html and "own-" in html for html in pages.values())
    assert "<p>A</p>" in pages["docs/net/a.html"]
    assert shelf.faults() == []


@pytest.mark.parametrize(("default", "title"), [("ru", "Поиск — Полка"), ("en", "Search — Полка")])
def test_the_shelf_speaks_its_language(default: str, title: str, shelf: ShelfTest) -> None:
    shelf.file(".docshelf.json", json.dumps({"name": "Полка", "default_language": default}).encode())
    shelf.pdf("a.pdf", "# One\nText.")
    shelf.build()
    assert f"<title>{title}</title>" in shelf.text("search.html")
