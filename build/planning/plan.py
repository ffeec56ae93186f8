"""What is decided about a document before it is read; travels to the workers as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from docshelf.build.planning.addresses import Address
from docshelf.build.planning.references import Reference, Target
from docshelf.build.rendering.pages import LinkTo, ShelfView
from docshelf.serve.config import Budget, HeadingTier, Quality


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """One document to be made: where it stands and by which settings."""

    source: str
    """Path in the source folder."""
    stem: str
    """File name without extension: the title of last resort."""
    sha256: str
    """Of the source's bytes."""
    address: Address
    shelf: ShelfView
    breadcrumbs: tuple[LinkTo, ...]
    """From the shelf's home to the document's category."""
    title: str | None
    description: str
    language: str | None
    """From the sidecar; None means that the text tells."""
    default_language: str
    quality: Quality
    split: bool
    heading_sources: tuple[HeadingTier, ...]
    budget: Budget
    source_file: str
    """Shelf path of the source's copy, "" where the release holds none."""
    notices: tuple[str, ...] = ()
    """What the build already has to say to readers of this document."""
    is_kept: bool = False
    """Whether its pages show the last good version, because the source cannot be read now."""
    followed: tuple[Reference, ...] | None = None
    """Its links to other documents; None means those of the version before, which are mostly right."""

    @property
    def llms(self) -> str:
        """The llms.txt that covers the document."""
        return f"{self.address.home}/llms.txt".lstrip("/")

    @property
    def home(self) -> str:
        """The index of its category."""
        return f"{self.address.home}/index.md".lstrip("/")


def plan_to_json(plan: DocumentPlan) -> dict[str, Any]:
    """The plan as JSON values."""
    return asdict(plan)


def plan_from_json(values: Mapping[str, Any]) -> DocumentPlan:
    """The plan that `plan_to_json` wrote."""
    return DocumentPlan(
        **{
            **values,
            "address": Address(**values["address"]),
            "shelf": ShelfView(**values["shelf"]),
            "breadcrumbs": tuple(LinkTo(**link) for link in values["breadcrumbs"]),
            "heading_sources": tuple(values["heading_sources"]),
            "budget": Budget(**values["budget"]),
            "notices": tuple(values["notices"]),
            "followed": tuple(Reference(Target(*target), to) for target, to in values["followed"] or ()),
        }
    )
