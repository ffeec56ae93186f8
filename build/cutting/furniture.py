"""Running heads, feet and page numbers taken out of a document; what differs from page to page stays."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docshelf.build.converting.converted import CELL_SPACES, Block, Box, ConvertedDocument, Line, Page
from docshelf.build.cutting.page_numbers import growing_lines, likely_numbers, mask_number

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
MAX_EMPTIED = 0.3
"""Share of pages with nothing but heads and feet: a few are blank, but a document of such says it there."""
MIN_SIGNS = 8
"""Characters from which a line says enough to be known again at another height, or in a listing."""
LARGE = 1.1
"""Times the size of the text from which a line is a title: no masking, only word for word."""
SLOT_SHARE = 0.5
"""Share of pages on which a place must be taken for its lines to be judged together."""
REPEATED_SHARE = 0.6
"""Share of the lines in such a place that must stand on a second page."""
_SIGNS = "-–—|·• "


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
    ends: tuple[str, ...] = ()
    """First and last part of a line of several, in lower case: a head often has the book on one side."""


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
    numbers = likely_numbers([(f.page, f.text) for f in candidates], [page.label for page in document.pages])
    gone: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for found in _furniture(candidates, numbers, document.pages):
        gone[found.page].add((found.block, found.line))
    pages = [_without(page, gone[index]) for index, page in enumerate(document.pages)]
    emptied = [_is_lost(*pair) for pair in zip(document.pages, pages, strict=True)]
    if sum(emptied) > MAX_EMPTIED * len(pages):
        pages = [old if lost else new for old, new, lost in zip(document.pages, pages, emptied, strict=True)]
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
                _ends(line.text),
            )


def _zone(box: Box, page: Page) -> str:
    if box[3] < BAND * page.height:
        return "head"
    if box[1] > (1 - BAND) * page.height:
        return "foot"
    if box[2] < SIDE * page.width or box[0] > (1 - SIDE) * page.width:
        return "side"
    return ""


def _ends(text: str) -> tuple[str, ...]:
    parts = text.split(CELL_SPACES)
    return (_folded(parts[0]), _folded(parts[-1])) if len(parts) > 1 else ()


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _furniture(
    candidates: Sequence[Candidate], numbers: Sequence[set[str]], pages: Sequence[Page]
) -> Iterator[Candidate]:
    body = _body_size(pages)
    masked = [mask_number(found.text, numbers[found.page]) for found in candidates]
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
    loose = _loose(candidates, len(pages))
    for found, text, place in zip(candidates, masked, places, strict=True):
        is_title = found.size > LARGE * body
        on = where[_height(found), text]
        if (text.strip(_SIGNS) == "#" and found.zone != "side") or found in loose:
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


def _loose(candidates: Sequence[Candidate], pages: int) -> set[Candidate]:
    """Outermost lines that repeat although their height or spaces differ (scans), or but for a number that grows.

    And those of which one end repeats at one height: the other one names the chapter.
    """
    tops: dict[tuple[int, str], list[Candidate]] = defaultdict(list)
    for found in candidates:
        if found.zone != "side" and not found.is_code:
            tops[found.page, found.zone].append(found)
    outer = [found for (_, zone), lines in tops.items() for found in _outermost(lines, zone)]
    on: dict[tuple[str, str], set[int]] = defaultdict(set)
    ends: dict[tuple[tuple[str, int], str], set[int]] = defaultdict(set)
    for found in outer:
        on[found.zone, _squeezed(found.text)].add(found.page)
        for end in found.ends:
            ends[_height(found), end].add(found.page)
    growing = growing_lines([(found.page, found.text) for found in outer])
    needed = max(MIN_PAGES + 1, EVERYWHERE * pages)
    repeated = {key for key, pages_on in on.items() if len(key[1]) >= MIN_SIGNS and len(pages_on) >= needed}
    halves = {key for key, pages_on in ends.items() if len(key[1]) >= MIN_SIGNS and len(pages_on) >= needed}
    return {
        found
        for found in outer
        # On its first page the document says what it is.
        if (found.page, found.text) in growing
        or (found.page > 0 and (found.zone, _squeezed(found.text)) in repeated)
        or any((_height(found), end) in halves for end in found.ends)
    }


def _outermost(lines: Sequence[Candidate], zone: str) -> list[Candidate]:
    """The lines of the row nearest to the edge of the page."""
    edge = min(line.box[3] for line in lines) if zone == "head" else max(line.box[3] for line in lines)
    return [line for line in lines if abs(line.box[3] - edge) <= 3]


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


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
    return len(text) >= MIN_SIGNS and len(on) >= 0.3 * pages


def _body_size(pages: Sequence[Page]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for block in page.blocks:
            for line in block.lines:
                sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda size: (sizes[size], size), default=10.0)


def _has_number_at_end(masked: str) -> bool:
    return masked.strip(_SIGNS).startswith("#") or masked.strip(_SIGNS).endswith("#")


def _height(found: Candidate) -> tuple[str, int]:
    """Zone and height in steps of 12 points: near enough for lines that say the same."""
    return found.zone, round((found.box[1] + found.box[3]) / 24)


def _place(found: Candidate) -> Place:
    return found.zone, round((found.box[1] + found.box[3]) / 8), round(2 * found.size)


def _is_lost(before: Page, after: Page) -> bool:
    """Whether nothing is left of a page that held more than a number."""
    return not after.blocks and sum(char.isalpha() for block in before.blocks for char in block.text) >= 4


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
