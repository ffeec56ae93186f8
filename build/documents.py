"""Makes all documents of a shelf on an executor; a bad one costs only itself and keeps its last good version.

Each document is two calls, `convert` (unless the cache holds its conversion) and `compose`, handed to
anything with the semantics of `concurrent.futures.Executor`.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from docshelf.build.cache import Cache, cache_key
from docshelf.build.compose import compose
from docshelf.build.convert import PAGES_FILE, choose_engine, convert, engine_versions, worker_keys
from docshelf.build.converted import EngineOptions
from docshelf.build.digests import Content
from docshelf.build.plan import DocumentPlan, plan_to_json
from docshelf.build.progress import Progress
from docshelf.build.snapshots import Snapshot
from docshelf.serve.config import EngineName, Limits
from docshelf.serve.errors import SourceError
from docshelf.serve.manifest import DocumentMeta, Finding, read_meta

Stage = Literal["convert", "compose"]


@dataclass(frozen=True, slots=True)
class Work:
    """One document to be made."""

    plan: DocumentPlan
    snapshot: Snapshot
    options: EngineOptions
    password: str | None
    limits: Limits
    order: int = 0
    last_good: Snapshot | None = None
    """The source's bytes in the release before, where they differ from what stands there now."""

    @property
    def engine(self) -> EngineName:
        """The engine that reads it."""
        return choose_engine(self.plan.quality)

    def key(self, versions: str) -> str:
        """The cache key of its conversion, with the versions that its engine has now."""
        return cache_key(
            {
                "sha256": self.plan.sha256,
                "engine": self.engine,
                "versions": versions,
                "options": asdict(self.options),
            }
        )


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one document."""

    source: str
    meta: DocumentMeta | None
    """None where the document was refused and no good version is known."""
    order: int
    files: dict[str, Content]
    findings: tuple[Finding, ...]
    about: str = ""
    """What it is about in its own words, or ""."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where documents are made."""

    executor: Executor
    cache: Cache
    folder: Path
    """A private folder; documents are written below it."""
    theme: str | None
    versions: Mapping[EngineName, str] = field(default_factory=dict)
    """Versions by engine; part of the cache key."""


def make_documents(works: Sequence[Work], place: Workplace, progress: Progress) -> Iterator[Made]:
    """Every work's outcome, as it comes; large sources are begun first."""
    versions = {engine: engine_versions(engine) for engine in {work.engine for work in works}}
    place = replace(place, versions=versions)
    waiting: dict[Future[Any], _Run] = {}
    for number, work in enumerate(sorted(works, key=lambda work: -work.snapshot.size_bytes)):
        run = _Run(work, place, place.folder / str(number))
        waiting[run.begin()] = run
    while waiting:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            run = waiting.pop(future)
            later = run.go_on(future)
            if later is not None:
                waiting[later] = run
                continue
            progress.document(run.work.plan.source, run.made.meta.pages if run.made.meta else 0)
            yield run.made


