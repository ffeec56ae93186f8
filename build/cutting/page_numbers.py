"""Page numbers in print: where a page's own number stands in a line at its edge."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

MIN_PAGES = 3
"""Pages on which numbers must run with the pages before they count as theirs."""
MIN_NAME = 20
"""Characters beside a number from which a line that repeats but for the number is no numbered title."""
_END_NUMBER = re.compile(
    r"(?P<first>\d{1,4})[\s|·.—–-]+(?P<after>\D.*)|(?P<before>.*\S)[\s|·—–-]+(?P<last>\d{1,4})"
)
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,4}|[ivxlc]{1,7})(?![\w,]|\.\w)")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

EdgeText = tuple[int, str]
"""Index of a page in the document, and a line near its edge in lower case."""


def likely_numbers(texts: Sequence[EdgeText], labels: Sequence[str]) -> list[set[str]]:
    """For each page, what its number may look like: its label, and numbers that run with the pages."""
    votes = _votes(texts)
    needed = max(MIN_PAGES, 0.25 * len(labels))
    offsets = [offset for offset, count in votes.items() if count >= needed]
    return [
        {
            label.casefold(),
            *(str(index + offset) for offset in offsets),
            *(_roman(index + o) for o in offsets),
        }
        for index, label in enumerate(labels)
    ]


def mask_number(text: str, numbers: set[str]) -> str:
    """The text with the number of its own page, once, as `#`; other figures stay, for they say something."""
    for match in _NUMBER.finditer(text):
        if match[0] in numbers:
            return f"{text[: match.start()]}#{text[match.end() :]}"
    return text


def growing_lines(texts: Sequence[EdgeText]) -> set[EdgeText]:
    """Lines that say the same on three pages or more but for a number at one end that grows as pages do.

    So print pages taken out of a longer document, whose labels know nothing of its numbers.
    """
    by_name: dict[tuple[str, bool], dict[int, tuple[int, str]]] = defaultdict(dict)
    for page, text in texts:
        if (found := _END_NUMBER.fullmatch(text)) and len(
            name := found["after"] or found["before"]
        ) >= MIN_NAME:
            value = int(found["first"] or found["last"])
            by_name[name, bool(found["after"])].setdefault(page, (value, text))
    growing = set[EdgeText]()
    for lines in by_name.values():
        places = [(page, value) for page, (value, _) in sorted(lines.items())]
        if len(places) >= MIN_PAGES and all(d - b >= c - a for (a, b), (c, d) in pairwise(places)):
            growing.update((page, text) for page, (_, text) in lines.items())
    return growing


def _votes(texts: Sequence[EdgeText]) -> Counter[int]:
    """On how many pages a number stands that is that much larger than the page's place in the document."""
    return Counter(
        offset for _, offset in {(page, value - page) for page, text in texts for value in _values(text)}
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
