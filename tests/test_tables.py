"""Ruling lines make a table only where every piece of text finds its cell."""

from collections.abc import Sequence
from dataclasses import replace

from docshelf.build.engines.pieces import Piece, Stroke
from docshelf.build.engines.tables import FoundTables, place_tables


def _piece(text: str, x: float, y: float, strip: int, width: float | None = None) -> Piece:
    box = (x, y, x + (5.0 * len(text) if width is None else width), y + 10)
    return Piece(text, box, y + 8, 10.0, bold=False, mono=False, font="Body", strip=strip)


def _lines(xs: Sequence[float], ys: Sequence[float]) -> list[Stroke]:
    across = [Stroke((xs[0], y - 0.5, xs[-1], y + 0.5), 0, True, True, True) for y in ys]
    down = [Stroke((x - 0.5, ys[0], x + 0.5, ys[-1]), 0, True, True, True) for x in xs]
    return across + down


def _words(piece: Piece) -> list[Piece]:
    words, x = [], piece.box[0]
    for n, word in enumerate(piece.text.split()):
        words.append(_piece(word, x, piece.box[1], -100 * piece.strip - n - 1))
        x += 5.0 * (len(word) + 1)
    return words


def _found(pieces: list[Piece], strokes: list[Stroke]) -> FoundTables:
    return place_tables(pieces, strokes, _words)


def _rows(found: FoundTables) -> list[tuple[tuple[str, ...], ...]]:
    return [piece.block.rows for piece in found.pieces if piece.block]


def test_text_goes_to_its_cells_and_what_is_outside_stays() -> None:
    cells = [
        _piece("Name", 12, 15, 1),
        _piece("Value", 112, 15, 2),
        _piece("Power", 12, 35, 3),
        _piece("5 W", 112, 35, 4),
    ]
    note = _piece("Note", 12, 60, 5)
    found = _found([*cells, note], _lines((10, 110, 210), (10, 30, 50)))
    assert _rows(found) == [(("Name", "Value"), ("Power", "5 W"))]
    assert found.pieces[-1] == note
    assert found.flattened == 0


def test_a_cell_over_two_columns_is_flattened_and_its_head_folded() -> None:
    strokes = _lines((10, 110, 210, 310), (10, 30, 50, 70))
    strokes = [s for s in strokes if not (s.box[0] == 209.5 and s.box[1] == 10)]
    strokes.append(Stroke((209.5, 30, 210.5, 70), 0, True, True, True))
    strokes = [s for s in strokes if s.box[1] != 29.5]
    strokes.append(Stroke((110, 29.5, 310, 30.5), 0, True, True, True))
    pieces = [
        _piece("Model", 12, 25, 1),
        _piece("Power of the unit in W", 155, 15, 2),
        _piece("min", 112, 35, 3),
        _piece("max", 212, 35, 4),
        _piece("RX-20", 12, 55, 5),
        _piece("7", 112, 55, 6),
        _piece("19", 212, 55, 7),
    ]
    found = _found(pieces, strokes)
    assert _rows(found) == [(("Model", "Power of the unit in W min", "max"), ("RX-20", "7", "19"))]
    assert found.flattened == 1


def test_a_run_over_two_cells_is_parted_at_the_line() -> None:
    run = _piece("Name           Value", 12, 15, 1)
    words = [_piece("Name", 12, 15, -1), _piece("Value", 112, 15, -2)]
    below = [_piece("Power", 12, 35, 2), _piece("5 W", 112, 35, 3)]
    found = place_tables([run, *below], _lines((10, 80, 210), (10, 30, 50)), lambda piece: words)
    assert _rows(found) == [(("Name", "Value"), ("Power", "5 W"))]


def test_words_written_across_a_line_stay_together_and_are_named() -> None:
    pieces = [_piece("Name and value", 12, 15, 1, 150), _piece("5 W", 112, 35, 2)]
    found = place_tables(pieces, _lines((10, 80, 210), (10, 30, 50)), lambda piece: [piece])
    assert _rows(found) == [(("Name and value", ""), ("", "5 W"))]
    assert found.flattened == 1


def test_a_table_that_would_lose_text_stays_text() -> None:
    pieces = [_piece("Name and value", 12, 15, 1, 150), _piece("5 W", 112, 35, 2)]
    lost = [_piece("Name", 12, 15, 1), _piece("value", 112, 15, 1)]
    found = place_tables(pieces, _lines((10, 80, 210), (10, 30, 50)), lambda piece: lost)
    assert found.pieces == tuple(pieces)


def test_columns_without_lines_between_them_keep_their_values_apart() -> None:
    strokes = [s for s in _lines((10, 110, 210), (10, 30, 50, 70)) if s.box[3] - s.box[1] < 3]
    strokes += [
        Stroke((x - 0.5, 10, x + 0.5, y), 0, True, True, True) for x, y in ((10, 70), (110, 30), (210, 70))
    ]
    pieces = [
        _piece(text, x, y, n)
        for n, (text, x, y) in enumerate(
            [
                ("Land", 12, 15),
                ("Cases", 112, 15),
                ("Austria", 12, 35),
                ("5,821", 112, 35),
                ("Malta", 12, 55),
                ("91", 112, 55),
            ]
        )
    ]
    assert _rows(_found(pieces, strokes)) == [(("Land", "Cases"), ("Austria", "5,821"), ("Malta", "91"))]


