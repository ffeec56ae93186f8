"""The settings of a shelf (`.docshelf.json`) and of one source (its sidecar), checked whole, then frozen."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal, get_args
from urllib.parse import urlsplit

from docshelf.serve.errors import ConfigError
from docshelf.serve.settings import Settings, parse_object

CONFIG_NAME = ".docshelf.json"
TOKEN_ENV = "DOCSHELF_TOKEN"

Quality = Literal["fast", "auto", "layout", "high"]
EngineName = Literal["fast", "layout", "high"]
HeadingTier = Literal["bookmarks", "contents", "fonts"]
PagePictures = Literal["scans", "doubtful", "none"]
Packing = Literal["gz", "br"]

QUALITIES: tuple[Quality, ...] = get_args(Quality)
HEADING_TIERS: tuple[HeadingTier, ...] = get_args(HeadingTier)
PAGE_PICTURES: tuple[PagePictures, ...] = get_args(PagePictures)
PACKINGS: tuple[Packing, ...] = get_args(Packing)

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the conversion of one document may use."""

    time_s: int
    """Wall-clock seconds."""
    memory_mb: int
    """Address space in MiB."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Sizes in bytes of UTF-8 Markdown."""

    index_bytes: int = 8192
    """Largest index; a larger one is nested."""
    section_bytes: int = 12288
    """A chapter up to this size stays whole."""
    section_min_bytes: int = 2048
    """Smaller neighbours are kept together."""
    section_max_bytes: int = 24576
    """Hard cap of a section, unless `split` is false."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Which releases stay on disk beside the current one."""

    count: int = 5
    age_s: int = 3600


@dataclass(frozen=True, slots=True)
class CategoryConfig:
    """What a folder of the source folder is called and where it stands."""

    title: str | None = None
    description: str = ""
    order: int = 0
    group: str = ""
    quality: Quality | None = None


@dataclass(frozen=True, slots=True)
class ShelfConfig:
    """All settings of a shelf."""

    name: str
    description: str = ""
    base_url: str | None = None
    """Where the tree is published, ending in "/"."""
    default_language: str = "en"
    categories: Mapping[PurePosixPath, CategoryConfig] = field(default_factory=dict)
    """Keyed by folder, relative to the source folder."""
    quality: Quality = "auto"
    split: bool = True
    heading_sources: tuple[HeadingTier, ...] = HEADING_TIERS
    repair_text: bool = True
    budget: Budget = Budget()
    limits: Mapping[EngineName, Limits] = field(default_factory=dict)
    include_sources: bool = True
    page_pictures: PagePictures = "scans"
    keep: Keep = Keep()
    compress: tuple[Packing, ...] = ()
    """Packed twins that stand beside text files."""
    theme: str | None = None
    """Folder that overrides templates, relative to the source folder; None is the built-in theme."""


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """What a sidecar says of its source; None means that the shelf's setting holds."""

    title: str | None = None
    description: str = ""
    language: str | None = None
    quality: Quality | None = None
    split: bool | None = None
    order: int = 0
    hidden: bool = False
    """The source stays off the shelf."""
    password_env: str | None = None
    """Name of the environment variable that holds the document's password."""
    repair_text: bool | None = None


def parse_config(text: bytes, folder_name: str) -> ShelfConfig:
    """The settings in the text of a `.docshelf.json`; `folder_name` names a shelf without a name.

    Raises: ConfigError with all problems at once.
    """
    problems: list[str] = []
    settings = Settings(parse_object(text, CONFIG_NAME), CONFIG_NAME, problems)
    config = ShelfConfig(
        name=settings.text("name", folder_name) or folder_name,
        description=settings.text("description"),
        base_url=_base_url(settings),
        default_language=_language(settings, "default_language") or "en",
        categories=_categories(settings),
        quality=settings.choice("quality", QUALITIES, "auto"),
        split=settings.flag("split", True),
        heading_sources=settings.choices("heading_sources", HEADING_TIERS, HEADING_TIERS),
        repair_text=settings.flag("repair_text", True),
        budget=_budget(settings),
        limits=_limits(settings.table("limits")),
        include_sources=settings.flag("include_sources", True),
        page_pictures=settings.choice("page_pictures", PAGE_PICTURES, "scans"),
        keep=_keep(settings.table("keep")),
        compress=settings.choices("compress", PACKINGS, ()),
        theme=settings.optional_text("theme"),
    )
    settings.close()
    if problems:
        raise ConfigError(problems)
    return config


