import pytest
from shelftest import ShelfTest

from docshelf.build.cli import main
from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.releases.differences import (
    Difference,
    DocumentChange,
    SectionChange,
    diff_releases,
    difference_lines,
)
from docshelf.serve.releases.kept import open_release
from docshelf.serve.releases.tree import Release

Captured = pytest.CaptureFixture[str]

PARAGRAPH = "\n".join(f"Sentence number {number} says something of its own." for number in range(24))
CHAPTERS = ("Alpha", "Beta", "Gamma", "Delta")
SMALL = {"section_bytes": 2048, "section_max_bytes": 4096, "section_min_bytes": 0, "index_bytes": 8192}


def book(shelf: ShelfTest, *chapters: str, changed: str = "") -> None:
    """A document of one page per chapter, with bookmarks; the text of `changed` is one sentence longer."""
    pages = [
        f"# {name}\n{name} begins here.\n{PARAGRAPH}" + "\nOne more." * (name == changed) for name in chapters
    ]
    shelf.config(budget=SMALL)
    shelf.pdf("book.pdf", *pages, outline=[(1, name, page) for page, name in enumerate(chapters, 1)])


def built(shelf: ShelfTest) -> Release:
    shelf.build()
    return open_release(shelf.site, "current")


def sections(difference: Difference) -> list[tuple[str, str, str, str]]:
    [document] = difference.documents
    return [(it.change, it.title, name(it.before), name(it.after)) for it in document.sections]


def name(path: str) -> str:
    return path.rpartition("/")[2]


def test_a_chapter_that_is_inserted_moves_those_behind_it_and_changes_none(shelf: ShelfTest) -> None:
    book(shelf, *CHAPTERS)
    before = built(shelf)
    book(shelf, "Alpha", "New", "Beta", "Gamma", "Delta")
    difference = diff_releases(before, built(shelf))
    assert [(it.change, it.source) for it in difference.documents] == [("changed", "book.pdf")]
    assert {"sha256", "pages"} <= set(difference.documents[0].facts)
    assert sections(difference) == [
        ("added", "New", "", "002-new.md"),
        ("moved", "Beta", "002-beta.md", "003-beta.md"),
        ("moved", "Gamma", "003-gamma.md", "004-gamma.md"),
        ("moved", "Delta", "004-delta.md", "005-delta.md"),
    ]


def test_a_chapter_that_is_taken_out_is_removed_and_one_with_other_text_is_changed(shelf: ShelfTest) -> None:
    book(shelf, *CHAPTERS)
    before = built(shelf)
    book(shelf, "Alpha", "Gamma", "Delta", changed="Delta")
    assert sections(diff_releases(before, built(shelf))) == [
        ("moved", "Gamma", "003-gamma.md", "002-gamma.md"),
        ("changed", "Delta", "004-delta.md", "003-delta.md"),
        ("removed", "Beta", "002-beta.md", ""),
    ]


def test_documents_are_known_by_their_source(shelf: ShelfTest) -> None:
    for source in ("stays.pdf", "goes.pdf", "changes.pdf"):
        shelf.pdf(source, f"text of {source}")
    before = built(shelf)
    (shelf.source / "goes.pdf").unlink()
    shelf.pdf("comes.pdf", "text that comes")
    shelf.pdf("changes.pdf", "another text")
    difference = diff_releases(before, built(shelf))
    assert [(it.change, it.source, len(it.sections)) for it in difference.documents] == [
        ("changed", "changes.pdf", 1),
        ("added", "comes.pdf", 1),
        ("removed", "goes.pdf", 1),
    ]
    assert difference.same == 1


def test_a_title_that_changes_is_a_fact_and_no_change_of_text(shelf: ShelfTest) -> None:
    book(shelf, *CHAPTERS)
    before = built(shelf)
    shelf.sidecar("book.meta.json", title="Another title")
    [document] = diff_releases(before, built(shelf)).documents
    assert document == DocumentChange("changed", "book.pdf", (), ("title",))


