"""The index of one document, as a model reads it."""

from pathlib import Path

from test_compose import plan_of

from docshelf.build.cutting.sections import Section
from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.subindex import document_indexes
from docshelf.build.wording import wording
from docshelf.serve.config import Budget

PLAN = plan_of(Path("d.pdf"), Budget())


def section(number: int, title: str, labels: tuple[str, str], extract: str) -> Section:
    markdown = f"# {title}\n\n> [D](subindex.md)\n\n<!-- p{number} -->\n\n{extract}\n"
    return Section(f"docs/c/d/{number:03d}-s.md", title, markdown, (number, number), labels, "", (), extract)


def lines(title: str, sections: list[Section], language: str) -> list[str]:
    (index,) = document_indexes(PLAN, sections, title, wording(language))
    return [line for line in write_index(index).split("\n") if line.startswith("- ")]


def test_a_section_that_has_only_the_title_of_its_document_is_named_as_its_beginning() -> None:
    sections = [
        section(1, "Router manual", ("i", "ii"), "Read this first."),
        section(2, "Ports", ("1", "2"), "Two of them."),
    ]
    assert lines("Router manual", sections, "en") == [
        "- [Beginning](001-s.md): p. i–ii, 1 KB: Read this first.",
        "- [Ports](002-s.md): p. 1–2, 1 KB: Two of them.",
    ]
    assert (
        lines("Router manual", sections, "ru")[0] == "- [Начало](001-s.md): с. i–ii, 1 КБ: Read this first."
    )


def test_a_section_of_another_title_keeps_it() -> None:
    sections = [section(1, "Before you begin", ("1", "1"), "Read."), section(2, "Ports", ("2", "2"), "Two.")]
    assert lines("Router manual", sections, "en")[0] == "- [Before you begin](001-s.md): p. 1, 1 KB: Read."
