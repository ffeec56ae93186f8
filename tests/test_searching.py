"""What search answers: a line a hit, or what to do instead."""

from dataclasses import replace
from pathlib import Path

import pytest
from shelftest import ShelfTest
from small_shelf import TUNNELS, write_small_shelf

from docshelf.serve.answering.searching import search_answer
from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.errors import BadRequest, NotOnShelf
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.search.hits import Hit

HIT = Hit(
    path=TUNNELS,
    title="Tunnels [GRE]",
    document="Router manual",
    pages=(5, 6),
    labels=("3", "4"),
    snippet="A tunnel joins\ntwo  networks.",
    marks=((2, 8),),
    score=7,
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return Site(site).current()


def test_a_hit_is_one_line_with_path_title_pages_and_snippet(release: Release) -> None:
    text = search_answer(release, "tunnels", [HIT, replace(HIT, title="Other", labels=("9", "9"))]).text

    assert text.split("\n") == [
        f"- [Tunnels \\[GRE\\]]({TUNNELS}): Router manual, p. 3–4: A tunnel joins two networks.",
        f"- [Other]({TUNNELS}): Router manual, p. 9: A tunnel joins two networks.",
        "",
        f"[release {release.id}]",
        "",
    ]


def test_nothing_found_says_what_to_do(release: Release) -> None:
    text = search_answer(release, "zebra\n\n" + "x" * 500, []).text

    assert text.startswith('Nothing found for "zebra xxx')
    assert 'see the contents: list("").' in text
    assert len(text) < 300


def test_a_built_shelf_is_searched_by_words_limit_and_place(shelf: ShelfTest) -> None:
    filler = "\n" + "It is described here at length.\n" * 30
    shelf.pdf("a/router.pdf", "# Tunnels\n\nA tunnel joins two networks." + filler)
    shelf.pdf("b/cable.pdf", "# Cables\n\nA cable joins two networks." + filler)
    shelf.build()
    tools = ShelfTools(Site(shelf.site))

    def paths(**arguments: object) -> list[str]:
        text = tools.call("search", arguments).text
        return [
            line.partition("](")[2].partition(")")[0] for line in text.split("\n") if line.startswith("- [")
        ]

    assert sorted(paths(query="networks")) == ["docs/a/router.md", "docs/b/cable.md"]
    assert paths(query="tunnels") == ["docs/a/router.md"]
    assert paths(query="networks", path="docs/b") == ["docs/b/cable.md"]
    assert len(paths(query="networks", limit="1")) == 1
    assert len(paths(query="networks", limit=1000)) == 2
    with pytest.raises(BadRequest, match="needs a query"):
        tools.call("search", {"query": "  "})
    with pytest.raises(BadRequest, match="limit"):
        tools.call("search", {"query": "x", "limit": 0})
    with pytest.raises(NotOnShelf, match="not on the shelf"):
        tools.call("search", {"query": "x", "path": "docs/c"})


def test_a_new_release_is_searched_with_the_next_call(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", "# Tunnels\n\nA tunnel joins two networks.")
    shelf.build()
    tools = ShelfTools(Site(shelf.site))
    assert "Nothing found" in tools.call("search", {"query": "bridges"}).text
    shelf.pdf("bridge.pdf", "# Bridges\n\nA bridge joins two segments.")
    shelf.build()

    assert "](docs/bridge.md)" in tools.call("search", {"query": "bridges"}).text


def test_a_release_without_search_data_says_what_to_do(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)

    with pytest.raises(NotOnShelf, match="build the shelf again, or use list and fetch"):
        ShelfTools(Site(tmp_path)).call("search", {"query": "router"})
