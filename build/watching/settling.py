"""When a source folder that changes may be read: saves in a row become one build, a half copy is left alone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from docshelf.build.watching.folder_state import FolderState, Mark

QUIET_S = 0.03
"""Nothing may have changed for so long: a save is often several steps. A PDF that is still being written shows
it (`looks_half_written`) and is waited for in any case."""
PATIENCE_S = 3.0
"""How long a file that looks half written may stand still before it is taken as it is."""
COALESCE_S = 5.0
"""Saves that never pause are built after so long all the same."""
HOLD_S = 60.0
"""How long a file that is still being written may hold up the others that changed."""

_PAUSE_SHARE = 0.1
"""A copy of a minute is seen to have ended six seconds later at most."""
_END_BYTES = 1024
"""Readers look for the end mark of a PDF in its last kilobyte (PDF Reference 1.7, implementation note 18)."""
_LINEARIZED = re.compile(rb"/Linearized\b.*?/L\s+(\d+)", re.DOTALL)

Verdict = Literal["same", "moving", "settled"]


class Settling:
    """Is shown every state of the folder as it is seen, with the time."""

    def __init__(self, is_half: Callable[[Path], bool]) -> None:
        self._is_half = is_half
        self._halves: dict[str, tuple[Mark | None, bool]] = {}
        self._seen: FolderState | None = None
        self._changed_s: dict[str, float] = {}
        """When each path was last seen to change."""
        self._last_change_s = 0.0
        self._first_change_s: float | None = None
        """Since when there has been something to build."""

    def judge(self, state: FolderState, built: FolderState | None, now_s: float) -> Verdict:
        """Whether `state` is what was `built` (None: nothing was), still moves, or may be built now."""
        for path in state.differing(self._seen):
            self._changed_s[path] = self._last_change_s = now_s
        self._seen = state
        waiting = state.differing(built)
        if not waiting and built is not None:
            self._first_change_s = None
            return "same"
        if self._first_change_s is None:
            self._first_change_s = now_s
        waited_s = now_s - self._first_change_s
        if now_s - self._last_change_s < QUIET_S and waited_s < COALESCE_S:
            return "moving"
        growing = {path for path in waiting if self._grows(path, state, now_s)}
        if growing and (growing == waiting or waited_s < HOLD_S):
            return "moving"
        self._first_change_s = None
        return "settled"

    def pause_s(self, now_s: float) -> float:
        """How long a folder that moves is left alone until the next look: what takes long to copy is seen seldom."""
        waited_s = 0.0 if self._first_change_s is None else now_s - self._first_change_s
        return max(QUIET_S, waited_s * _PAUSE_SHARE)

    def _grows(self, path: str, state: FolderState, now_s: float) -> bool:
        file, mark = state.files.get(path), state.marks.get(path)
        if file is None or mark is None or now_s - self._changed_s[path] >= PATIENCE_S:
            return False
        known = self._halves.get(path)
        if known is None or known[0] != mark:
            known = self._halves[path] = (mark, self._is_half(file))
        return known[1]


def looks_half_written(file: Path) -> bool:
    """Whether more of the file is likely to come: it is empty, or a PDF without its end."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_END_BYTES)
            size_bytes = opened.seek(0, 2)
            opened.seek(max(0, size_bytes - _END_BYTES))
            end = opened.read()
    except OSError:
        return True
    if file.suffix.lower() != ".pdf":
        return not head
    promised = _LINEARIZED.search(head)
    return b"%%EOF" not in end or (promised is not None and int(promised[1]) > size_bytes)
