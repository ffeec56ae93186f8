"""The source folder: which files are sources, which are not and why, and what their sidecars say."""

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docshelf.build.planning.walking import Walk, refuse_wide_folder
from docshelf.serve.config import CONFIG_NAME, Quality, ShelfConfig, SourceConfig, parse_config, parse_sidecar
from docshelf.serve.errors import BuildError, ConfigError
from docshelf.serve.manifest import Finding

SIDECAR_SUFFIX = ".meta.json"
READABLE = frozenset({".pdf"})
"""Extensions of the kinds that an engine reads."""

_ADVICE = {
    "office": "save it as PDF (LibreOffice: soffice --headless --convert-to pdf FILE)",
    "djvu": "turn it into PDF with a text layer (ddjvu -format=pdf FILE OUT.pdf, then OCR)",
    "picture": "put it into a PDF (img2pdf FILE -o OUT.pdf), with OCR where it holds text",
    "page": "print it to PDF from a browser",
    "text": "print it to PDF",
}
_UNREAD = {
    **dict.fromkeys(
        (".docx", ".doc", ".odt", ".rtf", ".pptx", ".ppt", ".odp", ".xlsx", ".xls", ".ods"), "office"
    ),
    **dict.fromkeys((".djvu", ".djv"), "djvu"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".svg"), "picture"),
    **dict.fromkeys((".html", ".htm", ".mht", ".xhtml", ".epub", ".chm", ".fb2"), "page"),
    **dict.fromkeys((".md", ".txt", ".tex", ".rst", ".adoc", ".xps", ".ps", ".eps"), "text"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the source folder that goes onto the shelf."""

    path: str
    """Inside the source folder, with "/", as stored on disk."""
    file: Path
    config: SourceConfig

    @property
    def folder(self) -> PurePosixPath:
        """The folder it stands in, "." for the source folder itself."""
        return PurePosixPath(self.path).parent

    def category_quality(self, config: ShelfConfig) -> Quality | None:
        """The quality that the nearest folder above names, or None."""
        folders = (self.folder, *self.folder.parents)
        named = (config.categories[it].quality for it in folders if it in config.categories)
        return next((quality for quality in named if quality is not None), None)

    @property
    def stem(self) -> str:
        """File name without its extension."""
        return PurePosixPath(self.path).stem


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A source folder as it stood at one moment."""

    folder: Path
    config: ShelfConfig
    sources: tuple[Source, ...]
    """Sorted by path."""
    findings: tuple[Finding, ...]
    """Files that are no sources and what to do about them."""


def read_source_folder(folder: Path, output: Path) -> SourceFolder:
    """The sources and settings in `folder`; what lies in `output` or in the theme is never a source.

    Raises: BuildError where the folder cannot be read or must not be one; ConfigError with every
    wrong setting and sidecar at once.
    """
    refuse_wide_folder(folder)
    walk = Walk(folder.resolve(), [output.resolve()])
    problems: list[str] = []
    config = _read_config(walk.root, problems)
    if config.theme:
        walk.left_out.append((walk.root / config.theme).resolve())
    files = dict(sorted(walk.files()))
    sidecars = {path: file for path, file in files.items() if path.endswith(SIDECAR_SUFFIX)}
    configs = _read_sidecars(sidecars, [path for path in files if path not in sidecars], problems)
    folders = {parent for path in files for parent in PurePosixPath(path).parents}
    problems += [
        f"{CONFIG_NAME}: categories: {name}: there is no such folder"
        for name in config.categories
        if name not in folders and not (walk.root / name).is_dir()
    ]
    if problems:
        raise ConfigError(problems)
    sources = (
        Source(path, file, configs.get(path, SourceConfig()))
        for path, file in files.items()
        if PurePosixPath(path).suffix.lower() in READABLE
    )
    return SourceFolder(
        folder=walk.root,
        config=config,
        sources=tuple(source for source in sources if not source.config.hidden),
        findings=tuple(sorted([*walk.findings, *_unread(files)])),
    )


@dataclass(frozen=True, slots=True)
class SeenFolder:
    """What a build would look at in a source folder, at one moment."""

    root: Path
    files: dict[str, Path]
    """Every file by its path: sources, sidecars and what is not read."""
    folders: tuple[Path, ...]
    """The folder itself and all below it that are walked through."""
    findings: tuple[Finding, ...]
    """What is passed over and named."""
    theme: Path | None
    """The theme's folder; None also where the settings cannot be read."""


def see_folder(folder: Path, output: Path) -> SeenFolder:
    """What a build would look at, by the rules of `read_source_folder`; nothing but the settings is read.

    Raises: BuildError where the folder cannot be read or must not be a source folder.
    """
    refuse_wide_folder(folder)
    walk = Walk(folder.resolve(), [output.resolve()])
    config = _read_config(walk.root, [])
    theme = (walk.root / config.theme).resolve() if config.theme else None
    if theme is not None:
        walk.left_out.append(theme)
    files = dict(walk.files())
    return SeenFolder(walk.root, files, tuple(walk.folders), tuple(walk.findings), theme)


def _read_config(root: Path, problems: list[str]) -> ShelfConfig:
    file = root / CONFIG_NAME
    name = os.fsencode(root.name).decode("utf-8", "replace") or "shelf"
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        text = b"{}"
    except OSError as exc:
        raise BuildError(f"{file}: cannot be read: {exc.strerror}") from exc
    try:
        return parse_config(text, name)
    except ConfigError as exc:
        problems += exc.problems
        return parse_config(b"{}", name)


def _read_sidecars(
    sidecars: dict[str, Path], documents: list[str], problems: list[str]
) -> dict[str, SourceConfig]:
    """What each source's sidecar says, by the source's path."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    for path in documents:
        by_stem[str(PurePosixPath(path).with_suffix(""))].append(path)
    configs: dict[str, SourceConfig] = {}
    for path, file in sidecars.items():
        name = path.removesuffix(SIDECAR_SUFFIX)
        targets = [name] if name in documents else by_stem.get(name, [])
        if len(targets) != 1:
            problems.append(f"{path}: {_sidecar_problem(name, targets)}")
            continue
        if targets[0] in configs:
            problems.append(f"{path}: a second sidecar for {targets[0]}; keep one of them")
            continue
        try:
            configs[targets[0]] = parse_sidecar(file.read_bytes(), path)
        except ConfigError as exc:
            problems += exc.problems
        except OSError as exc:
            problems.append(f"{path}: cannot be read: {exc.strerror}")
    return configs


def _sidecar_problem(name: str, targets: list[str]) -> str:
    if not targets:
        return f"there is no source {PurePosixPath(name).name}.*; rename or remove the sidecar"
    meant = " or ".join(f"{PurePosixPath(target).name}{SIDECAR_SUFFIX}" for target in targets)
    return f"belongs to {len(targets)} sources; name it {meant}"


def _unread(files: dict[str, Path]) -> Iterator[Finding]:
    for path in files:
        suffix = PurePosixPath(path).suffix.lower()
        if suffix in READABLE or path.endswith(SIDECAR_SUFFIX):
            continue
        if suffix in _UNREAD:
            text = f"{suffix[1:]} is not read yet; {_ADVICE[_UNREAD[suffix]]}"
            yield Finding(path, 0, "error", "unsupported", text)
        else:
            text = "is of no kind DocShelf knows; put a PDF of it here, or hide it with a leading dot"
            yield Finding(path, 0, "warning", "unknown-kind", text)
