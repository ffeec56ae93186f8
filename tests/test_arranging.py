from collections.abc import Sequence

import pytest

from docshelf.build.converting.converted import Block, BlockKind, Box, Line, Span
from docshelf.build.engines.arranging import arrange, with_marker
from docshelf.build.engines.regions import Region


def line(text: str, top: float, left: float = 72, right: float = 300) -> Line:
    return Line(text, (left, top, right, top + 10), 10.0)


def block(*lines: Line, kind: BlockKind = "paragraph", marker: str = "") -> Block:
    boxes = [each.box for each in lines]
    box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    return Block(kind, box, tuple(lines), marker=marker)


def region(kind: str, top: float, bottom: float, left: float = 70, right: float = 302) -> Region:
    return Region(kind, (left, top, right, bottom))


def no_cut(line: Line, box: Box) -> Line | None:
    return None


def no_table(region: Region) -> tuple[tuple[str, ...], ...]:
    return ()


def arranged(blocks: Sequence[Block], *regions: Region) -> list[tuple[str, str, str]]:
    return [(b.kind, b.marker, b.text) for b in arrange(blocks, regions, no_cut, no_table)]


def test_without_regions_nothing_changes() -> None:
    blocks = [block(line("a", 10), line("b", 22)), block(line("c", 40), kind="code")]
    assert arrange(blocks, [], no_cut, no_table) == blocks


def test_the_lines_of_a_heading_region_become_one_heading() -> None:
    blocks = [block(line("1.2 A long", 10)), block(line("heading", 22)), block(line("text", 40))]
    assert arranged(blocks, region("section-header", 9, 33), region("text", 39, 51)) == [
        ("heading", "", "1.2 A long\nheading"),
        ("paragraph", "", "text"),
    ]


def test_a_number_taken_for_a_marker_goes_back_into_the_heading() -> None:
    blocks = [block(line("Overview", 10), kind="list", marker="2.")]
    assert arranged(blocks, region("section-header", 9, 21)) == [("heading", "", "2. Overview")]


def test_a_title_is_a_heading_of_level_one() -> None:
    (heading,) = arrange([block(line("Manual", 10))], [region("title", 9, 21)], no_cut, no_table)
    assert (heading.kind, heading.level) == ("heading", 1)


def test_a_heading_of_seven_lines_is_none() -> None:
    blocks = [block(*(line(f"l{n}", 10 + 12 * n) for n in range(7)))]
    assert [kind for kind, _, _ in arranged(blocks, region("section-header", 0, 100))] == ["paragraph"]


def test_a_listing_stays_whole_whatever_the_model_calls_it() -> None:
    blocks = [block(line("int a;", 10), line("int b;", 22), kind="code")]
    assert arranged(blocks, region("section-header", 9, 21), region("table", 21, 33)) == [
        ("code", "", "int a;\nint b;")
    ]


def test_a_region_of_items_whose_bullets_are_drawn_is_a_list() -> None:
    blocks = [block(line("first", 10)), block(line("goes on", 22)), block(line("second", 40))]
    assert arranged(blocks, region("list-item", 9, 33), region("list-item", 39, 51)) == [
        ("list", "", "first\ngoes on"),
        ("list", "", "second"),
    ]


def test_items_told_apart_by_their_markers_stay_apart() -> None:
    blocks = [
        block(line("one", 10), kind="list", marker="a)"),
        block(line("two", 22), kind="list", marker="b)"),
    ]
    assert arranged(blocks, region("list-item", 9, 33)) == [("list", "a)", "one"), ("list", "b)", "two")]


def test_a_footnote_is_a_note() -> None:
    assert arranged([block(line("1 See there", 700))], region("footnote", 699, 711)) == [
        ("note", "", "1 See there")
    ]


def test_a_paragraph_that_runs_through_two_regions_is_cut_between_them() -> None:
    blocks = [block(line("above", 10), line("below", 22))]
    assert arranged(blocks, region("text", 9, 21), region("text", 21.5, 33)) == [
        ("paragraph", "", "above"),
        ("paragraph", "", "below"),
    ]


def test_a_line_outside_of_all_regions_stays_with_the_line_before_it() -> None:
    blocks = [
        block(line("head", 0)),
        block(line("in", 10), line("of the same block", 22)),
        block(line("stray", 50)),
        block(line("last", 70)),
    ]
    assert arranged(blocks, region("text", 9, 21), region("text", 69, 81)) == [
        ("paragraph", "", "head"),
        ("paragraph", "", "in\nof the same block"),
        ("paragraph", "", "stray"),
        ("paragraph", "", "last"),
    ]


