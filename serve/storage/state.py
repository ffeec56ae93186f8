"""What a publisher knows of a bucket: what it put there, and what has fallen away and waits to be deleted.

It stands in the bucket itself, below `.docshelf/`, with the names of objects before they are put: what a
publish that was killed left behind is known to the next one. Objects that stand in no state were put there
by somebody else and are never touched.
"""

import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from docshelf.serve.errors import StorageError

OWN_FOLDER = ".docshelf"
STATE_FILE = f"{OWN_FOLDER}/state.json.gz"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Known:
    """An object that a publisher put, or was about to put."""

    etag: str = ""
    """"" where it may not be there, or may hold something else."""
    sha256: str = ""
    type: str = ""
    cache: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What stands below a location."""

    objects: Mapping[str, Known] = field(default_factory=lambda: MappingProxyType({}))
    """By path; all that a publisher ever put and has not deleted."""
    gone: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """When a path left the shelf, in seconds since 1970. A kept release goes by `r/RELEASE`."""


def write_state(state: State) -> bytes:
    """The bytes of the state."""
    objects = {
        path: [it.etag, it.sha256, it.type, it.cache] if it.etag else []
        for path, it in sorted(state.objects.items())
    }
    values = {"format": _FORMAT, "objects": objects, "gone": dict(sorted(state.gone.items()))}
    return gzip.compress(json.dumps(values, ensure_ascii=False).encode(), mtime=0)


def read_state(content: bytes, where: str) -> State:
    """The state in the bytes of the object `where`.

    Raises: StorageError.
    """
    try:
        values: Any = json.loads(gzip.decompress(content))
        if values["format"] != _FORMAT:
            raise ValueError(f"format {values['format']!r} is not {_FORMAT}")
        names = {name for path in (*values["objects"], *values["gone"]) for name in path.split("/")}
        if names & {"", ".", ".."} or not all(map(math.isfinite, values["gone"].values())):
            raise ValueError("a path or time that no publish writes")
        return State(
            objects={str(path): Known(*map(str, facts)) for path, facts in values["objects"].items()},
            gone={str(path): float(since_s) for path, since_s in values["gone"].items()},
        )
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
        OSError,
        EOFError,
        zlib.error,
    ) as exc:
        raise StorageError(
            f"{where}: is damaged ({exc}); delete it, and the next publish takes what is there for its own"
        ) from exc
