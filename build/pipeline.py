"""The whole way from a source folder to a published release. Stages do not know each other; this does."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from docshelf.build.caching.memory import Memory
from docshelf.build.caching.versions import composing_version
from docshelf.build.caching.warm import Warm
from docshelf.build.converting.convert import check_engine, engine_versions
from docshelf.build.garbage import seldom_collected
from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.shelf import Listed, category_tree, index_views, shelf_indexes
from docshelf.build.indexing.stubs import moved_addresses, stub_files
from docshelf.build.linking import make_linked
from docshelf.build.planning.addresses import Addresses, assign_addresses
from docshelf.build.planning.sources import SourceFolder, read_source_folder
from docshelf.build.planning.works import plan_works
from docshelf.build.progress import Progress
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content
from docshelf.build.releasing.disk import write_failed
from docshelf.build.releasing.git import source_commit
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.pruning import drop_old_releases, remove_retired
from docshelf.build.releasing.release import Published, publish
from docshelf.build.rendering.home import home_cards, home_index
from docshelf.build.rendering.index_pages import IndexPages
from docshelf.build.rendering.packing import Packer
from docshelf.build.rendering.pages import SEARCH_PAGE, ShelfView
from docshelf.build.rendering.render import check_theme, render_search_page
from docshelf.build.rendering.theme import Theme, load_theme
from docshelf.build.searching.making import Searched, make_words, search_index
from docshelf.build.wording import wording
from docshelf.build.workers.workplace import Made, Work, Workplace
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
    warm: Warm | None = None,
) -> BuildResult:
    """Builds the shelf of `source` into `output` and makes it current.

    `quality` overrides the shelf's own; sidecars and categories still have the last word. `executor`
    makes what the documents are handed to; it is closed when they are done. `warm` is what the process has
    read of `output` in builds before; whoever keeps it calls `warm.tidy` once nobody waits.

    Raises: ConfigError, BuildError, MissingExtra; the release that was current still is.
    """
    folder = read_source_folder(source, output)
    if not folder.sources:
        raise BuildError(_nothing_to_read(folder))
    theme = load_theme(_theme_folder(folder))
    check_theme(theme)
    known = warm or Warm(output)
    with seldom_collected(), output_lock(output):
        shelf = _Shelf(folder, output, theme, Memory(output, known.notes), known.current())
        works = plan_works(folder, shelf.addresses, shelf.memory.memo, quality)
        for engine in {work.engine for work in works}:
            check_engine(engine)
        progress.begin(len(works))
        with _work_folder(output, shelf.memory) as work_folder:
            packer = Packer(
                folder.config.compress, shelf.memory.packed, shelf.current, work_folder / "packed"
            )
            with executor() as pool:
                place = shelf.workplace(works, pool, work_folder)
                made = make_linked(works, place, progress)
                searched, unsearched = shelf.make_words(made, pool)
            progress.say("publishing")
            result = shelf.publish(made, searched, unsearched, packer)
    if warm is None:
        remove_retired(output)
    return result


def _theme_folder(folder: SourceFolder) -> Path | None:
    return folder.folder / folder.config.theme if folder.config.theme else None


@dataclass(frozen=True)
class _Shelf:
    """What a build knows before it makes anything."""

    folder: SourceFolder
    output: Path
    theme: Theme
    memory: Memory
    current: CurrentRelease | None

    @cached_property
    def addresses(self) -> Addresses:
        """Of all its documents."""
        return assign_addresses(it.path for it in self.folder.sources)

    @cached_property
    def composing(self) -> str:
        """The version of all that makes pages."""
        return composing_version()

    def workplace(self, works: Sequence[Work], executor: Executor, folder: Path) -> Workplace:
        """Where the documents are made, in the private folder `folder`."""
        theme_folder = _theme_folder(self.folder)
        return Workplace(
            executor=executor,
            cache=self.memory.cache,
            notes=self.memory.notes,
            refusals=self.memory.refusals,
            memo=self.memory.memo,
            current=self.current,
            folder=folder,
            theme=str(theme_folder) if theme_folder else None,
            theme_fingerprint=self.theme.fingerprint,
            versions={engine: engine_versions(engine) for engine in {work.engine for work in works}},
            composing=self.composing,
        )

    def make_words(self, made: Sequence[Made], executor: Executor) -> tuple[list[Searched], list[Finding]]:
        """The documents that search is to find, once their words are kept, and why it will not find others.

        Raises: OSError.
        """
        searched = [
            Searched(it.meta, self.addresses.documents[it.source].meta, it.files)
            for it in made
            if it.meta is not None
        ]
        limits = self.folder.config.limits["fast"]
        return make_words(searched, self.memory.words, self.memory.refusals, executor, limits)

    def publish(
        self,
        made: Sequence[Made],
        searched: Sequence[Searched],
        unsearched: Sequence[Finding],
        packer: Packer,
    ) -> BuildResult:
        """Makes all that stands above the documents, publishes the release, remembers it and takes old ones away.

        Raises: BuildError, ConfigError.
        """
        listed = [Listed(it.meta, it.order, it.about, it.words) for it in made if it.meta is not None]
        found = (f for it in made for f in it.findings)
        findings = sorted({*self.folder.findings, *unsearched, *_address_findings(self.addresses), *found})
        if not listed:
            raise BuildError(_nothing_was_read(self.folder, findings))
        config, notes = self.folder.config, self.memory.notes
        view = ShelfView(config.name, config.default_language)
        pages = IndexPages(view, self.theme, self.composing, notes, self.current)
        search, index = search_index(searched, self.memory.words, self.current)
        files = {path: content for it in made for path, content in it.files.items()}
        files |= _index_files(listed, config, self.addresses, pages)
        files |= _stubs(listed, config, files, self.current)
        files |= self.theme.assets()
        files |= search
        files |= packer.twins(files)
        manifest = self._manifest(listed, findings)
        published = publish(self.output, files, manifest, self.current)
        self.memory.remember(made, pages, index, packer, published)
        drop_old_releases(self.output, published.manifest.release, config.keep)
        return BuildResult(published, tuple(made), tuple(findings))

    def _manifest(self, listed: Sequence[Listed], findings: Sequence[Finding]) -> ShelfManifest:
        """What describes the release, which has no name yet."""
        config = self.folder.config
        return ShelfManifest(
            name=config.name,
            description=config.description,
            language=config.default_language,
            release="",
            source_commit=source_commit(self.folder.folder),
            budget=config.budget,
            documents=tuple(
                DocumentEntry(it.meta.source, it.meta.path, self.addresses.documents[it.meta.source].meta)
                for it in listed
            ),
            findings=tuple(findings),
            base_url=config.base_url,
        )


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
    if not moved:
        return {}
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


def _nothing_was_read(folder: SourceFolder, findings: Sequence[Finding]) -> str:
    reasons = "\n".join(f"  {finding}" for finding in findings if finding.severity == "error")
    return f"{folder.folder}: no document could be read, so nothing was published:\n{reasons}"
