"""Rows of listings are held together over wide gaps; listings side by side are not."""

from docshelf.build.engines.listing_rows import bind_listing_rows
from docshelf.build.engines.pieces import Piece
from docshelf.build.engines.reading_order import order_rows
from docshelf.build.engines.text_lines import code_lines

WIDTH = 6.0


def _piece(text: str, column: int, row: int, strip: int, *, mono: bool = True) -> Piece:
    x, y = 60 + WIDTH * column, 100.0 + 12 * row
    return Piece(text, (x, y, x + WIDTH * len(text), y + 10), y + 8, 10.0, False, mono, "Mono", strip)


def test_a_listing_with_two_columns_keeps_its_rows() -> None:
    names = [
        "drwxr-xr-x root/root ...",
        "-rw-r--r-- root/root ...",
        "-rw-r--r-- root/root ...",
        "lrwxr-xr-x root/root ...",
    ]
    files = [
        "./usr/share/doc/debhello/",
        "./usr/share/doc/README.Debian",
        "./usr/share/doc/copyright",
        "./usr/share/man/",
    ]
    pieces = [
        piece
        for row, (name, file) in enumerate(zip(names, files, strict=True))
        for piece in (_piece(name, 0, row, 2 * row), _piece(file, 26, row, 2 * row + 1))
    ]
    rows = [row for region in order_rows(bind_listing_rows(pieces)) for row in region]
    assert [line.text for line in code_lines(rows)] == [
        "drwxr-xr-x root/root ...  ./usr/share/doc/debhello/",
        "-rw-r--r-- root/root ...  ./usr/share/doc/README.Debian",
        "-rw-r--r-- root/root ...  ./usr/share/doc/copyright",
        "lrwxr-xr-x root/root ...  ./usr/share/man/",
    ]


def test_listings_side_by_side_and_running_text_are_not_bound() -> None:
    left = [_piece("left", 0, row, row) for row in range(2)]
    right = [_piece("right", 30, row, 10 + row) for row in range(2)]
    text = [_piece("name", 0, 5, 20, mono=False), _piece("value", 30, 5, 21, mono=False)]
    pieces = (*left, *right, *text)
    assert bind_listing_rows(pieces) == pieces
