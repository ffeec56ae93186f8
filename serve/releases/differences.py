"""What differs between two releases: documents by their source, sections by their slug and their text."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.manifest import DocumentMeta, SectionEntry
from docshelf.serve.printable import printable
from docshelf.serve.releases.addresses import SUBINDEX
from docshelf.serve.releases.tree import Release

Change = Literal["added", "removed", "changed", "moved"]

_NUMBER = re.compile(r"[0-9]{3,}-")
_FOLLOWING = frozenset({"sections", "outline", "page_grades"})
"""Keys of a meta that other differences explain; they are told where nothing else is."""


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section that is not what, or not where, it was."""

    change: Change
    """`moved`: the same text at another address."""
    title: str
    before: str
    """Its path in the earlier release, "" where it is new."""
    after: str
    """Its path in the later release, "" where it is gone."""


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document that is not what it was."""

    change: Change
    """`added`, `removed` or `changed`."""
    source: str
    sections: tuple[SectionChange, ...]
    """In the order of the later release, then those that are gone."""
    facts: tuple[str, ...] = ()
    """Keys of its meta that differ, such as `title`; `sha256` means that the source itself does."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two releases."""

    before: str
    after: str
    documents: tuple[DocumentChange, ...]
    """By source."""
    same: int
    """Documents of both that do not differ."""
    files: int
    """Files of any kind that are new, gone or changed; pages and indexes among them."""


def diff_releases(before: Release, after: Release) -> Difference:
    """How `after` differs from `before`.

    Raises: ShelfDamaged where the meta of a document cannot be read.
    """
    old = {entry.source: entry.meta for entry in before.manifest.documents}
    new = {entry.source: entry.meta for entry in after.manifest.documents}
    changes: list[DocumentChange] = []
    for source in sorted(old.keys() | new.keys()):
        earlier = _meta(before, old[source]) if source in old else None
        later = _meta(after, new[source]) if source in new else None
        if earlier != later:
            changes.append(_document_change(source, earlier, later))
    changed = sum(it.change == "changed" for it in changes)
    rows = {(it.path, it.sha256) for it in before.files.values()} ^ {
        (it.path, it.sha256) for it in after.files.values()
    }
    return Difference(
        before=before.id,
        after=after.id,
        documents=tuple(changes),
        same=len(old.keys() & new.keys()) - changed,
        files=len({path for path, _ in rows}),
    )


def difference_lines(difference: Difference) -> Iterator[str]:
    """The difference for people: a line per document, a line per section of a changed one, the counts."""
    yield f"{difference.before} → {difference.after}"
    for document in difference.documents:
        named = printable(document.source)
        if document.change != "changed":
            yield f"{document.change:<8} {named} (sections: {len(document.sections)})"
            continue
        yield f"{document.change:<8} {named}{': ' if document.facts else ''}{', '.join(document.facts)}"
        for section in document.sections:
            places = [path for path in (section.before, section.after) if path]
            yield f"  {section.change:<8} {' → '.join(dict.fromkeys(places))}: {printable(section.title)}"
    parts = (it.change for document in difference.documents for it in document.sections)
    yield f"documents: {_counted(it.change for it in difference.documents)}the same {difference.same}"
    yield f"sections: {_counted(parts).removesuffix(', ') or 'the same'}"
    yield f"files: {difference.files or 'none'} differ"


def _counted(changes: Iterator[Change]) -> str:
    counts = Counter(changes)
    order: tuple[Change, ...] = ("added", "removed", "changed", "moved")
    return "".join(f"{change} {counts[change]}, " for change in order if counts[change])


def _meta(release: Release, path: str) -> DocumentMeta:
    if path not in release.files:
        raise ShelfDamaged(f"release {release.id}: {path} is not there; run docshelf check")
    return release.meta(path)


def _document_change(source: str, before: DocumentMeta | None, after: DocumentMeta | None) -> DocumentChange:
    if before is None or after is None:
        change: Change = "added" if before is None else "removed"
        alone = _by_slug(before or after).values()
        return DocumentChange(change, source, tuple(_one_side(change, it) for it in alone))
    sections = tuple(_section_changes(before, after))
    differing = [
        it.name for it in fields(DocumentMeta) if getattr(before, it.name) != getattr(after, it.name)
    ]
    facts = tuple(name for name in differing if name not in _FOLLOWING)
    return DocumentChange("changed", source, sections, facts if facts or sections else tuple(differing))


def _section_changes(before: DocumentMeta, after: DocumentMeta) -> Iterator[SectionChange]:
    old, new = _by_slug(before), _by_slug(after)
    pairs = _pairs(old, new)
    for slug, section in new.items():
        if slug not in pairs:
            yield _one_side("added", section)
            continue
        earlier = old[pairs[slug]]
        if earlier.text_sha256 != section.text_sha256:
            yield SectionChange("changed", section.title, earlier.path, section.path)
        elif earlier.path != section.path:
            yield SectionChange("moved", section.title, earlier.path, section.path)
    followed = set(pairs.values())
    yield from (_one_side("removed", section) for slug, section in old.items() if slug not in followed)


def _pairs(old: Mapping[str, SectionEntry], new: Mapping[str, SectionEntry]) -> dict[str, str]:
    """For each later slug the earlier slug of the same section.

    The same slug with the same text comes first, then the same text, then the same slug: where two sections
    of one title become one, the other one gets its slug.
    """
    pairs = {slug: slug for slug in new if slug in old and old[slug].text_sha256 == new[slug].text_sha256}
    by_text = {old[slug].text_sha256: slug for slug in reversed(tuple(old)) if slug not in pairs}
    for slug, section in new.items():
        if slug not in pairs and section.text_sha256 in by_text:
            pairs[slug] = by_text.pop(section.text_sha256)
    taken = set(pairs.values())
    return pairs | {slug: slug for slug in new if slug not in pairs and slug in old and slug not in taken}


def _one_side(change: Change, section: SectionEntry) -> SectionChange:
    before, after = (section.path, "") if change == "removed" else ("", section.path)
    return SectionChange(change, section.title, before, after)


def _by_slug(meta: DocumentMeta | None) -> dict[str, SectionEntry]:
    """The sections in order, by what stays when their number changes."""
    if meta is None:
        return {}
    is_long = meta.path.endswith(SUBINDEX)
    names = ((section.path.rpartition("/")[2], section) for section in meta.sections)
    return {_NUMBER.sub("", name, count=1) if is_long else name: section for name, section in names}
