"""What documents are made of, where, and what comes of it."""

from collections.abc import Mapping
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from docshelf.build.caching.cache import Cache, cache_key
from docshelf.build.caching.notes import Note, Notes
from docshelf.build.caching.refusals import Refusals
from docshelf.build.converting.convert import choose_engine
from docshelf.build.converting.converted import EngineOptions
from docshelf.build.indexing.keywords import NO_WORDS, Words
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.references import NO_REFERENCES, Reference, References
from docshelf.build.planning.snapshots import SourceMemo
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content, Known
from docshelf.serve.config import EngineName, Limits
from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.manifest import DocumentMeta, Finding


@dataclass(frozen=True, slots=True)
class Work:
    """One document to be made."""

    plan: DocumentPlan
    """Its `sha256` is "" until the source was read, where no stat tells it."""
    file: Path
    """The user's own file."""
    size_bytes: int
    options: EngineOptions
    password: str | None
    limits: Limits
    order: int = 0
    snapshot: Known | None = None
    """The source's bytes where nobody edits them; None until they are needed."""

    @property
    def engine(self) -> EngineName:
        """The engine that reads it."""
        return choose_engine(self.plan.quality)

    def made_of(self, snapshot: Known) -> "Work":
        """The work with its source read."""
        return replace(self, plan=replace(self.plan, sha256=snapshot.sha256), snapshot=snapshot)

    def leading_to(self, followed: tuple[Reference, ...]) -> "Work":
        """The work with these links to other documents."""
        return replace(self, plan=replace(self.plan, followed=followed))

    def files(self, converted: Path, composed: Path) -> dict[str, Content]:
        """What a release holds of it: what was composed in that folder, pictures of its conversion, its source."""
        files: dict[str, Content] = {
            file.relative_to(composed).as_posix(): file for file in composed.rglob("*") if file.is_file()
        }
        for picture in converted.iterdir():
            if picture.suffix in (".png", ".jpg"):
                files[f"{self.plan.address.pictures}/{picture.name}"] = picture
        if self.plan.source_file:
            assert self.snapshot is not None
            files[self.plan.source_file] = self.snapshot
        return files


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one document."""

    source: str
    meta: DocumentMeta | None
    """None where the document was refused and no good version is known."""
    order: int
    files: Mapping[str, Content]
    findings: tuple[Finding, ...]
    about: str = ""
    """What it is about in its own words, or ""."""
    words: Words = NO_WORDS
    """Of its titles."""
    references: References = NO_REFERENCES
    conversion: str = ""
    """Key of the conversion it is made of, or ""."""
    note: Note | None = None
    """What to remember of it once its files are published, still without them; None where nothing is new."""
    is_known: bool = False
    """Whether it was refused because a build before had learnt so, and not tried again."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where documents are made."""

    executor: Executor
    cache: Cache
    notes: Notes
    refusals: Refusals
    memo: SourceMemo
    current: CurrentRelease | None
    folder: Path
    """A private folder; documents are written below it."""
    theme: str | None
    """The user's own theme folder."""
    theme_fingerprint: str
    versions: Mapping[EngineName, str]
    """Of each engine that is used, by `engine_versions`."""
    composing: str
    """By `composing_version`."""

    @property
    def snapshots(self) -> Path:
        """Folder for copies of sources."""
        return self.folder / "sources"

    def conversion_key(self, work: Work) -> str:
        """The cache key of the work's conversion."""
        return cache_key(
            {
                "sha256": work.plan.sha256,
                "engine": work.engine,
                "versions": self.versions[work.engine],
                "options": asdict(work.options),
            }
        )

    def key(self, plan: DocumentPlan, conversion: str) -> str:
        """The key of everything that decides what stands in a document's files."""
        return cache_key(
            {
                "plan": repr(plan),
                "conversion": conversion,
                "theme": self.theme_fingerprint,
                "composing": self.composing,
            }
        )

    def published_source(self, source: str) -> Known | None:
        """The current release's copy of the source, whichever version that is; None where it holds none."""
        if self.current is None:
            return None
        release = self.current.release
        entry = next((it for it in release.manifest.documents if it.source == source), None)
        if entry is None:
            return None
        with suppress(ShelfDamaged, NotOnShelf):
            sha256 = self.current.meta(entry.meta).sha256
            for path, row in release.files.items():
                if row.sha256 == sha256 and path.startswith("sources/"):
                    same = self.current.same_file(path, row.bytes, sha256)
                    return Known(self.current.folder, path, row.bytes, sha256) if same else None
        return None
