"""Reading a shelf: what HTTP and MCP answer to `list` and `fetch`, as Markdown.

Every answer ends in one line that says which release it is from and, for content, how to cite it.
"""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from docshelf.serve.answering.citing import section_line, source_line
from docshelf.serve.errors import BadRequest
from docshelf.serve.manifest import DocumentEntry, DocumentMeta
from docshelf.serve.media import is_picture, is_readable
from docshelf.serve.releases.addresses import SUBINDEX, is_index
from docshelf.serve.releases.texts import Piece, anchored_page, piece_of, text_of
from docshelf.serve.releases.tree import Release

FETCH_CHARACTERS = 16_000
FETCH_CHARACTERS_MOST = 48_000
PICTURE_BYTES = 3 * 1024 * 1024
"""Larger pictures are only named: hosts refuse more than 5 MB of base64 (2026-11)."""

_OUTLINE_ENTRIES = 100
_PICTURE_ENDINGS = ("png", "jpg")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that goes with an answer."""

    path: str
    type: str
    """Media type."""
    content: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader gets."""

    text: str
    """Markdown."""
    path: str
    """The file it was made from; "" for the shelf as a whole."""
    release: str
    picture: Picture | None = None
    """The picture that was asked for: a page that has one, or a picture's own path."""


def list_index(release: Release, path: str = "") -> Answer:
    """The index that `path` stands for or is covered by; for a short document, what is in it.

    Links are written as shelf paths, ready for the next call.

    Raises: BadRequest; NotOnShelf naming the nearest paths.
    """
    key, _ = release.addresses.key(path)
    of_source = _document_of_source(release, key)
    if of_source is not None:
        key = of_source.path
    if is_index(key):
        return fetch(release, key, limit=FETCH_CHARACTERS_MOST)
    entry = release.addresses.document(key)
    if entry is not None and not entry.path.endswith(SUBINDEX):
        meta = release.meta(entry.meta)
        return _answer(release, entry.path, _short_document(meta))
    key = _index_of(release, key)
    return fetch(release, key, limit=FETCH_CHARACTERS_MOST)


def next_call(path: str, offset: int, release: str) -> str:
    """How a model asks for what follows a piece."""
    return f'fetch(path="{path}", offset={offset}, release="{release}")'


def fetch(
    release: Release,
    path: str,
    offset: int = 0,
    limit: int = FETCH_CHARACTERS,
    call: Callable[[str, int, str], str] = next_call,
) -> Answer:
    """The text of a file from character `offset` on, at most `limit` characters (never over 48,000).

    A folder gives its index ("" the shelf's), an HTML page its Markdown twin, a stale section number the
    section of that name, a source the section that holds its `#page=N`. Where the text does not fit and
    no offset is given, an `#anchor` says where to begin. A page anchor of a page that has a picture, and
    the path of a picture, bring the picture too. `call` says how to ask for what follows.

    Raises: BadRequest for a wrong number or a file that is no text; NotOnShelf naming the nearest paths.
    """
    if offset < 0 or limit < 1:
        raise BadRequest(f"offset must be 0 or more, limit 1 to {FETCH_CHARACTERS_MOST}.")
    key, anchor = _text_meant(release, path)
    row = release.row(key)
    if is_picture(row.type):
        return _answer(release, key, _shown(release, key), _small(release, key))
    if not is_readable(row.type):
        raise BadRequest(
            f'"{key}" is {row.type}, not text; a person opens it in the browser. '
            f'See what can be read: list("{posixpath.dirname(key)}").'
        )
    piece = piece_of(release, key, anchor, offset, min(limit, FETCH_CHARACTERS_MOST))
    if offset and not piece.text:
        raise BadRequest(f'"{key}" ends before character {offset}; call fetch(path="{key}").')
    picture = _page_picture(release, key, anchored_page(anchor))
    text = piece.text if picture is None else f"{piece.text.rstrip()}\n\n{_shown(release, picture)}"
    if piece.more:
        text += f"\n\n[{_extent(release, key, piece)}; go on with {call(key, piece.end, release.id)}]"
    return _answer(release, key, text, _small(release, picture))


