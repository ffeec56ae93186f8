import re
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from asking import asking
from shelftest import ShelfTest

from docshelf.build.indexing.stubs import moved_addresses, stub_files
from docshelf.build.wording import wording
from docshelf.serve.answering.reading import fetch
from docshelf.serve.manifest import read_moved
from docshelf.serve.releases.tree import Release

NOW = [
    "index.md", "docs/net/index.md", "docs/net/a/subindex.md", "docs/net/a/001-intro.md", "docs/net/a/003-ports.md",
    "docs/net/short.md", "docs/net/long/subindex.md",
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "target"),
    [
        ("docs/net/a/002-ports.md", "docs/net/a/003-ports.md"),
        ("docs/net/a/002-gone.md", "docs/net/a/subindex.md"),
        ("docs/net/short/001-x.md", "docs/net/short.md"),
        ("docs/net/short/subindex.md", "docs/net/short.md"),
        ("docs/net/long.md", "docs/net/long/subindex.md"),
        ("docs/net/removed.md", "docs/net/index.md"),
        ("docs/old/category/doc/001-x.md", "index.md"),
    ],
)
def test_an_address_that_fell_away_leads_to_what_is_nearest(old: str, target: str) -> None:
    assert moved_addresses([old, "assets/x.css", "sources/a.pdf"], {}, NOW) == {old: target}


def test_addresses_that_stand_and_nested_index_pages_leave_no_stub() -> None:
    assert moved_addresses([*NOW, "docs/net/a/subindex-3.md", "index-1.md"], {}, NOW) == {}


def test_an_older_stub_stays_and_follows_its_text() -> None:
    moved_before = {"docs/net/a/001-ports.md": "docs/net/a/002-ports.md"}
    assert moved_addresses([], moved_before, NOW) == {"docs/net/a/001-ports.md": "docs/net/a/003-ports.md"}


def test_a_stub_is_one_link_in_markdown_and_a_canonical_page_in_html() -> None:
    files = stub_files(
        {"docs/a/002-x.md": "docs/a/003-x.md"}, {"docs/a/003-x.md": "Ports <1>"}, wording("en")
    )
    assert files[
        "docs/a/002-x.md"
    ].decode() == "# Ports \\<1>\n\nThis text now stands at [Ports \\<1>](003-x.md)\n".replace("\\<1>", "<1>")
    page = files["docs/a/002-x.html"].decode()
    assert '<link rel="canonical" href="003-x.html">' in page and "Ports &lt;1&gt;</a>" in page
    assert read_moved(files["moved.tsv"]) == {"docs/a/002-x.md": "docs/a/003-x.md"}


def chapters(*titles: str) -> tuple[list[str], list[tuple[int, str, int]]]:
    text = "\n".join([f"line {number} of a text about networks" for number in range(45)])
    pages = [f"# {title}\n{text} {title}" for title in titles for _ in range(2)]
    return pages, [(1, title, 2 * place + 1) for place, title in enumerate(titles)]


def write(shelf: ShelfTest, *titles: str) -> None:
    pages, outline = chapters(*titles)
    shelf.pdf("manual.pdf", *pages, outline=outline)
    shelf.build()


def test_a_chapter_put_in_leaves_every_other_section_its_slug_its_text_and_its_old_address(
    shelf: ShelfTest,
) -> None:
    names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"]
    write(shelf, *names)
    before = {Path(s.path).stem.partition("-")[2]: s for s in shelf.meta("manual.pdf").sections}
    write(shelf, "Alpha", "Inserted", *names[1:])
    after = {Path(s.path).stem.partition("-")[2]: s for s in shelf.meta("manual.pdf").sections}
    client = asking(shelf.site)
    release = Release(shelf.current.resolve())
    for slug, old in before.items():
        new = after[slug]
        assert new.text_sha256 == old.text_sha256
        answer = client.get(f"/{old.path}")
        assert answer.status_code == (200 if old.path == new.path else 308)
        assert urljoin(f"/{old.path}", answer.headers.get("location", "")).endswith(new.path)
        assert new.path in fetch(release, old.path).text
        page = shelf.text(f"{old.path.removesuffix('md')}html")
        if old.path != new.path:
            links = [unquote(urljoin(f"/{old.path}", url)) for url in re.findall(r'href="([^"]+)"', page)]
            assert f"/{new.path.removesuffix('md')}html" in links
    assert shelf.faults() == []


def test_a_document_that_left_leads_to_its_category_and_one_that_comes_back_has_no_stub(
    shelf: ShelfTest,
) -> None:
    shelf.pdf("net/a.pdf", "text of a")
    shelf.pdf("net/b.pdf", "text of b")
    shelf.build()
    (shelf.source / "net/a.pdf").unlink()
    shelf.build()
    assert "(index.md)" in shelf.text("docs/net/a.md")
    assert "docs/net/a.md" not in shelf.text("index.md")
    assert shelf.faults() == []
    shelf.pdf("net/a.pdf", "text of a")
    shelf.build()
    assert "text of a" in shelf.text("docs/net/a.md")
    assert "moved.tsv" not in shelf.tree()
