"""What decides how documents are made besides sources and settings: our own code and the libraries."""

import functools
import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_LIBRARIES = ("anyascii", "jinja2", "markdown-it-py", "markupsafe")


@functools.cache
def code_version(*places: str) -> str:
    """16 hex digits that change with each of these modules, or with any module below these folders.

    A place is a path from the folder above `build/`, as in `build/engines` or `build/characters.py`. The modules
    are read once: an update changes nothing of a process that runs.
    """
    code = hashlib.sha256()
    for place in places:
        path = _PACKAGE / place
        for module in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            code.update(module.read_bytes())
    return code.hexdigest()[:16]


def composing_version() -> str:
    """Changes with everything that turns a conversion into pages, but its plan and the theme."""
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"Python {platform.python_version()}, {libraries}, code {code_version('build', 'serve')}"
