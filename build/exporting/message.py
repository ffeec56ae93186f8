"""The message of a commit: which release, what changed, what the build found.

Names and texts come from documents of strangers. Here they are one line each, without what a terminal obeys
and without what GitLab and Gitea obey in a commit message: `[skip ci]`, `closes #1`, `@all`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from docshelf.serve.manifest import Finding, ShelfManifest
from docshelf.serve.printable import printable

_FINDINGS = 100
_CHARACTERS = 300
_ORDER = ("error", "warning", "info")
# Wide forms: they read the same and mean nothing to programs.
_TAME = str.maketrans("[]@#!$%&~", "［］＠＃！＄％＆～")


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """How many documents a commit adds, changes and removes."""

    added: int
    changed: int
    removed: int


def commit_message(manifest: ShelfManifest, changes: DocumentChanges) -> str:
    """The message for the release that `manifest` describes."""
    counts = f"added {changes.added}, changed {changes.changed}, removed {changes.removed}"
    parts = [
        f"Shelf release {manifest.release}",
        f"{tame(manifest.name)}\nDocuments: {len(manifest.documents)} ({counts})",
        _findings(sorted(manifest.findings, key=lambda it: (_ORDER.index(it.severity), it))),
        "\n".join(_trailers(manifest)),
    ]
    return "\n\n".join(parts) + "\n"


def tame(text: str) -> str:
    """`text` on one line of at most 300 characters that nobody obeys."""
    line = printable(" ".join(text.split())).translate(_TAME).replace("://", "：//")
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"


def _findings(findings: Sequence[Finding]) -> str:
    lines = [f"Findings: {len(findings)}"]
    lines += [f"- {it.severity} {tame(it.code)}: {tame(str(it))}" for it in findings[:_FINDINGS]]
    if len(findings) > _FINDINGS:
        lines.append(f"- … and {len(findings) - _FINDINGS} more in shelf.json")
    return "\n".join(lines)


def _trailers(manifest: ShelfManifest) -> list[str]:
    trailers = [f"Release: {manifest.release}"]
    if manifest.source_commit is not None:
        trailers.append(f"Source-Commit: {tame(manifest.source_commit)}")
    return trailers
