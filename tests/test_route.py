import json
from pathlib import Path

import pytest
import small_shelf
import written_shelf
from shelftest import ShelfTest

from docshelf.build.cli import main
from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.manifest import FILES_FILE, read_files, write_files
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.route import (
    RouteReport,
    Stop,
    Way,
    dearest,
    estimate_tokens,
    measure_routes,
    percentile,
    route_lines,
)

Captured = pytest.CaptureFixture[str]


def ways(release: Release) -> dict[str, list[str]]:
    """The files read on the way to each section, the section left out."""
    report = measure_routes(release)
    return {way.stops[-1].path: [stop.path for stop in way.stops[:-1]] for way in report.ways}


def rewritten(site: Path, changes: dict[str, str]) -> Release:
    """The current release with other files in it, listed as they are now; "" takes a file away."""
    folder = (site / "current").resolve()
    rows = read_files((folder / FILES_FILE).read_bytes())
    for path, text in changes.items():
        rows.pop(path)
        (folder / path).unlink()
        if text:
            (folder / path).write_text(text, "utf-8")
            rows[path] = written_shelf.file_row(path, text.encode())
    (folder / FILES_FILE).write_bytes(write_files(rows.values()))
    return Release(folder)


NET_INDEX = small_shelf.NET_INDEX.replace(r"Cable \[2 m\]", "Cable")
"""Strict readers of indexes take no bracket in a title."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The small shelf with indexes as strict readers take them."""
    small_shelf.write_small_shelf(tmp_path)
    rewritten(tmp_path, {"docs/net/index.md": NET_INDEX})
    return tmp_path


def test_the_way_leads_through_every_index_from_the_root_to_the_section(small: Path) -> None:
    assert ways(Site(small).current()) == {
        small_shelf.CABLE: ["index.md", "docs/net/index.md"],
        small_shelf.BEGIN: ["index.md", "docs/net/index.md", f"{small_shelf.ROUTER}/subindex.md"],
        small_shelf.TUNNELS: ["index.md", "docs/net/index.md", f"{small_shelf.ROUTER}/subindex.md"],
        small_shelf.LONG: ["index.md", "docs/net/index.md", f"{small_shelf.ROUTER}/subindex.md"],
        small_shelf.RUSSIAN_SECTION: [
            "index.md", "docs/ru/index.md", f"{small_shelf.RUSSIAN}/subindex.md",
        ],
    }  # fmt: skip


def test_a_nested_index_is_one_more_stop(tmp_path: Path) -> None:
    small_shelf.write_small_shelf(tmp_path, nested=True)
    found = ways(rewritten(tmp_path, {"docs/net/index.md": NET_INDEX}))
    assert found[small_shelf.BEGIN][2:] == [
        f"{small_shelf.ROUTER}/subindex.md",
        f"{small_shelf.ROUTER}/subindex-2.md",
    ]
    assert len(found[small_shelf.TUNNELS]) == 3


def test_of_two_ways_the_one_of_fewer_links_counts(small: Path) -> None:
    text = f"{small_shelf.ROOT_INDEX}- [Tunnels]({small_shelf.TUNNELS}#gre): 2 pages\n"
    found = ways(rewritten(small, {"index.md": text}))
    assert found[small_shelf.TUNNELS] == ["index.md"]
    assert len(found[small_shelf.BEGIN]) == 3


def test_indexes_that_lead_to_each_other_are_followed_once(small: Path) -> None:
    text = f"{NET_INDEX}- [Up](../../index.md): the root\n- [Here](index.md): this one\n"
    assert len(ways(rewritten(small, {"docs/net/index.md": text}))) == 5


def test_the_cost_is_the_bytes_of_each_file_on_the_way(small: Path) -> None:
    report = measure_routes(Site(small).current())
    [cable] = [way for way in report.ways if way.source == "net/cable.pdf"]
    sizes = [len(text.encode()) for text in (small_shelf.ROOT_INDEX, NET_INDEX)]
    assert [stop.size_bytes for stop in cable.stops[:2]] == sizes
    assert cable.index_bytes == sum(sizes)
    assert cable.size_bytes == sum(sizes) + len(small_shelf.CABLE_TEXT.encode())
    assert cable.links == 2


