"""The whole way from a source folder to a published release. Stages do not know each other; this does."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docshelf.build.addresses import Address, Addresses, assign_addresses
from docshelf.build.cache import Cache
from docshelf.build.convert import check_engine, choose_engine
from docshelf.build.converted import EngineOptions
from docshelf.build.digests import Content
from docshelf.build.documents import Made, Work, Workplace, make_documents, refused
from docshelf.build.git import source_commit
from docshelf.build.indexes import write_index
from docshelf.build.pages import ShelfView
from docshelf.build.plan import DocumentPlan
from docshelf.build.progress import Progress
from docshelf.build.release import CurrentRelease, Published, current_release, output_lock, publish
from docshelf.build.render import check_theme, render_page
from docshelf.build.shelf import Listed, breadcrumbs_to, category_tree, index_views, shelf_indexes
from docshelf.build.snapshots import Snapshot, take_snapshot
from docshelf.build.sources import Source, SourceFolder, read_source_folder
from docshelf.build.stubs import moved_addresses, stub_files
from docshelf.build.theme import Theme, load_theme
from docshelf.build.wording import wording
from docshelf.serve.config import Quality, ShelfConfig, password_of
from docshelf.serve.errors import BuildError, ConfigError, SourceError
from docshelf.serve.manifest import DocumentEntry, Finding, ShelfManifest


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did."""

    published: Published
    documents: tuple[Made, ...]
    """Every source's outcome, by path."""
    findings: tuple[Finding, ...]
    """All findings, sorted, as shelf.json holds them."""


def build_shelf(
    source: Path,
    output: Path,
    *,
    quality: Quality | None,
    executor: Callable[[], Executor],
    progress: Progress,
) -> BuildResult:
    """Builds the shelf of `source` into `output` and makes it current.

    `quality` overrides the shelf's own; sidecars and categories still have the last word. `executor`
    makes what the documents are handed to; it is closed when they are done.

    Raises: ConfigError, BuildError, MissingExtra; the release that was current still is.
    """
    folder = read_source_folder(source, output)
    if not folder.sources:
        raise BuildError(_nothing_to_read(folder))
    theme_folder = folder.folder / folder.config.theme if folder.config.theme else None
    theme = load_theme(theme_folder)
    check_theme(theme)
    with output_lock(output):
        current = current_release(output)
        work_folder = output / ".work"
        shutil.rmtree(work_folder, ignore_errors=True)
        try:
            addresses = assign_addresses(it.path for it in folder.sources)
            works, begun = _works(folder, addresses, current, work_folder, quality)
            for engine in {work.engine for work in works}:
                check_engine(engine)
            cache = Cache(output / ".cache" / "conversions")
            cache.drop_workplaces()
            progress.begin(len(works))
            with executor() as pool:
                theme_name = str(theme_folder) if theme_folder else None
                place = Workplace(pool, cache, work_folder, theme_name)
                made = [*begun, *make_documents(works, place, progress)]
            made.sort(key=lambda it: it.source)
            progress.say("publishing")
            return _publish(folder, addresses, made, theme, output, current)
        finally:
            shutil.rmtree(work_folder, ignore_errors=True)


def _works(
    folder: SourceFolder,
    addresses: Addresses,
    current: CurrentRelease | None,
    work_folder: Path,
    quality: Quality | None,
) -> tuple[list[Work], list[Made]]:
    """What is to be made, and the outcome of sources that cannot even be read from disk."""
    snapshots = work_folder / "sources"
    snapshots.mkdir(parents=True)
    works: list[Work] = []
    begun: list[Made] = []
    problems: list[str] = []
    for number, source in enumerate(folder.sources):
        address = addresses.documents[source.path]
        suffix = PurePosixPath(source.path).suffix.lower()
        try:
            copy = snapshots / f"{number}{suffix}"
            snapshot = take_snapshot(source.file, copy, current, address.source(suffix))
            password = password_of(source.config, f"the sidecar of {source.path}")
        except ConfigError as exc:
            problems += exc.problems
            continue
        except SourceError as exc:
            begun.append(refused(source.path, exc))
            continue
        plan = _plan(folder.config, source, snapshot, address, addresses, quality)
        works.append(
            Work(
                plan=plan,
                snapshot=snapshot,
                options=EngineOptions(folder.config.page_pictures, _repairs(folder.config, source)),
                password=password,
                limits=folder.config.limits[choose_engine(plan.quality)],
                order=source.config.order,
                last_good=_last_good(source, snapshot, current),
            )
        )
    if problems:
        raise ConfigError(problems)
    return works, begun


