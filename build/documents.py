"""Makes all documents of a shelf on an executor; a bad one costs only itself and keeps its last good version.

A document of which nothing changed stays as the current release holds it. Any other is up to two calls,
`convert` (unless the cache holds its conversion) and `compose`, handed to anything with the semantics of
`concurrent.futures.Executor`.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from typing import Any, Literal

from docshelf.build.caching.notes import Note, kept_file, kept_files
from docshelf.build.compose import compose
from docshelf.build.converting.convert import PAGES_FILE, worker_keys
from docshelf.build.converting.ranges import submit_conversion
from docshelf.build.indexing.keywords import Words
from docshelf.build.planning.plan import plan_to_json
from docshelf.build.progress import Progress
from docshelf.build.releasing.digests import Content, Known
from docshelf.build.workers.workplace import Made, Work, Workplace
from docshelf.serve.errors import NotOnShelf, ShelfDamaged, SourceError
from docshelf.serve.manifest import DocumentMeta, Finding, read_meta

Stage = Literal["convert", "compose"]

KEPT = "the version of the last good build stays on the shelf until this file can be read"
"""The finding of a document that was refused and shown before."""


def make_documents(works: Sequence[Work], place: Workplace, progress: Progress) -> Iterator[Made]:
    """Every work's outcome, as it comes; sources that changed are begun first, the largest before all.

    Workers have something to do so while all other documents are found to be as they were.

    Raises: OSError where the output cannot be written.
    """
    running: dict[Future[Any], _Run] = {}
    done: SimpleQueue[Future[Any]] = SimpleQueue()

    def follow(run: _Run, call: Future[Any] | None) -> Iterator[Made]:
        if call is None:
            yield run.done(progress)
            return
        running[call] = run
        call.add_done_callback(done.put)

    def go_on() -> Iterator[Made]:
        call = done.get()
        run = running.pop(call)
        yield from follow(run, run.go_on(call))

    ordered = sorted(works, key=lambda work: (bool(work.plan.sha256), -work.size_bytes))
    for number, work in enumerate(ordered):
        run = _Run(work, place, str(number))
        yield from follow(run, run.begin())
        while not done.empty():
            yield from go_on()
    while running:
        yield from go_on()


class _Run:
    """One document on its way through the stages."""

    def __init__(self, work: Work, place: Workplace, name: str) -> None:
        self._work = work
        self._place = place
        self._name = name
        self._note = place.notes.read(work.plan.source)
        self._good: Iterator[tuple[Work, str]] | None = None
        self._tried: set[str] = set()
        self._folder = place.folder / name
        self._workplace: Path | None = None
        self._findings: list[Finding] = []
        self._stage: Stage = "convert"
        self._conversion = ""
        self._converted: Path | None = None
        self._made = Made(work.plan.source, None, work.order, {}, ())

    def done(self, progress: Progress) -> Made:
        """What became of the document; whoever looks on hears of it."""
        progress.document(self._made.source, self._made.meta.pages if self._made.meta else 0)
        return self._made

    def begin(self) -> Future[Any] | None:
        """The first call this document needs; None where it needs none."""
        try:
            if not self._work.plan.sha256:
                self._take_snapshot()
            return self._begin_known()
        except SourceError as exc:
            return self._refused(exc)

    def go_on(self, done: Future[Any]) -> Future[Any] | None:
        """The next call after `done`, or None once the outcome is known."""
        try:
            result = done.result()
        except SourceError as exc:
            return self._refused(exc)
        if self._stage == "convert" and self._workplace:
            self._converted = self._place.cache.store(self._conversion, self._workplace)
            return self._submit_compose()
        self._finish(result)
        return None

    def _begin_known(self) -> Future[Any] | None:
        """The first call for bytes whose hash is known.

        Raises: SourceError.
        """
        self._conversion = self._place.conversion_key(self._work)
        if self._stays():
            return None
        self._converted = self._place.cache.find(self._conversion)
        if self._work.snapshot is None and (self._converted is None or self._work.plan.source_file):
            known = self._work.plan.sha256
            self._take_snapshot()
            if self._work.plan.sha256 != known:  # It was edited since it was looked at.
                return self._begin_known()
        return self._submit_compose() if self._converted else self._submit_convert()

    def _stays(self) -> bool:
        """Whether the current release holds just what would be made; then that is the outcome."""
        note, current = self._note, self._place.current
        if note is None or current is None or note.key != self._place.key(self._work.plan, self._conversion):
            return False
        if (files := kept_files(note, current)) is None:
            return False
        try:
            meta = current.release.meta(self._work.plan.address.meta)
        except (ShelfDamaged, NotOnShelf):
            return False
        self._made = self._outcome(note, meta, files)
        return True

    def _take_snapshot(self) -> None:
        """Finds the source's bytes where nobody edits them: in the current release, else in a copy of our own.

        Raises: SourceError.
        """
        source, file = self._work.plan.source, self._work.file
        snapshot = self._published(self._work.plan.sha256) or self._place.memo.copy(
            source, file, self._place.snapshots, f"{self._name}{PurePosixPath(source).suffix.lower()}"
        )
        self._work = self._work.made_of(snapshot)

    def _published(self, sha256: str) -> Known | None:
        """The current release's copy of the source, where it has this hash."""
        current, path = self._place.current, self._work.plan.source_file
        if current is None or not sha256 or path not in current.release.files:
            return None
        noted = next((it for it in self._note.files if it.path == path), None) if self._note else None
        if noted is not None and noted.sha256 == sha256:
            return kept_file(noted, current)
        row = current.release.files[path]
        same = current.same_file(path, row.bytes, sha256)
        return Known(current.folder, path, row.bytes, sha256) if same is not None else None

    def _refused(self, error: SourceError) -> Future[Any] | None:
        """The first call for the last good version; None where the outcome is known."""
        self._tried.add(self._conversion)
        if self._good is None:
            self._findings.append(_error(self._work.plan.source, error))
            self._good = self._good_versions(str(error))
        for work, conversion in self._good:
            self._work, self._conversion = work, conversion
            if self._stays():
                return None
            if self._conversion in self._tried:
                continue
            self._converted = self._place.cache.find(self._conversion)
            if self._converted is not None:
                return self._submit_compose()
            if self._work.snapshot and self._conversion == self._place.conversion_key(self._work):
                return self._submit_convert()
        self._made = replace(self._made, findings=tuple(self._findings))
        return None

    def _good_versions(self, refusal: str) -> Iterator[tuple[Work, str]]:
        """The works of the last good version, each with the key of its conversion, the better one first.

        One is what the note says, if its bytes are still at hand or need not be published. The other is the
        source that the current release holds, to be read again.
        """
        work = replace(self._work, plan=replace(self._work.plan, notices=(refusal,), is_kept=True))
        if self._note is not None:
            held = work.snapshot
            if held is None or held.sha256 != self._note.sha256:
                held = self._published(self._note.sha256)
            if held is not None or not work.plan.source_file:
                plan = replace(work.plan, sha256=self._note.sha256)
                yield replace(work, plan=plan, snapshot=held), self._note.conversion
        published = self._place.published_source(work.plan.source)
        if published is not None:
            again = work.made_of(published)
            yield again, self._place.conversion_key(again)

    def _submit_convert(self) -> Future[Any]:
        self._stage = "convert"
        assert self._work.snapshot is not None
        # Two sources may hold the same bytes: each converts in a place of its own.
        self._workplace = self._place.cache.workplace(f"{self._conversion}-{self._name}")
        job = {
            "source": str(self._work.snapshot.file),
            "out": str(self._workplace),
            "engine": self._work.engine,
            "options": asdict(self._work.options),
            "password": self._work.password,
            "limits": asdict(self._work.limits),
            **worker_keys(self._work.engine),
        }
        return submit_conversion(self._place.executor, job)

    def _submit_compose(self) -> Future[Any]:
        self._stage = "compose"
        assert self._converted is not None
        self._folder = self._place.folder / f"{self._name}-{len(self._tried)}"
        job = {
            "converted": str(self._converted / PAGES_FILE),
            "out": str(self._folder),
            "theme": self._place.theme,
            "theme_fingerprint": self._place.theme_fingerprint,
            "plan": plan_to_json(self._work.plan),
            "limits": asdict(self._work.limits),
            "engine": self._work.engine,
            "ahead": True,
        }
        return self._place.executor.submit(compose, job)

    def _finish(self, result: dict[str, Any]) -> None:
        """The outcome of composing."""
        plan = self._work.plan
        note = Note(
            source=plan.source,
            key=self._place.key(plan, self._conversion),
            conversion=self._conversion,
            sha256=plan.sha256,
            findings=tuple(Finding(**{**it, "source": plan.source}) for it in result["remarks"]),
            about=result["about"],
            words=Words(**result["words"]),
            files=(),
        )
        meta = read_meta((self._folder / plan.address.meta).read_bytes(), plan.address.meta)
        self._made = self._outcome(note, meta, self._files())
        # A theme that was edited meanwhile made pages that no key names.
        if result["theme"] == self._place.theme_fingerprint:
            self._made = replace(self._made, note=note)

    def _outcome(self, note: Note, meta: DocumentMeta, files: Mapping[str, Content]) -> Made:
        plan = self._work.plan
        kept = [Finding(plan.source, 0, "warning", "kept-last-good", KEPT)] if plan.is_kept else []
        return replace(
            self._made,
            meta=meta,
            files=dict(files),
            findings=(*self._findings, *kept, *note.findings),
            about=note.about,
            words=note.words,
            conversion=note.conversion,
        )

    def _files(self) -> dict[str, Content]:
        """What stands in the document's folder, its pictures and its source, by shelf path."""
        plan, converted = self._work.plan, self._converted
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
            assert self._work.snapshot is not None
            files[plan.source_file] = self._work.snapshot
        return files


def _error(source: str, error: SourceError) -> Finding:
    return Finding(source, 0, "error", error.code, str(error))
