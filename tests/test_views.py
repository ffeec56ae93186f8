from dataclasses import replace
from pathlib import Path

from test_compose import plan_of

from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Page, Remark
from docshelf.build.cutting.sections import Section
from docshelf.build.indexing.indexes import Index
from docshelf.build.rendering.pages import LinkTo, PageView
from docshelf.build.rendering.views import document_views
from docshelf.serve.config import Budget
from docshelf.serve.manifest import DocumentMeta

PLAN = replace(plan_of(Path("d.pdf"), Budget()), source_file="sources/c/d.pdf", notices=("Kept",))
FIGURE = Block("figure", (72, 100, 372, 250), picture="p002-f1.jpg")
CONVERTED = ConvertedDocument(
    (
        Page(1, "i", 595, 842, "A"),
        Page(2, "1", 595, 842, "B", (FIGURE,), picture="p002.jpg"),
        Page(3, "3", 595, 842, "A"),
    ),
    ConversionEnd("fast"),
)
REMARKS = (
    Remark("warning", "doubtful-text", "Page is doubtful", 2),
    Remark("info", "not-split", "Only for the builder"),
    Remark("error", "lost", "All of it"),
)
META = DocumentMeta(
    "d.pdf", "docs/c/d/subindex.md", "Док", "", "ru", "B", "fast", "auto", "fonts", 3, "0", "ABA", (), ()
)  # fmt: skip


def section(number: int, pages: tuple[int, int], chapter: str) -> Section:
    path = f"docs/c/d/{number:03d}-s.md"
    return Section(path, f"S{number}", f"# S\n\n<!-- p{pages[0]} -->\n", pages, ("i", "1"), chapter, (), "")


LONG = [section(1, (1, 1), "A"), section(2, (2, 3), "B"), section(3, (3, 3), "B")]
INDEX = Index("docs/c/d/subindex.md", "Док", "", "", (), "ru")


def views(sections: list[Section], indexes: list[Index]) -> dict[str, PageView]:
    found = document_views(PLAN, META, CONVERTED, sections, indexes, REMARKS)
    return {view.path.rsplit("/", 1)[-1]: view for view in found}


def test_a_long_document_has_its_sections_its_index_and_the_whole_in_this_order() -> None:
    assert list(views(LONG, [INDEX])) == [
        "001-s.html",
        "002-s.html",
        "003-s.html",
        "subindex.html",
        "print.html",
    ]


def test_a_section_knows_its_neighbours_its_tree_and_the_page_of_its_source() -> None:
    view = views(LONG, [INDEX])["002-s.html"]
    assert view.previous == LinkTo("S1", "docs/c/d/001-s.html")
    assert view.next == LinkTo("S3", "docs/c/d/003-s.html")
    assert view.contents == LinkTo("Док", "docs/c/d/subindex.html")
    assert view.breadcrumbs[-1] == view.contents
    assert view.source == "sources/c/d.pdf#page=2"
    assert view.whole == "docs/c/d/print.html"
    assert view.tree is not None
    assert [part.title for part in view.tree.parts] == ["", "B"]


def test_a_section_without_a_title_of_its_own_is_the_beginning_of_the_document() -> None:
    shown = views([replace(LONG[0], title="Док"), *LONG[1:]], [INDEX])
    beginning = LinkTo("Начало", "docs/c/d/001-s.html")
    assert shown["subindex.html"].next == beginning
    assert shown["002-s.html"].previous == beginning
    tree = shown["002-s.html"].tree
    assert tree is not None and "Начало" in tree.parts[0].lines[0]
    assert shown["001-s.html"].title == "Док"


def test_a_section_shows_the_findings_of_its_pages_and_the_index_all() -> None:
    found = views(LONG, [INDEX])
    assert [it.text for it in found["001-s.html"].findings] == []
    doubtful = "текст мог быть распознан с ошибками; сверьте его с источником"
    assert [it.text for it in found["002-s.html"].findings] == [doubtful]
    assert found["002-s.html"].finding_count == 2
    assert [it.text for it in found["subindex.html"].findings] == [doubtful, "All of it"]
    assert found["subindex.html"].findings[0].place == LinkTo("2", "docs/c/d/002-s.html#p2")
    assert found["subindex.html"].findings[1].place is None


def test_what_the_build_has_to_say_stands_on_the_first_page_a_reader_meets() -> None:
    found = views(LONG, [INDEX])
    assert found["subindex.html"].notices == ("Kept",)
    assert found["001-s.html"].notices == ()
    assert views([section(1, (1, 3), "")], [])["001-s.html"].notices == ("Kept",)


def test_a_short_document_shows_all_its_findings_and_has_no_tree() -> None:
    [view] = views([section(1, (1, 3), "")], []).values()
    assert [it.severity for it in view.findings] == ["warning", "error"]
    assert (view.tree, view.contents, view.whole) == (None, None, "")


def test_printed_numbers_stand_where_they_differ_and_pictures_have_their_size_on_paper() -> None:
    view = views(LONG, [INDEX])["001-s.html"]
    assert view.labels == {1: "i", 2: "1"}
    assert view.pictures == {"p002.jpg": (793, 1123), "p002-f1.jpg": (400, 200)}
