"""An index larger than its budget, or than is cheap to read, nested: its lines move to pages of their own."""

import math
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from docshelf.build.indexing.extracts import bare_title, shorten
from docshelf.build.indexing.indexes import (
    NOTE_CHARACTERS_MOST,
    Index,
    IndexGroup,
    IndexLine,
    index_size,
    line_size,
    size_words,
)
from docshelf.build.indexing.keywords import join_words, new_words, telling_words
from docshelf.build.wording import wording

_RANGE_CHARACTERS = 32
_PAGE_BYTES = {"documents": 1792, "sections": 2560}
_WHOLE_BYTES = {"documents": 2816, "sections": 2560}
_LINE_BYTES = {"documents": 240, "sections": 104}
"""What the notes of a page may fill it up to: so many bytes, more where it is the only one, or so many a line."""
WHOLE_LINES = {"documents": 24, "sections": 28}
"""An index of so many lines stays whole; a larger one is cheaper to read by chapters or ranges."""
_MOST_TOLD = 24
"""Telling words that a line is offered."""
_RANGE_BYTES = 160
"""What a line that leads to a nested page takes, on average."""
_HEAD_BYTES = 400
"""What a page takes before its first line."""
_DEEPEST = 5


def nest_index(index: Index, budget_bytes: int) -> list[Index]:
    """The index and the pages its lines moved to, each within the budget; the index itself comes first.

    An index that fits stays whole. In a larger one each group moves to a page of its own. Where there are no
    groups, its lines become a tree of pages whose width makes the way to a line cheap, not one that fills
    the budget: a reader pays for every line of every page on the way. One line larger than the budget stays
    alone on its page. Pages are named `index-1.md`, `index-2.md`, `index-2-1.md` … beside the index. The notes
    of a small page say more of what stands behind its lines.
    """
    if len(index.lines) <= WHOLE_LINES[index.holds]:
        whole, least_bytes = _filled(index, _WHOLE_BYTES, budget_bytes)
        if least_bytes <= budget_bytes:
            return [whole]
    return [_filled(page, _PAGE_BYTES, budget_bytes)[0] for page in _nested(index, budget_bytes)]


def _filled(index: Index, usual_bytes: Mapping[str, int], budget_bytes: int) -> tuple[Index, int]:
    """The index with notes as long as the page has room for, and its size with the shortest.

    A sixteenth of the budget is left for what escapes add to the notes.
    """
    lines = index.lines
    most = min(budget_bytes * 15 // 16, max(usual_bytes[index.holds], _LINE_BYTES[index.holds] * len(lines)))
    found = telling_words([line.words for line in lines])
    told = tuple(
        tuple(islice(new_words(words, line.title), _MOST_TOLD))
        for line, words in zip(lines, found, strict=True)
    )
    noted = replace(index, told=told)
    said = "".join(line.title for line in lines)
    least_bytes = index_size(noted)
    letters = (most - least_bytes) * len(said) / max(1, len(said.encode()))
    more = max(0, int(letters / max(1, len(lines))))
    return replace(
        noted, note_characters=min(index.note_characters + more, NOTE_CHARACTERS_MOST)
    ), least_bytes


def _nested(index: Index, budget_bytes: int) -> list[Index]:
    many = len(index.lines) > WHOLE_LINES[index.holds]
    if len(index.lines) < 2 or (index_size(index) <= budget_bytes and not many):
        return [index]
    index = _by_level(index)
    pages: list[Index] = []
    number = 0
    if len(index.groups) > 2:
        number = len(index.groups)
        index, pages = _group_pages(index, budget_bytes)
    width, by_range = _width(index), not pages
    while index_size(index) > budget_bytes or (by_range and len(index.lines) > width):
        before = len(index.lines)
        made = _range_pages(index, width, budget_bytes, number)
        if len(made) >= before:
            break
        pages += made
        number += len(made)
        index = replace(index, groups=(_group_of_pages(index, made),))
    return [index, *pages]


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
    line_bytes = sum(line_size(line, index) for line in lines) / len(lines)
    costs = []
    for depth in range(1, _DEEPEST + 1):
        width = max(2, math.ceil(math.pow(len(lines), 1 / (depth + 1))))
        costs.append((width, width * (line_bytes + depth * _RANGE_BYTES) + depth * _HEAD_BYTES))
    cheapest = min(cost for _, cost in costs)
    return next(width for width, cost in costs if cost <= 1.25 * cheapest)


def _range_pages(index: Index, width: int, budget_bytes: int, before: int) -> list[Index]:
    """The index's lines, in order, on pages of about `width` lines that begin with a group where one is near."""
    stem = posixpath.splitext(index.path)[0]
    most = budget_bytes - index_size(replace(index, groups=())) - _RANGE_BYTES
    pages: list[list[IndexGroup]] = [[]]
    count, size = 0, 0
    for group in index.groups:
        for line in group.lines:
            cost = line_size(line, index) + len(group.title.encode()) + 6
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
    inside = "; ".join(name for name in dict.fromkeys(map(bare_title, named)) if name != bare_title(title))
    held = join_words(line.words for line in page.lines)
    cost = f"{counted}, {size_words(size, page.language)}"
    return IndexLine(title, page.path, cost, inside, size, held, page.lines[0].level)
