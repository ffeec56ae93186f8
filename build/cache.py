"""Conversions kept between builds: safe to delete, and a damaged entry is a miss, never a wrong page.

A key is what produced an entry and what it was made from: sha256 of the source's bytes, engine,
versions and options.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.digests import measure

_SEAL = "seal.json"
"""Lists the entry's other files with their sha256; written last."""


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries are folders of files under `folder`; only one build writes at a time (the output's lock)."""

    folder: Path

    def find(self, key: str) -> Path | None:
        """The folder of the entry, or None where there is none or it does not hold what was stored."""
        entry = self.folder / key
        try:
            seal: dict[str, str] = json.loads((entry / _SEAL).read_bytes())
            whole = {file.name for file in entry.iterdir()} == {*seal, _SEAL} and all(
                measure(entry / name)[1] == digest for name, digest in seal.items()
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, AttributeError):
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
        seal = {file.name: measure(file)[1] for file in sorted(place.iterdir())}
        (place / _SEAL).write_text(json.dumps(seal), encoding="utf-8")
        shutil.rmtree(entry, ignore_errors=True)
        place.replace(entry)
        return entry

    def remember(self, source: str, key: str, sha256: str) -> None:
        """Notes that the document of `source` was last made of the entry `key`, from bytes with this hash."""
        note = self._note(source)
        note.parent.mkdir(parents=True, exist_ok=True)
        new = note.with_suffix(".new")
        new.write_text(json.dumps([key, sha256]), encoding="utf-8")
        new.replace(note)

    def last_made(self, source: str) -> tuple[str, str] | None:
        """Key and source's sha256 that `remember` noted; None where nothing is known."""
        try:
            key, sha256 = json.loads(self._note(source).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return str(key), str(sha256)

    def _note(self, source: str) -> Path:
        return self.folder.with_name("last-made") / hashlib.sha256(source.encode()).hexdigest()[:32]

    def drop_workplaces(self) -> None:
        """Clears what a killed build left."""
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                if entry.name.startswith("."):
                    shutil.rmtree(entry.path, ignore_errors=True)


def cache_key(parts: Mapping[str, object]) -> str:
    """The key for what `parts` name: 32 hex digits."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
