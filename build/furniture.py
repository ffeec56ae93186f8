"""Running heads, feet and page numbers taken out of a document; what differs from page to page stays."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docshelf.build.converted import Block, Box, ConvertedDocument, Line, Page

BAND = 0.14
"""Share of a page's height, at its head and at its foot, in which furniture is looked for."""
SIDE = 0.1
"""Share of its width on either side for stamps that repeat word for word."""
ROWS = 3
"""Rows at the head and at the foot that may be furniture."""
MIN_PAGES = 3
"""Pages on which a line must repeat at least."""
EVERYWHERE = 0.2
"""Share of all pages from which they need not follow each other."""
LARGE = 1.1
"""Times the size of the text from which a line is a title: no masking, only word for word."""
SLOT_SHARE = 0.5
"""Share of pages on which a place must be taken for its lines to be judged together."""
REPEATED_SHARE = 0.6
"""Share of the lines in such a place that must stand on a second page."""
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,4}|[ivxlc]{1,7})(?![\w,]|\.\w)")
_SIGNS = "-–—|·• "
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line or small table near an edge of a page."""

    page: int
    """Index of the page in the document."""
    block: int
    line: int
    """Index of the line in its block; -1 for a table."""
    zone: str
    """`head`, `foot` or `side`."""
    text: str
    """In lower case, spaces folded."""
    box: Box
    size: float
    is_code: bool = False


Place = tuple[str, int, int]
"""Zone, height of the line's middle in steps of 4 points, size in half points: where furniture recurs."""


def drop_furniture(document: ConvertedDocument) -> ConvertedDocument:
    """The document without lines that repeat in one place at the edges of its pages.

    A line is furniture where it says the same on enough pages, page numbers aside; where its place is taken on
    most pages and it carries the page number; or where most lines of its place stand on a second page. A line that
    differs on every page is content and stays.
    """
    candidates = [found for index, page in enumerate(document.pages) for found in _candidates(index, page)]
    if not candidates:
        return document
    numbers = _page_numbers(candidates, document.pages)
    gone: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for found in _furniture(candidates, numbers, document.pages):
        gone[found.page].add((found.block, found.line))
    pages = (_without(page, gone[index]) for index, page in enumerate(document.pages))
    pages = (_kept_from_loss(*pair) for pair in zip(document.pages, pages, strict=True))
    return replace(document, pages=tuple(pages))


def _candidates(index: int, page: Page) -> Iterator[Candidate]:
    """What stands near the edges of a page, at most ROWS rows at its head and at its foot."""
    items = [item for number, block in enumerate(page.blocks) for item in _items(index, number, block, page)]
    for zone in ("head", "foot"):
        feet = sorted({round(item.box[3]) for item in items}, reverse=zone == "foot")
        rows = [foot for at, foot in enumerate(feet) if at == 0 or abs(foot - feet[at - 1]) > 3][:ROWS]
        edge = [foot for foot in feet if any(abs(foot - row) <= 3 for row in rows)]
        yield from (item for item in items if item.zone == zone and round(item.box[3]) in edge)
    yield from (item for item in items if item.zone == "side")


def _items(index: int, number: int, block: Block, page: Page) -> Iterator[Candidate]:
    if block.kind == "table" and len(block.rows) <= 4:
        text = " ".join(cell for row in block.rows for cell in row)
        yield Candidate(index, number, -1, _zone(block.box, page), _folded(text), block.box, 0.0)
    for at, line in enumerate(block.lines):
        if line.text.strip():
            text = f"{block.marker} {line.text}" if at == 0 else line.text
            yield Candidate(
                index,
                number,
                at,
                _zone(line.box, page),
                _folded(text),
                line.box,
                line.size,
                block.kind == "code",
            )


def _zone(box: Box, page: Page) -> str:
    if box[3] < BAND * page.height:
        return "head"
    if box[1] > (1 - BAND) * page.height:
        return "foot"
    if box[2] < SIDE * page.width or box[0] > (1 - SIDE) * page.width:
        return "side"
    return ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _page_numbers(candidates: Sequence[Candidate], pages: Sequence[Page]) -> list[set[str]]:
    """For each page, what its number may look like in print: its label, and numbers that run with the pages."""
    votes = _votes(candidates)
    needed = max(MIN_PAGES, 0.25 * len(pages))
    offsets = [offset for offset, count in votes.items() if count >= needed]
    return [
        {
            page.label.casefold(),
            *(str(index + offset) for offset in offsets),
            *(_roman(index + o) for o in offsets),
        }
        for index, page in enumerate(pages)
    ]


def _votes(candidates: Sequence[Candidate]) -> Counter[int]:
    """On how many pages a number stands that is that much larger than the page's place in the document."""
    return Counter(
        offset for _, offset in {(f.page, value - f.page) for f in candidates for value in _values(f.text)}
    )


