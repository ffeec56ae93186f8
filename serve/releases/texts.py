"""The text of a shelf's files as readers get it, whole or by pieces."""

import codecs
import re
import unicodedata
from dataclasses import dataclass

from docshelf.serve.anchors import page_mark
from docshelf.serve.media import MARKDOWN
from docshelf.serve.releases.tree import Release

WHOLE_BYTES = 4 * 1024 * 1024
"""Larger files are decoded only as far as a piece reaches: memory stays flat, and anchors are not looked for."""

_CHUNK_BYTES = 256 * 1024
_LINK = re.compile(r"\]\(([^()\s#]+)")
"""From the bracket on, not looked back at: 12 KB of Russian take 16 µs in place of 61 (2026-11)."""
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|/")
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)
_PAGE = re.compile(r"p([1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file's text."""

    text: str
    offset: int
    """Its first character."""
    length: int | None
    """Characters of the whole text; None where the file is too large to be counted."""
    more: bool
    """Whether the text goes on."""

    @property
    def end(self) -> int:
        """The character after the last one."""
        return self.offset + len(self.text)


def text_of(release: Release, path: str) -> str:
    """The text at `path`; links of Markdown are written as shelf paths, ready for the next call.

    On disk they are relative to the file. Only what leads to a file of the release is touched.

    Raises: NotOnShelf; ShelfDamaged.
    """
    text = release.read(path).decode("utf-8", "replace")
    if release.row(path).type != MARKDOWN:
        return text
    folder = path.rpartition("/")[0]

    def on_shelf(match: re.Match[str]) -> str:
        target = None if _ELSEWHERE.match(match[1]) else _joined(folder, match[1])
        return f"]({target}" if target is not None and target in release.files else match[0]

    return _LINK.sub(on_shelf, text)


def piece_of(release: Release, path: str, anchor: str, offset: int, limit: int) -> Piece:
    """At most `limit` characters of the text at `path` from `offset` on.

    Where the text does not fit and `offset` is 0, `anchor` says where to begin. A piece never ends
    between a letter and its accent. An offset behind the end gives an empty piece.

    Raises: NotOnShelf; ShelfDamaged.
    """
    if release.row(path).bytes > WHOLE_BYTES:
        return _piece_of_large(release, path, offset, limit)
    text = text_of(release, path)
    if anchor and not offset and len(text) > limit:
        offset = _position(release, path, anchor, text)
    piece = _unbroken(text[offset : offset + limit], text[offset + limit : offset + limit + 1])
    return Piece(piece, offset, len(text), offset + len(piece) < len(text))


def anchored_page(anchor: str) -> int:
    """The PDF page that an anchor `pN` (or `page=N`, as links into a PDF say) means; 0 for any other."""
    match = _PAGE.fullmatch(anchor.replace("page=", "p"))
    return int(match[1]) if match else 0


def _piece_of_large(release: Release, path: str, offset: int, limit: int) -> Piece:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    kept: list[str] = []
    seen, wanted = 0, offset + limit + 1
    with release.open(path) as file:
        while seen < wanted:
            content = file.read(_CHUNK_BYTES)
            text = decoder.decode(content, final=not content)
            if seen + len(text) > offset:
                kept.append(text[max(offset - seen, 0) : wanted - seen])
            seen += len(text)
            if not content:
                break
    found = "".join(kept)
    piece = _unbroken(found[:limit], found[limit:])
    return Piece(piece, offset, None, len(found) > len(piece))


def _unbroken(piece: str, following: str) -> str:
    """`piece` without a last letter whose accent is the first sign of `following`."""
    end = len(piece)
    while following and unicodedata.combining(following) and end > 1:
        end, following = end - 1, piece[end - 1]
    return piece[:end]


def _position(release: Release, path: str, anchor: str, text: str) -> int:
    """Where `anchor` (`p12` or a heading's id) begins in `text`; 0 where it is not found."""
    page, title = anchored_page(anchor), ""
    entry = release.addresses.document(path)
    if not page and entry is not None:
        for heading in release.meta(entry.meta).outline:
            if (heading.path, heading.anchor) == (path, anchor):
                page, title = heading.page, heading.title
                break
    start = max(text.find(f"{page_mark(page)}\n"), 0) if page else 0
    for match in _HEADING.finditer(text[start:]) if title else ():
        if " ".join(match[1].split()) == title:
            return start + match.start()
    return start


def _joined(folder: str, link: str) -> str:
    """A relative link as a shelf path; it is looked up as a key, never on disk."""
    names = folder.split("/") if folder else []
    for name in link.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)
