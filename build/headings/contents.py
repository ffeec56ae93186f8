"""Headings from the printed contents page: titles with page numbers, located in the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from docshelf.build.headings.levels import Title, title_levels
from docshelf.build.headings.locating import TitleSearch
from docshelf.build.headings.rows import Mark, Row, Rows
from docshelf.build.headings.titles import bare_key, clean, fold, join, numbering

MIN_ENTRIES = 3
_MAX_LETTERS = 400
"""Longer lines are no entries; the patterns below are slow on them."""
_FIRST_PAGES = 40
"""A contents page stands this far in front, or in the first eighth."""
_LED = re.compile(r"(.*?\S)\s*(?:[.·…․•_]\s?){3,}\s*(\d{1,4}|[ivxlc]{1,7})")
_DOTS = re.compile(r"(?:[.·…․•_]\s?){3}")
_PLAIN = re.compile(r"(.*[^\W\d_].*?)\s+(\d{1,4})")
_LEADER_END = re.compile(r"(?:\s?[.·…․•_]){2,}\s*$|\s[.·…]$")
_ROMAN = frozenset("ivxlc")
_NAMES = {
    *("contents", "tableofcontents", "содержание", "оглавление", "зміст", "съдържание", "садржај"),
    *("inhalt", "inhaltsverzeichnis", "sommaire", "tabledesmatières", "índice", "目次", "目录"),
}
_NO_HEADING = re.compile(
    r"(рис(унок|\.)|табл(ица|\.)|figure|fig\.|table|листинг|listing)\s*[\dА-ЯA-Z]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a contents page."""

    title: str
    number: int
    """The printed page number."""
    left: float
    """Indent in points."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A printed contents page, or several in a row."""

    entries: tuple[Entry, ...]
    rows: frozenset[tuple[int, int]]
    """Page index and row of all it is made of, its own title too."""


@dataclass(frozen=True, slots=True)
class _Item:
    """What stands at one height: a row, or a title and its page number set apart."""

    text: str
    rows: tuple[int, ...]
    line: Row
    entry: tuple[str, str, bool] | None
    """Title, page number, and whether dots lead from one to the other."""

    @property
    def names_contents(self) -> bool:
        return self.line.key in _NAMES or fold(self.text) in _NAMES


