"""A heading splits the block it stands in, and nothing is lost or doubled."""

from docshelf.build.converting.converted import (
    Block,
    BlockKind,
    ConversionEnd,
    ConvertedDocument,
    Line,
    Page,
    Span,
)
from docshelf.build.headings.cutting import cut_document
from docshelf.build.headings.rows import Mark


def _line(text: str, y: float, links: tuple[Span, ...] = ()) -> Line:
    return Line(text, (50.0, y, 300.0, y + 10), 10.0, spans=links)


def _block(kind: BlockKind, y: float, *texts: str, marker: str = "", joined: bool = False) -> Block:
    lines = tuple(_line(text, y + 12 * index) for index, text in enumerate(texts))
    return Block(kind, (50.0, y, 300.0, y + 12 * len(texts)), lines, marker=marker, joined=joined)


def _document(*blocks: Block) -> ConvertedDocument:
    return ConvertedDocument((Page(1, "1", 400.0, 600.0, "A", blocks),), ConversionEnd("fast"))


def _shape(document: ConvertedDocument) -> list[tuple[str, int, str, str]]:
    return [(block.kind, block.level, block.marker, block.text) for block in document.pages[0].blocks]


def test_the_text_before_and_behind_keeps_blocks_of_its_own() -> None:
    document = _document(_block("paragraph", 100, "before", "Title", "behind", joined=True))
    cut = cut_document(document, [Mark("Title", 2, 0, 1)])
    assert _shape(cut) == [
        ("paragraph", 0, "", "before"),
        ("heading", 2, "", "Title"),
        ("paragraph", 0, "", "behind"),
    ]
    assert [block.joined for block in cut.pages[0].blocks] == [True, False, False]
    assert cut.pages[0].blocks[2].box == (50.0, 124.0, 300.0, 134.0)


def test_a_title_over_two_blocks_becomes_one_line() -> None:
    document = _document(_block("paragraph", 100, "Chapter 5"), _block("paragraph", 130, "Ports", "text"))
    cut = cut_document(document, [Mark("Chapter 5. Ports", 1, 0, 0, 2)])
    assert _shape(cut) == [("heading", 1, "", "Chapter 5. Ports"), ("paragraph", 0, "", "text")]
    assert cut.pages[0].blocks[0].lines[0].box == (50.0, 100.0, 300.0, 140.0)


def test_a_title_that_is_not_printed_is_put_before_its_row_or_at_the_end() -> None:
    document = _document(_block("paragraph", 100, "one", "two"))
    cut = cut_document(document, [Mark("Middle", 1, 0, 1, 0), Mark("End", 1, 0, 2, 0)])
    assert [text for *_, text in _shape(cut)] == ["one", "Middle", "two", "End"]


def test_an_item_keeps_its_marker_and_what_is_left_behind_a_title_is_no_item() -> None:
    document = _document(
        _block("list", 100, "Title", "text", marker="1."), _block("list", 140, "x", marker="-")
    )
    cut = cut_document(document, [Mark("1. Title", 1, 0, 0)])
    assert _shape(cut) == [
        ("heading", 1, "", "1. Title"),
        ("paragraph", 0, "", "text"),
        ("list", 0, "-", "x"),
    ]


def test_a_title_at_the_begin_of_its_row_leaves_the_rest_with_its_links() -> None:
    line = _line("Ports. See here", 100, (Span(11, 15, "https://example.com"),))
    document = _document(Block("paragraph", line.box, (line,)))
    cut = cut_document(document, [Mark("Ports", 3, 0, 0, 1, tail=6)])
    assert _shape(cut) == [("heading", 3, "", "Ports"), ("paragraph", 0, "", "See here")]
    assert cut.pages[0].blocks[1].lines[0].spans == (Span(4, 8, "https://example.com"),)


def test_tables_and_figures_stay_whole_and_dropped_rows_go() -> None:
    table = Block("table", (50.0, 100.0, 300.0, 150.0), rows=(("a", "b"),))
    document = _document(_block("paragraph", 50, "Contents ..... 1", "kept"), table)
    cut = cut_document(document, [Mark("Title", 1, 0, 2, 0)], {(0, 0)})
    assert _shape(cut) == [("paragraph", 0, "", "kept"), ("table", 0, "", ""), ("heading", 1, "", "Title")]


def test_what_the_engine_called_a_heading_is_text_unless_it_is_one() -> None:
    document = _document(_block("heading", 100, "Note"), _block("heading", 130, "Ports"))
    cut = cut_document(document, [Mark("Ports", 1, 0, 1)])
    assert _shape(cut) == [("paragraph", 0, "", "Note"), ("heading", 1, "", "Ports")]
