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

    Other builds may come in between. For builds one after another, each of which holds the output's lock.
    """

    def __init__(self, output: Path) -> None:
        """Nothing is read before it is asked for."""
        self.notes = Notes(output / CACHE_FOLDER / NOTES)
        self._output = output
        self._current: tuple[_Identity, CurrentRelease] | None = None

    def current(self) -> CurrentRelease | None:
        """The release that readers see, or None where there is none or its manifest is damaged or unreadable."""
        identity = self._identity()
        before = self._current
        if before is None or before[0] != identity:
            found = current_release(self._output)
            if found is not None and before is not None:
                staying = {row.sha256 for row in found.release.files.values()} & before[1].metas.keys()
                found.metas.update({sha256: before[1].metas[sha256] for sha256 in staying})
            self._current = (identity, found) if found is not None and identity else None
            return found
        return before[1]

    def tidy(self, is_wanted: Callable[[], bool] = lambda: False) -> None:
        """Does what the last build left for later: removes old releases, and reads the new one for the next build.

        `is_wanted` ends that early; nothing has to be done for the shelf to be right.
        """
        self.current()
        remove_retired(self._output, is_wanted)

    def _identity(self) -> _Identity:
        """Of the files that say what the release holds; () where one is missing."""
        folder = f"{self._output}/current"
        try:
            facts = [os.stat(f"{folder}/{name}") for name in (SHELF_FILE, FILES_FILE, RELEASE_SCRIPT)]  # noqa: PTH116
        except OSError:
            return ()
        return tuple((it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns) for it in facts)
