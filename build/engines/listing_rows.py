"""Rows of listings held together, so that paper free between their columns is not taken for a gutter."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from docshelf.build.engines.pieces import Piece

LEVEL = 0.5
"""Points by which the baselines of parts of one row may differ."""


def bind_listing_rows(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces; fixed-width ones that follow each other on one line as pieces of one strip.

    MuPDF parts a line at wide gaps. Two listings side by side do not follow each other line by line.
    """
    if not any(piece.mono for piece in pieces):
        return tuple(pieces)
    bound = list[Piece]()
    for _, group in groupby(pieces, key=lambda piece: (piece.strip, piece.block is not None)):
        strip = list(group)
        if bound and _is_one_row(bound[-1], strip):
            strip = [replace(piece, strip=bound[-1].strip) for piece in strip]
        bound += strip
    return tuple(bound)


def _is_one_row(last: Piece, strip: Sequence[Piece]) -> bool:
    first = strip[0]
    return (
        last.mono
        and all(piece.mono for piece in strip)
        and last.block is None
        and first.block is None
        and last.quarter == first.quarter == 0
        and abs(last.baseline - first.baseline) < LEVEL
        and abs(last.size - first.size) < LEVEL
        and first.box[0] > last.box[2]
    )
