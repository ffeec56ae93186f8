"""Whether a release can be read right now."""

import hashlib

from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.releases.addresses import ROOT_INDEX
from docshelf.serve.releases.tree import Release


def verify_readable(release: Release) -> None:
    """Reads the root index from where it is stored, whatever is in memory.

    Raises: ShelfDamaged where it is missing or not what the manifest says.
    """
    try:
        row = release.row(ROOT_INDEX)
    except NotOnShelf as exc:
        raise ShelfDamaged(f"release {release.id}: has no {ROOT_INDEX}; build the shelf again") from exc
    with release.open(ROOT_INDEX) as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != row.sha256:
        raise ShelfDamaged(
            f"release {release.id}: {ROOT_INDEX} is not what its manifest says; build it again"
        )
