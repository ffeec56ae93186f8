"""What list, fetch and inspect answer."""

import json
import re
from pathlib import Path

import pytest
from small_shelf import (
    BEGIN,
    CABLE,
    LONG,
    LONG_TEXT,
    NET_INDEX,
    PICTURE,
    ROUTER,
    RUSSIAN_SECTION,
    RUSSIAN_TEXT,
    SCANNED_PAGE,
    TUNNELS,
    TUNNELS_TEXT,
    write_small_shelf,
)

from docshelf.serve.answering.inspection import inspect
from docshelf.serve.answering.reading import fetch, list_index
from docshelf.serve.errors import BadRequest, NotOnShelf
from docshelf.serve.manifest import DocumentEntry
from docshelf.serve.releases.addresses import Addresses, relative
from docshelf.serve.releases.tree import Release, Site


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The small shelf."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    return Site(site).current()


TUNNELS_READ, RUSSIAN_READ, LONG_READ = (
    text.replace("](../../../sources/", "](sources/") for text in (TUNNELS_TEXT, RUSSIAN_TEXT, LONG_TEXT)
)
"""The sections as readers get them: with links that are ready for the next call."""


def last_line(text: str) -> str:
    return text.rstrip("\n").rpartition("\n")[2]


def test_list_without_a_path_is_the_shelf(release: Release) -> None:
    answer = list_index(release)

    assert answer.path == "index.md"
    assert "- [Network](docs/net/index.md): 2 documents" in answer.text
    assert last_line(answer.text) == f"[release {release.id} · index.md]"


@pytest.mark.parametrize("path", ["docs/net", "docs/net/", "/docs/net/index.md", "docs/net/index.html"])
def test_a_category_is_its_index_with_links_ready_for_the_next_call(release: Release, path: str) -> None:
    answer = list_index(release, path)

    assert "- [Router manual](docs/net/router/subindex.md): 9 pages, 3 sections" in answer.text
    assert "- [Cable \\[2 m\\]](docs/net/cable.md): 1 page, 0.1 KB" in answer.text


@pytest.mark.parametrize("path", [ROUTER, f"{ROUTER}/subindex.md", BEGIN, f"{BEGIN}#p2", f"shelf:///{BEGIN}"])
def test_a_long_document_and_its_sections_give_the_subindex(release: Release, path: str) -> None:
    answer = list_index(release, path)

    assert answer.path == f"{ROUTER}/subindex.md"
    assert f"- [Begin]({BEGIN}): p. i–2, 0.2 KB" in answer.text
    assert last_line(answer.text).startswith(
        f"[release {release.id} · {ROUTER}/subindex.md · source net/router.pdf"
    )


def test_a_short_document_lists_itself(release: Release) -> None:
    answer = list_index(release, "docs/net/cable")

    assert answer.text.startswith("# Cable [2 m]\n")
    assert f"- [Cable \\[2 m\\]]({CABLE}): p. 1, 123 B" in answer.text


def test_what_is_no_document_is_covered_by_the_index_above_it(release: Release) -> None:
    assert list_index(release, "pictures/net/cable/p001.png").path == "index.md"


def test_every_link_of_a_list_can_be_fetched(release: Release) -> None:
    for path in release.addresses.indexes:
        for link in re.findall(r"^- \[.*\]\((.*?)\)", list_index(release, path).text, re.MULTILINE):
            assert fetch(release, link).path == link


def test_fetch_gives_a_section_and_how_to_cite_it(release: Release) -> None:
    answer = fetch(release, TUNNELS)

    assert answer.text.startswith(TUNNELS_READ.rstrip())
    assert re.fullmatch(
        rf"\[release {release.id} · {TUNNELS} · p\. 3–4 · source net/router\.pdf sha256 [0-9a-f]{{12}}\]",
        last_line(answer.text),
    )


def test_fetch_gives_russian_as_it_stands(release: Release) -> None:
    answer = fetch(release, RUSSIAN_SECTION)

    assert RUSSIAN_READ.rstrip() in answer.text
    assert "source ru/Маршрутизатор.pdf sha256 dddddddddddd]" in last_line(answer.text)