def _values(text: str) -> Iterator[int]:
    for match in _NUMBER.finditer(text):
        yield int(match[0]) if match[0].isdecimal() else _from_roman(match[0])


def _from_roman(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _roman(value: int) -> str:
    """The numeral in lower case; "" outside 1 to 199."""
    if not 0 < value < 200:
        return ""
    text = ""
    for step, sign in (
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ):
        text += sign * (value // step)
        value %= step
    return text


def _furniture(
    candidates: Sequence[Candidate], numbers: Sequence[set[str]], pages: Sequence[Page]
) -> Iterator[Candidate]:
    body = _body_size(pages)
    masked = [_mask(found.text, numbers[found.page]) for found in candidates]
    places = [_place(found) for found in candidates]
    where: dict[tuple[tuple[str, int], str], set[int]] = defaultdict(set)
    taken: dict[Place, set[int]] = defaultdict(set)
    for found, text, place in zip(candidates, masked, places, strict=True):
        where[_height(found), text].add(found.page)
        taken[place].add(found.page)
    recurring = Counter(
        place
        for found, text, place in zip(candidates, masked, places, strict=True)
        if len(where[_height(found), text]) > 1
    )
    for found, text, place in zip(candidates, masked, places, strict=True):
        is_title = found.size > LARGE * body
        on = where[_height(found), text]
        if text.strip(_SIGNS) == "#" and found.zone != "side":
            yield found
        elif _is_running(on, len(pages)) and not (is_title and text != found.text):
            if not found.is_code or _is_head_of_listing(text, on, len(pages)):
                yield found
        elif is_title or found.is_code or found.zone == "side":
            continue
        elif len(taken[place]) >= max(MIN_PAGES, SLOT_SHARE * len(pages)) and (
            _has_number_at_end(text) or recurring[place] >= REPEATED_SHARE * len(taken[place])
        ):
            yield found


def _is_running(on: set[int], pages: int) -> bool:
    """Whether these pages are enough: a fifth of all, or several that follow each other or every second one."""
    if len(on) < MIN_PAGES:
        return False
    if len(on) >= EVERYWHERE * pages:
        return True
    run, last = 1, -9
    for page in sorted(on):
        run = run + 1 if page - last <= 2 else 1
        last = page
        if run >= MIN_PAGES:
            return True
    return False


def _is_head_of_listing(text: str, on: set[int], pages: int) -> bool:
    """A document set in fixed width has heads too; a lone brace at a page end is none."""
    return len(text) >= 8 and len(on) >= 0.3 * pages


def _body_size(pages: Sequence[Page]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for block in page.blocks:
            for line in block.lines:
                sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0)


def _mask(text: str, numbers: set[str]) -> str:
    """The text with the number of its own page, once, as `#`; other figures stay, for they say something."""
    for match in _NUMBER.finditer(text):
        if match[0] in numbers:
            return f"{text[: match.start()]}#{text[match.end() :]}"
    return text


def _has_number_at_end(masked: str) -> bool:
    return masked.strip(_SIGNS).startswith("#") or masked.strip(_SIGNS).endswith("#")


def _height(found: Candidate) -> tuple[str, int]:
    """Zone and height in steps of 12 points: near enough for lines that say the same."""
    return found.zone, round((found.box[1] + found.box[3]) / 24)


def _place(found: Candidate) -> Place:
    return found.zone, round((found.box[1] + found.box[3]) / 8), round(2 * found.size)


def _kept_from_loss(before: Page, after: Page) -> Page:
    """The page as it was where nothing but furniture would have been on it, and more than a number."""
    if after.blocks or sum(char.isalpha() for block in before.blocks for char in block.text) < 4:
        return after
    return before


def _without(page: Page, gone: set[tuple[int, int]]) -> Page:
    if not gone:
        return page
    blocks = list[Block]()
    for number, block in enumerate(page.blocks):
        if (number, -1) in gone:
            continue
        kept = tuple(line for at, line in enumerate(block.lines) if (number, at) not in gone)
        if len(kept) == len(block.lines):
            blocks.append(block)
        elif kept:
            blocks.append(_shortened(block, kept, first_gone=(number, 0) in gone))
    return replace(page, blocks=tuple(blocks))


def _shortened(block: Block, lines: tuple[Line, ...], *, first_gone: bool) -> Block:
    box = (
        min(line.box[0] for line in lines),
        min(line.box[1] for line in lines),
        max(line.box[2] for line in lines),
        max(line.box[3] for line in lines),
    )
    if first_gone and block.marker:
        return replace(block, kind="paragraph", marker="", lines=lines, box=box)
    return replace(block, lines=lines, box=box)
