"""A large shelf to search in: sections cut from the text of PDFs, with the sections of a question set among them."""

import csv
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from written_shelf import WrittenDocument, put, whole_release, written_document

from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.build.searching.words import DocumentWords
from docshelf.serve.config import Budget
from docshelf.serve.manifest import ShelfManifest

DOCUMENT_SECTIONS = 13
_TITLE_CHARACTERS = 80
_SEED = 6
_INDEX = b"# Index\n\n> Index.\n\nIndex.\n"


@dataclass(frozen=True, slots=True)
class Question:
    """A query with what it has to lead to."""

    query: str
    targets: frozenset[str]
    """Paths of sections, one of which must be among the first five."""
    kind: str


def read_sections(pdfs: Path, count: int, characters: int) -> list[tuple[str, str]]:
    """`count` sections (title, text) of about `characters` each from the PDFs of a folder, in a fixed shuffle.

    Fewer where the PDFs hold less.
    """
    sections = [piece for pdf in sorted(pdfs.rglob("*.pdf")) for piece in _pieces(pdf, characters)]
    random.Random(_SEED).shuffle(sections)
    return sections[:count]


def make_documents(sections: Sequence[tuple[str, str]]) -> list[WrittenDocument]:
    """Documents of 13 sections each, in ten categories."""
    groups = [sections[at : at + DOCUMENT_SECTIONS] for at in range(0, len(sections), DOCUMENT_SECTIONS)]
    return [
        written_document(
            f"docs/category-{number % 10}/document-{number:04d}", f"Document {number}", group, "en"
        )
        for number, group in enumerate(groups)
    ]


def read_questions(folder: Path) -> tuple[list[WrittenDocument], list[Question]]:
    """The sections of a question set, each a document of its own, and the questions."""
    with (folder / "sections.tsv").open(encoding="utf-8", newline="") as file:
        documents = {
            row["id"]: written_document(
                f"docs/asked/{row['id']}", row["title"], [(row["title"], row["body"])], "en"
            )
            for row in csv.DictReader(file, delimiter="\t")
        }
    with (folder / "queries.tsv").open(encoding="utf-8", newline="") as file:
        questions = [
            Question(
                row["query"],
                frozenset(documents[it].meta.sections[0].path for it in row["sections"].split(",")),
                row["kind"],
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]
    return list(documents.values()), questions


def in_order(words: Sequence[DocumentWords]) -> list[DocumentWords]:
    """In the order in which `merged` wants them."""
    return sorted(words, key=lambda it: it.places[0].path)


def write_release(
    folder: Path, documents: Sequence[WrittenDocument], words: Sequence[DocumentWords]
) -> dict[str, bytes]:
    """Writes a release of these documents; gives the files of its search index."""
    index = search_files(merged(in_order(words)))
    contents: dict[str, bytes] = {"index.md": _INDEX, **index}
    for it in documents:
        contents |= {it.meta.path: _INDEX, **it.files}
    entries = tuple(it.entry for it in documents)
    _, files = whole_release(ShelfManifest("Shelf", "", "en", "", None, Budget(), entries, ()), contents)
    put(folder, files)
    return index


def _pieces(pdf: Path, characters: int) -> Iterator[tuple[str, str]]:
    """The text of a PDF in pieces, each named by the first line that begins with a letter."""
    lines: list[str] = []
    filled = 0
    for page in _pages(pdf):
        for line in page.splitlines():
            lines.append(line)
            filled += len(line)
            if filled >= characters:
                yield _titled(lines)
                lines, filled = [], 0
    if filled > characters // 2:
        yield _titled(lines)


def _pages(pdf: Path) -> Iterator[str]:
    """The text of each page, up to where a file is damaged or locked."""
    with suppress(RuntimeError, ValueError, pymupdf.mupdf.FzErrorBase), pymupdf.open(pdf) as document:
        for page in document:
            yield page.get_text("text")


def _titled(lines: Sequence[str]) -> tuple[str, str]:
    named = (line.strip() for line in lines if len(line.strip()) > 8 and line.strip()[0].isalpha())
    return next(named, "Section")[:_TITLE_CHARACTERS], "\n".join(lines)
