import pytest
from markdown_it import MarkdownIt

from docshelf.build.converting.converted import Block, Line, Span
from docshelf.build.cutting.markdown import code, escape, escape_line, heading, link, table, write_block

BOX = (0.0, 0.0, 1.0, 1.0)


def line(text: str, *links: Span) -> Line:
    return Line(text, BOX, 10.0, spans=links)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("snake_case stays", "snake_case stays"),
        ("__init__", r"\_\_init\_\_"),
        ("2*3*4", r"2\*3\*4"),
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("&nbsp; & R&D", r"\&nbsp; & R&D"),
        ("[a](javascript:x)", r"\[a\](javascript:x)"),
        ("C:\\temp\\new", r"C:\\temp\\new"),
        ("<!-- p3 -->", r"\<!-- p3 -->"),
    ],
)
def test_signs_that_markdown_reads_are_escaped(text: str, markdown: str) -> None:
    assert escape(text) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "# comment", "+ 5 В", "- 40 °C", "> 100 МОм", "1986. Год", "1) пункт", "---", "===", "* * *",
        "```", "~~~", "| a | b |", "- -", "###", "+", "[x]: javascript:1", "    indented", "1.",
    ],
)  # fmt: skip
def test_a_line_of_text_is_shown_as_a_paragraph_with_all_its_signs(text: str) -> None:
    html = MarkdownIt("js-default").render(escape_line(text.strip()))
    assert html.replace("&gt;", ">").strip() == f"<p>{text.strip()}</p>"


def test_a_link_cannot_be_closed_by_its_title_or_broken_by_its_target() -> None:
    assert link("a](javascript:b)", "x y(1).md") == r"[a\](javascript:b)](x%20y%281%29.md)"


def test_a_closing_run_of_hashes_stays_in_a_heading() -> None:
    html = MarkdownIt().render(heading(2, "Язык C #"))
    assert html == "<h2>Язык C #</h2>\n"


def test_a_pipe_in_a_cell_does_not_make_a_column() -> None:
    assert table([["команда", "что"], ["show | include ntp", "<net>\nи ещё"]]) == (
        "| команда | что |\n| --- | --- |\n| show \\| include ntp | \\<net> и ещё |"
    )


def test_a_fence_is_longer_than_the_backticks_inside() -> None:
    assert code(["a", "```", "b"]) == "````\na\n```\nb\n````"


def test_a_fence_names_the_language_and_nothing_that_could_end_it() -> None:
    block = Block("code", BOX, (line("$ ls"),), language="console")
    assert write_block(block, "") == "```console\n$ ls\n```"
    assert code(["a"], "c++\n`x") == "```c++x\na\n```"


def test_a_printed_line_never_passes_for_our_page_mark() -> None:
    assert code(["<!-- p3 -->"]).split("\n")[1] == "<!-- p3 --> "


def test_a_link_of_the_source_stands_around_its_own_words() -> None:
    block = Block("paragraph", BOX, (line("см. сайт и почту", Span(4, 8, "https://example.com/a_b")),))
    assert write_block(block, "pictures") == "см. [сайт](https://example.com/a%5Fb) и почту"


def test_a_list_item_keeps_its_own_marker() -> None:
    items = [Block("list", BOX, (line("пункт"),), marker=marker) for marker in ("•", "2)", "а)")]
    assert [write_block(item, "") for item in items] == ["- пункт", "2) пункт", "- а) пункт"]


@pytest.mark.parametrize(
    ("text", "start", "end", "markdown"),
    [
        ("type ip route here", 5, 13, "type `ip route` here"),
        ("a*b in x*y", 7, 10, "a\\*b in `x*y`"),
        ("see a`b here", 4, 7, "see a\\`b here"),
        ("# show", 0, 6, "`# show`"),
        ("1. show", 3, 7, "1\\. `show`"),
    ],
)
def test_what_stands_in_fixed_width_is_code(text: str, start: int, end: int, markdown: str) -> None:
    block = Block("paragraph", BOX, (line(text, Span(start, end, "")),))
    assert write_block(block, "") == markdown