def _plan(
    config: ShelfConfig,
    source: Source,
    snapshot: Snapshot,
    address: Address,
    addresses: Addresses,
    quality: Quality | None,
) -> DocumentPlan:
    own = source.config
    suffix = PurePosixPath(source.path).suffix.lower()
    return DocumentPlan(
        source=source.path,
        stem=source.stem,
        sha256=snapshot.sha256,
        address=address,
        shelf=ShelfView(config.name, config.default_language),
        breadcrumbs=breadcrumbs_to(source.folder, config, addresses.categories),
        title=own.title,
        description=own.description,
        language=own.language,
        default_language=config.default_language,
        quality=own.quality or source.category_quality(config) or quality or config.quality,
        split=config.split if own.split is None else own.split,
        heading_sources=config.heading_sources,
        budget=config.budget,
        source_file=address.source(suffix) if config.include_sources else "",
    )


def _repairs(config: ShelfConfig, source: Source) -> bool:
    own = source.config.repair_text
    return config.repair_text if own is None else own


def _last_good(source: Source, snapshot: Snapshot, current: CurrentRelease | None) -> Snapshot | None:
    """The source as the current release holds it, where that is another version than the one on disk."""
    if current is None:
        return None
    for entry in current.release.manifest.documents:
        if entry.source != source.path:
            continue
        meta = current.release.meta(entry.meta)
        if meta.sha256 == snapshot.sha256:
            return None
        for path, row in current.release.files.items():
            if path.startswith("sources/") and row.sha256 == meta.sha256:
                return Snapshot(current.folder / path, row.sha256, row.bytes)
    return None


def _publish(
    folder: SourceFolder,
    addresses: Addresses,
    made: Sequence[Made],
    theme: Theme,
    output: Path,
    current: CurrentRelease | None,
) -> BuildResult:
    listed = [Listed(it.meta, it.order, it.about) for it in made if it.meta is not None]
    findings = sorted(
        {*folder.findings, *_address_findings(addresses), *(f for it in made for f in it.findings)}
    )
    if not listed:
        reasons = "\n".join(f"  {finding}" for finding in findings if finding.severity == "error")
        raise BuildError(f"{folder.folder}: no document could be read, so nothing was published:\n{reasons}")
    files: dict[str, Content] = {}
    for it in made:
        files.update(it.files)
    files.update(_index_files(listed, folder.config, addresses, theme))
    files.update(_stubs(listed, folder.config, files, current))
    files.update(theme.assets())
    manifest = ShelfManifest(
        name=folder.config.name,
        description=folder.config.description,
        language=folder.config.default_language,
        release="",
        source_commit=source_commit(folder.folder),
        budget=folder.config.budget,
        documents=tuple(
            DocumentEntry(it.meta.source, it.meta.path, addresses.documents[it.meta.source].meta)
            for it in listed
        ),
        findings=tuple(findings),
    )
    published = publish(output, files, manifest, current, folder.config.keep)
    return BuildResult(published, tuple(made), tuple(findings))


def _index_files(
    listed: Sequence[Listed], config: ShelfConfig, addresses: Addresses, theme: Theme
) -> Mapping[str, bytes]:
    """Every index of the shelf and its categories: Markdown, llms.txt and HTML."""
    root = category_tree(listed, config, addresses.categories)
    indexes = shelf_indexes(root, config)
    shelf = ShelfView(config.name, config.default_language)
    files: dict[str, bytes] = {}
    for index, view in index_views(root, indexes, config):
        markdown = write_index(index)
        files[index.path] = markdown.encode()
        files[view.path] = render_page(markdown, view, shelf, theme)
    base = config.base_url
    for found in indexes.values():
        path = f"{found[0].path.removesuffix('index.md')}llms.txt"
        url = (lambda path, base=base: f"{base}{path}") if base else None
        files[path] = write_index(found[0], url).encode()
    return files


def _stubs(
    listed: Sequence[Listed],
    config: ShelfConfig,
    files: Mapping[str, Content],
    current: CurrentRelease | None,
) -> dict[str, bytes]:
    """What stands at addresses of the release before that fell away."""
    if current is None:
        return {}
    moved = moved_addresses(current.release.files, current.release.moved, files.keys())
    titles = {section.path: section.title for it in listed for section in it.meta.sections}
    titles |= {it.meta.path: it.meta.title for it in listed}
    return stub_files(moved, titles, wording(config.default_language))


def _address_findings(addresses: Addresses) -> list[Finding]:
    return [
        Finding(
            path,
            0,
            "info",
            "address",
            "its name meets another one's in the same folder; it was given "
            f"the address {addresses.documents[path].base}",
        )
        for path in addresses.met
        if path in addresses.documents
    ]


def _nothing_to_read(folder: SourceFolder) -> str:
    others = "".join(f"\n  {finding}" for finding in folder.findings[:20])
    return f"{folder.folder}: holds no PDF, so nothing was published; put documents there{others}"
