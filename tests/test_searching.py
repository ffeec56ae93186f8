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
    page=6,
    score=7,
)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return Site(site).current()


def test_a_hit_is_one_line_with_title_path_and_page_of_the_words_and_snippet(release: Release) -> None:
    in_titles = replace(HIT, page=None)
    text = search_answer(release, "tunnels", [HIT, in_titles, replace(in_titles, labels=("9", "9"))]).text

    assert text.split("\n") == [
        f"- [Tunnels \\[GRE\\]]({TUNNELS}#p6): Router manual, p. 4: A tunnel joins two networks.",
        f"- [Tunnels \\[GRE\\]]({TUNNELS}): Router manual, p. 3–4: A tunnel joins two networks.",
        f"- [Tunnels \\[GRE\\]]({TUNNELS}): Router manual, p. 9: A tunnel joins two networks.",
        "",
        f"[release {release.id}]",
        "",
    ]


@pytest.mark.parametrize(
    ("pages", "labels", "page", "label"),
    [
        ((5, 9), ("3", "7"), 7, "5"),
        ((5, 9), ("iii", "2"), 5, "iii"),
        ((5, 9), ("iii", "2"), 9, "2"),
        ((5, 9), ("iii", "2"), 7, None),
        ((5, 9), ("3", "8"), 7, None),
        ((5, 9), ("A-3", "A-7"), 7, None),
        ((5, 9), ("003", "007"), 7, None),
        ((5, 9), ("9" * 5_000, "9" * 5_000), 7, None),
        ((5, 5), ("٣", "٣"), 5, "٣"),
        ((5, 9), ("3", "7"), None, None),
    ],
)
def test_a_printed_page_is_told_where_the_pages_of_the_section_leave_no_doubt(
    pages: tuple[int, int], labels: tuple[str, str], page: int | None, label: str | None
) -> None:
    assert replace(HIT, pages=pages, labels=labels, page=page).label == label


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

    assert sorted(paths(query="networks")) == ["docs/a/router.md#p1", "docs/b/cable.md#p1"]
    assert paths(query="tunnels") == ["docs/a/router.md#p1"]
    assert paths(query="networks", path="docs/b") == ["docs/b/cable.md#p1"]
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

    assert "](docs/bridge.md#p1)" in tools.call("search", {"query": "bridges"}).text


def test_a_release_without_search_data_says_what_to_do(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)

    with pytest.raises(NotOnShelf, match="build the shelf again, or use list and fetch"):
        ShelfTools(Site(tmp_path)).call("search", {"query": "router"})
