"""The links of a document to other files: which they are, and which of them lead somewhere."""

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from docshelf.build.converting.converted import Block, ConvertedDocument, Line, Span
from docshelf.build.cutting.markdown import SHELF_LINK
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.references import Target

MAX_TARGETS = 10_000
"""Places in other documents that one document may name; links to more are plain text."""
_FILE = "file:"


def aim_links(document: ConvertedDocument, plan: DocumentPlan) -> tuple[ConvertedDocument, set[Target]]:
    """The document with links to other files only where these are on the shelf, and all that its links name.

    A link that stays leads to the placeholder `SHELF_LINK` with its number in `plan.followed`.
    """
    numbers = {it.target: number for number, it in enumerate(plan.followed or ())}
    targets = set[Target]()
    pages = tuple(
        replace(page, blocks=tuple(_aimed(block, plan.source, numbers, targets) for block in page.blocks))
        if any(_names_files(line) for block in page.blocks for line in block.lines)
        else page
        for page in document.pages
    )
    return replace(document, pages=pages), targets


def _names_files(line: Line) -> bool:
    return any(link.target.startswith(_FILE) for link in line.spans)


def _aimed(block: Block, source: str, numbers: Mapping[Target, int], targets: set[Target]) -> Block:
    def aimed(link: Span) -> Span | None:
        if not link.target.startswith(_FILE):
            return link
        target = _target(link.target, source)
        if target is None or (len(targets) >= MAX_TARGETS and target not in targets):
            return None
        targets.add(target)
        return replace(link, target=f"{SHELF_LINK}{numbers[target]}") if target in numbers else None

    lines = (replace(line, spans=tuple(filter(None, map(aimed, line.spans)))) for line in block.lines)
    return replace(block, lines=tuple(lines))


def _target(address: str, source: str) -> Target | None:
    """What the address `file:PATH#pN` in a source names; None outside the source folder, and for itself."""
    path, _, page = address.removeprefix(_FILE).partition("#p")
    named = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(path)))
    if named.startswith("../") or named in (".", "..", source):
        return None
    return Target(named, int(page or 0))
