"""How answers name what they show: sizes, pages, sections, and the line that says what to cite."""

import re

from docshelf.serve.manifest import DocumentMeta, SectionEntry
from docshelf.serve.releases.addresses import html_page
from docshelf.serve.releases.tree import Release

_LINE_BYTES = 249
_SOURCE_BYTES_LEAST = 24


def size_text(size_bytes: int) -> str:
    """A size for readers: `512 B`, `4.2 KB`."""
    return f"{size_bytes} B" if size_bytes < 1000 else f"{size_bytes / 1024:.1f} KB"


def pages_text(labels: tuple[str, str]) -> str:
    """Printed pages for readers: `p. 12–14`, `p. iii`."""
    first, last = labels
    return f"p. {first}" if first == last else f"p. {first}–{last}"


def link_text(title: str) -> str:
    """A title as it stands between the brackets of a Markdown link."""
    return re.sub(r"([\\\[\]])", r"\\\1", title)


def section_line(section: SectionEntry) -> str:
    """A section as an index lists it."""
    note = f"{pages_text(section.labels)}, {size_text(section.bytes)}"
    return f"- [{link_text(section.title)}]({section.path}): {note}"


def section_of(meta: DocumentMeta, path: str) -> SectionEntry | None:
    """The section that stands at `path`; None for a subindex."""
    return next((section for section in meta.sections if section.path == path), None)


def web_address(release: Release, path: str) -> str | None:
    """Where a person opens `path`: its page where it has one; None for a shelf without `base_url`."""
    base = release.manifest.base_url
    if base is None:
        return None
    page = html_page(path) if path.endswith(".md") else path
    return base + (page if page in release.files else path)


def source_line(release: Release, path: str) -> str:
    """The last line of an answer: release, path, printed pages, source with the start of its hash, address.

    Under 250 bytes without the address, wherever the path lets it: a model pays for it with every call.
    """
    url = web_address(release, path)
    end = f" · {url}]" if url else "]"
    parts = [f"release {release.id}"] + ([path] if path else [])
    entry = release.addresses.document(path)
    if entry is None:
        return f"[{' · '.join(parts)}{end}"
    meta = release.meta(entry.meta)
    section = section_of(meta, path)
    if section is not None:
        parts.append(pages_text(section.labels))
    start, digest = f"[{' · '.join(parts)} · source ", f" sha256 {meta.sha256[:12]}"
    room_bytes = max(_LINE_BYTES - len(f"{start}{digest}]".encode()), _SOURCE_BYTES_LEAST)
    return f"{start}{_shortened(' '.join(meta.source.split()), room_bytes)}{digest}{end}"


def _shortened(name: str, room_bytes: int) -> str:
    """`name`, or its end after "…" where it is longer than `room_bytes` bytes of UTF-8."""
    content = name.encode()
    if len(content) <= room_bytes:
        return name
    return "…" + content[-(room_bytes - 3) :].decode("utf-8", "ignore")
