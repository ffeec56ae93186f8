"""What decides how documents are made besides sources and settings: our own code and the libraries."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = ("anyascii", "jinja2", "markdown-it-py", "markupsafe")


def composing_version() -> str:
    """Changes with everything that turns a conversion into pages, but its plan and the theme."""
    code = hashlib.sha256()
    package = Path(__file__).parent.parent
    for folder in ("build", "build/headings", "serve"):
        for module in sorted((package / folder).glob("*.py")):
            code.update(module.read_bytes())
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return f"Python {platform.python_version()}, {libraries}, code {code.hexdigest()[:16]}"
