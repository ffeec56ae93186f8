import shutil
from typing import Any

import pytest
from shelftest import ShelfTest

from docshelf.build.rendering.render import render_page


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of index pages as they are rendered."""
    paths: list[str] = []

    def render(markdown: str, page: Any, *others: Any) -> bytes:
        paths.append(page.path)
        return render_page(markdown, page, *others)

    monkeypatch.setattr("docshelf.build.rendering.index_pages.render_page", render)
    return paths


def built(shelf: ShelfTest, rendered: list[str]) -> list[str]:
    """The index pages that a build renders."""
    rendered.clear()
    shelf.build()
    assert shelf.faults() == []
    return sorted(rendered)


def test_only_pages_of_indexes_that_changed_are_rendered(shelf: ShelfTest, rendered: list[str]) -> None:
    shelf.config(name="Shelf", budget={"index_bytes": 2048})
    for folder in ("net", "power"):
        for number in range(8):
            shelf.pdf(f"{folder}/{number}.pdf", f"# Title of {folder} {number}\ntext of many words")
    first = built(shelf, rendered)
    assert {"index.html", "docs/net/index.html", "docs/power/index.html"} <= set(first)
    assert built(shelf, rendered) == []
    shelf.pdf("net/3.pdf", "# Something else\ntext of many words")
    again = built(shelf, rendered)
    assert "docs/net/index.html" in again
    assert not [path for path in again if path.startswith("docs/power/")]
    assert any("Something else" in shelf.text(path) for path in again)


def test_all_are_rendered_where_the_theme_changed_or_the_release_is_gone(
    shelf: ShelfTest, rendered: list[str]
) -> None:
    shelf.config(name="Shelf", theme="theme")
    shelf.file("theme/assets/custom.css", b"p { color: red }")
    shelf.pdf("net/a.pdf", "text")
    assert built(shelf, rendered) == ["docs/net/index.html", "index.html"]
    shelf.file("theme/assets/custom.css", b"p { color: blue }")
    assert built(shelf, rendered) == ["docs/net/index.html", "index.html"]
    shutil.rmtree(shelf.current.resolve())
    assert built(shelf, rendered) == ["docs/net/index.html", "index.html"]


def test_a_page_that_was_damaged_in_the_release_is_rendered_again(
    shelf: ShelfTest, rendered: list[str]
) -> None:
    shelf.pdf("net/a.pdf", "text")
    shelf.build()
    (shelf.current.resolve() / "docs/net/index.html").write_bytes(b"")
    assert built(shelf, rendered) == ["docs/net/index.html"]