def test_a_chart_grid_without_text_in_it_is_no_table() -> None:
    pieces = [_piece("400", 12, 15, 1)]
    found = _found(pieces, _lines((10, 60, 110, 160), (10, 30, 50, 70)))
    assert found.pieces == tuple(pieces)


def _rule(y: float, x0: float = 10, x1: float = 310) -> Stroke:
    return Stroke((x0, y - 0.4, x1, y + 0.4), 0, True, True, True)


def _level(rows: Sequence[Sequence[str]], xs: Sequence[float], top: float, step: float = 14) -> list[Piece]:
    return [
        _piece(text, x, top + step * at, 10 * at + number)
        for at, row in enumerate(rows)
        for number, (x, text) in enumerate(zip(xs, row, strict=True))
        if text
    ]


LIMITS = [
    ["Value", "min", "max"],
    ["Supply voltage", "10.5", "14.0"],
    ["Supply current", "", "0.8"],
    ["Room temperature", "-20", "55"],
]


def test_a_head_between_two_lines_makes_a_table_of_the_level_rows_below() -> None:
    pieces = [
        *_level(LIMITS, (12, 150, 250), 15),
        _piece("A note below, in the width of the page", 12, 95, 99),
    ]
    found = _found(pieces, [_rule(12), _rule(28), _rule(75)])
    assert _rows(found) == [tuple(tuple(row) for row in LIMITS)]
    assert [piece.text for piece in found.pieces if not piece.block] == [
        "A note below, in the width of the page"
    ]


def test_a_line_that_wraps_in_its_cell_goes_on_in_it() -> None:
    rows = [
        ["File", "Description"],
        ["hosts", "names of hosts that may use this"],
        ["", "machine"],
        ["motd", "message of the day"],
    ]
    found = _found(_level(rows, (12, 100), 15), [_rule(12), _rule(28), _rule(75)])
    assert _rows(found) == [
        (
            ("File", "Description"),
            ("hosts", "names of hosts that may use this machine"),
            ("motd", "message of the day"),
        )
    ]


def test_lines_between_all_rows_tell_where_a_row_ends() -> None:
    rows = [["File", "Description"], ["hosts", "names"], ["", "of hosts"], ["motd", "message"]]
    found = _found(_level(rows, (12, 100), 15), [_rule(12), _rule(28), _rule(57), _rule(71)])
    assert _rows(found) == [(("File", "Description"), ("hosts", "names of hosts"), ("motd", "message"))]


def test_a_running_head_over_text_in_two_columns_is_no_table() -> None:
    left = "a line of running text that fills its column"
    rows = [["12", "Chapter two"], *[[left, left]] * 6]
    found = _found(_level(rows, (12, 260), 15), [_rule(12, 10, 490), _rule(28, 10, 490), _rule(120, 10, 490)])
    assert _rows(found) == []


def test_letters_at_the_lines_of_a_drawing_are_no_table() -> None:
    rows = [["A", "B", "C"], ["1", "2", "3"], ["4", "5", "6"]]
    assert _rows(_found(_level(rows, (12, 150, 250), 15), [_rule(12), _rule(28), _rule(60)])) == []


def test_a_listing_between_lines_stays_a_listing() -> None:
    pieces = [replace(piece, mono=True) for piece in _level(LIMITS, (12, 150, 250), 15)]
    assert _rows(_found(pieces, [_rule(12), _rule(28), _rule(75)])) == []


def test_a_part_title_may_follow_the_head_and_a_wide_name_stand_above_two_columns() -> None:
    rows = [["", "Totals", ""], ["Year", "2016", "2017"], ["Receipts:", "", ""], ["Customs duties", "30", "31"],
            ["Excise taxes", "1,072", "80"], ["Gift taxes", "7", "11"]]  # fmt: skip
    found = _found(_level(rows, (12, 150, 250), 15), [_rule(12), _rule(42), _rule(100)])
    ((head, *body),) = _rows(found)
    assert head == ("Year", "Totals 2016", "2017")
    assert body == [tuple(row) for row in rows[2:]]


def test_a_bold_head_on_one_line_needs_rows_that_stand_level() -> None:
    pieces = _level(LIMITS, (12, 150, 250), 15)
    head = [replace(piece, bold=True) for piece in pieces[:3]]
    assert len(_rows(_found([*head, *pieces[3:]], [_rule(28)]))) == 1
    title = replace(pieces[0], text="A page of running text"), *head[1:]
    prose = [_piece("a line of text that fills the width of it", 12, 31 + 14 * n, 90 + n) for n in range(4)]
    assert _rows(_found([*title, *prose], [_rule(28)])) == []


def test_a_last_cell_that_runs_over_the_edge_of_the_table_stays_its_cell() -> None:
    cells = [
        _piece("Name", 12, 15, 1),
        _piece("Value", 112, 15, 2),
        _piece("Power", 12, 35, 3),
        _piece("KRB5_CLIENT_KTNAME_OF_THE_USER_WHO_ASKS_FOR_IT", 112, 35, 4),
    ]
    found = _found(cells, _lines((10, 110, 210), (10, 30, 50)))
    assert _rows(found) == [(("Name", "Value"), ("Power", "KRB5_CLIENT_KTNAME_OF_THE_USER_WHO_ASKS_FOR_IT"))]
    assert len(found.pieces) == 1
