"""Shelves written without a builder, for tests and benchmarks: any files, made a release that readers accept."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
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


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document of short sections."""

    meta: DocumentMeta
    texts: Mapping[str, str]
    """Markdown by path."""

    @property
    def entry(self) -> DocumentEntry:
        """What the manifest says of it."""
        base = self.meta.path.removesuffix("/subindex.md").removesuffix(".md")
        return DocumentEntry(self.meta.source, self.meta.path, f"{base}.meta.json")

    @property
    def files(self) -> dict[str, bytes]:
        """Its sections and its meta by path."""
        sections = {path: text.encode() for path, text in self.texts.items()}
        return sections | {self.entry.meta: write_meta(self.meta)}


def written_document(
    base: str, title: str, sections: Sequence[tuple[str, str]], language: str = "ru"
) -> WrittenDocument:
    """A document in the folder `base` with these sections (title and text), a page and a heading each."""
    texts: dict[str, str] = {}
    entries: list[SectionEntry] = []
    for number, (name, text) in enumerate(sections, 1):
        path = f"{base}/{number:03d}-section.md"
        quote = f"[{title}](subindex.md) · p. {number} · [source](../a.pdf#page={number})"
        texts[path] = f"# {name}\n\n> {quote}\n\n<!-- p{number} -->\n\n{text}\n"
        entries.append(section_entry(path, name, (number, number), (str(number), str(number)), texts[path]))
    return WrittenDocument(document_meta(base, title, entries, language), texts)


def document_meta(
    base: str, title: str, sections: Sequence[SectionEntry], language: str = "ru"
) -> DocumentMeta:
    """The meta of a document of these sections, each with a heading of its name."""
    pages = sections[-1].pages[1]
    return DocumentMeta(
        source=f"{base.removeprefix('docs/')}.pdf",
        path=f"{base}/subindex.md",
        title=title,
        description="",
        language=language,
        grade="A",
        engine="fast",
        quality="fast",
        headings="bookmarks",
        pages=pages,
        sha256=hashlib.sha256(base.encode()).hexdigest(),
        page_grades="A" * pages,
        outline=tuple(OutlineEntry(1, it.title, it.pages[0], it.path, "s") for it in sections),
        sections=tuple(sections),
    )


def section_entry(
    path: str, title: str, pages: tuple[int, int], labels: tuple[str, str], text: str
) -> SectionEntry:
    """What a meta says of a section."""
    content = text.encode()
    digest = hashlib.sha256(content).hexdigest()
    return SectionEntry(path, title, pages, labels, len(content), digest, digest)


def whole_release(manifest: ShelfManifest, contents: Mapping[str, bytes]) -> tuple[str, dict[str, bytes]]:
    """The name of the release of these files, and the files with those that a builder adds."""
    listing = write_files(file_row(path, content) for path, content in contents.items())
    release = release_id(manifest, listing)
    return release, {
        **contents,
        FILES_FILE: listing,
        SHELF_FILE: write_shelf(with_release(manifest, release)),
        RELEASE_SCRIPT: f'window.docshelfRelease = "{release}";\n'.encode(),
    }


def file_row(path: str, content: bytes) -> FileRow:
    """What files.tsv says of a file."""
    return FileRow(path, len(content), hashlib.sha256(content).hexdigest(), media_type(path))


def put(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files below a folder."""
    for path, content in contents.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def switch(site: Path, release: str) -> None:
    """Makes a release current, as the builder does: one rename of a link."""
    new = site / "current.new"
    new.symlink_to(f"releases/{release}")
    new.replace(site / "current")