def test_text_in_a_picture_follows_the_figure() -> None:
    assert arranged([block(line("axis", 50))], region("picture", 0, 100)) == [
        ("figure", "", ""),
        ("paragraph", "", "axis"),
    ]


LEFT, RIGHT = (70.0, 290.0), (310.0, 530.0)


def test_columns_read_one_after_the_other_keep_their_order() -> None:
    blocks = [block(line(text, top, *side)) for text, top, side in
              (("L1", 10, LEFT), ("L2", 60, LEFT), ("R1", 10, RIGHT), ("R2", 60, RIGHT))]  # fmt: skip
    stripes = [region("text", top, top + 12, *side) for top in (9, 59) for side in (LEFT, RIGHT)]
    assert [text for _, _, text in arranged(blocks, *stripes)] == ["L1", "L2", "R1", "R2"]


def test_columns_read_line_by_line_take_the_order_of_the_regions() -> None:
    blocks = [
        block(line(f"{name}{row}", 10 + 12 * row, *side))
        for row in range(3)
        for name, side in (("L", LEFT), ("R", RIGHT))
    ]
    columns = [region("text", 9, 50, *LEFT), region("text", 9, 50, *RIGHT)]
    assert [text for _, _, text in arranged(blocks, *columns)] == ["L0", "L1", "L2", "R0", "R1", "R2"]


def test_a_region_without_text_keeps_its_place_after_the_one_before_it() -> None:
    blocks = [block(line("one", 10)), block(line("two", 90))]
    regions = (region("text", 9, 21), region("picture", 30, 80), region("text", 89, 101))
    assert [kind for kind, _, _ in arranged(blocks, *regions)] == ["paragraph", "figure", "paragraph"]


def test_a_line_through_two_columns_is_cut_where_its_parts_are_known() -> None:
    row = line("left words right words", 10, LEFT[0], RIGHT[1])
    parts = {LEFT: line("left words", 10, *LEFT), RIGHT: line("right words", 10, *RIGHT)}

    def cut(line: Line, box: Box) -> Line | None:
        return parts[box[0], box[2]]

    regions = [region("text", 9, 21, *LEFT), region("text", 9, 21, *RIGHT)]
    assert [b.text for b in arrange([block(row)], regions, cut, no_table)] == ["left words", "right words"]


def test_a_line_whose_parts_lack_a_letter_stays_whole() -> None:
    row = line("left words right words", 10, LEFT[0], RIGHT[1])
    regions = [region("text", 9, 21, *LEFT), region("text", 9, 21, *RIGHT)]
    result = arrange([block(row)], regions, lambda line, box: Line("left words", box, 10.0), no_table)
    assert [b.text for b in result] == ["left words right words"]


TABLE = (("a", "1"), ("b", "2"))


def test_a_table_stands_for_the_lines_it_holds() -> None:
    blocks = [block(line("a   1", 10)), block(line("b   2", 22))]
    (table,) = arrange(blocks, [region("table", 9, 33)], no_cut, lambda region: TABLE)
    assert (table.kind, table.rows, table.lines) == ("table", TABLE, ())


def test_a_table_that_lost_text_is_none() -> None:
    blocks = [block(line("a   1", 10)), block(line("b   2   and more", 22))]
    result = arrange(blocks, [region("table", 9, 33)], no_cut, lambda region: TABLE)
    assert [b.text for b in result] == ["a   1", "b   2   and more"]


def test_a_ruled_table_is_kept_as_it_was_read() -> None:
    ruled = Block("table", (72, 10, 300, 40), rows=(("x", "y"), ("z", "")))
    assert arrange([ruled], [region("table", 9, 41)], no_cut, lambda region: TABLE) == [ruled]


@pytest.mark.parametrize(("marker", "text", "start"), [("2.", "2. see", 3), ("", "see", 0)])
def test_links_move_with_the_words_of_a_heading(marker: str, text: str, start: int) -> None:
    linked = Line("see", (0, 0, 9, 9), 10.0, spans=(Span(0, 3, "#p2"),))
    assert with_marker(linked, marker) == Line(
        text, (0, 0, 9, 9), 10.0, spans=(Span(start, start + 3, "#p2"),)
    )
