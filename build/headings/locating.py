"""Where on a page a known title is printed."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nsmallest

from docshelf.build.headings.rows import Mark, Row, Rows
from docshelf.build.headings.titles import bare_key, clean, fold, join, key, numbering

MAX_ROWS = 4
"""Rows a title may take, and one more for each `_ROW_LETTERS` of it."""
_ROW_LETTERS = 20
_SURE_LETTERS = 6
"""Keys shorter than this are only compared whole."""
_LIKENESS = 0.82
_NEAR = 40
"""Points up and down within which a title that is spelled a little differently is looked for."""
_MAX_LOOKS = 64
"""Rows of a page looked at for one title."""
_STOPS = (".", ":", "—", "–")
_OTHER_PAGE_COST = 4.0
"""What a title printed on the page before or behind the expected one has to make up for."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A title somebody says is printed."""

    title: str
    key: str
    bare: str
    y: float | None = None
    """Points from the top of the page, where known."""

    @classmethod
    def of(cls, title: str, y: float | None = None) -> "Sought":
        return cls(title, key(title), bare_key(title), y)


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a title is, or may be, printed."""

    row: int
    count: int
    score: float
    """How well it fits; more is better, below 0 it is another text."""
    tail: int = 0
    """Letters of the row that belong to the title, where more follows in the same row; else 0."""


class PageIndex:
    """The rows of one page, ready to be asked for titles."""

    def __init__(self, rows: Rows, body: float, unlikely: Collection[int]) -> None:
        self.rows = rows
        self._body = body
        self._unlikely = unlikely
        """Rows of a printed contents page."""
        self._whole: dict[str, list[int]] = defaultdict(list)
        self._by_begin: dict[str, list[int]] = defaultdict(list)
        for index, row in enumerate(rows):
            for text in {row.key, row.bare} - {""}:
                self._whole[text].append(index)
                self._by_begin[text[:_SURE_LETTERS]].append(index)
        self._heights = sorted((row.line.box[1], index) for index, row in enumerate(rows))
        self._striking = [index for index, row in enumerate(rows) if row.line.size > body or row.line.bold]

    def find(self, sought: Sought, after: int = -1, taken: Collection[int] = ()) -> Found | None:
        """The best place for a title; rows behind row `after` are preferred, rows `taken` are out."""
        exact = [found for found in self._exact(sought, after, taken) if not self._hits(found, taken)]
        if not exact:
            exact = [found for found in self._alike(sought) if not self._hits(found, taken)]
        weighed = [(found.score + self._worth(found, sought, after), -found.row, found) for found in exact]
        if not weighed:
            return None
        score, _, found = max(weighed, key=lambda entry: entry[:2])
        return Found(found.row, found.count, score, found.tail)

    @staticmethod
    def _hits(found: Found, taken: Collection[int]) -> bool:
        return any(row in taken for row in range(found.row, found.row + found.count))

    def _exact(self, sought: Sought, after: int, taken: Collection[int]) -> Iterator[Found]:
        starts: set[int] = set()
        for text in {sought.key, sought.bare}:
            starts.update(self._by_begin.get(text[:_SURE_LETTERS], ()))
            for end in range(1, len(text) + 1):
                starts.update(self._whole.get(text[:end], ()))
        for index in self._nearest(starts.difference(taken), sought, after):
            found = self._from(index, sought)
            if found is not None:
                yield self._with_label(found)

    def _nearest(self, rows: Collection[int], sought: Sought, after: int) -> list[int]:
        """The rows nearest to where the title should be, as many as are worth a look."""
        if len(rows) <= _MAX_LOOKS:
            return sorted(rows)
        height = self.rows[min(after + 1, len(self.rows) - 1)].line.box[1] if sought.y is None else sought.y
        return nsmallest(_MAX_LOOKS, rows, key=lambda row: (abs(self.rows[row].line.box[1] - height), row))

    def _from(self, index: int, sought: Sought) -> Found | None:
        """The title beginning with row `index`, where it does."""
        row = self.rows[index]
        key, bare = row.key, row.bare
        limit = MAX_ROWS + len(sought.title) // _ROW_LETTERS
        for count in range(1, limit + 1):
            if key == sought.key:
                return Found(index, count, 6.0)
            if bare == sought.bare or key == sought.bare or bare == sought.key:
                return Found(index, count, 5.0)
            if not (_begins(sought, key) or _begins(sought, bare)) or index + count >= len(self.rows):
                break
            key += self.rows[index + count].key
            bare += self.rows[index + count].key
        return self._run_in(index, row, sought)

    def _run_in(self, index: int, row: Row, sought: Sought) -> Found | None:
        """The title where text follows it in its own row, as in "Ports. The switch has …".

        Without a stop between them the row is left whole, and the heading goes above it.
        """
        text = row.line.text
        for start, offset in ((row.key, 0), (row.bare, _number_end(text))):
            for wanted in (sought.key, sought.bare):
                if len(wanted) < _SURE_LETTERS or not start.startswith(wanted) or row.kind == "code":
                    continue
                end = _letters_of(text, wanted, offset)
                if end and text[end : end + 1] in _STOPS:
                    return Found(index, 1, 2.0, end + 1)
                if end and not text[end : end + 1].isalnum() and row.first and not _is_number(text[end:]):
                    return Found(index, 0, 1.0)
        return None

    def _with_label(self, found: Found) -> Found:
        """Takes in a "Chapter 5" alone in the row above."""
        if found.row == 0 or found.tail or not found.count:
            return found
        above = self.rows[found.row - 1]
        number = numbering(above.text)
        if number is None or number.label is None or number.end < len(above.text):
            return found
        return Found(found.row - 1, found.count + 1, found.score)

    def _alike(self, sought: Sought) -> Iterator[Found]:
        """Rows near the place the title should be at that say nearly the same."""
        if len(sought.key) < _SURE_LETTERS:
            return
        if sought.y is None:
            near = self._striking[:_MAX_LOOKS]
        else:
            begin = bisect_left(self._heights, (sought.y - _NEAR, 0))
            end = bisect_left(self._heights, (sought.y + _NEAR, 0))
            near = sorted(index for _, index in self._heights[begin : min(end, begin + _MAX_LOOKS)])
        for index in near:
            key = ""
            for count in range(1, MAX_ROWS + 1):
                if index + count > len(self.rows) or len(key) > len(sought.key) + 4:
                    break
                key += self.rows[index + count - 1].key
                if _alike(key, sought.key) or _alike(key, sought.bare):
                    yield Found(index, count, 3.0)

    def _worth(self, found: Found, sought: Sought, after: int) -> float:
        """What the look and the place of a row say for its being the title."""
        row = self.rows[found.row + max(0, found.count - 1)]
        worth = max(-1.0, min(4.0, row.line.size - self._body)) + (2.0 if row.line.bold else 0.0)
        worth -= 9.0 * (found.row in self._unlikely) + 1.5 * (row.kind == "table")
        worth += 0.5 * (self.rows[found.row].first and row.last)
        if sought.y is not None:
            worth -= min(6.0, abs(self.rows[found.row].line.box[1] - sought.y) / 25)
        return worth - (4.0 if found.row <= after else 0.0)


def _begins(sought: Sought, key: str) -> bool:
    return bool(key) and (sought.key.startswith(key) or sought.bare.startswith(key))


def _number_end(text: str) -> int:
    number = numbering(text)
    return number.end if number else 0


def _is_number(text: str) -> bool:
    """A page number is all that follows: the row is a line of some list of contents."""
    return text.strip(" .…").isdecimal()


def _letters_of(text: str, key: str, offset: int) -> int:
    """How many letters of `text` spell out `key`, counted from the begin of the text; 0 where none do."""
    spelled = ""
    for end in range(offset + 1, len(text) + 1):
        spelled += fold(text[end - 1])
        if spelled == key:
            return end
        if not key.startswith(spelled):
            return 0
    return 0


def _alike(key: str, wanted: str) -> bool:
    if not wanted or abs(len(key) - len(wanted)) > 0.3 * len(wanted):
        return False
    matcher = SequenceMatcher(None, key, wanted, autojunk=False)
    return (
        matcher.real_quick_ratio() > _LIKENESS
        and matcher.quick_ratio() > _LIKENESS
        and (matcher.ratio() > _LIKENESS)
    )


class TitleSearch:
    """Finds titles in a document; no two get one place."""

    def __init__(self, pages: Sequence[Rows], body: float, unlikely: Collection[tuple[int, int]]) -> None:
        self._pages = pages
        self._body = body
        self._unlikely: dict[int, set[int]] = defaultdict(set)
        for page, row in unlikely:
            self._unlikely[page].add(row)
        self._indexes: dict[int, PageIndex] = {}
        self._taken: dict[int, set[int]] = defaultdict(set)
        self._after: dict[int, int] = {}

    def mark(self, title: str, y: float | None, page: int, level: int) -> Mark | None:
        """The title's place on the page, the next or the one before; None where it is on none of them."""
        best: tuple[float, int, Found] | None = None
        for index in (page, page + 1, page - 1):
            if not 0 <= index < len(self._pages):
                continue
            sought = Sought.of(title, y if index == page else None)
            found = self._index(index).find(sought, self._after.get(index, -1), self._taken[index])
            if found is None:
                continue
            score = found.score - (_OTHER_PAGE_COST if index != page else 0.0)
            if score >= 0 and (best is None or score > best[0]):
                best = (score, index, found)
        if best is None:
            return None
        _, index, found = best
        self._taken[index].update(range(found.row, found.row + found.count))
        self._after[index] = found.row
        printed = self._printed(index, found)
        return Mark(with_number(title, printed), level, index, found.row, found.count, found.tail)

    def _index(self, page: int) -> PageIndex:
        if page not in self._indexes:
            self._indexes[page] = PageIndex(self._pages[page], self._body, self._unlikely[page])
        return self._indexes[page]

    def _printed(self, page: int, found: Found) -> str:
        text = ""
        for row in self._pages[page][found.row : found.row + found.count]:
            text = join(text, row.text)
        return text


def with_number(title: str, printed: str) -> str:
    """The title with the number it is printed with, where it comes without one."""
    number = numbering(printed)
    if number is None or numbering(title) is not None or fold(printed[number.end :]) != fold(title):
        return title
    return clean(printed[: number.end]) + " " + title
