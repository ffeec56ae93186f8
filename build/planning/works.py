"""What has to be made of each source, by the settings; nothing is read here but stats."""

from pathlib import PurePosixPath

from docshelf.build.converting.convert import choose_engine
from docshelf.build.converting.converted import EngineOptions
from docshelf.build.indexing.shelf import breadcrumbs_to
from docshelf.build.planning.addresses import Addresses
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.snapshots import SourceMemo
from docshelf.build.planning.sources import Source, SourceFolder
from docshelf.build.rendering.pages import ShelfView
from docshelf.build.workers.workplace import Work
from docshelf.serve.config import Quality, ShelfConfig, password_of
from docshelf.serve.errors import ConfigError


def plan_works(
    folder: SourceFolder, addresses: Addresses, memo: SourceMemo, quality: Quality | None
) -> list[Work]:
    """One work per source; `quality` overrides that of the shelf.

    Raises: ConfigError with every password that is missing.
    """
    works: list[Work] = []
    problems: list[str] = []
    for source in folder.sources:
        try:
            works.append(_work(source, folder.config, addresses, memo, quality))
        except ConfigError as exc:
            problems += exc.problems
    if problems:
        raise ConfigError(problems)
    return works


def _work(
    source: Source, config: ShelfConfig, addresses: Addresses, memo: SourceMemo, quality: Quality | None
) -> Work:
    own = source.config
    size_bytes, sha256 = memo.find(source.path, source.file)
    plan = _plan(source, config, addresses, sha256, quality)
    repairs = config.repair_text if own.repair_text is None else own.repair_text
    return Work(
        plan=plan,
        file=source.file,
        size_bytes=size_bytes,
        options=EngineOptions(config.page_pictures, repairs),
        password=password_of(own, f"the sidecar of {source.path}"),
        limits=config.limits[choose_engine(plan.quality)],
        order=own.order,
    )


def _plan(
    source: Source, config: ShelfConfig, addresses: Addresses, sha256: str, quality: Quality | None
) -> DocumentPlan:
    own = source.config
    address = addresses.documents[source.path]
    suffix = PurePosixPath(source.path).suffix.lower()
    return DocumentPlan(
        source=source.path,
        stem=source.stem,
        sha256=sha256,
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
