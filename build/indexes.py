"""Indexes in the manner of llms.txt v2: H1, one-line summary, a paragraph, H2 lists of links with notes.

The subset that strict parsers read: one line is exactly one link, `- [title](url): note`. An index larger
than its budget is nested: its lines move to pages of their own, which the index then lists.
"""

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from docshelf.build.extracts import shorten
from docshelf.build.markdown import escape, heading
from docshelf.build.wording import wording


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One thing to follow."""

    title: str
    path: str
    """Shelf path."""
    note: str
    """What it holds and what following it costs."""
    size_bytes: int = 0
    """Bytes of Markdown that stand behind the line."""


@dataclass(frozen=True, slots=True)
class IndexGroup:
    """Lines under one H2."""

    title: str
    lines: tuple[IndexLine, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The table of contents of a shelf, a category or a document."""

    path: str
    """Shelf path, such as `docs/a/index.md`."""
    title: str
    summary: str
    """One line, plain text."""
    guide: str
    """One paragraph of plain text that says how to go on."""
    groups: tuple[IndexGroup, ...]
    language: str
    holds: Literal["documents", "sections"] = "documents"

    @property
    def lines(self) -> list[IndexLine]:
        """All lines, in order."""
        return [line for group in self.groups for line in group.lines]


def write_index(index: Index, url: Callable[[str], str] | None = None) -> str:
    """The Markdown of an index as it stands; `url` gives the address of a shelf path.

    Without `url` addresses are relative to the index.
    """
    folder = posixpath.dirname(index.path) or "."
    to = url or (lambda path: posixpath.relpath(path, folder))
    parts = [heading(1, index.title), f"> {escape(index.summary)}", escape(index.guide)]
    for group in index.groups:
        lines = [_write_line(line, to(line.path)) for line in group.lines]
        parts += [heading(2, group.title), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def nest_index(index: Index, budget_bytes: int) -> list[Index]:
    """The index and the pages its lines moved to, each within the budget; the index itself comes first.

    One line larger than the budget stays alone on its page. Pages are named `index-1.md`, `index-2.md` …
    beside the index.
    """
    pages: list[Index] = []
    while len(write_index(index).encode()) > budget_bytes and len(index.lines) > 1:
        before = len(index.lines)
        made = _pages(index, budget_bytes, len(pages))
        pages += made
        words = wording(index.language)
        lines = tuple(_line_to(page) for page in made)
        index = replace(index, groups=(IndexGroup(words.contents, lines),))
        if len(lines) >= before:
            break
    return [index, *pages]


def size_words(size_bytes: int, language: str) -> str:
    """«12 КБ», "12 KB": rounded up, at least 1."""
    kilobytes = max(1, -(-size_bytes // 1024))
    return f"{kilobytes} {'КБ' if wording(language).language == 'ru' else 'KB'}"


def _pages(index: Index, budget_bytes: int, before: int) -> list[Index]:
    """The index's lines on as few pages as hold them, in order."""
    stem = posixpath.splitext(index.path)[0]
    pages: list[Index] = []
    groups: list[IndexGroup] = []

    def page(groups: Sequence[IndexGroup], number: int) -> Index:
        return replace(
            index,
            path=f"{stem}-{number}.md",
            title=f"{index.title}: {_range(groups)}",
            groups=tuple(groups),
        )

    for group in index.groups:
        for line in group.lines:
            wider = _with_line(groups, group.title, line)
            candidate = page(wider, before + len(pages) + 1)
            if groups and len(write_index(candidate).encode()) > budget_bytes:
                pages.append(page(groups, before + len(pages) + 1))
                wider = [IndexGroup(group.title, (line,))]
            groups = wider
    pages.append(page(groups, before + len(pages) + 1))
    return pages


def _with_line(groups: Sequence[IndexGroup], title: str, line: IndexLine) -> list[IndexGroup]:
    if groups and groups[-1].title == title:
        return [*groups[:-1], IndexGroup(title, (*groups[-1].lines, line))]
    return [*groups, IndexGroup(title, (line,))]


def _range(groups: Sequence[IndexGroup]) -> str:
    if len(groups) > 1:
        return f"{shorten(groups[0].title, 60)} — {shorten(groups[-1].title, 60)}"
    first, last = groups[0].lines[0], groups[0].lines[-1]
    return f"{shorten(first.title, 60)} — {shorten(last.title, 60)}"


def _line_to(page: Index) -> IndexLine:
    size = sum(line.size_bytes for line in page.lines)
    inside = shorten("; ".join(group.title for group in page.groups), 120) if len(page.groups) > 1 else ""
    words = wording(page.language)
    counted = (words.documents if page.holds == "documents" else words.sections)(len(page.lines))
    note = f"{counted}, {size_words(size, page.language)}"
    return IndexLine(page.title.partition(": ")[2], page.path, f"{inside}; {note}" if inside else note, size)


def _write_line(line: IndexLine, url: str) -> str:
    # Brackets as entities: strict parsers end a title at the first "]".
    title = escape(line.title.replace("[", "\0").replace("]", "\1"))
    title = title.replace("\0", "&#91;").replace("\1", "&#93;")
    note = re.sub(r"\s+", " ", line.note).strip()
    return f"- [{title}]({url}): {escape(note)}"
