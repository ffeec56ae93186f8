"""Links of a page: addresses that are safe to publish, places in the same document, files beside it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from docshelf.build.converting.converted import Block, Box

if TYPE_CHECKING:
    import pymupdf

MAX_ADDRESS = 2048
"""Characters; longer addresses are dropped."""
_WEB = re.compile(r"(?:https?://[^\s/]|mailto:[^\s@]+@[^\s@])", re.IGNORECASE)
_SHOWN_ADDRESS = re.compile(r"(?:https?://|www\.|ftp://)\S*$", re.IGNORECASE)
_GOES_ON = re.compile(r"[^\s]*[./_=&?%#~-][^\s]*|[\w-]+")
_CONTINUES = re.compile(r"[\w%-]*[/_=&?#]\S|[./_=&?#%]\w")
_SAFE = "-._~:/?#@!$&'*+,;=%"
"""Signs of an address that Markdown leaves alone; brackets, spaces and quotes are percent-encoded."""
_FILE = re.compile(r"file:(?://)?(?P<path>[^/#][^#]*)(?:#(?P<place>.*))?", re.DOTALL)
"""MuPDF's word for a file that is named relative to the document; an absolute one has a third slash."""
_DRIVE = re.compile(r"[A-Za-z]:")
_PAGE = re.compile(r"(?:^|&)page=([1-9][0-9]{0,5})(?![0-9])")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A place on the page that leads somewhere."""

    box: Box
    target: str


@dataclass(slots=True)
class LinkReader:
    """Reads the links of pages of one document; remembers where its inner addresses lead."""

    document: "pymupdf.Document"
    _pages: dict[str, int] = field(default_factory=dict)

    def read(self, page: "pymupdf.Page") -> list[PageLink]:
        """The page's links that may be published, in the order of the file."""
        return list(self._links(page))

    def _links(self, page: "pymupdf.Page") -> Iterator[PageLink]:
        first = page.first_link
        # MuPDF's own chain of links: pymupdf's `next` lists all annotations of the page anew for every link.
        link = first.this if first else None
        while link is not None and link.m_internal:
            if target := self._target(link.uri() or ""):
                rect = link.rect()
                yield PageLink((rect.x0, rect.y0, rect.x1, rect.y1), target)
            link = link.next()

    def count_launches(self, page: "pymupdf.Page") -> int:
        """Links of the page that would start a program or a script."""
        kinds = [self.document.xref_get_key(xref, "A/S")[1] for xref, _, _ in page.annot_xrefs()]
        return sum(kind in ("/Launch", "/JavaScript") for kind in kinds)

    def _target(self, uri: str) -> str:
        if uri.startswith("#"):
            number = self._page_of(uri)
            return f"#p{number}" if number else ""
        return web_address(uri) or file_address(uri)

    def _page_of(self, uri: str) -> int:
        """PDF page an inner address leads to, 0 where it leads nowhere."""
        if uri not in self._pages:
            number = self.document.resolve_link(uri)[0] + 1
            self._pages[uri] = number if 0 < number <= self.document.page_count else 0
        return self._pages[uri]


def web_address(uri: str) -> str:
    """`uri` as it may stand in Markdown: http, https or mailto, percent-encoded; "" for any other."""
    uri = uri.strip()
    if len(uri) > MAX_ADDRESS or not _WEB.match(uri) or any(char < " " or char == "\x7f" for char in uri):
        return ""
    scheme, rest = uri.split(":", 1)
    rest = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", rest)
    return f"{scheme.lower()}:{quote(rest, safe=_SAFE)}"


def file_address(uri: str) -> str:
    """`uri` as `file:PATH#pN`, PATH percent-encoded and relative to the document, `#pN` where it names a page.

    "" for any other address, absolute paths included: they are of the machine of whoever wrote the document.
    """
    found = _FILE.fullmatch(uri)
    if not found or len(uri) > MAX_ADDRESS:
        return ""
    path = unquote(found["path"]).replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path) or not path.isprintable():
        return ""
    page = _PAGE.search(found["place"] or "")
    return f"file:{quote(path)}" + (f"#p{page[1]}" if page else "")


def drop_cut_links(block: Block) -> tuple[Block, int]:
    """The block without links to half an address, and how many addresses of it go on over a line end.

    An address counts where its first part ends a line and either no link or one to that part alone is on it.
    """
    lines, broken = list(block.lines), 0
    for index in range(len(lines) - 1):
        line, below = lines[index], lines[index + 1]
        shown = _SHOWN_ADDRESS.search(line.text)
        if not shown or not _goes_on(shown[0], below.text.split(" ", 1)[0]):
            continue
        whole = [
            span
            for span in line.spans
            if span.target and span.end > shown.start() and not _is_part(span.target, shown[0])
        ]
        if whole:
            continue
        kept = tuple(span for span in line.spans if not span.target or span.end <= shown.start())
        lines[index] = replace(line, spans=kept)
        broken += 1
    return (replace(block, lines=tuple(lines)), broken) if broken else (block, 0)


def _is_part(target: str, shown: str) -> bool:
    known = web_address(shown if "://" in shown else f"http://{shown}")
    return known.rstrip("/") == target.rstrip("/")


def _goes_on(shown: str, first: str) -> bool:
    """Whether the word that begins the next line continues the address that ends this one."""
    if shown[-1] in "/-_=&?%#~":
        return bool(_GOES_ON.fullmatch(first.rstrip(".,;)")))
    return bool(_CONTINUES.match(first))
