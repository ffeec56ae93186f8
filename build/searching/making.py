"""Makes the search index of a shelf: words of new documents in workers, all else from what is kept."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docshelf.build.caching.refusals import Refusals, refusal_key
from docshelf.build.caching.sealed import write_sealed
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content, Known, measure, read_content
from docshelf.build.searching.files import read_words, search_files
from docshelf.build.searching.merging import Change, ShelfWords, changed, merged
from docshelf.build.searching.store import LastIndex, Part, WordStore, words_key
from docshelf.build.searching.words import DocumentWords, document_words, words_to_json
from docshelf.serve.config import Limits
from docshelf.serve.errors import NotOnShelf, ShelfDamaged, SourceError
from docshelf.serve.manifest import DocumentMeta, Finding, read_meta
from docshelf.serve.search.shards import CATALOG, SEARCH_FOLDER, shard_path


@dataclass(frozen=True, slots=True)
class Searched:
    """A document that the index is to hold."""

    meta: DocumentMeta
    meta_path: str
    files: Mapping[str, Content]
    """Its own files by shelf path, meta and Markdown among them."""

    def part(self) -> Part:
        """Its share of the index.

        Raises: OSError.
        """
        key = words_key(measure(self.files[self.meta_path])[1])
        return Part(key, min(it.path for it in self.meta.sections), len(self.meta.sections))

    def words(self) -> DocumentWords:
        """Its words, cut here and now.

        Raises: OSError.
        """
        texts = {it.path: read_content(self.files[it.path]).decode() for it in self.meta.sections}
        return document_words(self.meta, texts)


def cut_words(job: dict[str, Any]) -> dict[str, Any]:
    """Writes the words of a document into the file `job["out"]`. Runs in a worker.

    The job is JSON: `meta` and `texts`, the document's files, the latter by shelf path, `out` and `limits`.
    """
    meta = read_meta(Path(job["meta"]).read_bytes(), job["meta"])
    texts = {path: Path(file).read_bytes().decode() for path, file in job["texts"].items()}
    write_sealed(Path(job["out"]), words_to_json(document_words(meta, texts)))
    return {}


def make_words(
    documents: Sequence[Searched], store: WordStore, refusals: Refusals, executor: Executor, limits: Limits
) -> tuple[list[Searched], list[Finding]]:
    """Sees to it that the store holds the words of all documents; those of which it does, and why not of others.

    `limits` are those of the engine `fast`; what was refused within them before is not tried again.

    Raises: OSError.
    """
    waiting: dict[str, Future[Any]] = {}
    refused: dict[str, SourceError] = {}
    for it in documents:
        key = it.part().key
        if store.file(key).exists():
            continue
        if (refusal := refusals.find(refusal_key(key, limits))) is not None:
            refused[it.meta.source] = refusal
        else:
            waiting[it.meta.source] = executor.submit(cut_words, _job(it, store.file(key), limits))
    for it in documents:
        if it.meta.source in waiting:
            try:
                waiting[it.meta.source].result()
            except SourceError as exc:
                refusals.keep(refusal_key(it.part().key, limits), exc)
                refused[it.meta.source] = exc
    findings = [
        Finding(
            source, 0, "warning", "not-searched", f"search does not find it, all else is there: {refusal}"
        )
        for source, refusal in refused.items()
    ]
    return [it for it in documents if it.meta.source not in refused], findings


def search_index(
    documents: Iterable[Searched], store: WordStore, current: CurrentRelease | None
) -> tuple[dict[str, Content], LastIndex]:
    """The index of these documents by shelf path, and what it was made of.

    It is the same whether it is made anew or from the one that the current release holds.

    Raises: OSError.
    """
    ordered = sorted(((it.part(), it) for it in documents), key=lambda pair: pair[0].first)
    parts = tuple(part for part, _ in ordered)
    last = store.last()
    if current is not None and last is not None and _holds(current, last):
        published = _published(current) if last.parts == parts else None
        if published is not None:
            return published, last
        shelf = _changed(last, ordered, store, current)
    else:
        shelf = None
    files = search_files(shelf or merged(_words(part, it, store) for part, it in ordered))
    catalog = hashlib.sha256(files[shard_path(CATALOG)]).hexdigest()
    return {**files}, LastIndex(catalog, parts)


def _changed(
    last: LastIndex, ordered: Sequence[tuple[Part, Searched]], store: WordStore, current: CurrentRelease
) -> ShelfWords | None:
    """The last index with the documents that are not as they were; None where it must be made anew.

    Sections are numbered through the shelf, so each document has to stand where it stood.
    """
    now = [(part.first, part.sections) for part, _ in ordered]
    if now != [(part.first, part.sections) for part in last.parts]:
        return None
    changes: list[Change] = []
    number = 0
    for before, (part, document) in zip(last.parts, ordered, strict=True):
        if before.key != part.key:
            words = store.read(before.key)
            if words is None:
                return None
            changes.append(Change(number, words, _words(part, document, store)))
        number += part.sections
    try:
        return changed(read_words(current.release.read), changes)
    except (ShelfDamaged, NotOnShelf):
        return None


def _words(part: Part, document: Searched, store: WordStore) -> DocumentWords:
    words = store.read(part.key)
    return document.words() if words is None else words


def _holds(current: CurrentRelease, last: LastIndex) -> bool:
    row = current.release.files.get(shard_path(CATALOG))
    return row is not None and row.sha256 == last.catalog


def _published(current: CurrentRelease) -> dict[str, Content] | None:
    """The index that the current release holds, without twins; None where a file of it is not what it was."""
    files: dict[str, Content] = {}
    for path, row in current.release.files.items():
        if path.startswith(f"{SEARCH_FOLDER}/") and path not in current.release.twins:
            if current.same_file(path, row.bytes, row.sha256) is None:
                return None
            files[path] = Known(current.folder, path, row.bytes, row.sha256)
    return files


def _file(content: Content) -> Path:
    assert not isinstance(content, bytes), "the files of a document stand on disk"
    return content.file if isinstance(content, Known) else content


def _job(document: Searched, out: Path, limits: Limits) -> dict[str, Any]:
    return {
        "meta": str(_file(document.files[document.meta_path])),
        "texts": {it.path: str(_file(document.files[it.path])) for it in document.meta.sections},
        "out": str(out),
        "limits": asdict(limits),
        "engine": "fast",
    }
