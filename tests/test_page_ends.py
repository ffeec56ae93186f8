"""Lists and tables go on over a page end; what only follows them does not."""

import pytest

from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Line, Page
from docshelf.build.cutting.joining import join_paragraphs
from docshelf.build.cutting.page_ends import is_notice, join_rows
from docshelf.build.cutting.pieces import document_pieces
from docshelf.build.wording import wording

HEAD = ("Port", "Speed")


def _line(text: str, x: float, y: float, size: float = 10.0) -> Line:
    return Line(text, (x, y, x + 5 * len(text), y + 10), size)


def _block(text: str, y: float, x: float = 60.0, kind: str = "paragraph", marker: str = "") -> Block:
    line = _line(text, x, y)
    return Block(kind, line.box, (line,), marker=marker)  # type: ignore[arg-type]


def _table(y: float, *rows: tuple[str, ...], left: float = 60.0, right: float = 540.0) -> Block:
    return Block("table", (left, y, right, y + 15 * len(rows)), rows=rows)


def _document(*pages: tuple[Block, ...]) -> ConvertedDocument:
    return ConvertedDocument(
        tuple(Page(n, str(n), 600, 800, "A", blocks) for n, blocks in enumerate(pages, 1)),
        ConversionEnd("fast"),
    )


def _markdown(*pages: tuple[Block, ...]) -> list[str]:
    return [p.markdown for p in document_pieces(join_paragraphs(_document(*pages)), "x", wording("en"))]


def test_a_table_goes_on_where_its_columns_stand_first_on_the_next_page() -> None:
    first = _table(700, HEAD, ("eth1", "1"))
    assert _markdown((first,), (_table(50, ("eth2", "10")),)) == [
        "| Port | Speed |\n| --- | --- |\n| eth1 | 1 |\n| eth2 | 10 |"
    ]


def test_a_head_that_is_printed_again_and_a_notice_are_left_out() -> None:
    first = _table(700, HEAD, ("eth1", "1"), ("continues on next page", ""))
    notice = _block("Table 7 – continued from previous page", 40)
    assert _markdown((first,), (notice, _table(60, HEAD, ("eth2", "10")))) == [
        "| Port | Speed |\n| --- | --- |\n| eth1 | 1 |\n| eth2 | 10 |"
    ]


@pytest.mark.parametrize(
    "pages",
    [
        ((_table(700, HEAD, ("a", "1")),), (_table(50, ("b", "2", "3")),)),
        ((_table(700, HEAD, ("a", "1")),), (_block("Ports of the other unit", 50), _table(70, ("b", "2")))),
        ((_table(700, HEAD, ("a", "1")), _block("Text.", 760)), (_table(50, ("b", "2")),)),
        ((_table(200, HEAD, ("a", "1")),), (_table(50, ("b", "2")),)),
        ((_table(700, HEAD, ("a", "1")),), (_table(50, ("b", "2"), right=400.0),)),
    ],
)
def test_another_table_is_one_of_its_own(pages: tuple[tuple[Block, ...], ...]) -> None:
    joined = join_paragraphs(_document(*pages))
    assert [block.joined for page in joined.pages for block in page.blocks] == [False] * sum(map(len, pages))


def test_the_next_item_stays_one_though_it_stands_alone_on_its_page() -> None:
    one = _block("Open the door.", 700, kind="list", marker="1.")
    two = _block("Shut the door.", 720, kind="list", marker="2.")
    assert _markdown((one, two), (_block("3. Lock the door.", 50), _block("Done.", 90))) == [
        "1. Open the door.",
        "2. Shut the door.",
        "3. Lock the door.",
        "Done.",
    ]


def test_a_number_out_of_order_is_no_next_item() -> None:
    two = _block("Shut the door.", 720, kind="list", marker="2.")
    assert _markdown((two,), (_block("7. Maintenance of the unit", 50),))[1] == "7\\. Maintenance of the unit"


def test_the_rest_of_an_item_belongs_to_it_and_notes_come_after() -> None:
    item = _block("Shut the door of the unit and then", 700, kind="list", marker="-")
    note = _block("¹ The left one.", 760, kind="note")
    assert _markdown((item, note), (_block("lock it.", 50),)) == [
        "- Shut the door of the unit and then lock it.",
        "¹ The left one.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Table 2.1 – continued from previous page", True),
        ("continues on next page", True),
        ("Продолжение таблицы 5", True),
        ("Окончание табл. А.2", True),
        ("Таблица 5 — продолжение", True),
        ("Table 4 (continued)", True),
        ("The table is continued below with the ports of the unit", False),
        ("Продолжение работы", False),
    ],
)
def test_a_notice_says_only_that_a_table_goes_on(text: str, expected: bool) -> None:
    assert is_notice(text) is expected


def test_parts_of_different_width_are_filled_up() -> None:
    assert join_rows((HEAD,), (("a", "1", "x"),)) == (("Port", "Speed", ""), ("a", "1", "x"))


def test_items_that_stand_alone_on_two_pages_are_found_by_their_numbers() -> None:
    one, two = _block("1. Open the door.", 600), _block("2. Shut the door.", 50)
    assert _markdown((one, _block("It is heavy.", 640)), (two,)) == [
        "1. Open the door.",
        "It is heavy.",
        "2. Shut the door.",
    ]


def test_a_heading_ends_a_list() -> None:
    one, two = _block("1. Open the door.", 600), _block("2. Shut the door.", 50)
    title = Block("heading", (60, 650, 200, 660), (_line("The door", 60, 650, 14),), level=2)
    assert _markdown((one, title), (two,))[-1] == "2\\. Shut the door."


def test_a_dash_goes_on_only_where_the_list_before_it_has_one() -> None:
    item = _block("the left door", 700, kind="list", marker="–")
    assert _markdown((item,), (_block("– the right door", 50),)) == ["- the left door", "- the right door"]
    assert _markdown((_block("The doors.", 700),), (_block("– the right door", 50),))[1] == "– the right door"
