from random import Random

import pytest
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

from docshelf.build.rendering.dialect import ShelfRenderer, markdown_parser

_INLINE = [
    "порт 8080",
    "a_b",
    "*x*",
    "**",
    "`c`",
    "`",
    "![",
    "[a](b.md)",
    "[",
    "]",
    "!",
    "&amp;",
    "&",
    "<b>",
    "<https://x.example>",
]
_ENDS = [
    "\\",
    "\\*",
    "  \n",
    "\n",
    "\n\n",
    "\n- ",
    "\n  ",
    "\n1. ",
    "\n> ",
    "\n## ",
    "\n| a | `b` |\n| - | -: |\n| ",
    " | ",
    " ",
]


@pytest.mark.parametrize("seed", range(8))
def test_tokens_and_html_are_those_of_markdown_it(seed: int) -> None:
    """Our quicker ways through plain text and plain tags change nothing."""
    plain = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).enable("table")
    plain.disable(["reference", "lheading", "html_block", "html_inline"])
    draw = Random(seed)
    for _ in range(150):
        text = "".join(draw.choice(_INLINE) + draw.choice(_ENDS) for _ in range(draw.randrange(1, 14)))
        expected, tokens = plain.parse(text), markdown_parser().parse(text)
        assert [token.as_dict() for token in tokens] == [token.as_dict() for token in expected]
        html = RendererHTML().render(expected, plain.options, {})
        assert ShelfRenderer().render(tokens, plain.options, {}) == html


def test_a_page_mark_is_a_line_of_its_own_and_nothing_else() -> None:
    def marks(text: str) -> list[int]:
        return [it.meta["page"] for it in markdown_parser().parse(text) if it.type == "page_mark"]

    assert marks("<!-- p1 -->\n\na\n<!-- p2 -->\nb\n") == [1, 2]
    assert marks(" <!-- p1 -->\n\n> <!-- p2 -->\n\n- <!-- p3 -->\n\na <!-- p4 -->\n\n<!-- p5 --> a\n") == []
