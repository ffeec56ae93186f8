"""Ruling lines make a table only where every piece of text finds its cell."""

from collections.abc import Sequence

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
        words.append(_piece(word, x, piece.box[1], -n - 1))
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
