"""Links to other files: which documents they name, and which of them stay links."""

import json

import pytest

from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Line, Page, Span
from docshelf.build.cutting import references as cutting
from docshelf.build.cutting.markdown import SHELF_LINK
from docshelf.build.cutting.references import MAX_TARGETS, aim_links
from docshelf.build.planning.addresses import Address
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.references import (
    Reference,
    References,
    Target,
    references_from_json,
    references_to_json,
)
from docshelf.build.rendering.pages import ShelfView
from docshelf.serve.config import HEADING_TIERS, Budget

BOX = (0.0, 0.0, 9.0, 9.0)


def plan_of(source: str, *followed: Reference) -> DocumentPlan:
    return DocumentPlan(
        source=source, stem="x", sha256="", address=Address("net", "x"), shelf=ShelfView("S", "en"), breadcrumbs=(),
        title=None, description="", language=None, default_language="en", quality="fast", split=True,
        heading_sources=HEADING_TIERS, budget=Budget(), source_file="", followed=followed,
    )  # fmt: skip


def linking(*targets: str) -> ConvertedDocument:
    lines = tuple(Line("see there", BOX, 10, spans=(Span(0, 3, target),)) for target in targets)
    pages = (Page(1, "1", 595, 842, "A", (Block("paragraph", BOX, lines),)),)
    return ConvertedDocument(pages, ConversionEnd("fast"))


def links_of(document: ConvertedDocument) -> list[str]:
    return [link.target for line in document.pages[0].blocks[0].lines for link in line.spans]


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("file:b.pdf", Target("net/b.pdf", 0)),
        ("file:b.pdf#p12", Target("net/b.pdf", 12)),
        ("file:../power/%D0%B1%20c.pdf#p2", Target("power/б c.pdf", 2)),
        ("file:./x/../b.pdf", Target("net/b.pdf", 0)),
        ("file:../../b.pdf", None),
        ("file:..", None),
        ("file:.", Target("net", 0)),
        ("file:a.pdf#p2", None),
        ("file:..%2F..%2Fb.pdf", None),
    ],
)
def test_a_link_names_a_file_of_the_source_folder_relative_to_its_document(
    address: str, target: Target | None
) -> None:
    document, targets = aim_links(linking(address), plan_of("net/a.pdf"))
    assert targets == ({target} if target else set())
    assert links_of(document) == []


def test_only_links_that_lead_somewhere_stay_and_others_are_as_they_were() -> None:
    followed = (
        Reference(Target("net/b.pdf", 2), "docs/net/b.md#p2"),
        Reference(Target("net/c.pdf", 0), "docs/net/c.md"),
    )
    document = linking("file:c.pdf", "https://example.com/", "file:d.pdf", "#p3", "file:b.pdf#p2")
    aimed, targets = aim_links(document, plan_of("net/a.pdf", *followed))
    assert links_of(aimed) == [f"{SHELF_LINK}1", "https://example.com/", "#p3", f"{SHELF_LINK}0"]
    assert targets == {Target("net/b.pdf", 2), Target("net/c.pdf", 0), Target("net/d.pdf", 0)}


def test_a_document_without_such_links_is_as_it_was() -> None:
    document = linking("https://example.com/", "#p3")
    assert aim_links(document, plan_of("a.pdf")) == (document, set())


def test_a_document_names_so_many_places_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_TARGETS > 1000
    monkeypatch.setattr(cutting, "MAX_TARGETS", 2)
    followed = tuple(Reference(Target(f"{name}.pdf", 0), f"docs/{name}.md") for name in "bcd")
    document, targets = aim_links(
        linking("file:b.pdf", "file:c.pdf", "file:d.pdf", "file:b.pdf"), plan_of("a.pdf", *followed)
    )
    assert links_of(document) == [f"{SHELF_LINK}0", f"{SHELF_LINK}1", f"{SHELF_LINK}0"]
    assert targets == {Target("b.pdf", 0), Target("c.pdf", 0)}


def test_references_are_read_as_they_were_written() -> None:
    target = Target("сеть/b.pdf", 3)
    references = References((target, Target("c.pdf", 0)), (Reference(target, "docs/b.md#p3"),), (4, 7))
    assert references_from_json(json.loads(json.dumps(references_to_json(references)))) == references
