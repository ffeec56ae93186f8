"""Media types by file name: what the builder writes into files.tsv and the server sends."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

MARKDOWN = "text/markdown; charset=utf-8"
HTML = "text/html; charset=utf-8"
JSON = "application/json; charset=utf-8"
SVG = "image/svg+xml; charset=utf-8"

_READABLE = MappingProxyType(
    {
        ".md": MARKDOWN,
        ".txt": "text/plain; charset=utf-8",
        ".tsv": "text/tab-separated-values; charset=utf-8",
        ".csv": "text/csv; charset=utf-8",
        ".json": JSON,
        ".jsonl": "application/x-ndjson; charset=utf-8",
    }
)
_OTHER = MappingProxyType(
    {
        ".html": HTML,
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".xml": "application/xml; charset=utf-8",
        ".svg": SVG,
        ".pdf": "application/pdf",
        ".png": "image/png",
        ".jpg": "image/jpeg",
        ".jpeg": "image/jpeg",
        ".gif": "image/gif",
        ".webp": "image/webp",
        ".ico": "image/x-icon",
        ".woff2": "font/woff2",
        ".gz": "application/gzip",
        ".br": "application/x-brotli",
        ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    }
)
_UNKNOWN = "application/octet-stream"
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def media_type(name: str) -> str:
    """The media type of a file called `name` (a path is fine), with charset where it is text.

    Never taken from the system's tables: they differ between machines, and Debian's lacks `.md`.
    """
    ending = PurePosixPath(name).suffix.lower()
    return _READABLE.get(ending) or _OTHER.get(ending, _UNKNOWN)


def media_types() -> Mapping[str, str]:
    """The media type of every file name's ending that is known, the ending without its dot."""
    return {ending.removeprefix("."): kind for ending, kind in {**_READABLE, **_OTHER}.items()}


def text_endings() -> frozenset[str]:
    """The endings, without their dot, of files that are text: what is worth packing."""
    return frozenset(ending for ending, kind in media_types().items() if kind.endswith("; charset=utf-8"))


def is_readable(type_name: str) -> bool:
    """Whether a file of this media type can be handed to a model as text: Markdown, text, tables, JSON."""
    return type_name in _READABLE.values()


def is_picture(type_name: str) -> bool:
    """Whether a model that sees can be handed a file of this media type."""
    return type_name in _PICTURES
