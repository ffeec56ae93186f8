"""What describes a shelf: `shelf.json`, each document's meta and `files.tsv`; how they are written and read.

The shapes are format 1 of DocShelf; docs/ holds their JSON Schemas.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from docshelf.serve.config import Budget
from docshelf.serve.errors import ShelfDamaged

SHELF_FILE = "shelf.json"
FILES_FILE = "files.tsv"
RELEASE_SCRIPT = "assets/release.js"
"""Beside shelf.json the only file that carries the release; neither stands in files.tsv."""

MOVED_FILE = "moved.tsv"
"""Addresses that fell away and where they lead; only in releases that have any."""

FORMAT = 1
Severity = Literal["info", "warning", "error"]
Grade = Literal["A", "B", "C"]
HeadingSource = Literal["bookmarks", "contents", "fonts", "none"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something the build noticed."""

    source: str
    """Path in the source folder; "" is the shelf itself."""
    page: int
    """PDF page from 1; 0 is the whole source."""
    severity: Severity
    code: str
    """Short fixed name, such as `no-text-layer`."""
    text: str
    """What, and what to do."""

    def __str__(self) -> str:
        place = ", ".join(part for part in (self.source, f"page {self.page}" if self.page else "") if part)
        return f"{place}: {self.text}" if place else self.text


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document as shelf.json lists it."""

    source: str
    """Path in the source folder, as stored on disk."""
    path: str
    """What a reader opens first: the one file of a short document, or its subindex.md."""
    meta: str
    """Where its meta stands."""


@dataclass(frozen=True, slots=True)
class ShelfManifest:
    """shelf.json."""

    name: str
    description: str
    language: str
    release: str
    """First 16 hex digits of the hash that `release_id` makes."""
    source_commit: str | None
    """Last git commit that touched the source folder, with "+changes" where it was not clean."""
    budget: Budget
    """What its indexes and sections keep to."""
    documents: tuple[DocumentEntry, ...]
    findings: tuple[Finding, ...]
    base_url: str | None = None
    """Where the tree is published, ending in "/"."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One heading of a document, in order."""

    level: int
    """1 is a chapter."""
    title: str
    page: int
    path: str
    """Section that holds it."""
    anchor: str
    """Its id on the section's page; with `path` the address of the heading."""


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """One section of a document, in order; a short document lists itself."""

    path: str
    title: str
    pages: tuple[int, int]
    """First and last PDF page, from 1."""
    labels: tuple[str, str]
    """The same as printed."""
    bytes: int
    sha256: str
    text_sha256: str
    """Of the text without the quote line and the page marks."""


@dataclass(frozen=True, slots=True)
class DocumentMeta:
    """A document's `<slug>.meta.json`."""

    source: str
    path: str
    title: str
    description: str
    language: str
    grade: Grade
    engine: str
    quality: str
    headings: HeadingSource
    pages: int
    sha256: str
    """Of the source's bytes."""
    page_grades: str
    """One letter per page."""
    outline: tuple[OutlineEntry, ...]
    sections: tuple[SectionEntry, ...]


class FileRow(NamedTuple):
    """One line of files.tsv: a tuple, since a large shelf has hundreds of thousands."""

    path: str
    bytes: int
    sha256: str
    type: str
    """Media type with charset where it is text."""


def canonical_json(value: object) -> bytes:
    """UTF-8 JSON that is the same for equal values: keys in the order given, one space of indent."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def write_shelf(manifest: ShelfManifest) -> bytes:
    """The bytes of shelf.json."""
    return canonical_json(_shelf_values(manifest))


def write_meta(meta: DocumentMeta) -> bytes:
    """The bytes of a document's meta."""
    outline, sections = _flat(meta.outline), _flat(meta.sections)
    return canonical_json(
        {**asdict(replace(meta, outline=(), sections=())), "outline": outline, "sections": sections}
    )


def write_files(rows: Iterable[FileRow]) -> bytes:
    """The bytes of files.tsv: sorted by path, tab-separated, a head line first."""
    lines = ["path\tbytes\tsha256\ttype"]
    lines += [f"{path}\t{size}\t{sha256}\t{kind}" for path, size, sha256, kind in sorted(rows)]
    return ("\n".join(lines) + "\n").encode()


