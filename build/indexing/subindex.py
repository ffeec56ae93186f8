"""The index of one document: its sections, grouped by chapter, each with a note a reader can choose by."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from docshelf.build.cutting.sections import Section, page_range, section_name
from docshelf.build.indexing.extracts import bare_title, shorten
from docshelf.build.indexing.indexes import Index, IndexGroup, IndexLine, size_words
from docshelf.build.indexing.keywords import read_words
from docshelf.build.indexing.nesting import nest_index
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.wording import Wording


def document_indexes(
    plan: DocumentPlan, sections: Sequence[Section], title: str, words: Wording
) -> list[Index]:
    """The index of a long document and the pages it nests, each within the budget; the index comes first."""
    size = sum(len(section.markdown.encode()) for section in sections)
    pages = words.printed_pages(page_range((sections[0].labels[0], sections[-1].labels[1])))
    summary = (
        plan.description or f"{words.sections(len(sections))}, {pages}, {size_words(size, words.language)}"
    )
    index = Index(
        path=plan.address.subindex,
        title=title,
        summary=summary,
        guide=words.guide_document,
        groups=_named_groups(sections, title, words),
        language=words.language,
        holds="sections",
    )
    return nest_index(index, plan.budget.index_bytes)


def _named_groups(sections: Sequence[Section], title: str, words: Wording) -> tuple[IndexGroup, ...]:
    """The groups; where there is but one, its title would only say from where to where the document goes."""
    groups = tuple(_groups(sections, title, words))
    return (replace(groups[0], title=words.sections_title),) if len(groups) == 1 else groups


def _groups(sections: Sequence[Section], title: str, words: Wording) -> Iterator[IndexGroup]:
    """Sections of one chapter under its title; chapters of one section each stay together."""
    runs: list[tuple[str, list[Section]]] = []
    for section in sections:
        if runs and runs[-1][0] == section.chapter:
            runs[-1][1].append(section)
        else:
            runs.append((section.chapter, [section]))
    single: list[Section] = []
    for chapter, run in [*runs, ("", [])]:
        if len(run) == 1:
            single += run
            continue
        if single:
            lines = tuple(_line(section, title, words) for section in single)
            yield IndexGroup(_range_title(single, words), lines)
            single = []
        if run:
            lines = tuple(_line(section, title, words) for section in run)
            yield IndexGroup(chapter or words.sections_title, lines)


def _range_title(sections: Sequence[Section], words: Wording) -> str:
    names = [section.chapter for section in sections if section.chapter]
    if not names:
        return words.sections_title
    return names[0] if len(names) == 1 else f"{shorten(names[0], 60)} — {shorten(names[-1], 60)}"


def _line(section: Section, title: str, words: Wording) -> IndexLine:
    size = len(section.markdown.encode())
    cost = f"{words.printed_pages(page_range(section.labels))}, {size_words(size, words.language)}"
    headings = [entry.title for entry in section.outline if entry.title not in section.title]
    named = "; ".join(map(bare_title, headings))
    held = read_words("\n".join(entry.title for entry in section.outline))
    level = section.outline[0].level if section.outline else 0
    name = section_name(section, title, words)
    return IndexLine(name, section.path, cost, named or section.extract, size, held, level)
