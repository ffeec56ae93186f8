import pytest

from docshelf.build.engines.marker_html import heading_level, read_parts


def test_merged_cells_are_flattened_and_rows_stay_equally_long() -> None:
    (part,) = read_parts(
        "<table><tr><th colspan=2>Both</th><th rowspan='2'>Right</th></tr>"
        "<tr><td>a<br>b</td><td>c</td></tr><tr><td colspan='999999999'>wide</td></tr></table>"
    )
    assert part.spans
    assert [row[:3] for row in part.rows] == [("Both", "", "Right"), ("a b", "c", ""), ("wide", "", "")]
    assert {len(row) for row in part.rows} == {50}


def test_formulas_keep_their_source() -> None:
    (part,) = read_parts("<p>Let <math display='inline'>x^{2}</math> be</p>")
    assert part.text == "Let $x^{2}$ be"


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>a <b>b", ["a b"]),
        ("</table></li>text", ["text"]),
        ("<table><tr><td>in</table>after", ["", "after"]),
        ("<table><table><tr><td>x</td></tr></table></table>y", ["y"]),
        ("plain &amp;lt; text", ["plain &lt; text"]),
        ("<x" * 10, ["<x" * 9 + "<x"]),
    ],
)
def test_broken_html_gives_its_text(html: str, texts: list[str]) -> None:
    assert [part.text for part in read_parts(html)] == texts


@pytest.mark.parametrize(("html", "level"), [("<h2><b>Title</b></h2>", 2), ("<p>text</p>", 0), ("<hr>", 0)])
def test_a_heading_tag_tells_its_level(html: str, level: int) -> None:
    assert heading_level(html) == level


def test_the_bold_and_fixed_width_parts_must_be_most_of_a_line() -> None:
    most, part = read_parts("<p><b>Note that this</b> is<br><b>No</b>te that this is</p>")
    code, bold = read_parts("<p><code>make install</code></p><p><strong>all of it</strong></p>")
    assert (most.bold, part.bold, code.mono, bold.bold) == (True, False, True, True)
