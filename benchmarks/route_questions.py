"""The questions of benchmarks/questions.tsv, and when a text answers one."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

_PAGE_MARK = re.compile(r"<!-- p[0-9]+ -->")
_TARGET = re.compile(r"\]\([^)\s]*\)")
_BETWEEN = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to know, and where a shelf has it."""

    text: str
    """As a person would ask."""
    language: str
    """`ru` or `en`."""
    source: str
    """File name of the document that answers."""
    answer: str
    """Words of that document that only the right place holds."""
    page: int
    """PDF page they stand on."""


def read_questions(file: Path) -> list[Question]:
    """The questions of a tab-separated file, in its order.

    Raises: KeyError or ValueError where a column is missing or a page is no number.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Question(row["question"], row["language"], row["source"], row["answer"], int(row["page"]))
        for row in rows
    ]


def letters(markdown: str) -> str:
    """Letters and digits alone, so that line ends, escapes and marks of engines make no difference."""
    return _BETWEEN.sub("", _TARGET.sub("] ", _PAGE_MARK.sub(" ", markdown)).casefold())


def answers(markdown: str, question: Question) -> bool:
    """Whether the text holds the answer."""
    return letters(question.answer) in letters(markdown)