@pytest.mark.parametrize(
    "path",
    [
        TUNNELS.replace(".md", ".html"),
        TUNNELS.removesuffix(".md"),
        f"/{TUNNELS}",
        f"./{TUNNELS}",
        f"{TUNNELS}#gre",
        f"{ROUTER}/017-tunnels.md",
        f"{ROUTER}/017-tunnels.html",
        "002-tunnels.md",
        "router/002-tunnels.md",
        f"http://shelf.lan:8080/{TUNNELS}",
        f"https://shelf.example/manuals/{TUNNELS}#p5",
        f"r/0123456789abcdef/{TUNNELS}",
    ],
)
def test_fetch_finds_the_section_that_was_meant(release: Release, path: str) -> None:
    assert fetch(release, path).path == TUNNELS


@pytest.mark.parametrize(
    ("path", "index"),
    [
        ("", "index.md"),
        ("docs", "index.md"),
        ("docs/net", "docs/net/index.md"),
        (ROUTER, f"{ROUTER}/subindex.md"),
    ],
)
def test_fetch_of_a_folder_gives_its_index(release: Release, path: str, index: str) -> None:
    assert fetch(release, path).path == index


def test_a_renumbered_section_is_found_by_its_slug(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, renumbered=True)
    release = Site(tmp_path).current()

    assert fetch(release, TUNNELS).path == f"{ROUTER}/003-tunnels.md"


def test_a_long_text_is_cut_and_says_how_to_go_on(release: Release) -> None:
    first = fetch(release, LONG).text

    assert first.startswith(LONG_READ[:16000])
    assert (
        f"[characters 0–16000 of {len(LONG_READ)}; go on with "
        f'fetch(path="{LONG}", offset=16000, release="{release.id}")]\n'
    ) in first


def test_the_pieces_of_a_text_are_the_text(release: Release) -> None:
    pieces = []
    for offset in range(0, len(LONG_READ), 10_000):
        text = fetch(release, LONG, offset, 10_000).text
        pieces.append(text.removesuffix(f"\n\n{last_line(text)}\n").partition("\n\n[characters ")[0])

    assert "".join(pieces).split() == LONG_READ.split()


def test_a_cut_falls_between_characters_not_bytes(release: Release) -> None:
    assert fetch(release, RUSSIAN_SECTION, 2, 9).text.startswith("Настройка\n")


def test_a_limit_over_the_most_counts_as_the_most(release: Release) -> None:
    assert LONG_READ.rstrip() in fetch(release, LONG, 0, 10**9).text


def test_an_anchor_says_where_a_long_text_begins(release: Release) -> None:
    assert fetch(release, f"{LONG}#p8").text.startswith("<!-- p8 -->")
    assert fetch(release, f"{LONG}#later-commands").text.startswith("## Later commands")
    assert fetch(release, f"{LONG}#nowhere").text.startswith("# All commands")
    assert fetch(release, f"{LONG}#p8", offset=2).text.startswith("All commands")


@pytest.mark.parametrize(("offset", "limit"), [(-1, 10), (0, 0), (0, -5), (10**8, 10)])
def test_a_number_out_of_range_is_refused(release: Release, offset: int, limit: int) -> None:
    with pytest.raises(BadRequest):
        fetch(release, CABLE, offset, limit)


def test_what_is_no_text_is_refused(release: Release) -> None:
    with pytest.raises(BadRequest, match=r'image/svg\+xml.*, not text.*list\("assets"\)'):
        fetch(release, "assets/mark.svg")


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("sources/net/router.pdf#page=5", TUNNELS),
        ("../../../sources/net/router.pdf#page=6", TUNNELS),
        ("sources/net/router.pdf#p9", LONG),
        ("sources/net/router.pdf", f"{ROUTER}/subindex.md"),
        ("sources/net/router.pdf#page=10", f"{ROUTER}/subindex.md"),
        ("sources/net/cable.pdf#page=1", CABLE),
        (f"{ROUTER}#p6", TUNNELS),
        (f"{ROUTER}/subindex.md#p8", LONG),
    ],
)
def test_a_source_or_a_document_with_a_page_is_the_section_that_holds_it(
    release: Release, path: str, section: str
) -> None:
    assert fetch(release, path).path == section


def test_list_of_a_source_is_the_index_of_its_document(release: Release) -> None:
    assert list_index(release, "sources/net/router.pdf").path == f"{ROUTER}/subindex.md"
    assert list_index(release, "sources/net/cable.pdf").text.startswith("# Cable [2 m]\n")


