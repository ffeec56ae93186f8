"""Indexes in the manner of llms.txt v2: H1, one-line summary, a paragraph, H2 lists of links with notes.

The subset that strict parsers read: one line is exactly one link, `- [title](url): note`. An index larger
than its budget is nested: its lines move to pages of their own, which the index then lists.
"""

import bisect
import math
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from docshelf.build.extracts import shorten
from docshelf.build.keywords import NO_WORDS, Words, join_words, new_words, telling_words
from docshelf.build.markdown import escape, escape_line, heading
from docshelf.build.wording import wording

_RANGE_CHARACTERS = 32
_NOTE_CHARACTERS = range(48, 640, 16)
"""How long what a note says of its line may be; a page of few lines says more of each."""
_ABOUT_SHARE = 0.5
"""How much of a long note says what stands there in its own words; telling words fill the rest."""
_PAGE_BYTES = 2048
_LINE_BYTES = {"documents": 240, "sections": 104}
"""What the notes of a page may fill it up to: so many bytes, or so many for each line."""
_WHOLE_SECTIONS = 20
"""A document of so many sections has one index; the index of a larger one is cheaper to read by chapters."""
_RANGE_BYTES = 160
"""What a line that leads to a nested page takes, on average."""
_HEAD_BYTES = 400
"""What a page takes before its first line."""
_DEEPEST = 5


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One thing to follow."""

    title: str
    path: str
    """Shelf path."""
    cost: str
    """What following it costs: pages or sections, and size."""
    about: str = ""
    """What it holds, of any length: a page takes as much of it as it has room for."""
    size_bytes: int = 0
    """Bytes of Markdown that stand behind the line."""
    words: Words = NO_WORDS
    """The words that stand behind it; those that tell it from the other lines of its page join its note."""
    level: int = 0
    """The level of the first heading behind it; 0 where that says nothing."""


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
    note_characters: int = _NOTE_CHARACTERS[0]
    """How much its notes say of what stands behind its lines."""
    told: tuple[tuple[str, ...], ...] = ()
    """For each line the words that tell it from the others, the best first."""

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
    parts = [heading(1, index.title), f"> {escape_line(index.summary)}", escape_line(index.guide)]
    told = iter(index.told or [()] * len(index.lines))
    for group in index.groups:
        lines = [_write_line(line, to(line.path), note(line, index, next(told))) for line in group.lines]
        parts += [heading(2, group.title), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def note(line: IndexLine, index: Index, told: Sequence[str] = ()) -> str:
    """What stands behind the colon of a line: what it holds, words that tell it from others, what it costs."""
    room = index.note_characters
    about = shorten(line.about, int(room * _ABOUT_SHARE) if told else room)
    words: list[str] = []
    left = room - len(about)
    for word in new_words(told, f"{line.title} {about}"):
        left -= len(word) + 1
        if left < 0:
            break
        words.append(word)
    about = " · ".join(part for part in (about, " ".join(words)) if part)
    if not about:
        return line.cost
    return f"{about} ({line.cost})" if index.holds == "documents" else f"{line.cost}: {about}"


def nest_index(index: Index, budget_bytes: int) -> list[Index]:
    """The index and the pages its lines moved to, each within the budget; the index itself comes first.

    An index that fits stays whole. In a larger one each group moves to a page of its own. Where there are no
    groups, its lines become a tree of pages whose width makes the way to a line cheap, not one that fills
    the budget: a reader pays for every line of every page on the way. One line larger than the budget stays
    alone on its page. Pages are named `index-1.md`, `index-2.md`, `index-2-1.md` … beside the index. The notes
    of a small page say more of what stands behind its lines.
    """
    return [_filled(page, budget_bytes) for page in _nested(index, budget_bytes)]


def _filled(index: Index, budget_bytes: int) -> Index:
    """The index with notes as long as the page has room for."""
    lines = index.lines
    most = min(budget_bytes, max(_PAGE_BYTES, _LINE_BYTES[index.holds] * len(lines)))
    told = tuple(map(tuple, telling_words([line.words for line in lines])))

    def too_large(characters: int) -> bool:
        return _size(replace(index, note_characters=characters, told=told)) > most

    fitting = bisect.bisect_left(_NOTE_CHARACTERS, True, key=too_large)
    return replace(index, note_characters=_NOTE_CHARACTERS[max(0, fitting - 1)], told=told)


def _nested(index: Index, budget_bytes: int) -> list[Index]:
    many = index.holds == "sections" and len(index.lines) > _WHOLE_SECTIONS
    if len(index.lines) < 2 or (_size(index) <= budget_bytes and not many):
        return [index]
    index = _by_level(index)
    pages: list[Index] = []
    number = 0
    if len(index.groups) > 2:
        number = len(index.groups)
        index, pages = _group_pages(index, budget_bytes)
    width, by_range = _width(index), not pages
    while _size(index) > budget_bytes or (by_range and len(index.lines) > width):
        before = len(index.lines)
        made = _range_pages(index, width, budget_bytes, number)
        if len(made) >= before:
            break
        pages += made
        number += len(made)
        index = replace(index, groups=(_group_of_pages(index, made),))
    return [index, *pages]


def size_words(size_bytes: int, language: str) -> str:
    """«12 КБ», "12 KB": rounded up, at least 1; megabytes from 10 MB on."""
    russian = wording(language).language == "ru"
    kilobytes = max(1, -(-size_bytes // 1024))
    if kilobytes < 10_240:
        return f"{kilobytes} {'КБ' if russian else 'KB'}"
    return f"{-(-kilobytes // 1024)} {'МБ' if russian else 'MB'}"


def _by_level(index: Index) -> Index:
    """The one group of an index as a group for each of its highest headings, where it has several."""
    lines = index.lines
    levels = {line.level for line in lines[1:]} - {0}
    if len(index.groups) != 1 or len(levels) < 2:
        return index
    groups: list[list[IndexLine]] = []
    for line in lines:
        if not groups or 0 < line.level <= min(levels):
            groups.append([])
        groups[-1].append(line)
    return replace(index, groups=tuple(IndexGroup(it[0].title, tuple(it)) for it in groups))


def _group_pages(index: Index, budget_bytes: int) -> tuple[Index, list[Index]]:
    """The index with a line for each of its groups, and the pages of the groups: chapters say more than ranges."""
    stem = posixpath.splitext(index.path)[0]
    lines: list[IndexLine] = []
    pages: list[Index] = []
    for number, group in enumerate(index.groups, 1):
        if len(group.lines) == 1:
            lines += group.lines
            continue
        title = f"{index.title}: {group.title}"
        page = _by_level(replace(index, path=f"{stem}-{number}.md", title=title, groups=(group,)))
        made = _nested(page, budget_bytes)
        pages += made
        lines.append(_line_to(page, group.title))
    contents = IndexGroup(wording(index.language).contents, tuple(lines))
    return replace(index, groups=(contents,)), pages


def _width(index: Index) -> int:
    """How many lines a page of the tree should have, so that the pages on the way to a line are small.

    With n lines in d levels below the index, each page has about n^(1/(d+1)) lines. The fewest levels
    that cost at most a quarter more than the cheapest depth win: a level is also a call.
    """
    lines = index.lines
    line_bytes = sum(_line_size(line, index) for line in lines) / len(lines)
    costs = []
    for depth in range(1, _DEEPEST + 1):
        width = max(2, math.ceil(math.pow(len(lines), 1 / (depth + 1))))
        costs.append((width, width * (line_bytes + depth * _RANGE_BYTES) + depth * _HEAD_BYTES))
    cheapest = min(cost for _, cost in costs)
    return next(width for width, cost in costs if cost <= 1.25 * cheapest)


def _range_pages(index: Index, width: int, budget_bytes: int, before: int) -> list[Index]:
    """The index's lines, in order, on pages of about `width` lines that begin with a group where one is near."""
    stem = posixpath.splitext(index.path)[0]
    most = budget_bytes - _size(replace(index, groups=())) - _RANGE_BYTES
    pages: list[list[IndexGroup]] = [[]]
    count, size = 0, 0
    for group in index.groups:
        for line in group.lines:
            cost = _line_size(line, index) + len(group.title.encode()) + 6
            new_group = not pages[-1] or pages[-1][-1].title != group.title
            full = count >= width or size + cost > most or (new_group and 2 * count >= width)
            if count and full:
                pages.append([])
                count, size = 0, 0
            pages[-1] = _with_line(pages[-1], group.title, line)
            count, size = count + 1, size + cost
    return [
        replace(
            index,
            path=f"{stem}-{number}.md",
            title=f"{index.title}: {_range(groups)}",
            groups=tuple(groups),
        )
        for number, groups in enumerate(pages, before + 1)
    ]


