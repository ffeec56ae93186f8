"""Makes all documents of a shelf on an executor; a bad one costs only itself and keeps its last good version.

A document of which nothing changed stays as the current release holds it. Any other is up to two calls,
`convert` (unless the cache holds its conversion) and `compose`, handed to anything with the semantics of
`concurrent.futures.Executor`.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from queue import SimpleQueue
from typing import Any

from docshelf.build.caching.notes import Note, kept_file, kept_files
from docshelf.build.caching.refusals import refusal_key
from docshelf.build.compose import compose
from docshelf.build.converting.convert import PAGES_FILE, worker_keys
from docshelf.build.converting.ranges import submit_conversion
from docshelf.build.indexing.keywords import Words
from docshelf.build.planning.plan import plan_to_json
from docshelf.build.planning.references import references_from_json
from docshelf.build.progress import Progress
from docshelf.build.releasing.digests import Content, Known
from docshelf.build.workers.workplace import Made, Work, Workplace
from docshelf.serve.errors import NotOnShelf, ShelfDamaged, SourceError
from docshelf.serve.manifest import DocumentMeta, Finding, read_meta

KEPT = "the version of the last good build stays on the shelf until this file can be read"
"""The finding of a document that was refused and shown before."""

_Calls = Generator[Future[Any], None, Made]
"""The calls that a document needs, each yielded while it runs; at the end what they made."""


def make_documents(
    works: Sequence[Work], place: Workplace, progress: Progress, name: str = ""
) -> Iterator[Made]:
    """Every work's outcome, as it comes; sources that changed are begun first, the largest before all.

    `name` tells the files of these works in the workplace from those of other calls.

    Workers have something to do so while all other documents are found to be as they were.

    Raises: OSError where the output cannot be written.
    """
    running: dict[Future[Any], _Calls] = {}
    done: SimpleQueue[Future[Any]] = SimpleQueue()

    def go_on(calls: _Calls) -> Iterator[Made]:
        try:
            call = next(calls)
        except StopIteration as end:
            made: Made = end.value
            progress.document(made.source, made.meta.pages if made.meta else 0)
            yield made
        else:
            running[call] = calls
            call.add_done_callback(done.put)

    ordered = sorted(works, key=lambda work: (bool(work.plan.sha256), -work.size_bytes))
    for number, work in enumerate(ordered):
        yield from go_on(_Document(work, place, f"{name}{number}").calls())
        while not done.empty():
            yield from go_on(running.pop(done.get()))
    while running:
        yield from go_on(running.pop(done.get()))


class _Document:
    """One document on its way: its new version, else the last good one."""

    def __init__(self, work: Work, place: Workplace, name: str) -> None:
        """`name` tells its files in the workplace from those of others."""
        self._place = place
        self._name = name
        self._note = place.notes.read(work.plan.source)
        before = self._note.references.followed if self._note else ()
        self._work = work if work.plan.followed is not None else work.leading_to(before)
        self._tried: set[str] = set()
        """Keys of conversions that came to nothing, by themselves or as they were composed."""
        self._is_known = False
        """Whether a refusal was not met, but remembered."""

    def calls(self) -> _Calls:
        """Whatever it needs; a document that is refused is an outcome, too."""
        source = self._work.plan.source
        try:
            return (yield from self._new_version())
        except SourceError as exc:
            refusal, is_known = exc, self._is_known
        refused = Finding(source, 0, "error", refusal.code, str(refusal))
        for work, conversion in self._good_versions(str(refusal)):
            try:
                made = yield from self._good_version(work, conversion)
            except SourceError:
                continue
            kept = Finding(source, 0, "warning", "kept-last-good", KEPT)
            return replace(made, findings=(refused, kept, *made.findings), is_known=is_known)
        return Made(source, None, self._work.order, {}, (refused,), is_known=is_known)

    def _new_version(self) -> _Calls:
        """The document of the source's bytes as they are now.

        Raises: SourceError.
        """
        if not self._work.plan.sha256:
            self._take_snapshot()
        work, conversion = self._work, self._place.conversion_key(self._work)
        if (stays := self._stays(work, conversion)) is not None:
            return stays
        self._raise_known(work, conversion)
        converted = self._place.cache.find(conversion)
        if work.snapshot is None and (converted is None or work.plan.source_file):
            self._take_snapshot()
            if self._work.plan.sha256 != work.plan.sha256:  # It was edited since it was looked at.
                return (yield from self._new_version())
        return (yield from self._make(self._work, conversion, converted))

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

    def _good_version(self, work: Work, conversion: str) -> _Calls:
        """The document of the last good version.

        Raises: SourceError where that cannot be made again either.
        """
        if (stays := self._stays(work, conversion)) is not None:
            return stays
        self._raise_known(work, conversion)
        converted = self._place.cache.find(conversion)
        can_convert = work.snapshot is not None and conversion == self._place.conversion_key(work)
        if conversion in self._tried or (converted is None and not can_convert):
            raise SourceError("unreadable", "the last good version is not at hand any more")
        return (yield from self._make(work, conversion, converted))

    def _stays(self, work: Work, conversion: str) -> Made | None:
        """What the current release holds, if that is just what would be made."""
        note, current = self._note, self._place.current
        if note is None or current is None or note.key != self._place.key(work.plan, conversion):
            return None
        if (files := kept_files(note, current)) is None:
            return None
        try:
            meta = current.meta(work.plan.address.meta)
        except (ShelfDamaged, NotOnShelf):
            return None
        return _made(work, note, meta, files)

    def _raise_known(self, work: Work, conversion: str) -> None:
        """Raises: SourceError, if a build before learnt that the document is refused so."""
        for key in self._refusal_keys(work, conversion):
            if (refusal := self._place.refusals.find(key)) is not None:
                self._tried.add(conversion)
                self._is_known = True
                raise refusal

    def _refusal_keys(self, work: Work, conversion: str) -> tuple[str, str]:
        """The keys under which a refusal to convert and one to compose are remembered."""
        given = work.password is not None
        composition = self._place.key(work.plan, conversion)
        return (
            refusal_key(conversion, work.limits, with_password=given),
            refusal_key(composition, work.limits),
        )

    def _make(self, work: Work, conversion: str, converted: Path | None) -> _Calls:
        """The document of its conversion, which is made first where it is None.

        Raises: SourceError.
        """
        to_convert, to_compose = self._refusal_keys(work, conversion)
        key = to_convert
        try:
            if converted is None:
                # Two sources may hold the same bytes: each converts in a place of its own.
                out = self._place.cache.workplace(f"{conversion}-{self._name}")
                yield (call := self._submit_convert(work, out))
                call.result()
                converted = self._place.cache.store(conversion, out)
            key, folder = to_compose, self._place.folder / f"{self._name}-{len(self._tried)}"
            yield (call := self._submit_compose(work, converted, folder))
            return self._composed(work, conversion, converted, folder, call.result())
        except SourceError as refusal:
            self._tried.add(conversion)
            self._place.refusals.keep(key, refusal)
            raise

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

    def _submit_convert(self, work: Work, out: Path) -> Future[Any]:
        assert work.snapshot is not None
        job = {
            "source": str(work.snapshot.file),
            "out": str(out),
            "engine": work.engine,
            "options": asdict(work.options),
            "password": work.password,
            "limits": asdict(work.limits),
            **worker_keys(work.engine),
        }
        return submit_conversion(self._place.executor, job)

    def _submit_compose(self, work: Work, converted: Path, out: Path) -> Future[Any]:
        job = {
            "converted": str(converted / PAGES_FILE),
            "out": str(out),
            "theme": self._place.theme,
            "theme_fingerprint": self._place.theme_fingerprint,
            "plan": plan_to_json(work.plan),
            "limits": asdict(work.limits),
            "engine": work.engine,
            "ahead": True,
        }
        return self._place.executor.submit(compose, job)

    def _composed(
        self, work: Work, conversion: str, converted: Path, folder: Path, result: Mapping[str, Any]
    ) -> Made:
        """What `compose` made in `folder`."""
        plan = work.plan
        note = Note(
            source=plan.source,
            key=self._place.key(plan, conversion),
            conversion=conversion,
            sha256=plan.sha256,
            findings=tuple(Finding(**{**it, "source": plan.source}) for it in result["remarks"]),
            about=result["about"],
            words=Words(**result["words"]),
            files=(),
            references=references_from_json(result["references"]),
        )
        meta = read_meta((folder / plan.address.meta).read_bytes(), plan.address.meta)
        made = _made(work, note, meta, work.files(converted, folder))
        # A theme that was edited meanwhile made pages that no key names.
        return replace(made, note=note) if result["theme"] == self._place.theme_fingerprint else made


def _made(work: Work, note: Note, meta: DocumentMeta, files: Mapping[str, Content]) -> Made:
    """A document as its note tells it; nothing new is to be noted of it."""
    return Made(
        source=work.plan.source,
        meta=meta,
        order=work.order,
        files=files,
        findings=note.findings,
        about=note.about,
        words=note.words,
        references=note.references,
        conversion=note.conversion,
    )