def test_json_and_plain_text_can_be_fetched(release: Release) -> None:
    assert '"title": "Router manual"' in fetch(release, f"{ROUTER}.meta.json").text
    assert fetch(release, "docs/net/llms.txt").text.startswith("# Network")


def test_a_wrong_path_names_the_nearest_and_the_next_call(release: Release) -> None:
    with pytest.raises(NotOnShelf) as caught:
        fetch(release, "docs/net/rooter/tunels.md")

    assert TUNNELS in str(caught.value)
    assert 'list("docs/net")' in str(caught.value)


def test_a_wrong_path_of_common_words_still_finds_the_nearest() -> None:
    paths = [f"docs/manuals/{number:04}-router.md" for number in range(3000)]

    assert Addresses(paths, ()).nearest("docs/manuals/0042-ruoter.md")[0] == "docs/manuals/0042-router.md"


@pytest.mark.parametrize("path", ["..", "docs/../../x", "a\x00b", "docs\\net", "x" * 2000, "http://["])
def test_a_path_that_is_none_is_refused(release: Release, path: str) -> None:
    for read in (list_index, fetch, inspect):
        with pytest.raises(BadRequest):
            read(release, path)


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "../secret",
        "../index.md",
        "docs/nothing",
        "docs//net",
        "shelf:///zz",
        "ещё-нет.md",
        "%2e%2e",
    ],
)
def test_a_path_that_leads_nowhere_is_not_on_the_shelf(release: Release, path: str) -> None:
    for read in (list_index, fetch, inspect):
        with pytest.raises(NotOnShelf, match="list\\("):
            read(release, path)


def test_inspect_of_the_shelf_counts_documents_and_findings(release: Release) -> None:
    text = inspect(release).text

    assert text.startswith("# Small shelf\n")
    assert "- documents: 3\n" in text
    assert "- findings: 1 warning, 1 info\n" in text
    assert "- estimated_read_calls: 4 to answer one question\n" in text
    assert last_line(text) == f"[release {release.id}]"


def test_inspect_of_a_category_counts_what_is_below_it(release: Release) -> None:
    text = inspect(release, "docs/net").text
    assert "- documents: 2\n" in text
    assert (
        '- estimated_read_calls: 3 to answer one question\n- next_actions: list("docs/net/index.md")\n'
        in text
    )
    assert "- findings: none\n" in inspect(release, "docs/ru").text


def test_inspect_of_a_document_says_how_it_was_made(release: Release) -> None:
    text = inspect(release, ROUTER).text

    assert "- grade: A; pages B: 5–6; pages C: 8\n" in text
    assert "- engine: fast (quality auto), headings from bookmarks\n" in text
    assert f"- [Begin]({BEGIN}): p. i–2, 157 B\n" in text
    assert f"  - GRE (PDF p. 6): {TUNNELS}#gre\n" in text
    assert "- warning turned-text: net/router.pdf, page 6: some text is turned; look at the page\n" in text
    assert "- estimated_read_calls: 1 for a section, 5 for the whole document\n" in text
    assert f'- next_actions: list("{ROUTER}/subindex.md")\n' in text


def test_inspect_of_a_section_is_about_its_pages(release: Release) -> None:
    text = inspect(release, TUNNELS).text

    assert "- pages: p. 3–4 as printed, PDF pages 5–6\n" in text
    assert "- grade: A; pages B: 5–6\n" in text
    assert f'- next_actions: fetch("{TUNNELS}"); list("{ROUTER}/subindex.md")\n' in text
    assert "All commands" not in text
    assert "- findings: none\n" in inspect(release, BEGIN).text


def test_inspect_of_another_file_gives_its_hash(release: Release) -> None:
    text = inspect(release, "sources/net/router.pdf").text

    assert release.files["sources/net/router.pdf"].sha256 in text
    assert "next_actions" not in text
    assert f'- next_actions: fetch("{SCANNED_PAGE}")\n' in inspect(release, SCANNED_PAGE).text


def test_the_last_line_stays_under_250_bytes_for_a_long_source_name(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, russian_source="ru/" + "Маршрутизатор" * 40 + ".pdf")
    release = Site(tmp_path).current()

    line = last_line(fetch(release, RUSSIAN_SECTION).text)

    assert len(line.encode()) < 250
    assert "…" in line
    assert line.endswith(".pdf sha256 dddddddddddd]")


