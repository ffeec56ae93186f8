"""Facts about pages that people wrote down by looking at them, and how many an engine's Markdown holds.

Files in benchmarks/truth: `tables.json` (rows of cells), `columns.json` (phrases in reading order),
`lists.json` (marker, first and last words of items), `formulas.json` (what must stand there and what must not),
`repairs.json` (phrases of documents whose text layer is broken, and of some whose is not), `documents.tsv`
(names, sha256 and sources of the documents).
"""

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.conversion_scores import Share
from benchmarks.conversion_text import TextLine, cells, formula_key, key, read_lines

FOLDER = Path(__file__).resolve().parent / "truth"
KINDS = ("tables", "columns", "lists", "formulas", "repairs")
_MARKER = re.compile(
    r"\s*(?:>\s*)*(?:#{1,6}\s+)?(?:[-*+•–—−▪▸►■○◦]\s+)?(?P<own>\(?[\w*]{1,5}[.)]\)?(?=\s|$)|[-–—−•▪▸►■○◦](?=\s))?\s*"
)
_BULLET = re.compile(r"\s*(?:>\s*)*(?:[-*+•–—−▪▸►■○◦]|\\-)\s+")
_HEADING = re.compile(r"\s*#{1,6}\s+")
_BULLETS = frozenset("•–—−-▪►")


@dataclass(frozen=True, slots=True)
class TruthDocument:
    """A document of which facts are known."""

    name: str
    sha256: str
    source: str
    """`deb:` and a package, or where else it is published."""
    path: str
    """Where it lies in the package; "" for others."""


@dataclass(frozen=True, slots=True)
class TruthPage:
    """What is known of one page."""

    kind: str
    document: str
    page: int
    facts: Mapping[str, Any]


def load_documents() -> list[TruthDocument]:
    """The documents, by name."""
    with (FOLDER / "documents.tsv").open(encoding="utf-8") as file:
        return [TruthDocument(**row) for row in csv.DictReader(file, delimiter="\t")]


def load_truth() -> list[TruthPage]:
    """The facts, by kind, as they stand in the files."""
    return [
        TruthPage(kind, entry["document"], entry["page"], entry)
        for kind in KINDS
        for entry in json.loads((FOLDER / f"{kind}.json").read_text(encoding="utf-8"))
    ]


def score_truth(truth: TruthPage, markdown: str) -> tuple[Share, list[str]]:
    """How many facts the Markdown of the page holds, and those it does not."""
    checks: dict[str, Callable[[Mapping[str, Any], str], Iterator[tuple[str, float]]]] = {
        "tables": check_rows,
        "columns": check_order,
        "lists": check_items,
        "formulas": check_formulas,
        "repairs": check_phrases,
    }
    results = list(checks[truth.kind](truth.facts, markdown))
    return Share(sum(value for _, value in results), len(results)), [
        fact for fact, value in results if value < 1
    ]


def check_rows(facts: Mapping[str, Any], markdown: str) -> Iterator[tuple[str, float]]:
    """A row is right where its cells stand as cells of one row, in order, or are one line on their own."""
    rows, lines = [], set()
    for line in read_lines(markdown):
        row = None if line.fence else cells(line.text)
        if row is None:
            lines.add(_line_key(_without_bullet(line)))
        else:
            rows.append([key(cell) for cell in row])
    for row in facts["rows"]:
        wanted = [name for cell in row if (name := key(cell, marked=False))]
        found = (
            any(_in_order(wanted, candidate) for candidate in rows)
            or "".join(wanted).replace("|", "") in lines
        )
        yield " | ".join(row), float(found)


def _in_order(wanted: Sequence[str], row: Sequence[str]) -> bool:
    rest = iter(row)
    return all(any(cell == name for cell in rest) for name in wanted)