def _with_line(groups: Sequence[IndexGroup], title: str, line: IndexLine) -> list[IndexGroup]:
    if groups and groups[-1].title == title:
        return [*groups[:-1], IndexGroup(title, (*groups[-1].lines, line))]
    return [*groups, IndexGroup(title, (line,))]


def _range(groups: Sequence[IndexGroup]) -> str:
    """What a page holds: its one group, or the first and last of its groups or lines."""
    if len(groups) > 1:
        first, last = groups[0].title, groups[-1].title
    else:
        lines = groups[0].lines
        first, last = lines[0].title, lines[-1].title
        if len(lines) == 1:
            return shorten(first, 2 * _RANGE_CHARACTERS)
    return f"{shorten(_first_of(first), _RANGE_CHARACTERS)} — {shorten(_last_of(last), _RANGE_CHARACTERS)}"


def _first_of(title: str) -> str:
    return title.partition(" — ")[0]


def _last_of(title: str) -> str:
    return title.rpartition(" — ")[2]


def _group_of_pages(index: Index, pages: Sequence[Index]) -> IndexGroup:
    lines = (_line_to(page, page.title.removeprefix(f"{index.title}: ")) for page in pages)
    return IndexGroup(wording(index.language).contents, tuple(lines))


def _line_to(page: Index, title: str) -> IndexLine:
    """The line that leads to a nested page; it names what stands there."""
    size = sum(line.size_bytes for line in page.lines)
    words = wording(page.language)
    counted = (words.documents if page.holds == "documents" else words.sections)(len(page.lines))
    named = (
        [group.title for group in page.groups] if len(page.groups) > 1 else [it.title for it in page.lines]
    )
    inside = "; ".join(name for name in named if name != title)
    held = join_words(line.words for line in page.lines)
    cost = f"{counted}, {size_words(size, page.language)}"
    return IndexLine(title, page.path, cost, inside, size, held, page.lines[0].level)


def _size(index: Index) -> int:
    return len(write_index(index).encode())


def _line_size(line: IndexLine, index: Index) -> int:
    """Bytes of a line with its line end; a relative address is never longer than the path."""
    return len(_write_line(line, line.path, note(line, index)).encode()) + 1


def _write_line(line: IndexLine, url: str, said: str) -> str:
    # Brackets as entities: strict parsers end a title at the first "]".
    title = escape(line.title.replace("[", "\0").replace("]", "\1"))
    title = title.replace("\0", "&#91;").replace("\1", "&#93;")
    text = re.sub(r"\s+", " ", said).strip()
    return f"- [{title}]({url}): {escape(text)}"
