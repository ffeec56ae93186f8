"""Pins releases and makes an older one current again; both under the lock that a build takes."""

from pathlib import Path

from docshelf.build.releasing.disk import fsync_folder, make_folder, write_failed
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.pruning import touch_release
from docshelf.build.releasing.release import make_current, switch_outcome
from docshelf.serve.check import check_release
from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.releases.kept import PINS, current_id, find_release, kept_ids, open_release, pinned_ids

_DAMAGE = frozenset({"release", "missing", "extra", "hash", "meta", "section"})
"""Faults of `docshelf check` that mean a tree is not the one that was built; the others were built so."""


def pin_release(site: Path, text: str) -> str:
    """The release that `text` means, which no build removes from now on.

    Raises: ShelfDamaged, NotOnShelf where it is not kept; BuildError where a build runs or the disk refuses.
    """
    kept_ids(site)  # The lock makes folders where there are none.
    with output_lock(site):
        release = open_release(site, text).id
        try:
            make_folder(site / PINS)
            (site / PINS / release).touch()
            fsync_folder(site / PINS)
        except OSError as exc:
            raise write_failed(site, exc, "nothing was pinned") from exc
    return release


def unpin_release(site: Path, text: str) -> str:
    """The release that `text` means, which the next build may remove.

    A pin may outlive its release: its whole name is enough then.

    Raises: ShelfDamaged, NotOnShelf where it is not pinned; BuildError where a build runs or the disk
        refuses.
    """
    kept_ids(site)
    with output_lock(site):
        try:
            pinned = pinned_ids(site)
            release = text if text in pinned else find_release(site, text)
            if release not in pinned:
                raise NotOnShelf(f"{release} is not pinned; pinned: {', '.join(sorted(pinned)) or 'none'}")
            (site / PINS / release).unlink()
            fsync_folder(site / PINS)
        except OSError as exc:
            raise write_failed(site, exc, "the pin may still be there") from exc
    return release


def roll_back(site: Path, text: str) -> str:
    """The kept release that `text` means, current from now on; every file of it was verified before.

    Raises: ShelfDamaged, NotOnShelf where it is not kept or not whole; BuildError where a build runs or the
        disk refuses. The release that was current still is.
    """
    kept_ids(site)
    with output_lock(site):
        release = open_release(site, text).id
        folder = site / "releases" / release
        damage = [str(fault) for fault in check_release(folder) if fault.code in _DAMAGE]
        if damage:
            raise ShelfDamaged(
                f"release {release} is not whole (faults: {len(damage)}), so it was not made current; "
                f"name another one of docshelf releases, or build again. The first fault: {damage[0]}"
            )
        before = current_id(site)
        try:
            touch_release(folder)
            make_current(site, release)
        except OSError as exc:
            raise write_failed(site, exc, switch_outcome(before, current_id(site))) from exc
    return release
