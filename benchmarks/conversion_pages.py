"""What stands on the pages of a PDF, told by MuPDF alone: the measure for what an engine keeps.

Nothing here knows of any engine. Words are those of all lines but running headers, footers and rows of a
printed contents page, which an engine may leave out.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from statistics import median
from typing import Any

Rectangle = tuple[float, float, float, float]

MONO = re.compile(
    r"mono|courier|cursor|typewriter|consol|cousine|inconsolata|menlo|fixed|sourcecode|(?:^|[+-])(?:cm|sf|lm|ec|la|t1x?)tt"
    r"|(?:cm|sf|lh|ec|la)(?:sl|it|cs)?tt\d",
    re.IGNORECASE,
)
"""Names of fixed-width fonts; the flag of the font is missing in many."""
EDGE = 0.12
"""Share of the page's height at head and foot in which running lines are looked for."""
NEAR_PAGES = 6
LARGE = 1.2
"""Times the size of the page's text from which a line is a title, not a running header."""
CONTENTS = 0.15
"""Share of lines that end in dots and a number from which a page is a printed contents page."""
_LETTER = r"[^\W\d_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
"""But for those of scripts that are written without spaces: their words cannot be counted."""
_WORD = re.compile(rf"{_LETTER}+(?:[-\u2010\u2011]{_LETTER}+)*")
_LEADER = re.compile(r"(?:[.·…․]\s?){4,}\s*[\divxl]*$")
_NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w,]|\.\w)")
_DIVIDED = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line as MuPDF hands it over."""

    text: str
    box: Rectangle
    block: int
    size: float
    mono: bool
    """Every visible character is of a font with a fixed-width name."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of a listing with its spaces told from where its characters stand."""

    text: str
    """Without spaces at the ends; inside as many as there is room for."""
    column: int
    """Characters that would fit between the left edge of the page and the line."""


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """One page, ready to be compared with what an engine made of it."""

    number: int
    words: tuple[str, ...]
    divided: tuple[tuple[str, str], ...]
    """Words that a line end cuts in two, without the hyphen."""
    running: tuple[str, ...]
    """Lines of running headers and footers and page numbers."""
    code: tuple[CodeLine, ...]
    mono: tuple[str, ...]
    """Texts of all lines that are of fixed width as a whole."""


def read_printed(file: Path) -> list[PrintedPage]:
    """All pages of the PDF `file`.

    Raises: what PyMuPDF raises where it cannot be read.
    """
    import pymupdf

    with pymupdf.open(file) as document:
        pages, heights, codes = [], [], []
        for page in document:
            content = page.get_text("dict", flags=pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES)
            lines = list(_lines(content))
            pages.append(lines)
            heights.append(page.rect.height)
            codes.append(_code(page, lines))
    running = find_running(pages, heights)
    return [
        _printed(number, lines, running[number - 1], code)
        for number, (lines, code) in enumerate(zip(pages, codes, strict=True), 1)
    ]


def _lines(content: dict[str, Any]) -> Iterator[PrintedLine]:
    for number, block in enumerate(content["blocks"]):
        for line in block.get("lines", ()):
            text = "".join(span["text"] for span in line["spans"])
            if text.strip():
                shown = [span for span in line["spans"] if span["text"].strip()]
                mono = all(MONO.search(span["font"]) for span in shown)
                size = max(span["size"] for span in shown)
                yield PrintedLine(unicodedata.normalize("NFC", text), line["bbox"], number, size, mono)


def find_running(pages: Sequence[Sequence[PrintedLine]], heights: Sequence[float]) -> list[set[int]]:
    """For each page, the indexes of its lines that are running headers, footers or page numbers.

    A line near the head or foot is one where it says the same at the same height, the page's number aside, on
    three of six pages that follow each other or on a fifth of all; and where it is nothing but that number.
    """
    places = [
        (at, index, line)
        for at, lines in enumerate(pages)
        for index, line in enumerate(lines)
        if _is_at_edge(line, lines, heights[at])
    ]
    offsets = _page_offsets([(at, line.text) for at, _, line in places], len(pages))
    where: dict[tuple[str, int], set[int]] = defaultdict(set)
    names = []
    for at, _, line in places:
        text = _without_page_number(line.text, at, offsets)
        names.append((" ".join(text.casefold().split()), round((line.box[1] + line.box[3]) / 16)))
        where[names[-1]].add(at)
    found: list[set[int]] = [set() for _ in pages]
    for (at, index, _), name in zip(places, names, strict=True):
        if name[0].strip("-–— .|") == "#" or _is_running(sorted(where[name]), len(pages)):
            found[at].add(index)
    return found


def _is_at_edge(line: PrintedLine, lines: Sequence[PrintedLine], height: float) -> bool:
    """Whether it is the first or last row of the page, near its edge, and no larger than other text."""
    if line.size > LARGE * median(other.size for other in lines):
        return False
    first, last = min(other.box[3] for other in lines), max(other.box[1] for other in lines)
    at_head = line.box[3] < EDGE * height and line.box[1] < first
    return at_head or (line.box[1] > (1 - EDGE) * height and line.box[3] > last)