class _Run:
    """One document on its way through the stages."""

    def __init__(self, work: Work, place: Workplace, folder: Path) -> None:
        self.work = work
        self._place = place
        self._folder = folder
        self._workplace: Path | None = None
        self._findings: list[Finding] = []
        self._stage: Stage = "convert"
        self._converted: Path | None = None
        self.made = Made(work.plan.source, None, work.order, {}, ())

    @property
    def _key(self) -> str:
        return self.work.key(self._place.versions[self.work.engine])

    def begin(self) -> Future[Any]:
        """The first call this document needs."""
        self._converted = self._place.cache.find(self._key)
        return self._submit_compose() if self._converted else self._submit_convert()

    def go_on(self, done: Future[Any]) -> Future[Any] | None:
        """The next call after `done`, or None once `made` says what became of the document."""
        try:
            result = done.result()
        except SourceError as exc:
            return self._refused(exc)
        if self._stage == "convert" and self._workplace:
            self._converted = self._place.cache.store(self._key, self._workplace)
            return self._submit_compose()
        place = self.work.plan.address.meta
        meta = read_meta((self._folder / place).read_bytes(), place)
        remarks = [
            Finding(self.work.plan.source, it["page"], it["severity"], it["code"], it["text"])
            for it in result["remarks"]
        ]
        if not self._findings:
            self._place.cache.remember(self.work.plan.source, self._key, self.work.plan.sha256)
        findings = (*self._findings, *remarks)
        self.made = replace(
            self.made, meta=meta, files=self._files(), findings=findings, about=result["about"]
        )
        return None

    def _refused(self, error: SourceError) -> Future[Any] | None:
        source, good = self.work.plan.source, self.work.last_good
        self._findings.append(Finding(source, 0, "error", error.code, str(error)))
        kept = self._kept_conversion()
        if kept is None and good is None:
            self.made = replace(self.made, findings=tuple(self._findings))
            return None
        text = "the version of the last good build stays on the shelf until this file can be read"
        self._findings.append(Finding(source, 0, "warning", "kept-last-good", text))
        plan = replace(self.work.plan, notices=(str(error), text))
        self._folder = self._folder.with_name(f"{self._folder.name}-kept")
        if kept is not None:
            self._converted, sha256 = kept
            self.work = replace(self.work, plan=replace(plan, sha256=sha256), last_good=None)
            return self._submit_compose()
        assert good is not None
        self.work = replace(self.work, plan=replace(plan, sha256=good.sha256), snapshot=good, last_good=None)
        return self.begin()

    def _kept_conversion(self) -> tuple[Path, str] | None:
        """What the document was last made of, where its source is still at hand or need not be published."""
        known = self._place.cache.last_made(self.work.plan.source)
        if known is None or known[0] == self._key or self.work.last_good or not self._may_keep(known[1]):
            return None
        entry = self._place.cache.find(known[0])
        return (entry, known[1]) if entry is not None else None

    def _may_keep(self, sha256: str) -> bool:
        return sha256 == self.work.snapshot.sha256 or not self.work.plan.source_file

    def _submit_convert(self) -> Future[Any]:
        self._stage = "convert"
        # Two sources may hold the same bytes: each converts in a place of its own.
        self._workplace = self._place.cache.workplace(f"{self._key}-{self._folder.name}")
        job = {
            "source": str(self.work.snapshot.file),
            "out": str(self._workplace),
            "engine": self.work.engine,
            "options": asdict(self.work.options),
            "password": self.work.password,
            "limits": asdict(self.work.limits),
            **worker_keys(self.work.engine),
        }
        return self._place.executor.submit(convert, job)

    def _submit_compose(self) -> Future[Any]:
        self._stage = "compose"
        assert self._converted is not None
        job = {
            "converted": str(self._converted / PAGES_FILE),
            "out": str(self._folder),
            "theme": self._place.theme,
            "plan": plan_to_json(self.work.plan),
            "limits": asdict(self.work.limits),
            "engine": self.work.engine,
        }
        return self._place.executor.submit(compose, job)

    def _files(self) -> dict[str, Content]:
        """What stands in the document's folder, its pictures and its source, by shelf path."""
        plan, converted = self.work.plan, self._converted
        assert converted is not None
        files: dict[str, Content] = {
            file.relative_to(self._folder).as_posix(): file
            for file in self._folder.rglob("*")
            if file.is_file()
        }
        for picture in converted.iterdir():
            if picture.suffix in (".png", ".jpg"):
                files[f"{plan.address.pictures}/{picture.name}"] = picture
        if plan.source_file:
            files[plan.source_file] = self.work.snapshot.file
        return files


def refused(source: str, error: SourceError) -> Made:
    """The outcome of a source that could not even be begun."""
    return Made(source, None, 0, {}, (Finding(source, 0, "error", error.code, str(error)),))