def write_moved(moved: Mapping[str, str]) -> bytes:
    """The bytes of moved.tsv: old and new Markdown path, sorted by the old one, a head line first."""
    lines = ["path\ttarget", *(f"{path}\t{target}" for path, target in sorted(moved.items()))]
    return ("\n".join(lines) + "\n").encode()


def read_moved(text: bytes) -> dict[str, str]:
    """New Markdown path by the old one, from the bytes of a moved.tsv.

    Raises: ShelfDamaged; build the shelf again.
    """
    moved: dict[str, str] = {}
    try:
        for line in text.decode().split("\n")[1:-1]:
            path, target = line.split("\t")
            moved[path] = target
    except ValueError as exc:
        raise ShelfDamaged(f"{MOVED_FILE}: {exc}; build the shelf again") from exc
    return moved


def release_id(manifest: ShelfManifest, files: bytes) -> str:
    """The name of a release: 16 hex digits over shelf.json without `release` and over files.tsv."""
    values = _shelf_values(manifest)
    del values["release"]
    return hashlib.sha256(canonical_json(values) + files).hexdigest()[:16]


def with_release(manifest: ShelfManifest, release: str) -> ShelfManifest:
    """The manifest under its release's name."""
    return replace(manifest, release=release)


def read_shelf(text: bytes) -> ShelfManifest:
    """The manifest in the bytes of a shelf.json.

    Raises: ShelfDamaged; build the shelf again.
    """
    values = _values(text, SHELF_FILE)
    if values.get("format") != FORMAT:
        raise ShelfDamaged(
            f"{SHELF_FILE}: format {values.get('format')!r} is not {FORMAT}; "
            "serve this shelf with the version of DocShelf that built it, or build it again"
        )
    try:
        return ShelfManifest(
            name=values["name"],
            description=values["description"],
            language=values["language"],
            release=values["release"],
            source_commit=values["source_commit"],
            budget=Budget(**values["budget"]),
            documents=tuple(DocumentEntry(**entry) for entry in values["documents"]),
            findings=tuple(Finding(**entry) for entry in values["findings"]),
            # Releases of DocShelf 0.1 lack it.
            base_url=values.get("base_url"),
        )
    except (KeyError, TypeError) as exc:
        raise ShelfDamaged(f"{SHELF_FILE}: {exc}; build the shelf again") from exc


def read_meta(text: bytes, where: str) -> DocumentMeta:
    """The meta in the bytes of the file `where`.

    Raises: ShelfDamaged; build the shelf again.
    """
    values = _values(text, where)
    try:
        return DocumentMeta(
            **{
                **values,
                "outline": tuple(OutlineEntry(**entry) for entry in values["outline"]),
                "sections": tuple(_section(entry) for entry in values["sections"]),
            }
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise ShelfDamaged(f"{where}: {exc}; build the shelf again") from exc


def read_files(text: bytes) -> dict[str, FileRow]:
    """The rows of a files.tsv by path.

    Raises: ShelfDamaged; build the shelf again.
    """
    rows: dict[str, FileRow] = {}
    try:
        for line in text.decode().split("\n")[1:-1]:
            path, size_bytes, sha256, media_type = line.split("\t")
            rows[path] = FileRow(path, int(size_bytes), sha256, sys.intern(media_type))
    except ValueError as exc:
        raise ShelfDamaged(f"{FILES_FILE}: {exc}; build the shelf again") from exc
    return rows


def _shelf_values(manifest: ShelfManifest) -> dict[str, Any]:
    documents, findings = _flat(manifest.documents), _flat(manifest.findings)
    values = asdict(replace(manifest, documents=(), findings=()))
    return {"format": FORMAT, **values, "documents": documents, "findings": findings}


def _flat(entries: Iterable[DocumentEntry | Finding | OutlineEntry | SectionEntry]) -> list[dict[str, Any]]:
    """What `asdict` gives for entries that hold no others, in a fifth of its time."""
    return [{name: getattr(entry, name) for name in entry.__slots__} for entry in entries]


def _section(entry: Mapping[str, Any]) -> SectionEntry:
    first_page, last_page = entry["pages"]
    first_label, last_label = entry["labels"]
    return SectionEntry(**{**entry, "pages": (first_page, last_page), "labels": (first_label, last_label)})


def _values(text: bytes, where: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise ShelfDamaged(f"{where}: {exc}; build the shelf again") from exc
    if not isinstance(values, dict):
        raise ShelfDamaged(f"{where}: holds no object; build the shelf again")
    return values
