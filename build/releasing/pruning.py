"""Removes releases that nobody is promised any more, and what a build that was killed left behind."""

import logging
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

from docshelf.serve.config import Keep
from docshelf.serve.releases.kept import pinned_ids

log = logging.getLogger(__name__)

PRIVATE = ".tmp-"
"""How names begin that belong to one build; nobody reads there, and the next build removes them."""
RETIRED = ".old-"
"""How names of releases begin that nobody is promised any more: readers do not find them, their files may go."""
MOST = 4
"""However young they are, no more than so many times `keep.count` releases stay: a shelf that is saved every
few seconds for an hour would fill the disk. With the default that is 20, the last 20 switches of readers."""


@contextmanager
def private_folder(releases: Path) -> Iterator[Path]:
    """A new folder to make a release in; what stands at its name at the end is removed.

    Raises: OSError where it cannot be made.
    """
    folder = releases / f"{PRIVATE}{os.getpid()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_private(output: Path) -> None:
    """Removes what a killed build left; the caller holds the lock.

    Raises: OSError.
    """
    for entry in (*os.scandir(output), *os.scandir(output / "releases")):
        if not entry.name.startswith(PRIVATE):
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            Path(entry.path).unlink()


def touch_release(folder: Path) -> None:
    """Notes in the folder's change time, which `prune` reads, that the release becomes current now.

    Raises: OSError, but not where the folder is another user's: it may then go `keep.age_s` too early.
    """
    with suppress(PermissionError):
        folder.chmod(stat.S_IMODE(folder.stat().st_mode))


def drop_old_releases(output: Path, current: str, keep: Keep) -> None:
    """Takes away what nobody is promised any more now that `current` is there; the caller holds the lock.

    Old releases are gone for readers at once; `remove_retired` frees their space. What cannot be taken away is
    only said: the next build tries again.
    """
    try:
        clear_private(output)
        retire(output, current, keep, time.time())
    except OSError as exc:
        _say(exc)


def remove_retired(output: Path, is_wanted: Callable[[], bool] = lambda: False) -> None:
    """Removes the files of retired releases; `is_wanted` is asked folder by folder and ends that early.

    Nobody reads there, so no lock is needed. Thousands of folders take seconds where the disk has to be read for
    it. What cannot be removed is only said: the next build tries again.
    """
    try:
        for retired in sorted((output / "releases").glob(f"{RETIRED}*")):
            for folder, _, _ in os.walk(retired, topdown=False):
                if is_wanted():
                    return
                with suppress(FileNotFoundError):  # Another build removes it, too.
                    shutil.rmtree(folder)
    except OSError as exc:
        _say(exc)


def retire(output: Path, current: str, keep: Keep, now_s: float) -> None:
    """Takes away releases past `keep.count` that have not been current for `keep.age_s`, and those past four
    times `keep.count` of whatever age; the caller holds the lock.

    The current one and the pinned ones always stay; the pinned ones do not count. The age counts from the
    moment when another release took its place, for until then readers were sent there. `now_s` is the time
    since 1970.

    Raises: OSError; what could be taken away was.
    """
    releases = output / "releases"
    # A folder's change time is when it became current: renamed by a build, touched by a rollback.
    kept = [(it.stat().st_ctime, it.name) for it in os.scandir(releases) if it.name[0] != "."]
    kept.sort(reverse=True)
    replaced_s = {older: newer_s for (newer_s, _), (_, older) in pairwise(kept)}
    staying = {current, *pinned_ids(output)}
    others = [name for _, name in kept if name not in staying]
    oldest_s = now_s - keep.age_s
    for newer, name in enumerate(others[keep.count - 1 :], start=keep.count):
        # The newest has no successor: it is the current one, unless the clock was set back.
        if newer >= MOST * keep.count or replaced_s.get(name, oldest_s) < oldest_s:
            # One of the same content may be there already, not removed yet.
            place = tempfile.mkdtemp(prefix=f"{RETIRED}{name}-", dir=releases)
            (releases / name).rename(place)


def _say(error: OSError) -> None:
    log.warning("%s: an old release could not be removed: %s", error.filename, error.strerror)
