"""Finds changes that size and times do not show, as network mounts have them: files are hashed in turn."""

import hashlib
import time
from collections import defaultdict, deque
from collections.abc import Mapping

from docshelf.build.watching.folder_state import FolderState, Mark

SLICE_S = 0.2
"""About how long one look may hash."""
PAUSE_S = 30.0
"""How long after the beginning of one round the next one begins, at the earliest."""


class Rehashing:
    """The hashes of a folder's files, a few of them made anew with every look."""

    def __init__(self) -> None:
        self._edits: defaultdict[str, int] = defaultdict(int)
        self._known: dict[str, tuple[Mark, str]] = {}
        self._left: deque[str] = deque()
        self._next_round_s = 0.0

    def edits(self, path: str) -> int:
        """How often the file was found to hold other bytes under the same size and times."""
        return self._edits[path]

    def go_on(self, state: FolderState, now_s: float) -> bool:
        """Hashes some files of the state; whether one was found changed, so that the state is another now."""
        if not self._left and now_s >= self._next_round_s:
            self._left.extend(sorted(state.files))
            self._next_round_s = now_s + PAUSE_S
            self._forget(state.files)
        found, end_s = False, time.monotonic() + SLICE_S
        while self._left and time.monotonic() < end_s:
            found |= self._hash(self._left.popleft(), state)
        return found

    def _hash(self, path: str, state: FolderState) -> bool:
        mark = state.marks.get(path)
        if mark is None or path not in state.files:
            return False
        try:
            with state.files[path].open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return False
        before, self._known[path] = self._known.get(path), (mark, digest)
        changed = before is not None and before[0] == mark and before[1] != digest
        self._edits[path] += changed
        return changed

    def _forget(self, files: Mapping[str, object]) -> None:
        for path in self._known.keys() - files.keys():
            del self._known[path]
