"""What a process that builds one shelf again and again has read of it and need not read anew."""

import os
from collections.abc import Callable
from pathlib import Path

from docshelf.build.caching.cache_report import CACHE_FOLDER, NOTES
from docshelf.build.caching.notes import Notes
from docshelf.build.releasing.current import CurrentRelease, current_release
from docshelf.build.releasing.pruning import remove_retired
from docshelf.serve.manifest import FILES_FILE, RELEASE_SCRIPT, SHELF_FILE

_Identity = tuple[tuple[int, ...], ...]


class Warm:
    """The current release and the notes of a shelf, each in memory as long as its files are the same.

    Other builds may come in between. Nobody else may use it while a build does.
    """

    def __init__(self, output: Path) -> None:
        """Nothing is read before it is asked for."""
        self.notes = Notes(output / CACHE_FOLDER / NOTES)
        self._output = output
        self._current: tuple[_Identity, CurrentRelease] | None = None

    def current(self) -> CurrentRelease | None:
        """The release that readers see, or None where there is none or its manifest is damaged or unreadable."""
        identity, before = self._identity(), self._current
        if before is not None and before[0] == identity:
            return before[1]
        found = current_release(self._output)
        if found is not None and before is not None:
            staying = {row.sha256 for row in found.release.files.values()} & before[1].metas.keys()
            found.metas.update({sha256: before[1].metas[sha256] for sha256 in staying})
        # Without the lock another build may have switched just now.
        is_sure = identity == self._identity()
        self._current = (identity, found) if identity and found and is_sure else None
        return found

    def tidy(self, is_wanted: Callable[[], bool] = lambda: False) -> None:
        """Does what the last build left for later: removes old releases, and reads the new one for the next build.

        `is_wanted` ends that early; nothing has to be done for the shelf to be right.
        """
        self.current()
        remove_retired(self._output, is_wanted)

    def _identity(self) -> _Identity | None:
        """Of the files that say what the release holds; None where one is missing."""
        folder = f"{self._output}/current"
        try:
            facts = [os.stat(f"{folder}/{name}") for name in (SHELF_FILE, FILES_FILE, RELEASE_SCRIPT)]  # noqa: PTH116
        except OSError:
            return None
        return tuple((it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns) for it in facts)