def outline_lines(meta: DocumentMeta, path: str = "") -> list[str]:
    """The headings of a document, or of its section `path`, as far down as about 100 lines reach."""
    entries = [entry for entry in meta.outline if path in ("", entry.path)]
    depth = 6
    while depth > 1 and sum(entry.level <= depth for entry in entries) > _OUTLINE_ENTRIES:
        depth -= 1
    shown = [entry for entry in entries if entry.level <= depth][:_OUTLINE_ENTRIES]
    lines = [
        f"{'  ' * (entry.level - 1)}- {entry.title} (PDF p. {entry.page}): {entry.path}#{entry.anchor}"
        for entry in shown
    ]
    if len(shown) < len(entries):
        lines.append(f"- … and {len(entries) - len(shown)} more headings in the sections")
    return lines


def _answer(release: Release, path: str, text: str, picture: Picture | None = None) -> Answer:
    return Answer(f"{text.rstrip()}\n\n{source_line(release, path)}\n", path, release.id, picture)


def _extent(release: Release, key: str, piece: Piece) -> str:
    whole = f"a file of {release.row(key).bytes} bytes" if piece.length is None else str(piece.length)
    return f"characters {piece.offset}–{piece.end} of {whole}"


def _index_of(release: Release, key: str) -> str:
    """The index that has a line for `key`; the first one of its folder where none has."""
    indexes = release.addresses.covering(key)
    wanted = f"]({quote(key)}"
    return next((index for index in indexes if wanted in text_of(release, index)), indexes[0])


def _short_document(meta: DocumentMeta) -> str:
    lines = [f"# {meta.title}", "", f"> {meta.description or 'A short document: one file, no subindex.'}", ""]
    lines += ["Fetch it whole:", ""]
    lines += map(section_line, meta.sections)
    outline = outline_lines(meta)
    return "\n".join([*lines, "", "## Headings", "", *outline] if outline else lines)


def _text_meant(release: Release, path: str) -> tuple[str, str]:
    """The file and anchor that `path` means; a source, or a document with a page, is a section of it."""
    key, anchor = release.addresses.key(path)
    page = anchored_page(anchor)
    entry = _document_of_source(release, key)
    if entry is None and page and is_index(key):
        entry = release.addresses.document(key)
    return key if entry is None else _section_with(release, entry, page), anchor


def _document_of_source(release: Release, key: str) -> DocumentEntry | None:
    """The document that was made of the source at `key`: both have the same folder and slug."""
    if not key.startswith("sources/"):
        return None
    meta = f"docs/{posixpath.splitext(key.removeprefix('sources/'))[0]}.meta.json"
    entry = release.addresses.document(meta)
    return entry if entry is not None and entry.meta == meta else None


def _section_with(release: Release, entry: DocumentEntry, page: int) -> str:
    """The section that holds PDF page `page`; what a reader opens first where none does."""
    sections = release.meta(entry.meta).sections
    return next((it.path for it in sections if it.pages[0] <= page <= it.pages[1]), entry.path)


def _page_picture(release: Release, key: str, page: int) -> str | None:
    """The path of the picture of PDF page `page` of the document that `key` belongs to."""
    entry = release.addresses.document(key)
    if entry is None or not page:
        return None
    folder = f"pictures/{entry.meta.removeprefix('docs/').removesuffix('.meta.json')}"
    names = (f"{folder}/p{page:03}.{ending}" for ending in _PICTURE_ENDINGS)
    return next((name for name in names if name in release.files), None)


def _shown(release: Release, picture: str) -> str:
    name = posixpath.basename(picture)
    if release.row(picture).bytes <= PICTURE_BYTES:
        return f"![{name}]({picture})"
    return f"The picture {picture} is too large to be sent; a person opens it in the browser."


def _small(release: Release, picture: str | None) -> Picture | None:
    if picture is None or release.row(picture).bytes > PICTURE_BYTES:
        return None
    return Picture(picture, release.row(picture).type, release.read(picture))
