"""What one HTML page of a shelf says beside its text, and how a page points at other files.

All paths are shelf paths such as `docs/routing/uplinks/003-checks.html`. They become relative to the
page when it is rendered, so a shelf works under any prefix and from a disk.
"""

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

PageKind = Literal["home", "category", "document", "section"]

_PATH_SAFE = "/-._~!$&'()*+,;=@"
_ANCHOR_SAFE = _PATH_SAFE + ":?"


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A place on the shelf, with the words that lead there."""

    title: str
    path: str
    """Shelf path; may carry an `#anchor`."""


@dataclass(frozen=True, slots=True)
class PageView:
    """One HTML page: where it stands on the shelf and what surrounds its text."""

    path: str
    title: str
    language: str
    """Language tag of the text, such as `ru`; the interface speaks the shelf's language."""
    kind: PageKind
    """A short document in one file is a `section` without `contents`."""
    breadcrumbs: tuple[LinkTo, ...]
    """From the shelf's home to the parent of the page."""
    markdown: str
    """Shelf path of the Markdown twin."""
    llms: str
    """Shelf path of the llms.txt that covers the page."""
    previous: LinkTo | None = None
    next: LinkTo | None = None
    contents: LinkTo | None = None
    """The document's subindex, for a section of a long document."""
    source: str = ""
    """`sources/x/y.pdf#page=12`, or "" where the release holds no source."""
    grade: str = ""
    """Grade of the document: A, B, C, or "" for indexes."""
    notices: tuple[str, ...] = ()
    """Findings a reader should see, as plain text."""
    pages: str = ""
    """Printed pages, such as `12–14`, or ""."""


@dataclass(frozen=True, slots=True)
class ShelfView:
    """What every page says about its shelf."""

    name: str
    language: str
    """Language of the interface, such as `ru`."""
    home: str = "index.html"


def relative_url(page_path: str, target: str) -> str:
    """How the page at `page_path` refers to the shelf path `target` (with its `#anchor`), as a URL."""
    path, mark, anchor = target.partition("#")
    here, there = page_path.split("/")[:-1], path.split("/")
    shared = 0
    for ours, theirs in zip(here, there[:-1], strict=False):
        if ours != theirs:
            break
        shared += 1
    steps = [".."] * (len(here) - shared) + there[shared:]
    return quote("/".join(steps), safe=_PATH_SAFE) + mark + quote(anchor, safe=_ANCHOR_SAFE)


def resolved_path(page_path: str, relative: str) -> str | None:
    """The shelf path that the relative path `relative` on that page means; None where it leaves the shelf."""
    parts = page_path.split("/")[:-1]
    for step in relative.split("/"):
        if step == "..":
            if not parts:
                return None
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts)