def parse_sidecar(text: bytes, where: str) -> SourceConfig:
    """The settings in the text of a sidecar named `where`.

    Raises: ConfigError with all problems at once.
    """
    problems: list[str] = []
    settings = Settings(parse_object(text, where), where, problems)
    config = SourceConfig(
        title=settings.optional_text("title") or None,
        description=settings.text("description"),
        language=_language(settings, "language"),
        quality=settings.optional_choice("quality", QUALITIES),
        split=settings.optional_flag("split"),
        order=settings.number("order", 0, low=-(10**6), high=10**6),
        hidden=settings.flag("hidden", False),
        password_env=settings.optional_text("password_env"),
        repair_text=settings.optional_flag("repair_text"),
    )
    if config.password_env is not None and not _ENV_NAME.fullmatch(config.password_env):
        settings.reject("password_env", "must be the name of an environment variable, never the password")
    settings.close()
    if problems:
        raise ConfigError(problems)
    return config


def password_of(config: SourceConfig, where: str) -> str | None:
    """The password that a sidecar points to, from the environment; None where it names none.

    Raises: ConfigError where the variable is not set.
    """
    if config.password_env is None:
        return None
    password = os.environ.get(config.password_env)
    if password is None:
        raise ConfigError([f"{where}: password_env: the variable {config.password_env} is not set; set it"])
    return password


def shelf_token() -> str | None:
    """The token for a running server, from the variable DOCSHELF_TOKEN; None where it is empty or not set."""
    return os.environ.get(TOKEN_ENV) or None


def _base_url(settings: Settings) -> str | None:
    url = settings.optional_text("base_url")
    if url is None:
        return None
    try:
        return folder_url(url)
    except ValueError as exc:
        settings.reject("base_url", str(exc))
        return None


def folder_url(url: str) -> str:
    """An address below which a shelf is published, with "/" at its end.

    Raises: ValueError with a text for who wrote it.
    """
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        well_formed = False
    if not well_formed or parts.query or parts.fragment or any(sign in url for sign in " <>()[]\"'\\"):
        raise ValueError(f"{url!r} is no http or https address of a folder")
    return url.rstrip("/") + "/"


def _language(settings: Settings, key: str) -> str | None:
    language = settings.optional_text(key)
    if language is not None and not _LANGUAGE.fullmatch(language):
        settings.reject(key, f"{language!r} is no language tag such as ru, en or pt-BR")
        return None
    return language


def _categories(settings: Settings) -> dict[PurePosixPath, CategoryConfig]:
    table = settings.table("categories")
    categories: dict[PurePosixPath, CategoryConfig] = {}
    for name, entry in table.tables().items():
        folder = PurePosixPath(name)
        if folder.is_absolute() or ".." in folder.parts or not folder.parts:
            table.reject(name, "must be a folder inside the source folder")
        elif folder in categories:
            table.reject(name, "names a folder that stands here already")
        else:
            categories[folder] = CategoryConfig(
                title=entry.optional_text("title") or None,
                description=entry.text("description"),
                order=entry.number("order", 0, low=-(10**6), high=10**6),
                group=entry.text("group"),
                quality=entry.optional_choice("quality", QUALITIES),
            )
            entry.close()
    return categories


def _budget(settings: Settings) -> Budget:
    table, standard = settings.table("budget"), Budget()
    index = table.number("index_bytes", standard.index_bytes, low=2048, high=1 << 20)
    section = table.number("section_bytes", standard.section_bytes, low=1024, high=1 << 20)
    least = table.number("section_min_bytes", standard.section_min_bytes, low=0, high=1 << 20)
    most = table.number("section_max_bytes", standard.section_max_bytes, low=2048, high=1 << 21)
    if not least <= section <= most:
        settings.reject("budget", "must hold section_min_bytes ≤ section_bytes ≤ section_max_bytes")
    table.close()
    return Budget(index, section, least, most)


def _limits(table: Settings) -> dict[EngineName, Limits]:
    standard: dict[EngineName, Limits] = {
        "fast": Limits(60, 2048),
        "layout": Limits(600, 4096),
        "high": Limits(1800, 16384),
    }
    limits: dict[EngineName, Limits] = {}
    for engine, usual in standard.items():
        entry = table.table(engine)
        limits[engine] = Limits(
            time_s=entry.number("time_s", usual.time_s, low=1, high=86400),
            memory_mb=entry.number("memory_mb", usual.memory_mb, low=256, high=1 << 20),
        )
        entry.close()
    table.close()
    return limits


def _keep(table: Settings) -> Keep:
    keep = Keep(
        count=table.number("count", 5, low=1, high=1000),
        age_s=table.number("age_s", 3600, low=0, high=10**9),
    )
    table.close()
    return keep
