"""Raised and lowered figures are told from the words and numbers they stand beside."""

import pytest

from docshelf.build.engines.pieces import Piece
from docshelf.build.engines.reading_order import Strip
from docshelf.build.engines.text_lines import row_line

TEXT, SMALL = 10.0, 7.0


def _text(*runs: tuple[str, float, float], gaps: tuple[float, ...] = ()) -> str:
    """The row that runs make: each its text, its size and how far it stands above the baseline, in points.

    `gaps` are points of paper before each run, 0 where left out; a sign is half its size wide.
    """
    pieces, x = [], 50.0
    for at, (text, size, rise) in enumerate(runs):
        x += gaps[at] if at < len(gaps) else 0.0
        box = (x, 92.0 - rise, x + 0.5 * size * len(text), 102.0 - rise)
        pieces.append(Piece(text, box, 100.0 - rise, size, bold=False, mono=False, font="Body", strip=1))
        x = box[2]
    return row_line((Strip(tuple(pieces), (50.0, 92.0, x, 102.0), 1),)).text


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([("слово", TEXT, 0), ("1", SMALL, 4), (" дальше", TEXT, 0)], "слово¹ дальше"),
        ([("слово ", TEXT, 0), ("1", SMALL, 4), (" дальше", TEXT, 0)], "слово¹ дальше"),
        ([("the end. ", TEXT, 0), ("14", SMALL, 4)], "the end.¹⁴"),
        (
            [("the end.", TEXT, 0), (" ", SMALL, 0), ("4", SMALL, 4), (" ", TEXT, 4), ("Next", TEXT, 0)],
            "the end.⁴ Next",
        ),
        ([("the end. ", TEXT, 0), ("4", SMALL, 4), (" ", TEXT, 0), ("5", SMALL, 4)], "the end.⁴ ⁵"),
        ([("Smith", TEXT, 0), ("1,2", SMALL, 4)], "Smith¹,²"),
        ([("10", TEXT, 0), ("-3", SMALL, 4), (" V", TEXT, 0)], "10⁻³ V"),
        ([("A. Author", TEXT, 0), ("+#", SMALL, 4), (", B. Author", TEXT, 0)], "A. Author^+#, B. Author"),
        ([("a and b: a", TEXT, 0), ("x+y", SMALL, 4)], "a and b: a^(x+y)"),
        ([("H", TEXT, 0), ("2", SMALL, -2), ("O is water", TEXT, 0)], "H₂O is water"),
        ([("log", TEXT, 0), ("10", SMALL, -2), (" of the power", TEXT, 0)], "log₁₀ of the power"),
    ],
)
def test_a_raised_or_lowered_figure_is_written_as_one(
    runs: list[tuple[str, float, float]], text: str
) -> None:
    assert _text(*runs) == text


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([("the 1", TEXT, 0), ("st", SMALL, 4), (" of May", TEXT, 0)], "the 1st of May"),
        ([("up to ", TEXT, 0), ("1", SMALL, 4), ("/4 inch", TEXT, 0)], "up to 1/4 inch"),
        ([("isotope ", TEXT, 0), ("14", SMALL, 4), ("C decays", TEXT, 0)], "isotope 14C decays"),
        ([("a = ", TEXT, 0), ("1", SMALL, 4), (" over 2", TEXT, 0)], "a = 1 over 2"),
        ([("small ", TEXT, 0), ("12", SMALL, 0), (" figures", TEXT, 0)], "small 12 figures"),
        ([("lib", TEXT, 0), ("*", SMALL, 4), (" packages", TEXT, 0)], "lib* packages"),
    ],
)
def test_what_only_looks_raised_stays_as_it_is(runs: list[tuple[str, float, float]], text: str) -> None:
    assert _text(*runs) == text


def test_a_figure_in_the_next_column_is_no_mark() -> None:
    assert _text(("Power", TEXT, 0), ("12", SMALL, 4), gaps=(0, 40)) == "Power   12"


def test_a_sign_of_mathematics_keeps_the_gap_after_it() -> None:
    assert _text(("−", TEXT, 0), ("rising edge", TEXT, 0), gaps=(0, 7)) == "− rising edge"
    assert _text(("−", TEXT, 0), ("5 V", TEXT, 0), gaps=(0, 1)) == "−5 V"
