"""A shelf under test: put documents in, build, look at what came out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf

from docshelf.build.pipeline import BuildResult, build_shelf
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.check import check_release
from docshelf.serve.config import Quality
from docshelf.serve.manifest import DocumentMeta, ShelfManifest, read_meta, read_shelf


class Silence:
    """A progress that hears and says nothing."""

    def begin(self, documents: int) -> None:
        """Nothing."""

    def document(self, source: str, pages: int) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""


@dataclass
class ShelfTest:
    """A source folder and the site it is built into, both below one temporary folder."""

    folder: Path
    jobs: int = 2
    source: Path = field(init=False)
    site: Path = field(init=False)

    def __post_init__(self) -> None:
        self.source = self.folder / "source"
        self.site = self.folder / "site"
        self.source.mkdir(parents=True, exist_ok=True)

    def config(self, **settings: object) -> None:
        """Writes the shelf's settings."""
        (self.source / ".docshelf.json").write_text(json.dumps(settings), "utf-8")

    def sidecar(self, name: str, **settings: object) -> None:
        """Writes a sidecar; `name` as in `a/b.meta.json`."""
        self._place(name).write_text(json.dumps(settings), "utf-8")

    def pdf(self, name: str, *pages: str, outline: Sequence[tuple[int, str, int]] = ()) -> Path:
        """Writes a PDF: one text per page, a line beginning with "# " in large type."""
        file = self._place(name)
        file.write_bytes(make_pdf(*pages, outline=outline))
        return file

    def file(self, name: str, content: bytes) -> Path:
        """Writes any file."""
        file = self._place(name)
        file.write_bytes(content)
        return file

    def build(self, *, quality: Quality | None = None) -> BuildResult:
        """Builds the shelf in real workers."""
        return build_shelf(
            self.source,
            self.site,
            quality=quality,
            executor=lambda: WorkerPool(self.jobs),
            progress=Silence(),
        )

    @property
    def current(self) -> Path:
        """The tree that readers see."""
        return self.site / "current"

    @property
    def manifest(self) -> ShelfManifest:
        """The current shelf.json."""
        return read_shelf((self.current / "shelf.json").read_bytes())

    def meta(self, source: str) -> DocumentMeta:
        """The meta of a source's document."""
        entry = next(entry for entry in self.manifest.documents if entry.source == source)
        return read_meta((self.current / entry.meta).read_bytes(), entry.meta)

    def text(self, path: str) -> str:
        """A file of the current release."""
        return (self.current / path).read_text("utf-8")

    def codes(self, source: str) -> list[str]:
        """The codes of a source's findings."""
        return [finding.code for finding in self.manifest.findings if finding.source == source]

    def faults(self) -> list[str]:
        """What `docshelf check` says of the current release."""
        return [str(fault) for fault in check_release(self.current.resolve())]

    def tree(self) -> dict[str, bytes]:
        """Every file of the current release."""
        root = self.current.resolve()
        return {
            file.relative_to(root).as_posix(): file.read_bytes()
            for file in sorted(root.rglob("*"))
            if file.is_file()
        }

    def _place(self, name: str) -> Path:
        file = self.source / name
        file.parent.mkdir(parents=True, exist_ok=True)
        return file


def make_pdf(*pages: str, outline: Sequence[tuple[int, str, int]] = ()) -> bytes:
    """A PDF of A4 pages in a font with Cyrillic; the same arguments give a document of the same text."""
    document = pymupdf.open()
    font = pymupdf.Font("cjk")
    for text in pages:
        page = document.new_page()
        writer = pymupdf.TextWriter(page.rect)
        y = 80.0
        for line in text.split("\n"):
            size = 18 if line.startswith("# ") else 11
            if line.strip():
                writer.append((72, y), line.removeprefix("# "), font=font, fontsize=size)
            y += size * 1.5
        writer.write_text(page)
    if outline:
        document.set_toc([list(entry) for entry in outline])
    return bytes(document.tobytes(no_new_id=True))
