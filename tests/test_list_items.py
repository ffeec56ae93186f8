"""Items are told apart by their signs and numbers, and lists in lists by where they stand."""

from docshelf.build.converting.converted import Block, Line
from docshelf.build.engines.boxes import join_boxes
from docshelf.build.engines.list_items import nest_items


def item(left: float, top: float, marker: str = "•", wrapped_to: float | None = None) -> Block:
    """An item of letters of 10 points; its second line, if it has one, begins at `wrapped_to`."""
    lines = [Line("text", (left, top, left + 100, top + 10), 10.0)]
    if wrapped_to is not None:
        lines.append(Line("more", (wrapped_to, top + 12, wrapped_to + 100, top + 22), 10.0))
    return Block("list", join_boxes([line.box for line in lines]), tuple(lines), marker=marker)


def paragraph(top: float) -> Block:
    return Block("paragraph", (60, top, 500, top + 10), (Line("text", (60, top, 500, top + 10), 10.0),))


def levels(*blocks: Block) -> list[int]:
    return [block.level for block in nest_items(blocks)]


def test_an_item_further_to_the_right_is_below_the_one_before_it() -> None:
    assert levels(item(60, 0), item(80, 20, "–"), item(80, 40, "–"), item(60, 60)) == [0, 1, 1, 0]
    assert levels(item(60, 0), item(80, 20), item(100, 40), item(80, 60), item(60, 80)) == [0, 1, 2, 1, 0]


def test_numbers_set_flush_right_and_a_ragged_edge_make_no_level() -> None:
    assert levels(item(65, 0, "9."), item(60, 20, "10."), item(60, 40, "11.")) == [0, 0, 0]
    assert levels(item(60, 0), item(66, 20), item(60, 40)) == [0, 0, 0]
    assert levels(item(60, 0, "1."), item(75, 20, "2."), item(60, 40, "3.")) == [0, 0, 0]


def test_an_item_whose_lines_go_on_at_the_margin_is_no_outer_one() -> None:
    assert levels(item(84, 0, "-", wrapped_to=60), item(84, 30, "-"), item(84, 50, "-", 60)) == [0, 0, 0]


def test_a_list_begins_anew_after_a_paragraph_and_in_another_column() -> None:
    assert levels(item(60, 0), paragraph(20), item(80, 40)) == [0, 0, 0]
    assert levels(item(60, 700), item(320, 100), item(340, 120)) == [0, 0, 1]
    assert levels(item(60, 100), item(320, 120)) == [0, 0]


def test_a_list_that_begins_with_an_inner_item_goes_on_with_an_outer_one() -> None:
    assert levels(item(80, 0), item(60, 20), item(80, 40)) == [0, 0, 1]


def test_very_deep_lists_are_flat_at_their_deepest() -> None:
    assert levels(*(item(60 + 20 * n, 20 * n) for n in range(6))) == [0, 1, 2, 3, 3, 3]
