"""What a build says at its end: counts by kind, and each document that did not get onto the shelf."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from docshelf.build.pipeline import BuildResult
from docshelf.serve.manifest import Finding

_NOT_READ = frozenset({"unsupported", "unknown-kind", "special-file", "link", "name", "unreadable"})
"""Codes of files that no engine was given."""


def summary_lines(result: BuildResult) -> Iterator[str]:
    """The end of a build for a person: counts, then what was refused and not read and what to do."""
    made = [it for it in result.documents if it.meta]
    refused, unread = _refused(result), _unread(result)
    pages = sum(it.meta.pages for it in made if it.meta)
    kept = sum(any(f.code == "kept-last-good" for f in it.findings) for it in made)
    published = result.published
    state = "new release" if published.changed else "unchanged release"
    size = published.size_bytes / 1_000_000
    yield f"{state} {published.manifest.release}: {published.files} files, {size:.1f} MB"
    older = f", {kept} of them in an older version" if kept else ""
    yield f"published: {len(made)} (pages: {pages}){older}"
    yield f"refused: {len(refused)}"
    yield from (f"  {finding}" for finding in refused)
    if known := sum(it.is_known for it in result.documents):
        yield f"  not tried again: {known}; docshelf cache SITE --prune lets the next build try"
    yield f"not read: {len(unread)}"
    yield from (f"  {finding}" for finding in unread)
    warnings = Counter(f.code for f in result.findings if f.severity == "warning" and f not in unread)
    if warnings:
        named = ", ".join(f"{code} {count}" for code, count in sorted(warnings.items()))
        yield f"warnings: {warnings.total()} ({named}); all findings stand in shelf.json"


def report_json(result: BuildResult) -> dict[str, Any]:
    """The end of a build for a program."""
    made = [it.meta for it in result.documents if it.meta]
    return {
        "release": result.published.manifest.release,
        "changed": result.published.changed,
        "files": result.published.files,
        "bytes": result.published.size_bytes,
        "published": [
            {
                "source": meta.source,
                "path": meta.path,
                "pages": meta.pages,
                "grade": meta.grade,
                "engine": meta.engine,
            }
            for meta in made
        ],
        "refused": [asdict(finding) for finding in _refused(result)],
        "not_read": [asdict(finding) for finding in _unread(result)],
        "findings": [asdict(finding) for finding in result.findings],
    }


def _refused(result: BuildResult) -> list[Finding]:
    """Errors of sources that an engine was given and that are not on the shelf as they stand on disk."""
    return [f for f in result.findings if f.severity == "error" and f.code not in _NOT_READ]


def _unread(result: BuildResult) -> list[Finding]:
    return [f for f in result.findings if f.code in _NOT_READ]
