"""All documents of a shelf, with links that lead from one to another.

Where a link leads is known once the document it names is made, so a document that leads to others may be
made twice; its note then says where its links led, which is mostly right the next time.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from docshelf.build.documents import make_documents
from docshelf.build.planning.references import Reference, Target
from docshelf.build.progress import Progress
from docshelf.build.workers.workplace import Made, Work, Workplace
from docshelf.serve.anchors import page_anchor
from docshelf.serve.manifest import DocumentMeta

_ROUNDS = 2
"""The first round says which links lead somewhere: their number, not their addresses, decides where documents
are cut, so the second one moves nothing any more."""


def make_linked(works: Sequence[Work], place: Workplace, progress: Progress) -> list[Made]:
    """Every work's outcome, by source. Links to what is not on the shelf are plain text.

    Raises: OSError where the output cannot be written.
    """
    made = {it.source: it for it in make_documents(works, place, progress)}
    for number in range(_ROUNDS):
        followed = _followed(made)
        again = [
            work.leading_to(followed[work.plan.source])
            for work in works
            if followed.get(work.plan.source, ()) != made[work.plan.source].references.followed
        ]
        if not again:
            break
        progress.say(f"linking documents: {len(again)}")
        linked = make_documents(again, place, _Unheard(), f"linked-{number}-")
        # What cannot be made again now stays as it was made first.
        made |= {it.source: it for it in linked if it.meta is not None}
    return sorted(made.values(), key=lambda it: it.source)


def _followed(made: Mapping[str, Made]) -> dict[str, tuple[Reference, ...]]:
    """Where the links of each document lead that has any."""
    linking = [it for it in made.values() if it.meta is not None and it.references.targets]
    known = {_folded(source): it for source, it in made.items()} if linking else {}

    def references(targets: Sequence[Target]) -> tuple[Reference, ...]:
        found = ((target, made.get(target.source) or known.get(_folded(target.source))) for target in targets)
        return tuple(Reference(target, _address(it, target.page)) for target, it in found if it and it.meta)

    return {it.source: references(it.references.targets) for it in linking}


def _address(made: Made, page: int) -> str:
    """Where a page of a document stands; its beginning where no page, the first or none of its pages is named."""
    meta, unmarked = made.meta, set(made.references.unmarked)
    assert meta is not None
    if not 1 < page <= meta.pages:
        return meta.path
    marked = [number for number in range(1, meta.pages + 1) if number not in unmarked]
    number = marked[min(bisect_left(marked, page), len(marked) - 1)]
    return f"{_section(meta, number)}#{page_anchor(number)}"


def _section(meta: DocumentMeta, page: int) -> str:
    """The section that holds the mark of the page."""
    return next(it.path for it in meta.sections if it.pages[0] <= page <= it.pages[1])


def _folded(source: str) -> str:
    """The path as file systems that know no case compare it: links are often written on one."""
    return unicodedata.normalize("NFC", source).casefold()


class _Unheard:
    """A progress that says nothing: the documents were counted when they were made first."""

    def begin(self, documents: int) -> None:
        """Nothing."""

    def document(self, source: str, pages: int) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""