def test_a_nested_subindex_is_found_by_the_section_it_lists(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, nested=True)
    release = Site(tmp_path).current()

    assert list_index(release, BEGIN).path == f"{ROUTER}/subindex-2.md"
    assert list_index(release, TUNNELS).path == f"{ROUTER}/subindex.md"


def test_only_sections_of_a_document_move() -> None:
    paths = ("index.md", "docs/a/802-basics.md", "docs/b/subindex.md", "docs/b/002-basics.md")
    addresses = Addresses(paths, (DocumentEntry("b.pdf", "docs/b/subindex.md", "docs/b.meta.json"),))

    assert addresses.moved("docs/b/007-basics.md") == "docs/b/002-basics.md"
    assert addresses.moved("docs/a/803-basics.md") is None
    assert addresses.moved("docs/b/007-other.md") is None


def test_an_ending_that_two_paths_share_means_none() -> None:
    addresses = Addresses(("a/x.md", "b/x.md"), ())

    with pytest.raises(NotOnShelf, match=r"a/x\.md, b/x\.md|b/x\.md, a/x\.md"):
        addresses.key("x.md")


@pytest.mark.parametrize(
    ("path", "page", "expected"),
    [
        ("llms.txt", "index.html", "llms.txt"),
        ("llms.txt", "docs/a/x.html", "../../llms.txt"),
        ("docs/a/llms.txt", "docs/a/b/x.html", "../llms.txt"),
        ("docs/a/x.md", "docs/a/x.html", "x.md"),
        ("docs/b/x.md", "docs/a/x.html", "../b/x.md"),
    ],
)
def test_a_link_is_relative_to_its_page(path: str, page: str, expected: str) -> None:
    assert relative(path, page) == expected


def test_links_of_a_section_can_be_fetched_as_they_are_given(release: Release) -> None:
    for section in (TUNNELS, RUSSIAN_SECTION, LONG, CABLE):
        [link] = re.findall(r"\]\((\S+)\)", fetch(release, section).text)
        assert fetch(release, link).path == section


def test_only_links_to_files_of_the_shelf_are_written_anew(tmp_path: Path) -> None:
    text = """# Links

[a](../net/cable.md#p1) [b](nothing.md) [c](https://example.org/cable.md) [d](/docs/net/cable.md)

```
array[i](cable.md) [e](subindex.md)
```
"""
    write_small_shelf(tmp_path, extra={f"{ROUTER}/004-links.md": text.encode()})
    read = fetch(Site(tmp_path).current(), f"{ROUTER}/004-links.md").text

    assert "[a](../net/cable.md#p1)" in read
    assert "[b](nothing.md) [c](https://example.org/cable.md) [d](/docs/net/cable.md)" in read
    assert "array[i](cable.md)" in read


def test_a_page_anchor_of_a_scanned_page_brings_its_picture(release: Release) -> None:
    answer = fetch(release, f"{LONG}#p8", limit=100)

    assert answer.picture is not None
    assert answer.picture.path == SCANNED_PAGE
    assert answer.picture.type == "image/jpeg"
    assert answer.picture.content == b"\xff\xd8\xff scanned"
    assert answer.text.startswith("<!-- p8 -->")
    assert f"![p008.jpg]({SCANNED_PAGE})\n\n[characters " in answer.text
    assert fetch(release, f"{LONG}#p7").picture is None
    assert fetch(release, LONG).picture is None
    assert fetch(release, f"{ROUTER}#p8").picture == answer.picture


def test_a_picture_is_read_by_its_own_path(release: Release) -> None:
    answer = fetch(release, "pictures/net/cable/p001.png")

    assert answer.picture is not None
    assert (answer.picture.type, answer.picture.content) == ("image/png", PICTURE)
    assert answer.text.startswith("![p001.png](pictures/net/cable/p001.png)\n\n[release ")


def test_a_picture_too_large_for_hosts_is_only_named(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, extra={SCANNED_PAGE: b"\xff\xd8\xff" + bytes(3 * 1024 * 1024)})
    answer = fetch(Site(tmp_path).current(), f"{LONG}#p8")

    assert answer.picture is None
    assert f"The picture {SCANNED_PAGE} is too large to be sent" in answer.text


