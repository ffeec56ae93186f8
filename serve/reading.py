"""Reading a shelf: what HTTP and MCP answer to `list` and `fetch`, as Markdown.

Every answer ends in one line that says which release it is from and, for content, how to cite it.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

from docshelf.serve.addresses import SUBINDEX, is_index
from docshelf.serve.anchors import page_mark
from docshelf.serve.errors import BadRequest
from docshelf.serve.manifest import DocumentMeta, SectionEntry
from docshelf.serve.media import is_readable
from docshelf.serve.tree import Release

FETCH_CHARACTERS = 16_000
FETCH_CHARACTERS_MOST = 48_000

_SOURCE_LINE_BYTES = 249
_OUTLINE_ENTRIES = 100
_INDEX_LINK = re.compile(r"^(- \[.*?(?<!\\)\]\()([^()\s]+)(\).*)$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|[/#]")
_HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reader gets."""

    text: str
    """Markdown."""
    path: str
    """The file it was made from; "" for the shelf as a whole."""
    release: str


def list_index(release: Release, path: str = "") -> Answer:
    """The index that `path` stands for or is covered by; for a short document, what is in it.

    Links are written as shelf paths, ready for the next call.

    Raises: BadRequest; NotOnShelf naming the nearest paths.
    """
    key, _ = release.addresses.key(path)
    if is_index(key):
        return _answer(release, key, _index_text(release, key))
    entry = release.addresses.document(key)
    if entry is not None and not entry.path.endswith(SUBINDEX):
        meta = release.meta(entry.meta)
        return _answer(release, entry.path, _short_document(meta))
    key = _index_of(release, key)
    return _answer(release, key, _index_text(release, key))


def fetch(release: Release, path: str, offset: int = 0, limit: int = FETCH_CHARACTERS) -> Answer:
    """The text of a file from character `offset` on, at most `limit` characters (never over 48,000).

    A folder gives its index ("" the shelf's), an HTML page its Markdown twin, a stale section number the
    section of that name. Where the text does not fit and no offset is given, an `#anchor` says where to
    begin.

    Raises: BadRequest for a wrong number or a file that is no text; NotOnShelf naming the nearest paths.
    """
    if offset < 0 or limit < 1:
        raise BadRequest(f"offset must be 0 or more, limit 1 to {FETCH_CHARACTERS_MOST}.")
    key, anchor = release.addresses.key(path)
    row = release.row(key)
    if not is_readable(row.type):
        raise BadRequest(f'"{key}" is {row.type}, not text; a person opens it in the browser at this path.')
    text = _index_text(release, key) if is_index(key) else _text(release, key)
    limit = min(limit, FETCH_CHARACTERS_MOST)
    if anchor and not offset and len(text) > limit:
        offset = _position(release, key, anchor, text)
    if offset and offset >= len(text):
        raise BadRequest(f'"{key}" ends at character {len(text)}; call fetch(path="{key}").')
    end = offset + limit
    piece = text[offset:end]
    if end < len(text):
        piece += (
            f"\n\n[characters {offset}–{end} of {len(text)}; go on with "
            f'fetch(path="{key}", offset={end}, release="{release.id}")]'
        )
    return _answer(release, key, piece)


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


def size_text(size_bytes: int) -> str:
    """A size for readers: `512 B`, `4.2 KB`."""
    return f"{size_bytes} B" if size_bytes < 1000 else f"{size_bytes / 1024:.1f} KB"


def pages_text(labels: tuple[str, str]) -> str:
    """Printed pages for readers: `p. 12–14`, `p. iii`."""
    first, last = labels
    return f"p. {first}" if first == last else f"p. {first}–{last}"


def section_line(section: SectionEntry) -> str:
    """A section as an index lists it."""
    title = re.sub(r"([\\\[\]])", r"\\\1", section.title)
    return f"- [{title}]({section.path}): {pages_text(section.labels)}, {size_text(section.bytes)}"


def section_of(meta: DocumentMeta, path: str) -> SectionEntry | None:
    """The section that stands at `path`; None for a subindex."""
    return next((section for section in meta.sections if section.path == path), None)


def source_line(release: Release, path: str) -> str:
    """The last line of an answer: release, path, printed pages and source with the start of its hash.

    Under 250 bytes wherever the path lets it: a model pays for it with every call.
    """
    parts = [f"release {release.id}"] + ([path] if path else [])
    entry = release.addresses.document(path)
    if entry is None:
        return f"[{' · '.join(parts)}]"
    meta = release.meta(entry.meta)
    section = section_of(meta, path)
    if section is not None:
        parts.append(pages_text(section.labels))
    start, end = f"[{' · '.join(parts)} · source ", f" sha256 {meta.sha256[:12]}]"
    room_bytes = max(_SOURCE_LINE_BYTES - len((start + end).encode()), 24)
    return start + _shortened(" ".join(meta.source.split()), room_bytes) + end


def _answer(release: Release, path: str, text: str) -> Answer:
    return Answer(f"{text.rstrip()}\n\n{source_line(release, path)}\n", path, release.id)


def _text(release: Release, key: str) -> str:
    return release.read(key).decode("utf-8", "replace")


def _index_text(release: Release, key: str) -> str:
    """An index whose links are shelf paths: they are relative to it on disk."""
    folder = key.rpartition("/")[0]

    def on_shelf(match: re.Match[str]) -> str:
        if _ELSEWHERE.match(match[2]):
            return match[0]
        return match[1] + _joined(folder, match[2]) + match[3]

    return _INDEX_LINK.sub(on_shelf, _text(release, key))


def _index_of(release: Release, key: str) -> str:
    """The index that has a line for `key`; the first one of its folder where none has."""
    indexes = release.addresses.covering(key)
    wanted = f"]({quote(key)}"
    return next((index for index in indexes if wanted in _index_text(release, index)), indexes[0])


def _joined(folder: str, link: str) -> str:
    """A relative link as a shelf path; it is looked up as a key, never on disk."""
    names = folder.split("/") if folder else []
    for name in link.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/".join(names)


def _short_document(meta: DocumentMeta) -> str:
    lines = [f"# {meta.title}", "", f"> {meta.description or 'A short document: one file, no subindex.'}", ""]
    lines += ["Fetch it whole:", ""]
    lines += map(section_line, meta.sections)
    outline = outline_lines(meta)
    return "\n".join([*lines, "", "## Headings", "", *outline] if outline else lines)


def _position(release: Release, key: str, anchor: str, text: str) -> int:
    """Where `anchor` (`p12` or a heading's id) begins in `text`; 0 where it is not found."""
    page, title = (int(anchor[1:]), "") if re.fullmatch(r"p[0-9]{1,6}", anchor) else (0, "")
    entry = release.addresses.document(key)
    if not page and entry is not None:
        for heading in release.meta(entry.meta).outline:
            if (heading.path, heading.anchor) == (key, anchor):
                page, title = heading.page, heading.title
                break
    start = max(text.find(f"{page_mark(page)}\n"), 0) if page else 0
    for match in _HEADING.finditer(text[start:]) if title else ():
        if " ".join(match[1].split()) == title:
            return start + match.start()
    return start


def _shortened(name: str, room_bytes: int) -> str:
    """`name`, or its end after "…" where it is longer than `room_bytes` bytes of UTF-8."""
    content = name.encode()
    if len(content) <= room_bytes:
        return name
    return "…" + content[-(room_bytes - 3) :].decode("utf-8", "ignore")
