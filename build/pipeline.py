"""The whole way from a source folder to a published release. Stages do not know each other; this does."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from docshelf.build.caching.memory import Memory
from docshelf.build.caching.versions import composing_version
from docshelf.build.converting.convert import check_engine, engine_versions
from docshelf.build.documents import make_documents
from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.shelf import Listed, category_tree, index_views, shelf_indexes
from docshelf.build.indexing.stubs import moved_addresses, stub_files
from docshelf.build.planning.addresses import Addresses, assign_addresses
from docshelf.build.planning.sources import SourceFolder, read_source_folder
from docshelf.build.planning.works import plan_works
from docshelf.build.progress import Progress
from docshelf.build.releasing.digests import Content
from docshelf.build.releasing.disk import write_failed
from docshelf.build.releasing.git import source_commit
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.release import CurrentRelease, Published, current_release, publish
from docshelf.build.rendering.home import home_cards, home_index
from docshelf.build.rendering.index_pages import IndexPages
from docshelf.build.rendering.packing import Packer
from docshelf.build.rendering.pages import SEARCH_PAGE, ShelfView
from docshelf.build.rendering.render import check_theme, render_search_page
from docshelf.build.rendering.theme import load_theme
from docshelf.build.searching.making import Searched, make_words, search_index
from docshelf.build.wording import wording
from docshelf.build.workers.workplace import Made, Workplace
from docshelf.serve.config import Quality, ShelfConfig
from docshelf.serve.errors import BuildError
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
        memory = Memory(output)
        addresses = assign_addresses(it.path for it in folder.sources)
        works = plan_works(folder, addresses, memory.memo, quality)
        for engine in {work.engine for work in works}:
            check_engine(engine)
        progress.begin(len(works))
        with _work_folder(output, memory) as work_folder:
            packer = Packer(folder.config.compress, memory.packed, current, work_folder / "packed")
            with executor() as pool:
                place = Workplace(
                    executor=pool,
                    cache=memory.cache,
                    notes=memory.notes,
                    memo=memory.memo,
                    current=current,
                    folder=work_folder,
                    theme=str(theme_folder) if theme_folder else None,
                    theme_fingerprint=theme.fingerprint,
                    versions={engine: engine_versions(engine) for engine in {work.engine for work in works}},
                    composing=composing_version(),
                )
                made = sorted(make_documents(works, place, progress), key=lambda it: it.source)
                searched, unsearched = make_words(
                    _searched(made, addresses), memory.words, pool, folder.config.limits["fast"]
                )
            progress.say("publishing")
            search, index = search_index(searched, memory.words, current)
            found = replace(folder, findings=(*folder.findings, *unsearched))
            view = ShelfView(folder.config.name, folder.config.default_language)
            pages = IndexPages(view, theme, place.composing, memory.notes, current)
            result = _publish(found, addresses, made, search, pages, packer, output, current)
        memory.remember(made, pages, index, packer, result.published)
        return result


@contextmanager
def _work_folder(output: Path, memory: Memory) -> Iterator[Path]:
    """A private folder that is gone afterwards, as are the places of conversions that came to no end.

    Raises: BuildError where the disk refuses what is written there.
    """
    folder = output / ".work"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        (folder / "sources").mkdir(parents=True)
        yield folder
    except OSError as exc:
        raise write_failed(output, exc) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        memory.cache.drop_workplaces()


def _searched(made: Sequence[Made], addresses: Addresses) -> list[Searched]:
    """The documents that search is to find."""
    return [
        Searched(it.meta, addresses.documents[it.source].meta, it.files) for it in made if it.meta is not None
    ]


def _publish(
    folder: SourceFolder,
    addresses: Addresses,
    made: Sequence[Made],
    search: Mapping[str, Content],
    pages: IndexPages,
    packer: Packer,
    output: Path,
    current: CurrentRelease | None,
) -> BuildResult:
    listed = [Listed(it.meta, it.order, it.about, it.words) for it in made if it.meta is not None]
    findings = sorted(
        {*folder.findings, *_address_findings(addresses), *(f for it in made for f in it.findings)}
    )
    if not listed:
        reasons = "\n".join(f"  {finding}" for finding in findings if finding.severity == "error")
        raise BuildError(f"{folder.folder}: no document could be read, so nothing was published:\n{reasons}")
    files: dict[str, Content] = {}
    for it in made:
        files.update(it.files)
    files.update(_index_files(listed, folder.config, addresses, pages))
    files.update(_stubs(listed, folder.config, files, current))
    files.update(pages.theme.assets())
    files.update(search)
    files.update(packer.twins(files))
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
        base_url=folder.config.base_url,
    )
    published = publish(output, files, manifest, current, folder.config.keep)
    return BuildResult(published, tuple(made), tuple(findings))


def _index_files(
    listed: Sequence[Listed], config: ShelfConfig, addresses: Addresses, pages: IndexPages
) -> Mapping[str, Content]:
    """Every index of the shelf and its categories: Markdown, llms.txt and HTML."""
    root = category_tree(listed, config, addresses.categories)
    indexes = shelf_indexes(root, config)
    files: dict[str, Content] = {}
    for index, view in index_views(root, indexes, config):
        markdown = write_index(index)
        files[index.path] = markdown.encode()
        if view.path == pages.shelf.home:
            view = replace(view, cards=home_cards(root, config))
            markdown = write_index(home_index(indexes[""], root, config))
        files[view.path] = pages.page(markdown, view)
    files[SEARCH_PAGE] = render_search_page(pages.shelf, pages.theme, home_cards(root, config))
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
