"""Conversions kept between builds: safe to delete, and a damaged entry is a miss, never a wrong page.

A key is what produced an entry and what it was made from: sha256 of the source's bytes, engine,
versions and options.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.releasing.digests import measure

DEFAULT_LIMIT_BYTES = 2 * 1024**3
"""What may stay of conversions that the last build did not use, together with those it did."""

_SEAL = "seal.json"
"""Holds the entry's key, and its other files with their sha256; written last."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One conversion in the cache."""

    used_s: float
    """When a build last used it, in seconds since 1970."""
    key: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries are folders of files under `folder`; only one build writes at a time (the output's lock)."""

    folder: Path

    def find(self, key: str) -> Path | None:
        """The folder of the entry, or None where there is none or it does not hold what was stored."""
        entry = self.folder / key
        try:
            seal = json.loads((entry / _SEAL).read_bytes())
            files: dict[str, str] = seal["files"]
            whole = (
                seal["key"] == key
                and {file.name for file in entry.iterdir()} == {*files, _SEAL}
                and all(measure(entry / name)[1] == digest for name, digest in files.items())
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            whole = False
        if not whole:
            shutil.rmtree(entry, ignore_errors=True)
        return entry if whole else None

    def workplace(self, name: str) -> Path:
        """A new empty folder to make an entry in; `store` takes it."""
        place = self.folder / f".{name}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return place

    def store(self, key: str, place: Path) -> Path:
        """The folder of the entry, made of what stands in its workplace.

        A whole entry that is there already stays: a worker may be reading it, since two sources of the
        same bytes are converted at the same time.
        """
        entry = self.find(key)
        if entry is not None:
            shutil.rmtree(place, ignore_errors=True)
            return entry
        entry = self.folder / key
        files = {file.name: measure(file)[1] for file in sorted(place.iterdir())}
        (place / _SEAL).write_text(json.dumps({"key": key, "files": files}), encoding="utf-8")
        shutil.rmtree(entry, ignore_errors=True)
        place.replace(entry)
        return entry

    def mark_used(self, keys: Collection[str]) -> None:
        """Notes that a build used these entries, now."""
        now = time.time()
        for key in keys:
            with suppress(OSError):
                os.utime(self.folder / key, (now, now))

    def entries(self) -> list[Entry]:
        """All entries, the one that was not used for longest first."""
        return sorted(self._entries())

    def prune(self, limit_bytes: int, staying: Collection[str] = ()) -> list[Entry]:
        """Removes what was not used for longest until `limit_bytes` are left; gives what it removed.

        The keys in `staying` stay in any case, and count.
        """
        entries = self.entries()
        excess = sum(entry.size_bytes for entry in entries) - limit_bytes
        removed: list[Entry] = []
        for entry in entries:
            if excess <= 0:
                break
            if entry.key not in staying:
                # A reader never meets half an entry: it goes by its name first.
                doomed = self.folder / f".{entry.key}"
                (self.folder / entry.key).rename(doomed)
                shutil.rmtree(doomed)
                excess -= entry.size_bytes
                removed.append(entry)
        return removed

    def drop_workplaces(self) -> None:
        """Clears what a build left that was killed or that the disk refused; no worker may be running."""
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                if entry.name.startswith("."):
                    shutil.rmtree(entry.path, ignore_errors=True)

    def _entries(self) -> Iterator[Entry]:
        """Each entry; one that a build takes away meanwhile is passed over."""
        folders: list[os.DirEntry[str]] = []
        with suppress(FileNotFoundError):
            folders += os.scandir(self.folder)
        for folder in folders:
            with suppress(FileNotFoundError):
                if folder.is_dir(follow_symlinks=False) and not folder.name.startswith("."):
                    sizes = [file.stat(follow_symlinks=False).st_size for file in os.scandir(folder.path)]
                    yield Entry(folder.stat().st_mtime, folder.name, sum(sizes))


def cache_key(parts: Mapping[str, object]) -> str:
    """The key for what `parts` name: 32 hex digits."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
