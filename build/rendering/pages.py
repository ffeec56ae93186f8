"""What one HTML page of a shelf says beside its text, and how a page points at other files.

All paths are shelf paths such as `docs/routing/uplinks/003-checks.html`. They become relative to the
page when it is rendered, so a shelf works under any prefix and from a disk.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

PageKind = Literal["home", "category", "document", "section", "whole", "search"]
SEARCH_PAGE = "search.html"
"""Shelf path of the page that searches; the dialog on every page is the same thing."""

_PATH_SAFE = "/-._~!$&'()*+,;=@"
_ANCHOR_SAFE = _PATH_SAFE + ":?"
_QUOTED = re.compile(rf"[^A-Za-z0-9{re.escape(_PATH_SAFE)}]")


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A place on the shelf, with the words that lead there."""

    title: str
    path: str
    """Shelf path; may carry an `#anchor`."""


@dataclass(frozen=True, slots=True)
class Card:
    """A category as the shelf's home shows it."""

    title: str
    path: str
    """HTML page of its index."""
    about: str
    """Its description, or ""."""
    extent: str
    """What stands behind it, such as `3 documents, 96 KB`."""
    first: tuple[LinkTo, ...]
    """The documents a reader meets first."""
    group: str = ""
    """Heading it shares with its neighbours, or ""."""


@dataclass(frozen=True, slots=True)
class ReaderFinding:
    """A finding as the document's readers see it."""

    text: str
    severity: str
    place: LinkTo | None
    """The first page it is about, where the shelf shows it."""
    pages: str = ""
    """Names all of them, such as `pages 3-17, 20`, where they are known."""
    language: str = "en"
    """Of `text` and `pages`."""


@dataclass(frozen=True, slots=True)
class TreePart:
    """A chapter in a document's tree, as ready HTML."""

    names: tuple[str, ...]
    """File names of its sections' pages, in order."""
    lines: tuple[str, ...]
    """One list item per section."""
    title: str
    """Escaped; "" for a chapter of one section, whose one line stands for it."""

    @property
    def folded(self) -> str:
        """One list item that leads to the chapter's first section."""
        if not self.title:
            return self.lines[0]
        return f'<li class="more"><a href="{self.names[0]}">{self.title}</a></li>\n'


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """The sections of a long document, made once and shown at the left of each of its pages.

    All pages of a document stand in one folder, so its links are the same on each of them.
    """

    parts: tuple[TreePart, ...]
    part_of: Mapping[str, int]
    """Place of the part that holds a page, by the page's file name."""
    size_bytes: int
    """Of the whole tree."""


@dataclass(frozen=True, slots=True)
class PageView:
    """One HTML page: where it stands on the shelf and what surrounds its text."""

    path: str
    title: str
    language: str
    """Language tag of the text, such as `ru`; the interface speaks it where it can, else the shelf's."""
    kind: PageKind
    """A short document in one file is a `section` without `contents`; `whole` is a long one on one page."""
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
    """What a reader should know before the text, as plain text."""
    is_kept: bool = False
    """Whether the page shows the last good version of a document whose source cannot be read now."""
    pages: str = ""
    """Printed pages, such as `12–14`, or ""."""
    page_count: int = 0
    """Pages of the document; 0 for indexes of categories."""
    findings: tuple[ReaderFinding, ...] = ()
    """What the build noticed about what stands on this page."""
    finding_count: int = 0
    """Findings of the whole document."""
    tree: DocumentTree | None = None
    """None where the document is one page."""
    whole: str = ""
    """The page that holds the whole document, or ""."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """Printed page numbers by PDF page, where they differ."""
    pictures: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Width and height in CSS pixels by the file name of a picture of the document."""
    cards: tuple[Card, ...] = ()
    """The categories, on the shelf's home."""


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
    folder = page_path[: page_path.rfind("/") + 1]
    relative = path.removeprefix(folder) if path.startswith(folder) else _way(folder, path)
    return url_path(relative) + mark + (quote(anchor, safe=_ANCHOR_SAFE) if anchor else "")


def url_path(path: str) -> str:
    """The path as it stands in a URL; nearly all are ASCII names that need no change."""
    return quote(path, safe=_PATH_SAFE) if _QUOTED.search(path) else path


def _way(folder: str, path: str) -> str:
    """The steps from a folder, with a "/" at its end, to a path that is not below it."""
    here, there = folder.split("/")[:-1], path.split("/")
    shared = 0
    for ours, theirs in zip(here, there[:-1], strict=False):
        if ours != theirs:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


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
