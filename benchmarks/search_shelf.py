"""A large shelf to search in: sections cut from the text of PDFs, with the sections of a question set among them."""

import csv
import hashlib
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.build.searching.words import DocumentWords, document_words
from docshelf.serve.config import Budget
from docshelf.serve.manifest import (
    FILES_FILE,
    SHELF_FILE,
    DocumentEntry,
    DocumentMeta,
    FileRow,
    SectionEntry,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_meta,
    write_shelf,
)
from docshelf.serve.media import media_type

DOCUMENT_SECTIONS = 13
_TITLE_CHARACTERS = 80
_SEED = 6


@dataclass(frozen=True, slots=True)
class Question:
    """A query with what it has to lead to."""

    query: str
    targets: frozenset[str]
    """Paths of sections, one of which must be among the first five."""
    kind: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its meta, and Markdown by path."""

    meta: DocumentMeta
    texts: dict[str, str]

    def words(self) -> DocumentWords:
        """Its part of the index."""
        return document_words(self.meta, self.texts)


def read_sections(pdfs: Path, count: int, characters: int) -> list[tuple[str, str]]:
    """`count` sections (title, text) of about `characters` each from the PDFs of a folder, in a fixed shuffle.

    Fewer where the PDFs hold less.
    """
    sections = [piece for pdf in sorted(pdfs.rglob("*.pdf")) for piece in _pieces(pdf, characters)]
    random.Random(_SEED).shuffle(sections)
    return sections[:count]


def make_documents(sections: Sequence[tuple[str, str]]) -> list[Document]:
    """Documents of 13 sections each, in ten categories."""
    groups = [sections[at : at + DOCUMENT_SECTIONS] for at in range(0, len(sections), DOCUMENT_SECTIONS)]
    return [
        make_document(f"docs/category-{number % 10}/document-{number:04d}", f"Document {number}", group)
        for number, group in enumerate(groups)
    ]


def read_questions(folder: Path) -> tuple[list[Document], list[Question]]:
    """The sections of a question set, each a document of its own, and the questions."""
    with (folder / "sections.tsv").open(encoding="utf-8", newline="") as file:
        documents = {
            row["id"]: make_document(f"docs/asked/{row['id']}", row["title"], [(row["title"], row["body"])])
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


def make_document(base: str, title: str, sections: Sequence[tuple[str, str]]) -> Document:
    """A document below `base`, one page a section."""
    texts: dict[str, str] = {}
    entries: list[SectionEntry] = []
    for number, (name, text) in enumerate(sections, 1):
        path, label = f"{base}/{number:03d}-section.md", str(number)
        quote = f"[{title}](subindex.md) · {number} · [source](../a.pdf#page={number})"
        texts[path] = f"# {name}\n\n> {quote}\n\n<!-- p{number} -->\n\n{text}\n"
        content = texts[path].encode()
        digest = hashlib.sha256(content).hexdigest()
        entries.append(
            SectionEntry(path, name, (number, number), (label, label), len(content), digest, digest)
        )
    meta = DocumentMeta(
        source=f"{base.removeprefix('docs/')}.pdf",
        path=f"{base}/subindex.md",
        title=title,
        description="",
        language="en",
        grade="A",
        engine="fast",
        quality="fast",
        headings="none",
        pages=len(sections),
        sha256=hashlib.sha256(base.encode()).hexdigest(),
        page_grades="A" * len(sections),
        outline=(),
        sections=tuple(entries),
    )
    return Document(meta, texts)


def in_order(words: Sequence[DocumentWords]) -> list[DocumentWords]:
    """In the order in which `merged` wants them."""
    return sorted(words, key=lambda it: it.places[0].path)


def write_release(
    folder: Path, documents: Sequence[Document], words: Sequence[DocumentWords]
) -> dict[str, bytes]:
    """Writes a release of these documents; gives the files of its search index."""
    index = search_files(merged(in_order(words)))
    contents: dict[str, bytes] = {"index.md": b"# Index\n\n> Index.\n\nIndex.\n", **index}
    entries: list[DocumentEntry] = []
    for it in documents:
        contents |= {path: text.encode() for path, text in it.texts.items()}
        meta_path = f"{it.meta.path.removesuffix('/subindex.md')}.meta.json"
        contents |= {meta_path: write_meta(it.meta), it.meta.path: b"# Index\n\n> Index.\n\nIndex.\n"}
        entries.append(DocumentEntry(it.meta.source, it.meta.path, meta_path))
    listing = write_files(
        FileRow(path, len(content), hashlib.sha256(content).hexdigest(), media_type(path))
        for path, content in contents.items()
    )
    manifest = ShelfManifest("Shelf", "", "en", "", None, Budget(), tuple(entries), ())
    shelf = write_shelf(with_release(manifest, release_id(manifest, listing)))
    for path, content in {**contents, FILES_FILE: listing, SHELF_FILE: shelf}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
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
