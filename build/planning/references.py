"""Links from one document to another: what they name, and where on the shelf that stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Target(NamedTuple):
    """What a link of a document names."""

    source: str
    """Path of a file in the source folder, which may not be there."""
    page: int
    """PDF page, 0 where the link names none."""


class Reference(NamedTuple):
    """A link of a document that leads to another one."""

    target: Target
    address: str
    """Shelf path of the Markdown, with the anchor of a page."""


@dataclass(frozen=True, slots=True)
class References:
    """What a document has to do with others."""

    targets: tuple[Target, ...] = ()
    """All that its links name, sorted."""
    followed: tuple[Reference, ...] = ()
    """Those that lead somewhere, as its pages have them."""
    unmarked: tuple[int, ...] = ()
    """Its PDF pages that no section has a mark of, since they hold no text: nothing can lead to them."""


NO_REFERENCES = References()


def references_to_json(references: References) -> list[Any]:
    """The references as JSON values."""
    return [references.targets, references.followed, references.unmarked]


def references_from_json(values: Sequence[Any]) -> References:
    """The references that `references_to_json` wrote."""
    targets, followed, unmarked = values
    return References(
        tuple(Target(*row) for row in targets),
        tuple(Reference(Target(*target), address) for target, address in followed),
        tuple(unmarked),
    )
