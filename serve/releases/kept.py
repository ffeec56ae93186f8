"""The releases that a site keeps: what each one holds, which is current, and which ones are pinned.

A pin is an empty file `SITE/.pins/RELEASE`, outside the trees, which are never changed.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.releases.tree import Release

CURRENT = "current"
PINS = ".pins"

_RELEASE_ID = re.compile(r"[0-9a-f]{16}")
_TARGET = re.compile(r"releases/([0-9a-f]{16})")


@dataclass(frozen=True, slots=True)
class KeptRelease:
    """One release that is still on disk."""

    id: str
    built_s: float
    """Seconds since 1970 when its tree was written: the time of its folder."""
    documents: int
    size_bytes: int
    """Of all its files; files that did not change share their place on disk with other releases."""
    source_commit: str | None
    """As shelf.json says it; None where the sources are in no repository."""
    is_current: bool
    is_pinned: bool
    fault: str = ""
    """Why its manifest cannot be read; "" where it can."""


def kept_ids(site: Path) -> tuple[str, ...]:
    """The names of all releases in `site`, sorted; at least one.

    Raises: ShelfDamaged where it is no folder that `docshelf build` wrote.
    """
    try:
        with os.scandir(site / "releases") as entries:
            found = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as exc:
        raise ShelfDamaged(
            f"{site} keeps no releases ({exc.strerror}); name the folder that docshelf build wrote"
        ) from exc
    kept = tuple(sorted(name for name in found if _RELEASE_ID.fullmatch(name)))
    if not kept:
        raise ShelfDamaged(f"{site} keeps no releases; run docshelf build")
    return kept


def current_id(site: Path) -> str | None:
    """The release that `current` leads to; None where it leads to none."""
    try:
        match = _TARGET.fullmatch(str((site / CURRENT).readlink()))
    except OSError:
        return None
    return match[1] if match else None


def pinned_ids(site: Path) -> frozenset[str]:
    """The releases that are pinned, whether they are there or not.

    Raises: OSError where the pins cannot be read; without them nothing may be removed.
    """
    try:
        names = os.listdir(site / PINS)  # noqa: PTH208  names, not paths
    except FileNotFoundError:
        return frozenset()
    return frozenset(name for name in names if _RELEASE_ID.fullmatch(name))


def find_release(site: Path, text: str) -> str:
    """The name of the kept release that `text` means: `current`, its name, or how only its name begins.

    Raises: ShelfDamaged where nothing is kept; NotOnShelf naming what is.
    """
    kept = kept_ids(site)
    if text == CURRENT:
        current = current_id(site)
        if current in kept:
            return current
        raise NotOnShelf(f"no release is current; kept: {', '.join(kept)}")
    meant = [release for release in kept if text and release.startswith(text)]
    if len(meant) == 1:
        return meant[0]
    problem = f"means {len(meant)} releases" if meant else "is no release that is kept"
    raise NotOnShelf(f"{text!r} {problem}; name one of them: {', '.join(meant or kept)}")


def open_release(site: Path, text: str) -> Release:
    """The kept release that `text` means, as `find_release` reads it.

    Raises: as `find_release`; ShelfDamaged where the folder holds another release or none.
    """
    name = find_release(site, text)
    release = Release(site / "releases" / name)
    if release.id != name:
        raise ShelfDamaged(f"releases/{name} holds the release {release.id}; remove it or build again")
    return release


def kept_releases(site: Path) -> tuple[KeptRelease, ...]:
    """Every kept release, the latest first.

    Raises: ShelfDamaged where there is none; OSError where the pins cannot be read.
    """
    current, pinned = current_id(site), pinned_ids(site)
    found = [_kept_release(site, name, name == current, name in pinned) for name in kept_ids(site)]
    return tuple(sorted(found, key=lambda it: (-it.built_s, it.id)))


def release_lines(kept: Sequence[KeptRelease]) -> list[str]:
    """A table for people: a head, then one line per release."""
    rows = [("release", "built (UTC)", "documents", "bytes", "source commit", "")]
    for it in kept:
        built = datetime.fromtimestamp(it.built_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
        marks = [word for word, holds in (("current", it.is_current), ("pinned", it.is_pinned)) if holds] + [
            f"damaged: {it.fault}"
        ] * bool(it.fault)
        commit = _short_commit(it.source_commit)
        rows.append((it.id, built, str(it.documents), f"{it.size_bytes:,}", commit, ", ".join(marks)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    right = (2, 3)
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, [*widths, 0], strict=True))
        ).rstrip()
        for row in rows
    ]


def _kept_release(site: Path, name: str, is_current: bool, is_pinned: bool) -> KeptRelease:
    built_s, documents, size_bytes, commit, fault = 0.0, 0, 0, None, ""
    try:
        built_s = (site / "releases" / name).stat().st_mtime
        release = open_release(site, name)
        documents = len(release.manifest.documents)
        size_bytes = sum(row.bytes for row in release.files.values())
        commit = release.manifest.source_commit
    except OSError as exc:
        fault = exc.strerror or str(exc)
    except (ShelfDamaged, NotOnShelf) as exc:
        fault = str(exc)
    return KeptRelease(name, built_s, documents, size_bytes, commit, is_current, is_pinned, fault)


def _short_commit(commit: str | None) -> str:
    """Twelve signs of the hash and what stands behind it; a dash where there is none."""
    if commit is None:
        return "-"
    name, plus, changes = commit.partition("+")
    return f"{name[:12]}{plus}{changes}"
