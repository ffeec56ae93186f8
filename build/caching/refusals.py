"""Refusals kept between builds: a file that hangs its engine costs its time limit once, not in every build.

Only a refusal that the same bytes would meet again is kept: one by the file itself, or by the limits of its
job. What the machine, a missing model or a person did may have passed; then the document is tried again.
"""

import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from docshelf.build.caching.cache import cache_key
from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.serve.config import Limits
from docshelf.serve.errors import SourceError

LASTING: Final = frozenset(
    {
        "crashed",
        "damaged",
        "empty",
        "exited",
        "garbled",
        "no-content",
        "no-pages",
        "not-a-pdf",
        "out-of-memory",
        "output-too-large",
        "password-needed",
        "timeout",
    }
)
"""Codes of refusals that are kept. By code, since that is all that an executor on other machines sends back.
Not among them: `wrong-password` (no key holds the password), `killed` and `stopped` (from outside),
`engine-failed` and `missing-weights` (models and their servers)."""


class Refusals:
    """The refusals of a shelf, one small file for each in `folder`; only one build writes at a time."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read before it is asked for."""
        self._folder = folder
        self._met: set[str] = set()

    def find(self, key: str) -> SourceError | None:
        """What a call with this key raised; None where that is not known, or damaged."""
        values = read_sealed(self._folder / key)
        try:
            if values["key"] != key:
                return None
            refusal = SourceError(values["code"], values["text"])
        except (KeyError, TypeError):
            return None
        self._met.add(key)
        return refusal

    def keep(self, key: str, refusal: SourceError) -> None:
        """Keeps what a call with this key raised, at once: also a build that comes to nothing has learnt it.

        Raises: OSError.
        """
        if refusal.code in LASTING:
            write_sealed(self._folder / key, {"key": key, "code": refusal.code, "text": str(refusal)})
            self._met.add(key)

    def forget_others(self) -> int:
        """Forgets all refusals but those that were found or kept, and says how many.

        Raises: OSError.
        """
        forgotten = 0
        with suppress(FileNotFoundError):
            for entry in os.scandir(self._folder):
                if entry.name not in self._met:
                    Path(entry.path).unlink(missing_ok=True)
                    forgotten += 1
        return forgotten


def refusal_key(of: str, limits: Limits, *, with_password: bool = False) -> str:
    """The key of a call that makes what has the key `of` within these limits.

    Of a password it holds only whether one was given: a key stands on the disk.
    """
    return cache_key({"of": of, "limits": asdict(limits), "with_password": with_password})
