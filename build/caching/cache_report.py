"""What `docshelf cache` says and removes: everything in `SITE/.cache` is safe to delete."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from docshelf.build.caching.cache import DEFAULT_LIMIT_BYTES, Cache, Entry
from docshelf.build.caching.refusals import Refusals
from docshelf.build.releasing.disk import write_failed
from docshelf.build.releasing.lock import output_lock
from docshelf.serve.errors import BuildError

CACHE_FOLDER = ".cache"
CONVERSIONS, NOTES, REFUSALS, WORDS = "conversions", "notes", "refusals", "words"
"""Names of folders in the cache folder: one of entries, the others of files."""
SOURCES, PACKED = "sources", "packed"
"""Names of files there."""

_SIZE = re.compile(r"(?P<number>[0-9]{1,15})(?P<unit>[KMGT]?)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def cache_lines(site: Path) -> Iterator[str]:
    """The entries of each kind with their bytes, and when conversions were last used.

    Raises: BuildError where `site` holds no cache.
    """
    folder = _cache_folder(site)
    entries = Cache(folder / CONVERSIONS).entries()
    yield f"conversions: {_counted(entries)}"
    if entries:
        yield f"  last used (UTC): {_time(entries[0].used_s)} to {_time(entries[-1].used_s)}"
    for name, kind in ((NOTES, "notes"), (REFUSALS, "refusals"), (WORDS, "searched words")):
        sizes = _sizes(folder / name)
        yield f"{kind} of documents: {len(sizes):,}, {sum(sizes):,} bytes"
    for name, kind in ((SOURCES, "stats of sources"), (PACKED, "facts of packed twins")):
        with suppress(FileNotFoundError):
            yield f"{kind}: {(folder / name).stat().st_size:,} bytes"
    yield f"builds remove what they do not use where conversions exceed {DEFAULT_LIMIT_BYTES:,} bytes"


def prune_cache(site: Path, limit_bytes: int) -> str:
    """Removes conversions, the one that was not used for longest first, and all refusals; says how many.

    Raises: BuildError where `site` holds no cache, a build runs there, or the disk refuses.
    """
    folder = _cache_folder(site)
    cache = Cache(folder / CONVERSIONS)
    with output_lock(site):
        try:
            cache.drop_workplaces()
            removed = cache.prune(limit_bytes)
            forgotten = Refusals(folder / REFUSALS).forget_others()
        except OSError as exc:
            raise write_failed(site, exc, "not all was removed") from exc
    return f"removed: {_counted(removed)}; refusals forgotten: {forgotten:,}"


def size_in_bytes(text: str) -> int:
    """The bytes that `500M` or `2G` (of 1,024) means; a plain number is bytes.

    Raises: ValueError.
    """
    match = _SIZE.fullmatch(text.strip().upper().removesuffix("B").removesuffix("I"))
    if match is None:
        raise ValueError(f"{text!r} is no size; write it as 500M or 2G")
    return int(match["number"]) * _UNITS[match["unit"]]


def _cache_folder(site: Path) -> Path:
    folder = site / CACHE_FOLDER
    if not folder.is_dir():
        raise BuildError(f"{site} holds no cache; name the folder that docshelf build wrote")
    return folder


def _sizes(folder: Path) -> list[int]:
    try:
        return [entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder)]
    except FileNotFoundError:
        return []


def _counted(entries: list[Entry]) -> str:
    return f"{len(entries):,}, {sum(entry.size_bytes for entry in entries):,} bytes"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