def test_a_section_that_no_index_leads_to_is_a_fault(small: Path, capsys: Captured) -> None:
    line = "- [Tunnels](002-tunnels.md): p. 3–4, 0.2 KB\n"
    path = f"{small_shelf.ROUTER}/subindex.md"
    assert line in small_shelf.SUBINDEX
    rewritten(small, {path: small_shelf.SUBINDEX.replace(line, "")})
    assert main(["route", str(small)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("sections 4, documents 3")
    assert lines[-1] == f"fault: {small_shelf.TUNNELS}: no index leads to it; build the shelf again"


@pytest.mark.parametrize("url", ["../../../../etc/passwd", "https://other.host/docs/x.md", "//[x", "#here"])
def test_a_link_that_leaves_the_shelf_leads_nowhere(small: Path, url: str) -> None:
    text = f"{small_shelf.ROOT_INDEX}- [Elsewhere]({url}): not here\n"
    assert len(ways(rewritten(small, {"index.md": text}))) == 5


def test_an_index_that_is_none_is_named_and_so_is_what_stands_behind_it(small: Path) -> None:
    report = measure_routes(rewritten(small, {"docs/ru/index.md": "no index\n"}))
    assert [fault.split(":")[0] for fault in report.faults] == [
        "docs/ru/index.md",
        small_shelf.RUSSIAN_SECTION,
    ]
    assert len(report.ways) == 4


def test_a_shelf_whose_root_leads_nowhere_has_no_figures_but_faults(small: Path, capsys: Captured) -> None:
    rewritten(small, {"index.md": "no index\n"})
    assert main(["route", str(small)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("sections 0, documents 3")
    assert lines[-1] == "fault: no section can be reached from index.md; build the shelf again"
    assert main(["route", str(small), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["sections"], report["percentiles"]["50"], len(report["faults"])) == (0, {}, 7)


@pytest.mark.parametrize("path", ["index.md", "docs/net/cable.meta.json"])
def test_a_file_that_files_tsv_lacks_is_damage(small: Path, path: str) -> None:
    with pytest.raises(ShelfDamaged, match=f"{path} is not there; run docshelf check"):
        measure_routes(rewritten(small, {path: ""}))


def test_a_file_that_is_not_what_files_tsv_says_is_damage(small: Path) -> None:
    file = small / "current" / small_shelf.CABLE
    file.write_bytes(file.read_bytes().replace(b"a", b"b"))
    with pytest.raises(ShelfDamaged, match=r"is not what files\.tsv says"):
        measure_routes(Site(small).current())


@pytest.mark.parametrize(("percent", "value"), [(50, 5), (75, 8), (95, 10), (100, 10), (1, 1)])
def test_a_percentile_is_one_of_the_values_by_nearest_rank(percent: int, value: int) -> None:
    assert percentile(range(1, 11), percent) == value
    assert percentile([7], percent) == 7


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("a" * 7, 2), ("a" * 8, 3), ("я" * 5, 2), ("я" * 6, 3), ("a" * 7 + "я" * 5, 4)],
)
def test_tokens_are_one_per_3_5_bytes_of_ascii_and_5_of_other_text_rounded_up(text: str, tokens: int) -> None:
    assert estimate_tokens(text.encode()) == tokens


def way(section: str, *sizes: int) -> Way:
    paths = [*("index.md", "docs/index.md")[: len(sizes) - 1], section]
    return Way(
        "a.pdf", section, tuple(Stop(path, size, size // 4) for path, size in zip(paths, sizes, strict=True))
    )


def test_the_ten_dearest_come_first_to_last_and_ties_by_path() -> None:
    sizes = {f"docs/{letter}.md": 100 + number // 2 for number, letter in enumerate("abcdefghijkl")}
    report = RouteReport("r", 1, tuple(way(path, 10, size) for path, size in sizes.items()), ())
    found = [it.stops[-1].path.removeprefix("docs/").removesuffix(".md") for it in dearest(report)]
    assert "".join(found) == "klijghefcd"


def test_the_report_tells_percentiles_and_which_part_is_largest() -> None:
    report = RouteReport(
        "0123456789abcdef",
        2,
        (way("docs/a.md", 1000, 2000), way("docs/b.md", 1000, 8000, 200)),
        ("docs/c.md: no index\nleads to it",),
    )
    assert list(route_lines(report)) == [
        "release 0123456789abcdef: sections 2, documents 2",
        "                              50 %      75 %      95 %     100 %",
        "the way, bytes               3,000     9,200     9,200     9,200",
        "the way, tokens (about)        750     2,300     2,300     2,300",
        "indexes alone, bytes         1,000     9,000     9,000     9,000",
        "section alone, bytes           200     2,000     2,000     2,000",
        "links followed                   1         2         2         2",
        "tokens are estimated: one per 3.5 bytes of ASCII and per 5 bytes of other UTF-8",
        "the dearest:",
        "  9,200 bytes, about 2,300 tokens, links 2: docs/b.md (docs/index.md is 86 % of it: 8,000 bytes)",
        "  3,000 bytes, about 750 tokens, links 1: docs/a.md (the section is 66 % of it: 2,000 bytes)",
        "fault: docs/c.md: no index\\nleads to it",
    ]


def test_every_section_of_a_built_shelf_is_reached_also_where_indexes_are_nested(
    shelf: ShelfTest, capsys: Captured
) -> None:
    shelf.config(budget={"index_bytes": 2048, "section_bytes": 1024, "section_min_bytes": 0})
    text = "\n".join(f"Sentence number {number} says something." for number in range(40))
    chapters = [f"Chapter {number} of a long book about many things" for number in range(1, 31)]
    shelf.pdf(
        "books/long.pdf",
        *[f"# {title}\n{text}" for title in chapters],
        outline=[(1, title, page) for page, title in enumerate(chapters, 1)],
    )
    for number in range(6):
        shelf.pdf(f"papers/{number}.pdf", f"# Paper {number}\ntext")
    shelf.build()
    assert main(["route", str(shelf.site), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    listed = sum(len(shelf.meta(entry.source).sections) for entry in shelf.manifest.documents)
    assert (report["sections"], report["faults"]) == (listed, [])
    assert listed >= 36
    stops = [stop["path"] for stop in report["dearest"][0]["stops"]]
    assert stops[0] == "index.md"
    assert any(path.startswith("docs/books/long/subindex-") for path in stops)
    assert report["dearest"][0]["bytes"] == sum(len(shelf.text(path).encode()) for path in stops)
    assert report["percentiles"]["100"]["bytes"] == report["dearest"][0]["bytes"]
    assert report["bytes_per_token"] == {"ascii": 3.5, "other": 5.0}


def test_a_folder_that_is_no_shelf_exits_with_2(tmp_path: Path, capsys: Captured) -> None:
    assert main(["route", str(tmp_path)]) == 2
    assert "is no shelf" in capsys.readouterr().err
