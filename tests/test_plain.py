"""What is searched and shown of a section's Markdown is its text, without the signs."""

import pytest

from docshelf.serve.search.plain import beginning, page_texts, plain


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("- a\n  - b\n    - c\n1. d\n   - e", "a\nb\nc\n1. d\ne"),
        ("## Title\n> quoted", "Title\nquoted"),
        ("see [the manual](a.md#p3) and ![WAN; LAN](../pictures/a.png)", "see the manual and WAN; LAN"),
        ("| a | b |\n| --- | --- |\n| c\\|d | e |", "  a   b  \n\n  c|d   e  "),
        ("```console\nip route\n```", "\nip route\n"),
        ("2 \\* 3, \\[x\\]", "2 * 3, [x]"),
        ("type `ip route` at \\`here'", "type ip route at `here'"),
    ],
)
def test_signs_are_taken_out_and_text_is_kept(markdown: str, text: str) -> None:
    assert plain(markdown) == text


def test_text_is_told_apart_by_pages() -> None:
    markdown = "Before.\n\n<!-- p3 -->\n\n- one\n  - two\n\n<!-- p4 -->\n\n<!-- p5 -->\n\nLast."
    assert list(page_texts(markdown)) == [(0, "Before."), (3, "one two"), (5, "Last.")]


def test_a_beginning_is_cut_at_a_word() -> None:
    assert beginning("# Title\n\n> place\n\nSome words of a text", 14) == "Some words of…"
