import pytest

from docshelf.build.indexing.indexes import Index, IndexGroup, IndexLine, write_index
from docshelf.build.indexing.keywords import read_words
from docshelf.build.indexing.nesting import nest_index
from docshelf.serve.llms import parse_index


def index_of(*groups: tuple[str, int], title: str = "Полка") -> Index:
    made = tuple(
        IndexGroup(
            name,
            tuple(
                IndexLine(
                    f"{name} document {number:04d}",
                    f"docs/{name}/{number:04d}.md",
                    "12 pages, 40 KB",
                    size_bytes=40_000,
                )
                for number in range(count)
            ),
        )
        for name, count in groups
    )
    return Index("index.md", title, "Summary", "Guide.", made, "en")


def way_to_each_line(pages: list[Index]) -> dict[str, list[str]]:
    """The pages on the shortest way to each line, by the line's path."""
    by_path = {page.path: page for page in pages}
    ways: dict[str, list[str]] = {}
    waiting = [(pages[0].path, [pages[0].path])]
    while waiting:
        path, way = waiting.pop(0)
        for line in by_path[path].lines:
            if line.path in by_path:
                waiting.append((line.path, [*way, line.path]))
            else:
                ways.setdefault(line.path, way)
    return ways


def test_an_index_within_the_budget_stays_whole() -> None:
    index = index_of(("net", 20))
    assert [(page.path, page.groups) for page in nest_index(index, 8192)] == [("index.md", index.groups)]


@pytest.mark.parametrize("count", [150, 1000, 10_000])
def test_a_large_index_becomes_pages_within_the_budget_that_lead_to_every_line(count: int) -> None:
    pages = nest_index(index_of(("net", count)), 8192)
    assert max(len(write_index(page).encode()) for page in pages) <= 8192
    assert len(way_to_each_line(pages)) == count
    assert len({page.path for page in pages}) == len(pages)


@pytest.mark.parametrize(("count", "most"), [(1000, 7_000), (10_000, 10_000)])
def test_the_way_through_a_nested_index_is_cheap(count: int, most: int) -> None:
    pages = nest_index(index_of(("net", count)), 8192)
    sizes = {page.path: len(write_index(page).encode()) for page in pages}
    costs = sorted(sum(sizes[path] for path in way) for way in way_to_each_line(pages).values())
    assert costs[len(costs) // 2] <= most
    assert costs[-1] <= 1.5 * most


def test_each_group_of_a_large_index_moves_to_a_page_of_its_own() -> None:
    pages = nest_index(index_of(("one", 80), ("two", 1), ("three", 90)), 8192)
    assert [(line.title, line.path) for line in pages[0].lines] == [
        ("one", "index-1.md"),
        ("two document 0000", "docs/two/0000.md"),
        ("three", "index-3.md"),
    ]
    first = parse_index(write_index(pages[0])).links[0].note
    assert first.startswith("one document 0000; one document 0001; one document 0002; ")
    assert first.endswith("… (80 documents, 3125 KB)")


def section_line(title: str, level: int, text: str = "") -> IndexLine:
    words = read_words(f"{title} {text}")
    return IndexLine(title, f"docs/a/{title.replace(' ', '-')}.md", "p. 1, 6 KB", text, 6000, words, level)


def test_a_page_of_few_lines_says_more_of_each_and_tells_them_apart() -> None:
    lines = (
        section_line("PPPoE", 1, "The provider asks for a password and a VLAN tag."),
        section_line("Failover", 1, "The second provider takes over when the probe is lost."),
    )
    groups = (IndexGroup("g", lines),)
    page = nest_index(Index("docs/a/subindex.md", "T", "S", "G", groups, "en", "sections"), 8192)[0]
    assert [link.note for link in parse_index(write_index(page)).links] == [
        "p. 1, 6 KB: The provider asks for a password and a VLAN tag.",
        "p. 1, 6 KB: The second provider takes over when the probe is lost.",
    ]


def test_words_that_tell_a_line_from_its_neighbours_follow_what_it_is_about() -> None:
    lines = tuple(
        IndexLine(title, f"docs/a/{title}.md", "3 pages, 9 KB", "Guide", 9000, read_words(text))
        for title, text in (("Bird", "routes routes OSPF filters"), ("Nut", "routes battery UPS drivers"))
    )
    page = nest_index(Index("index.md", "T", "S", "G", (IndexGroup("g", lines),), "en"), 8192)[0]
    assert [link.note for link in parse_index(write_index(page)).links] == [
        "Guide · filters OSPF routes (3 pages, 9 KB)",
        "Guide · battery drivers UPS (3 pages, 9 KB)",
    ]


def test_the_index_of_a_long_document_follows_its_headings_down() -> None:
    lines = [section_line("Front", 1)]
    for chapter in range(1, 6):
        lines.append(section_line(f"{chapter} Chapter", 2))
        lines += [section_line(f"{chapter}.{number} Topic", 3) for number in range(1, 7)]
    index = Index("docs/a/subindex.md", "T", "S", "G", (IndexGroup("g", tuple(lines)),), "en", "sections")
    first, *others = nest_index(index, 8192)
    assert [line.title for line in first.lines] == ["Front", *(f"{n} Chapter" for n in range(1, 6))]
    assert [page.path for page in others] == [f"docs/a/subindex-{n}.md" for n in range(2, 7)]
    assert [line.title for line in others[0].lines] == ["1 Chapter", *(f"1.{n} Topic" for n in range(1, 7))]
    assert len(way_to_each_line([first, *others])) == 36


def test_many_groups_become_a_tree_without_two_pages_of_one_name() -> None:
    pages = nest_index(index_of(*((f"chapter {n}", 9) for n in range(300))), 8192)
    assert len(way_to_each_line(pages)) == 2700
    assert len({page.path for page in pages}) == len(pages)


def test_a_nested_page_is_named_by_what_it_holds() -> None:
    pages = nest_index(index_of(("net", 300)), 8192)
    leaf = next(page for page in pages if page.lines[0].path == "docs/net/0000.md")
    last = leaf.lines[-1].title
    assert leaf.title == f"Полка: net document 0000 — {last}"