def read_contents(pages: Sequence[Rows]) -> Contents | None:
    """The printed contents page, where the document has one near its begin."""
    entries: list[Entry] = []
    taken: set[tuple[int, int]] = set()
    for index in range(min(len(pages), max(_FIRST_PAGES, len(pages) // 8))):
        items = _zone(list(_items(pages[index])), follows=bool(entries), floor=_last_number(entries))
        if items:
            entries.extend(_entries(items))
            taken.update((index, row) for item in items for row in item.rows)
        elif entries and pages[index]:
            break
    steps = [second.number >= first.number for first, second in pairwise(entries)]
    if len(entries) < MIN_ENTRIES or 5 * sum(steps) < 4 * len(steps):
        return None
    return Contents(tuple(entries), frozenset(taken))


def place_contents(contents: Contents, pages: Sequence[Rows], body: float) -> tuple[Mark, ...]:
    """The entries found in the text, in order; none where fewer than three or half of them are."""
    wanted = [entry for entry in contents.entries if not _NO_HEADING.match(entry.title)]
    shift = _shift(wanted, pages, contents.rows)
    if shift is None:
        return ()
    lefts = _clusters([entry.left for entry in wanted])
    titles = [Title(numbering(entry.title), lefts[entry.left]) for entry in wanted]
    search = TitleSearch(pages, body, contents.rows)
    marks = [
        search.mark(entry.title, None, entry.number + shift, level)
        for entry, level in zip(wanted, title_levels(titles), strict=True)
    ]
    found = [mark for mark in marks if mark is not None and (mark.page, mark.row) not in contents.rows]
    if len(found) < MIN_ENTRIES or 2 * len(found) < len(wanted):
        return ()
    return tuple(sorted(found, key=lambda mark: (mark.page, mark.row)))


def _items(rows: Rows) -> Iterator[_Item]:
    """Rows of one height joined."""
    group: list[int] = []
    for index, row in enumerate(rows):
        if group and not _level_with(rows[group[-1]], row):
            yield _item(rows, group)
            group = []
        group.append(index)
    if group:
        yield _item(rows, group)


def _level_with(row: Row, other: Row) -> bool:
    x0, y0, x1, y1 = row.line.box
    height = max(1.0, y1 - y0)
    return abs(other.line.box[1] - y0) < 0.4 * height and other.line.box[0] >= x1 - 1 and x0 < x1


def _item(rows: Rows, group: Sequence[int]) -> _Item:
    text = " ".join(rows[index].text for index in group)
    return _Item(text, tuple(group), rows[group[0]], _read_entry(text))


def _read_entry(text: str) -> tuple[str, str, bool] | None:
    """What the line is as an entry; asked of every line, so the slow patterns see only what may be one."""
    number = text[-1:].isdecimal()
    if len(text) > _MAX_LETTERS or not (number or text[-1:] in _ROMAN):
        return None
    if _DOTS.search(text) and (match := _LED.fullmatch(text)):
        return _LEADER_END.sub("", match[1]), match[2], True
    if number and (match := _PLAIN.fullmatch(text)):
        return match[1], match[2], False
    return None


def _zone(items: Sequence[_Item], *, follows: bool, floor: int) -> Sequence[_Item]:
    """The items of a page that belong to a contents page; none where it holds no contents."""
    named = next((place for place, item in enumerate(items) if item.names_contents), None)
    led = [place for place, item in enumerate(items) if item.entry and item.entry[2]]
    plain = [place for place, item in enumerate(items) if item.entry]
    if named is not None:
        lined = [place for place in plain if place > named]
        begin = named
    elif follows:
        # A running header above the entries ends in the number of its own page, which is smaller.
        lined = [place for place in plain if _number(items[place], floor) >= floor]
        begin = lined[0] if lined else 0
    else:
        lined = led if len(led) >= MIN_ENTRIES else []
        begin = lined[0] if lined else 0
    lined = _dense(items, lined, begin)
    if len(lined) < (1 if follows else MIN_ENTRIES):
        return ()
    return items[begin : lined[-1] + 1]


def _dense(items: Sequence[_Item], lined: Sequence[int], begin: int) -> list[int]:
    """The places of entries up to where they thin out: gaps of more than three other items end a contents."""
    kept: list[int] = []
    last = begin
    for place in lined:
        if place - last > 4:
            break
        kept.append(place)
        last = place
    return kept if 2 * len(kept) >= last - begin else []


def _entries(items: Sequence[_Item]) -> Iterator[Entry]:
    waiting: _Item | None = None
    for item in items:
        found = item.entry
        if found is None:
            waiting = None if item.names_contents else item
            continue
        title, left = found[0], item.line.line.box[0]
        wrapped = waiting is not None and (
            title[:1].islower() or (numbering(waiting.text) is not None and numbering(title) is None)
        )
        if waiting is not None and wrapped:
            title, left = join(waiting.text, title), waiting.line.line.box[0]
        waiting = None
        if found[1].isdecimal() and re.search(r"[^\W\d_]", title):
            yield Entry(clean(title), int(found[1]), left)


def _number(item: _Item, otherwise: int) -> int:
    return int(item.entry[1]) if item.entry and item.entry[1].isdecimal() else otherwise


def _last_number(entries: Sequence[Entry]) -> int:
    return entries[-1].number if entries else 0


def _shift(entries: Sequence[Entry], pages: Sequence[Rows], rows: frozenset[tuple[int, int]]) -> int | None:
    """What to add to a printed number to get the index of its page, by most votes; None without a vote."""
    places: dict[str, set[int]] = defaultdict(set)
    keys = {bare_key(entry.title) for entry in entries}
    for page, lines in enumerate(pages):
        for index, row in enumerate(lines):
            if row.bare in keys and (page, index) not in rows:
                places[row.bare].add(page)
    votes = Counter(page - entry.number for entry in entries for page in places[bare_key(entry.title)])
    return max(votes, key=lambda shift: (votes[shift], -abs(shift))) if votes else None


def _clusters(lefts: Sequence[float]) -> dict[float, int]:
    """For each indent its rank, those closer than 4 points counted as one."""
    ranks: dict[float, int] = {}
    rank, last = -1, None
    for left in sorted(set(lefts)):
        if last is None or left - last > 4:
            rank += 1
        ranks[left] = rank
        last = left
    return ranks
