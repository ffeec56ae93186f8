"""Places: page marks in Markdown, `pN` anchors, and paths inside a shelf."""

import re
import unicodedata

from docshelf.serve.errors import BadRequest

PAGE_MARK = re.compile(r"^<!-- p([1-9][0-9]{0,5}) -->$")
"""The only raw HTML a shelf's Markdown holds: a line of its own where a PDF page begins."""

RESERVED_ANCHOR = re.compile(r"^[psb][0-9]+$")
"""Anchors that mean a page, slide or block; no heading may take one."""

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_PATH_LIMIT = 1024


def page_mark(page: int) -> str:
    """The line that says that PDF page `page` (from 1) begins here."""
    return f"<!-- p{page} -->"


def page_anchor(page: int) -> str:
    """How PDF page `page` (from 1) is cited after `#`."""
    return f"p{page}"


def split_path(text: str) -> tuple[str, str]:
    """The shelf path and the anchor ("" when there is none) that a reader's text names.

    A path is normalised (leading "/" off, `#anchor` split, NFC) and is then a key of the release or
    nothing: it is never joined to a folder name. "" is the root of the shelf.

    Raises: BadRequest for control characters, backslashes, `..` or more than 1,024 characters.
    """
    path, _, anchor = text.removeprefix("shelf://").partition("#")
    path = unicodedata.normalize("NFC", path).lstrip("/")
    if len(path) > _PATH_LIMIT or _FORBIDDEN.search(text):
        raise BadRequest("This is no path of a shelf; use a path exactly as an index prints it.")
    if ".." in path.split("/"):
        raise BadRequest("The path leaves the shelf; use a path exactly as an index prints it.")
    return path.rstrip("/"), anchor
