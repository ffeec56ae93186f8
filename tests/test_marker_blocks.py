from typing import Any

import pytest

from docshelf.build.converting.converted import Block, Line, Span
from docshelf.build.engines.marker_blocks import goes_on, marker_page_blocks

BOX = (72.0, 60.0, 300.0, 90.0)


def node(kind: str, html: str, *children: dict[str, Any], box: tuple[float, ...] = BOX) -> dict[str, Any]:
    """A block as marker 2.0.0 writes it with its JSON renderer."""
    return {
        "id": f"/page/0/{kind}/1",
        "block_type": kind,
        "html": html,
        "bbox": list(box),
        "section_hierarchy": {},
        "children": list(children) or None,
    }


def page_node(*children: dict[str, Any]) -> dict[str, Any]:
    return node("Page", "", *children)


def blocks_of(*children: dict[str, Any], printed: tuple[Line, ...] = ()) -> list[Block]:
    return marker_page_blocks(page_node(*children), printed)


def line(text: str, **facts: Any) -> Line:
    return Line(text, BOX, 10.0, **facts)


# The HTML of these blocks was recorded from marker-pdf 2.0.0 (`force_layout_block`, November 2026).
RECORDED: list[tuple[dict[str, Any], Block]] = [
    (
        node(
            "Text",
            '<p block-type="Text"><b>1 Introduction &amp; &lt;x&gt;</b> The first paragraph begins here and</p>',
        ),
        Block("paragraph", BOX, (line("1 Introduction & <x> The first paragraph begins here and"),)),
    ),
    (
        node("Text", '<p block-type="Text"><span id="page-1-0"></span>1. numbered item</p>'),
        Block("paragraph", BOX, (line("1. numbered item"),)),
    ),
    (
        node("SectionHeader", "<h2><b>1 Introduction</b></h2>"),
        Block("heading", BOX, (line("1 Introduction", bold=True),), level=2),
    ),
    (
        node("Code", "<pre>int main(void)\n{\n\n    return 0;\n}</pre>"),
        Block(
            "code",
            BOX,
            tuple(line(text, mono=bool(text)) for text in ("int main(void)", "{", "", "    return 0;", "}")),
        ),
    ),
    (
        node("Footnote", "<p><b><sup>1 </sup>See</b> the second edition</p>"),
        Block("note", BOX, (line("¹ See the second edition"),)),
    ),
    (
        node(
            "Table",
            "<table><thead><tr><th>Name</th><th>Value</th></tr></thead><tbody><tr><td>alpha</td><td>1</td></tr></tbody></table>",
        ),
        Block("table", BOX, rows=(("Name", "Value"), ("alpha", "1"))),
    ),
    (node("Figure", ""), Block("figure", BOX)),
]


@pytest.mark.parametrize(
    ("given", "block"), RECORDED, ids=lambda value: value["block_type"] if isinstance(value, dict) else ""
)
def test_a_block_of_marker_becomes_ours(given: dict[str, Any], block: Block) -> None:
    assert blocks_of(given) == [block]


@pytest.mark.parametrize("kind", ["PageHeader", "PageFooter", "Text", "SectionHeader", "Code"])
def test_a_block_without_text_is_left_out(kind: str) -> None:
    assert blocks_of(node(kind, ""), node(kind, "<p></p>"), node(kind, '<span id="page-1-0"></span>')) == []


def test_items_of_a_list_are_blocks_with_their_markers() -> None:
    inner = (120.0, 70.0, 280.0, 90.0)
    group = node(
        "ListGroup",
        "<p block-type='ListGroup'><ul><content-ref src='/page/0/ListItem/36'></content-ref></ul></p>",
        node("ListItem", '<li block-type="ListItem"> first item of a list</li>', box=inner),
        node(
            "ListItem",
            '<li block-type="ListItem">2. other item <ul><li block-type="ListItem" class="list-indent-1">a) deeper</li>'
            "</ul></li>",
            box=inner,
        ),
    )
    assert [(block.kind, block.marker, block.text) for block in blocks_of(group)] == [
        ("list", "•", "first item of a list"),
        ("list", "2.", "other item"),
        ("list", "a)", "deeper"),
    ]
    assert {block.box for block in blocks_of(group)} == {inner}


def test_lines_without_structure_keep_their_places() -> None:
    contents = node(
        "TableOfContents",
        "<p><content-ref src='/page/1/Reference/9'></content-ref></p>",
        node("Reference", '<span id="page-1-0"></span>'),
        node("Line", "1. numbered item ", box=(72, 61, 157, 74)),
        node("Line", "2. other item ", box=(72, 79, 133, 92)),
    )
    (block,) = blocks_of(contents)
    assert block == Block(
        "paragraph",
        (72, 61, 157, 92),
        (Line("1. numbered item", (72, 61, 157, 74), 10.0), Line("2. other item", (72, 79, 133, 92), 10.0)),
    )


def test_links_lead_to_safe_addresses_and_to_pages_counted_from_one() -> None:
    (block,) = blocks_of(
        node(
            "Text",
            '<p>See <a href="https://example.org/a_b">the site</a>, <a href="#page-1-0">page two</a>'
            ' and <a href="javascript:alert(1)">this</a></p>',
        )
    )
    assert block.lines[0].text == "See the site, page two and this"
    assert block.lines[0].spans == (Span(4, 12, "https://example.org/a_b"), Span(14, 22, "#p2"))


def test_the_printed_lines_tell_the_size_of_a_block() -> None:
    printed = (Line("Chapter", (80, 65, 200, 85), 18.0), Line("elsewhere", (80, 400, 200, 410), 9.0))
    (block,) = blocks_of(node("SectionHeader", "<h1>Chapter</h1>"), printed=printed)
    assert block.lines[0].size == 18.0


def test_the_last_text_of_a_page_tells_whether_it_goes_on() -> None:
    begun = node("Text", '<p block-type="Text" class="has-continuation">It begins</p>')
    ended = node("Text", '<p block-type="Text">It ends</p>')
    assert goes_on(page_node(ended, begun, node("Footnote", "<p>1 note</p>")))
    assert not goes_on(page_node(begun, ended))
    assert not goes_on(page_node())
