"""What `inspect` answers: how a shelf, a category, a document or a section was made, and what to do next."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import ceil

from docshelf.serve.answering.citing import pages_text, section_line, section_of, size_text, source_line
from docshelf.serve.answering.reading import FETCH_CHARACTERS, Answer, outline_lines
from docshelf.serve.manifest import DocumentEntry, DocumentMeta, Finding, SectionEntry
from docshelf.serve.media import is_picture, is_readable
from docshelf.serve.releases.addresses import ROOT_INDEX, SUBINDEX, is_index
from docshelf.serve.releases.tree import Release

_SECTIONS = 60
_FINDINGS = 20


def inspect(release: Release, path: str = "") -> Answer:
    """Facts about `path` as Markdown; "" is the shelf.

    Raises: BadRequest; NotOnShelf naming the nearest paths.
    """
    key, _ = release.addresses.key(path)
    entry = release.addresses.document(key)
    if entry is not None:
        meta = release.meta(entry.meta)
        section = section_of(meta, key)
        whole = section is None or not entry.path.endswith(SUBINDEX)
        lines = (
            _document(release, meta, entry) if whole or section is None else _section(release, meta, section)
        )
        key = entry.path if whole else key
    elif is_index(key) and key != ROOT_INDEX:
        lines = _category(release, key)
    elif key == ROOT_INDEX:
        key, lines = "", _shelf(release)
    else:
        lines = _file(release, key)
    return Answer(f"{_fitting(lines, key)}\n\n{source_line(release, key)}\n", key, release.id)


def _fitting(lines: Sequence[str], key: str) -> str:
    """The lines as text, cut after a whole line where they are more than one `fetch` would give."""
    text = "\n".join(lines)
    if len(text) <= FETCH_CHARACTERS:
        return text
    shown = text[:FETCH_CHARACTERS].rpartition("\n")[0]
    return f'{shown}\n- … cut here; the rest: list("{key}")'


def _shelf(release: Release) -> list[str]:
    manifest = release.manifest
    return [
        f"# {manifest.name}",
        "",
        *([f"> {manifest.description}", ""] if manifest.description else []),
        f"- language: {manifest.language}",
        f"- documents: {len(manifest.documents)}",
        f"- source commit: {manifest.source_commit or 'unknown'}",
        f"- findings: {_by_severity(manifest.findings)}",
        f"- estimated_read_calls: {_route_calls(release)} to answer one question",
        '- next_actions: list(""), then list or fetch with a path it prints',
        *_findings([finding for finding in manifest.findings if finding.severity != "info"]),
    ]


def _category(release: Release, key: str) -> list[str]:
    folder = key.rpartition("/")[0] + "/"
    entries = [entry for entry in release.manifest.documents if entry.path.startswith(folder)]
    sources = {entry.source for entry in entries}
    findings = [finding for finding in release.manifest.findings if finding.source in sources]
    return [
        f"# {folder}",
        "",
        f"- documents: {len(entries)}",
        f"- findings: {_by_severity(findings)}",
        f"- estimated_read_calls: {_calls_below(folder, entries)} to answer one question",
        f'- next_actions: list("{key}")',
        *_findings([finding for finding in findings if finding.severity != "info"]),
    ]


def _document(release: Release, meta: DocumentMeta, entry: DocumentEntry) -> list[str]:
    findings = [finding for finding in release.manifest.findings if finding.source == meta.source]
    size_bytes = sum(section.bytes for section in meta.sections)
    calls = sum(_calls(section.bytes) for section in meta.sections)
    long = entry.path.endswith(SUBINDEX)
    lines = [
        f"# {meta.title}",
        "",
        *([f"> {meta.description}", ""] if meta.description else []),
        f"- path: {meta.path}",
        f"- source: {meta.source}, {meta.pages} pages, sha256 {meta.sha256}",
        f"- language: {meta.language}",
        f"- grade: {meta.grade}{_page_grades(meta.page_grades)}",
        f"- engine: {meta.engine} (quality {meta.quality}), headings from {meta.headings}",
        f"- sections: {len(meta.sections)}, {size_text(size_bytes)}",
        f"- findings: {_by_severity(findings)}",
        f"- estimated_read_calls: {'1 for a section, ' if long else ''}{calls} for the whole document",
        f'- next_actions: {"list" if long else "fetch"}("{entry.path}")',
    ]
    lines += _findings(findings)
    if long:
        lines += ["", "## Sections", "", *map(section_line, meta.sections[:_SECTIONS])]
        if len(meta.sections) > _SECTIONS:
            lines.append(f'- … and {len(meta.sections) - _SECTIONS} more: list("{entry.path}")')
    outline = outline_lines(meta)
    return [*lines, *(["", "## Outline", "", *outline] if outline else [])]


def _section(release: Release, meta: DocumentMeta, section: SectionEntry) -> list[str]:
    first, last = section.pages
    findings = [
        finding
        for finding in release.manifest.findings
        if finding.source == meta.source and (finding.page == 0 or first <= finding.page <= last)
    ]
    place = meta.sections.index(section)
    around = meta.sections[max(place - 1, 0) : place] + meta.sections[place + 1 : place + 2]
    outline = outline_lines(meta, section.path)
    return [
        f"# {section.title}",
        "",
        f"- document: {meta.title}, {meta.path}",
        f"- pages: {pages_text(section.labels)} as printed, PDF pages {first}–{last}",
        f"- grade: {meta.grade}{_page_grades(meta.page_grades, first, last)}",
        f"- engine: {meta.engine}, headings from {meta.headings}",
        f"- size: {size_text(section.bytes)}, sha256 {section.sha256[:12]}",
        f"- findings: {_by_severity(findings)}",
        f"- estimated_read_calls: {_calls(section.bytes)}",
        f'- next_actions: fetch("{section.path}"); list("{meta.path}")',
        *(f"- beside it: {neighbour.path}" for neighbour in around),
        *_findings(findings),
        *(["", "## Outline", "", *outline] if outline else []),
    ]


def _file(release: Release, key: str) -> list[str]:
    row = release.row(key)
    return [
        f"# {key}",
        "",
        f"- type: {row.type}",
        f"- size: {size_text(row.bytes)}",
        f"- sha256: {row.sha256}",
        *([f'- next_actions: fetch("{key}")'] if is_readable(row.type) or is_picture(row.type) else []),
    ]


def _page_grades(grades: str, first: int = 1, last: int | None = None) -> str:
    """`; pages B: 3, 7–9; pages C: 12` for the PDF pages that are not A; "" where all are."""
    pages = list(enumerate(grades, start=1))[first - 1 : last]
    parts = []
    for grade in ("B", "C"):
        numbers = [page for page, letter in pages if letter == grade]
        if numbers:
            parts.append(f"; pages {grade}: {_runs(numbers)}")
    return "".join(parts)


def _runs(numbers: Sequence[int]) -> str:
    """`3, 7–9` for 3, 7, 8, 9."""
    runs = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        runs.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    return ", ".join(runs)


def _by_severity(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    return (
        ", ".join(f"{counts[name]} {name}" for name in ("error", "warning", "info") if counts[name]) or "none"
    )


def _findings(findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    lines = ["", "## Findings", ""]
    lines += [f"- {finding.severity} {finding.code}: {finding}" for finding in findings[:_FINDINGS]]
    if len(findings) > _FINDINGS:
        lines.append(f"- … and {len(findings) - _FINDINGS} more in shelf.json")
    return lines


def _route_calls(release: Release) -> int:
    """Calls from the root to one section: the indexes on the way, then the section."""
    root = release.read("index.md").decode()
    calls = [
        2 + entry.path.endswith(SUBINDEX) if f"]({entry.path})" in root else 1 + entry.path.count("/")
        for entry in release.manifest.documents
    ]
    return max(calls, default=1)


def _calls_below(folder: str, entries: Sequence[DocumentEntry]) -> int:
    """Calls from the index of `folder` to one section: that index, those below it, the section."""
    return max((2 + entry.path.removeprefix(folder).count("/") for entry in entries), default=1)


def _calls(size_bytes: int) -> int:
    return max(ceil(size_bytes / FETCH_CHARACTERS), 1)
