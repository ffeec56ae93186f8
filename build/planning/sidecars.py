"""Writes sidecars for sources that have none, with what a build would find, for people to edit."""

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from docshelf.build.converting.convert import PAGES_FILE, check_engine, choose_engine, convert, worker_keys
from docshelf.build.converting.converted import EngineOptions, load_conversion
from docshelf.build.cutting.furniture import drop_furniture
from docshelf.build.cutting.titles import document_title, first_text, text_language, title_page
from docshelf.build.headings.find import find_headings
from docshelf.build.planning.sources import READABLE, SIDECAR_SUFFIX, Source, read_source_folder
from docshelf.serve.config import Quality, ShelfConfig, SourceConfig, parse_config
from docshelf.serve.errors import BuildError, SourceError
from docshelf.serve.manifest import FILES_FILE, SHELF_FILE

_LANGUAGE_SAMPLE = 20_000
"""Characters that tell the language of a document."""


@dataclass(frozen=True, slots=True)
class SidecarOutcome:
    """What became of one source."""

    outcome: Literal["written", "there", "unreadable"]
    """`there`: it had a sidecar already."""
    source: str
    """Path in the source folder."""
    file: Path
    """The sidecar on disk; where the source is unreadable, none was written."""
    reason: str = ""
    """Why the source cannot be read, and what to do; else ""."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One source that is being read."""

    source: Source
    sidecar: Path
    quality: Quality
    out: Path
    facts: "Future[dict[str, Any]]"


def write_sidecars(
    place: Path,
    output: Path,
    executor: Executor,
    *,
    quality: Quality | None = None,
    all_keys: bool = False,
) -> Iterator[SidecarOutcome]:
    """What became of each source in the folder `place`, or of the file `place`, in the order of their paths.

    What lies in `output`, where the shelf is built, is no source. Nothing is overwritten. `quality` overrides
    what the settings of the folder say. A sidecar holds title, description and language; with `all_keys` each
    key but `password_env`, with the value that a build would use now.

    Raises: BuildError where `place` may be no source or a sidecar cannot be written; ConfigError where the
        settings are wrong; MissingExtra.
    """
    config, sources = _sources(place, output)
    with tempfile.TemporaryDirectory(prefix="docshelf-") as folder:
        names = {parent: _names(parent) for parent in {it.file.parent for it in sources}}
        begun = [
            _begin(source, names[source.file.parent], config, quality, Path(folder) / str(number), executor)
            for number, source in enumerate(sources)
        ]
        for job in begun:
            yield job if isinstance(job, SidecarOutcome) else _finish(job, config, all_keys)


def read_facts(job: dict[str, Any]) -> dict[str, Any]:
    """Title and language of the file `job["source"]`, as a build finds them. Runs in a worker.

    The job is what `convert` takes, and `stem`, `default_language`, `heading_sources`.

    Raises: SourceError with a code and what to do where nothing can be read.
    """
    convert(job)
    pages = Path(job["out"]) / PAGES_FILE
    with pages.open(encoding="utf-8") as lines:
        converted = load_conversion(lines)
    pages.unlink()
    headed = find_headings(drop_furniture(converted), tuple(job["heading_sources"])).document
    headings = (
        " ".join(line.text for line in block.lines)
        for page in headed.pages
        for block in page.blocks
        if block.kind == "heading"
    )
    names = (name for name in (title_page(headed), *headings) if name)
    return {
        "title": document_title(None, converted.end.metadata_title, names, job["stem"]),
        "language": text_language(first_text(headed), job["default_language"]),
    }


def _sources(place: Path, output: Path) -> tuple[ShelfConfig, Sequence[Source]]:
    """The settings and the sources that are meant."""
    _refuse_release(place)
    if place.is_dir() or not place.exists():
        folder = read_source_folder(place, output)
        if not folder.sources:
            raise BuildError(f"{place}: holds no PDF that goes onto the shelf; put documents there")
        return folder.config, [replace(it, file=place / it.path) for it in folder.sources]
    if place.suffix.lower() not in READABLE or not place.is_file():
        raise BuildError(f"{place}: is no PDF; name a PDF or a folder of them")
    return parse_config(b"{}", ""), [Source(place.name, place, SourceConfig())]


def _refuse_release(place: Path) -> None:
    """Raises BuildError where `place` lies in a release: nothing is changed there."""
    resolved = place.resolve()
    for folder in (resolved, *resolved.parents):
        if (folder / SHELF_FILE).is_file() and (folder / FILES_FILE).is_file():
            raise BuildError(
                f"{place}: lies in a built shelf, which is never changed; name the folder with the sources"
            )


def _begin(
    source: Source,
    names: Counter[str],
    config: ShelfConfig,
    quality: Quality | None,
    out: Path,
    executor: Executor,
) -> _Job | SidecarOutcome:
    sidecars = _sidecar_files(source, names)
    found = [file for file in sidecars if os.path.lexists(file)]
    if found:
        return _there(source, found[0])
    used = quality or source.category_quality(config) or config.quality
    engine = choose_engine(used)
    check_engine(engine)
    out.mkdir()
    job = {
        "source": str(source.file.resolve()),
        "out": str(out),
        "engine": engine,
        "options": asdict(EngineOptions(pictures="none", repair_text=config.repair_text)),
        "password": None,
        "limits": asdict(config.limits[engine]),
        "stem": source.stem,
        "default_language": config.default_language,
        "heading_sources": list(config.heading_sources),
        **worker_keys(engine),
    }
    return _Job(source, sidecars[0], used, out, executor.submit(read_facts, job))


def _finish(job: _Job, config: ShelfConfig, all_keys: bool) -> SidecarOutcome:
    try:
        facts = job.facts.result()
    except SourceError as exc:
        return SidecarOutcome("unreadable", job.source.path, job.sidecar, str(exc))
    finally:
        shutil.rmtree(job.out, ignore_errors=True)
    values = {"title": facts["title"], "description": "", "language": facts["language"]}
    if all_keys:
        usual = SourceConfig()
        values |= {
            "quality": job.quality,
            "split": config.split,
            "order": usual.order,
            "hidden": usual.hidden,
            "repair_text": config.repair_text,
        }
    return _write(job, json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def _write(job: _Job, text: str) -> SidecarOutcome:
    try:
        with job.sidecar.open("x", encoding="utf-8") as writer:
            writer.write(text)
    except FileExistsError:
        return _there(job.source, job.sidecar)
    except OSError as exc:
        raise BuildError(
            f"{job.sidecar}: cannot be written: {exc.strerror}; give this user the right to write there"
        ) from exc
    return SidecarOutcome("written", job.source.path, job.sidecar)


def _there(source: Source, sidecar: Path) -> SidecarOutcome:
    return SidecarOutcome("there", source.path, sidecar)


def _sidecar_files(source: Source, names: Counter[str]) -> tuple[Path, ...]:
    """Where the sidecar of a source may stand, the place for a new one first.

    STEM.meta.json only where it can mean no other file of the folder.
    """
    short = source.file.with_name(f"{source.stem}{SIDECAR_SUFFIX}")
    full = source.file.with_name(f"{source.file.name}{SIDECAR_SUFFIX}")
    return (short, full) if names[source.stem] == 1 else (full,)


def _names(folder: Path) -> Counter[str]:
    """How many files of a folder a sidecar could mean by each name: files count by name and by stem."""
    files = [entry for entry in folder.iterdir() if not entry.is_dir()]
    return Counter(name for file in files for name in {file.name, file.stem})
