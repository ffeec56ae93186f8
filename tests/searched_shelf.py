"""A shelf of short sections that search is tried on: tests/search/sections.tsv, written for this."""

import csv
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    OutlineEntry,
    SectionEntry,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_meta,
    write_shelf,
)
from docshelf.serve.media import media_type

FOLDER = Path(__file__).parent / "search"


@dataclass(frozen=True)
class Written:
    """A document before it is indexed."""

    meta: DocumentMeta
    texts: Mapping[str, str]
    """Markdown by path."""


def written(base: str, title: str, sections: Sequence[tuple[str, str]]) -> Written:
    """A document in the folder `base` with these sections (title and text), one page each."""
    texts: dict[str, str] = {}
    entries: list[SectionEntry] = []
    for number, (name, text) in enumerate(sections, 1):
        path = f"{base}/{number:03d}-section.md"
        quote = f"[{title}](subindex.md) · p. {number} · [source](../a.pdf#page={number})"
        texts[path] = f"# {name}\n\n> {quote}\n\n<!-- p{number} -->\n\n{text}\n"
        digest = hashlib.sha256(texts[path].encode()).hexdigest()
        label = str(number)
        size = len(texts[path].encode())
        entries.append(SectionEntry(path, name, (number, number), (label, label), size, digest, digest))
    outline = tuple(OutlineEntry(1, it.title, it.pages[0], it.path, "s") for it in entries)
    meta = DocumentMeta(
        source=f"{base.removeprefix('docs/')}.pdf",
        path=f"{base}/subindex.md",
        title=title,
        description="",
        language="ru",
        grade="A",
        engine="fast",
        quality="fast",
        headings="bookmarks",
        pages=len(sections),
        sha256=hashlib.sha256(base.encode()).hexdigest(),
        page_grades="A" * len(sections),
        outline=outline,
        sections=tuple(entries),
    )
    return Written(meta, texts)


def sample_documents() -> list[Written]:
    """The documents of sections.tsv, half of them in the category `docs/a`, half in `docs/b`."""
    sections: dict[str, list[tuple[str, str]]] = {}
    for row in rows("sections.tsv"):
        sections.setdefault(row["document"], []).append((row["title"], row["text"].replace("¶", "\n")))
    return [
        written(f"docs/{'ab'[number % 2]}/document-{number}", title, found)
        for number, (title, found) in enumerate(sections.items())
    ]


def rows(name: str) -> list[dict[str, str]]:
    """The lines of a table in tests/search."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def words_of(documents: Iterable[Written]) -> list[DocumentWords]:
    """The words of documents, in the order of their paths."""
    return sorted((document_words(it.meta, it.texts) for it in documents), key=lambda it: it.places[0].path)


def write_searched(folder: Path, documents: Sequence[Written]) -> Path:
    """Writes a release of these documents with its search index; gives its folder."""
    contents: dict[str, bytes] = dict.fromkeys(
        ("index.md", *(f"docs/{it.meta.path.split('/')[1]}/index.md" for it in documents)),
        b"# Index\n\n> Index.\n\nIndex.\n",
    )
    for it in documents:
        contents |= {path: text.encode() for path, text in it.texts.items()}
        contents[it.meta.path] = b"# Contents\n\n> Contents.\n\nContents.\n"
        contents[_meta_path(it)] = write_meta(it.meta)
    contents |= search_files(merged(words_of(documents)))
    listing = write_files(
        FileRow(path, len(content), hashlib.sha256(content).hexdigest(), media_type(path))
        for path, content in contents.items()
    )
    entries = tuple(DocumentEntry(it.meta.source, it.meta.path, _meta_path(it)) for it in documents)
    manifest = ShelfManifest("Shelf", "", "ru", "", None, Budget(), entries, ())
    named = with_release(manifest, release_id(manifest, listing))
    for path, content in {**contents, FILES_FILE: listing, SHELF_FILE: write_shelf(named)}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def _meta_path(it: Written) -> str:
    return f"{it.meta.path.removesuffix('/subindex.md')}.meta.json"