def _page_offsets(texts: Sequence[tuple[int, str]], pages: int) -> set[int]:
    votes = Counter(
        offset
        for offset, _ in {(int(found[0]) - at, at) for at, text in texts for found in _NUMBER.finditer(text)}
    )
    return {offset for offset, count in votes.items() if count >= max(3, 0.2 * pages)}


def _without_page_number(text: str, at: int, offsets: set[int]) -> str:
    return _NUMBER.sub(lambda found: "#" if int(found[0]) - at in offsets else found[0], text)


def _is_running(on: Sequence[int], pages: int) -> bool:
    if len(on) < 3:
        return False
    return len(on) >= 0.2 * pages or any(
        last - first < NEAR_PAGES for first, last in zip(on, on[2:], strict=False)
    )


def _printed(
    number: int, lines: Sequence[PrintedLine], running: set[int], code: tuple[CodeLine, ...]
) -> PrintedPage:
    content = [line for index, line in enumerate(lines) if index not in running]
    if sum(bool(_LEADER.search(line.text)) for line in content) > CONTENTS * len(content):
        content = []
    words, divided = split_words(content)
    return PrintedPage(
        number,
        words=tuple(words),
        divided=tuple(divided),
        running=tuple(lines[index].text.strip() for index in sorted(running)),
        code=code,
        mono=tuple(line.text.strip() for line in lines if line.mono),
    )


def split_words(lines: Sequence[PrintedLine]) -> tuple[list[str], list[tuple[str, str]]]:
    """The words of a page, and apart from them the halves of those that a line end divides."""
    words: list[str] = []
    divided: list[tuple[str, str]] = []
    rest = ""
    for at, line in enumerate(lines):
        text = folded(line.text)
        if rest:
            second = _WORD.match(text.lstrip())
            assert second is not None
            divided.append((rest, second[0]))
            text = text.lstrip()[second.end() :]
            rest = ""
        cut = _DIVIDED.search(text.rstrip())
        following = lines[at + 1] if at + 1 < len(lines) else None
        if (
            cut
            and following
            and following.block == line.block
            and _WORD.match(folded(following.text).lstrip())
        ):
            rest, text = cut[1], text[: cut.start()]
        elif cut and not following:
            text = text[: cut.start()]
        words += [word for word in words_of(text) if len(word) > 1]
    return words, divided


def _goes_on(line: PrintedLine, following: PrintedLine) -> bool:
    text = following.text.lstrip()
    return bool(_WORD.match(folded(text))) and (line.block == following.block or text[0].islower())


def words_of(text: str) -> list[str]:
    """Words in lower case, their letters only; compounds keep their hyphens."""
    return [re.sub("[\u2010\u2011]", "-", word) for word in _WORD.findall(text.replace("\u00ad", ""))]


def folded(text: str) -> str:
    """Text in lower case with ligatures spelled out; a soft hyphen at its end stays."""
    return unicodedata.normalize("NFKC", text.replace("\u2011", "-")).casefold()


def _code(page: Any, lines: Sequence[PrintedLine]) -> tuple[CodeLine, ...]:
    """Runs of two and more rows that are of fixed width as a whole."""
    rows = _mono_rows(lines)
    if not rows:
        return ()
    characters = [
        (char["c"], char["bbox"])
        for block in page.get_text("rawdict")["blocks"]
        for line in block.get("lines", ())
        if line["dir"] == (1.0, 0.0)
        for span in line["spans"]
        if MONO.search(span["font"])
        for char in span["chars"]
    ]
    found = []
    for box in rows:
        inside = sorted(
            (at for at in characters if box[1] <= (at[1][1] + at[1][3]) / 2 <= box[3]),
            key=lambda at: at[1][0],
        )
        found.append(set_on_grid(inside))
    return tuple(line for line in found if line.text)


def _mono_rows(lines: Sequence[PrintedLine]) -> list[Rectangle]:
    rows: list[list[PrintedLine]] = []
    for line in sorted(lines, key=lambda line: ((line.box[1] + line.box[3]) / 2, line.box[0])):
        middle = (line.box[1] + line.box[3]) / 2
        if rows and rows[-1][0].box[1] < middle < rows[-1][0].box[3] - 1:
            rows[-1].append(line)
        else:
            rows.append([line])
    boxes = [(all(line.mono for line in row), _around([line.box for line in row])) for row in rows]
    found: list[Rectangle] = []
    for mono, run in groupby(boxes, key=lambda row: row[0]):
        together = [box for _, box in run]
        if mono and len(together) > 1 and all(b[1] - a[3] < 8 for a, b in pairwise(together)):
            found += together
    return found


def _around(boxes: Sequence[Rectangle]) -> Rectangle:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def set_on_grid(characters: Sequence[tuple[str, Rectangle]]) -> CodeLine:
    """The characters of one row of fixed width, from left to right, with the spaces that fit between them.

    Where a space is printed there is at least one; a row of nothing but spaces is an empty line.
    """
    shown = [(char, box) for char, box in characters if not char.isspace()]
    if not shown:
        return CodeLine("", 0)
    width = median(box[2] - box[0] for _, box in shown) or 1.0
    left = shown[0][1][0]
    text, parted = "", False
    for char, box in characters:
        if char.isspace():
            parted = bool(text)
            continue
        text += " " * max(round((box[0] - left) / width) - len(text), int(parted)) + char
        parted = False
    return CodeLine(unicodedata.normalize("NFC", text), round(left / width))
