"""A shelf of short sections that search is tried on: tests/search/sections.tsv, written for this."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from written_shelf import WrittenDocument, put, whole_release, written_document

from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.build.searching.words import DocumentWords, document_words
from docshelf.serve.config import Budget
from docshelf.serve.manifest import ShelfManifest

FOLDER = Path(__file__).parent / "search"


def sample_documents() -> list[WrittenDocument]:
    """The documents of sections.tsv, half of them in the category `docs/a`, half in `docs/b`."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for row in rows("sections.tsv"):
        sections.setdefault(row["document"], []).append((row["title"], row["text"].replace("¶", "\n")))
    return [
        written_document(f"docs/{'ab'[number % 2]}/document-{number}", title, found)
        for number, (title, found) in enumerate(sections.items())
    ]


def rows(name: str) -> list[dict[str, str]]:
    """The lines of a table in tests/search."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def words_of(documents: Iterable[WrittenDocument]) -> list[DocumentWords]:
    """The words of documents, in the order of their paths."""
    return sorted((document_words(it.meta, it.texts) for it in documents), key=lambda it: it.places[0].path)


def write_searched(folder: Path, documents: Sequence[WrittenDocument]) -> Path:
    """Writes a release of these documents with its search index; gives its folder."""
    contents: dict[str, bytes] = dict.fromkeys(
        ("index.md", *(f"docs/{it.meta.path.split('/')[1]}/index.md" for it in documents)),
        b"# Index\n\n> Index.\n\nIndex.\n",
    )
    for it in documents:
        contents |= {it.meta.path: b"# Contents\n\n> Contents.\n\nContents.\n", **it.files}
    contents |= search_files(merged(words_of(documents)))
    entries = tuple(it.entry for it in documents)
    _, files = whole_release(ShelfManifest("Shelf", "", "ru", "", None, Budget(), entries, ()), contents)
    put(folder, files)
    return folder