def check_order(facts: Mapping[str, Any], markdown: str) -> Iterator[tuple[str, float]]:
    """The phrases that stand in one piece and in order: as many as can be right at once."""
    text = _page_key(markdown)
    names = [key(phrase, marked=False) for phrase in facts["order"]]
    right = longest_order([[found.start() for found in re.finditer(re.escape(name), text)] for name in names])
    for index, phrase in enumerate(facts["order"]):
        yield phrase, float(index in right)


def longest_order(places: Sequence[Sequence[int]]) -> set[int]:
    """Indexes of the longest run of entries of which one place each can be taken so that places ascend."""
    ends: list[tuple[int, list[int]]] = [(-1, [])]
    for index, options in enumerate(places):
        ends += [(place, [*_longest_before(place, ends), index]) for place in options]
    return set(_longest_before(sys.maxsize, ends))


def _longest_before(place: int, ends: Sequence[tuple[int, list[int]]]) -> list[int]:
    return max((run for end, run in ends if end < place), key=len)


def check_items(facts: Mapping[str, Any], markdown: str) -> Iterator[tuple[str, float]]:
    """An item is right where it begins a line with its own marker (any bullet for a bullet) and is whole.

    `no_items` are texts that must not stand behind a bullet.
    """
    items = list(_items(markdown))
    for marker, first, last in facts["items"]:
        begin, end = key(first, marked=False), key(last, marked=False)
        right = any(
            _same_marker(marker, own, bullet) and text.startswith(begin) and end in text[len(begin) :]
            for own, bullet, text in items
        )
        yield f"{marker} {first} … {last}", float(right)
    for text in facts.get("no_items", ()):
        name = key(text, marked=False)
        yield f"no item: {text}", float(not any(bullet and it.startswith(name) for _, bullet, it in items))


def _items(markdown: str) -> Iterator[tuple[str, bool, str]]:
    """Own marker, whether a bullet of Markdown stands before it, and the key of the text up to the next item."""
    current: tuple[str, bool, str] | None = None
    for line in read_lines(markdown):
        if line.fence:
            continue
        text = re.sub(r"\\([-.)(*+])", r"\1", re.sub(r"\*\*|__", "", line.text))
        found = _MARKER.match(text)
        own = found["own"] or "" if found else ""
        bullet = bool(_BULLET.match(text))
        if not text.strip():
            if current:
                yield current
            current = None
        elif own or bullet or current is None:
            if current:
                yield current
            current = own, bullet, key(text[found.end() if found else 0 :])
        else:
            current = current[0], current[1], current[2] + key(text)
    if current:
        yield current


def _same_marker(wanted: str, own: str, bullet: bool) -> bool:
    if wanted in _BULLETS:
        return (bullet and not own) or own in _BULLETS - {""}
    return own.strip("*") == wanted


def check_formulas(facts: Mapping[str, Any], markdown: str) -> Iterator[tuple[str, float]]:
    """One of several ways to write what must stand there; and what must not."""
    text = "".join(formula_key(line.text, marked=not line.fence) for line in read_lines(markdown))
    text += "\n" + re.sub(r"\[(\w{1,3})\]", r"^\1", text)  # pymupdf4llm's way to write raised signs
    for ways in facts["must"]:
        yield ways[0], float(any(formula_key(way, marked=False) in text for way in ways))
    for wrong in facts["must_not"]:
        yield f"not: {wrong}", float(formula_key(wrong, marked=False) not in text)


def check_phrases(facts: Mapping[str, Any], markdown: str) -> Iterator[tuple[str, float]]:
    """Phrases that must stand there in one piece."""
    text = _page_key(markdown)
    for phrase in facts["must"]:
        yield phrase, float(key(phrase, marked=False) in text)


def _page_key(markdown: str) -> str:
    return "".join(_line_key(line) for line in read_lines(markdown))


def _line_key(line: TextLine) -> str:
    text = line.text.replace("|", " ")
    return key(text, marked=False) if line.fence else key(_HEADING.sub("", text))


def _without_bullet(line: TextLine) -> TextLine:
    return line if line.fence else TextLine(_BULLET.sub("", line.text), 0)