def test_what_only_changes_pages_and_indexes_leaves_the_documents_the_same(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    before = built(shelf)
    shelf.config(description="What this shelf holds")
    difference = diff_releases(before, built(shelf))
    assert (difference.documents, difference.same) == ((), 1)
    assert difference.before != difference.after
    assert difference.files > 0


def test_where_two_sections_of_one_title_become_one_the_text_tells_which_is_left(shelf: ShelfTest) -> None:
    def two_parts(*texts: str) -> None:
        pages = [f"# Notes\n{text}\n{PARAGRAPH}" for text in texts]
        shelf.config(budget=SMALL)
        shelf.pdf(
            "book.pdf",
            f"# Alpha\n{PARAGRAPH}",
            *pages,
            outline=[(1, "Alpha", 1), *((1, "Notes", page) for page in range(2, len(pages) + 2))],
        )

    two_parts("On the first part.", "On the second part.")
    before = built(shelf)
    _, gone, left = (name(section.path) for section in shelf.meta("book.pdf").sections)
    two_parts("On the second part.")
    changes = sections(diff_releases(before, built(shelf)))
    now = name(shelf.meta("book.pdf").sections[1].path)
    assert changes == [("moved", "Notes", left, now), ("removed", "Notes", gone, "")]


def test_a_document_that_outgrows_its_one_file_is_told_section_by_section(shelf: ShelfTest) -> None:
    shelf.config(budget=SMALL)
    shelf.pdf("a.pdf", "# Alpha\nshort", outline=[(1, "Alpha", 1)])
    before = built(shelf)
    pages = [f"# {title}\n{PARAGRAPH}" for title in ("Alpha", "Beta")]
    shelf.pdf("a.pdf", *pages, outline=[(1, "Alpha", 1), (1, "Beta", 2)])
    difference = diff_releases(before, built(shelf))
    assert "path" in difference.documents[0].facts
    assert sections(difference) == [
        ("added", "Alpha", "", "001-alpha.md"),
        ("added", "Beta", "", "002-beta.md"),
        ("removed", "Alpha", "a.md", ""),
    ]


def test_a_difference_reads_as_lines_and_no_title_can_forge_one() -> None:
    difference = Difference(
        before="a" * 16,
        after="b" * 16,
        documents=(
            DocumentChange(
                "changed",
                "net/x.pdf",
                (
                    SectionChange("moved", "Beta", "docs/x/002-b.md", "docs/x/003-b.md"),
                    SectionChange("changed", "Gamma\nadded    y.pdf", "docs/x/004-c.md", "docs/x/004-c.md"),
                    SectionChange("removed", "Delta", "docs/x/005-d.md", ""),
                ),
                ("sha256", "title"),
            ),
            DocumentChange("added", "y.pdf", (SectionChange("added", "One", "", "docs/y.md"),)),
        ),
        same=3,
        files=12,
    )
    assert list(difference_lines(difference)) == [
        "aaaaaaaaaaaaaaaa → bbbbbbbbbbbbbbbb",
        "changed  net/x.pdf: sha256, title",
        "  moved    docs/x/002-b.md → docs/x/003-b.md: Beta",
        "  changed  docs/x/004-c.md: Gamma\\nadded    y.pdf",
        "  removed  docs/x/005-d.md: Delta",
        "added    y.pdf (sections: 1)",
        "documents: added 1, changed 1, the same 3",
        "sections: added 1, removed 1, changed 1, moved 1",
        "files: 12 differ",
    ]


def test_two_equal_releases_are_said_to_be_the_same() -> None:
    assert list(difference_lines(Difference("a" * 16, "a" * 16, (), 2, 0)))[1:] == [
        "documents: the same 2",
        "sections: the same",
        "files: none differ",
    ]


def test_diff_exits_with_0_for_equal_and_1_for_different_documents(
    shelf: ShelfTest, capsys: Captured
) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    first = shelf.manifest.release
    shelf.pdf("a.pdf", "another text")
    shelf.build()
    site = ["--site", str(shelf.site)]
    assert main(["diff", "current", "current", *site]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "documents: the same 1"
    assert main(["diff", first[:8], "current", *site]) == 1
    assert capsys.readouterr().out.splitlines()[0] == f"{first} → {shelf.manifest.release}"
    assert main(["diff", "zz", "current", *site]) == 2
    assert "'zz' is no release that is kept; name one of them: " in capsys.readouterr().err


def test_a_release_without_the_meta_of_a_document_is_damaged(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    release = built(shelf)
    rows = (shelf.current / "files.tsv").read_text("utf-8").splitlines(keepends=True)
    listing = shelf.current.resolve() / "files.tsv"
    listing.unlink()
    listing.write_text("".join(row for row in rows if not row.startswith("docs/a.meta.json")), "utf-8")
    with pytest.raises(ShelfDamaged, match=r"docs/a\.meta\.json is not there; run docshelf check"):
        diff_releases(release, Release(shelf.current.resolve()))