def test_answers_of_a_published_shelf_carry_its_address(tmp_path: Path) -> None:
    write_small_shelf(tmp_path, base_url="https://shelf.example/docs/")
    release = Site(tmp_path).current()

    page = TUNNELS.replace(".md", ".html")
    assert last_line(fetch(release, TUNNELS).text).endswith(f" · https://shelf.example/docs/{page}]")
    assert last_line(list_index(release).text).endswith(
        " · index.md · https://shelf.example/docs/index.html]"
    )
    assert last_line(inspect(release).text) == f"[release {release.id} · https://shelf.example/docs/]"
    picture = last_line(fetch(release, SCANNED_PAGE).text)
    assert picture == f"[release {release.id} · {SCANNED_PAGE} · https://shelf.example/docs/{SCANNED_PAGE}]"
    for path in (page, TUNNELS, f"{page}#p5", "docs/net/router/subindex.html"):
        assert fetch(release, f"https://shelf.example/docs/{path}").path.startswith(ROUTER)


PARAGRAPH = "а\u0301😀é" * 40_000


def test_a_long_paragraph_is_read_by_following_what_each_answer_says(tmp_path: Path) -> None:
    path = f"{ROUTER}/004-paragraph.md"
    write_small_shelf(tmp_path, extra={path: PARAGRAPH.encode()})
    release = Site(tmp_path).current()
    pieces, offset = [], 0
    while True:
        text = fetch(release, path, offset, 15_999).text
        piece, _, rest = text.partition("\n\n[")
        pieces.append(piece)
        following = re.search(r"offset=([0-9]+)", rest)
        if not following:
            break
        offset = int(following[1])

    assert "".join(pieces) == PARAGRAPH
    assert max(map(len, pieces)) <= 15_999
    assert not any(piece.startswith("\u0301") for piece in pieces)


def test_a_file_of_many_megabytes_is_read_in_pieces_without_being_counted(tmp_path: Path) -> None:
    path = f"{ROUTER}/004-large.md"
    content = "".join(f"Строка {number}\n" for number in range(400_000))
    write_small_shelf(tmp_path, extra={path: content.encode()})
    release = Site(tmp_path).current()

    first = fetch(release, path, limit=1000).text
    middle = fetch(release, path, 5_000_001, 1000).text
    last = fetch(release, path, len(content) - 7, 1000).text

    assert first.startswith(content[:1000])
    assert f"[characters 0–1000 of a file of {len(content.encode())} bytes; go on with " in first
    assert middle.startswith(content[5_000_001:5_001_001])
    assert last.startswith("399999\n\n[release ")
    with pytest.raises(BadRequest, match="ends before"):
        fetch(release, path, len(content), 10)


def test_an_inspection_is_never_longer_than_a_fetch(tmp_path: Path) -> None:
    entries = [
        {"level": 1, "title": f"{number} " + "Глава" * 60, "page": 5, "path": TUNNELS, "anchor": f"c{number}"}
        for number in range(5000)
    ]
    write_small_shelf(tmp_path)
    meta = json.loads(Site(tmp_path).current().read(f"{ROUTER}.meta.json")) | {"outline": entries}
    write_small_shelf(tmp_path, extra={f"{ROUTER}.meta.json": json.dumps(meta).encode()})
    release = Site(tmp_path).current()

    for path in (ROUTER, TUNNELS):
        text = inspect(release, path).text
        assert len(text) < 16_500
        assert "- … cut here; the rest: list(" in text
        assert text.rstrip().endswith("]")
    assert "- warning turned-text" in inspect(release, ROUTER).text


def test_a_list_of_any_length_is_cut_like_a_text(tmp_path: Path) -> None:
    index = NET_INDEX + "".join(f"- [Cable {number}](cable.md): 1 page\n" for number in range(3000))
    write_small_shelf(tmp_path, extra={"docs/net/index.md": index.encode()})
    release = Site(tmp_path).current()
    text = list_index(release, "docs/net").text

    assert len(text) < 48_500
    following = re.search(r'go on with fetch\(path="docs/net/index\.md", offset=48000, release="', text)
    assert following
    assert "- [Cable 2999](docs/net/cable.md)" in fetch(release, "docs/net/index.md", 96_000, 48_000).text
