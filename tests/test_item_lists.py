"""Items that follow each other become one Markdown list, with lists inside of it."""

import pytest
from markdown_it import MarkdownIt

from docshelf.build.cutting.item_lists import ItemList, is_item
from docshelf.build.cutting.split import Piece


def written(*items: tuple[int, str]) -> str:
    """The lists of items, each given with its depth; a blank line parts two lists."""
    lists, open_list = list[str](), ItemList()
    for depth, markdown in items:
        piece = Piece(1, markdown, depth=depth)
        if not open_list.takes(piece):
            lists.append(open_list.markdown())
            open_list = ItemList()
        open_list.add(piece)
    return "\n\n".join([*lists, open_list.markdown()])


@pytest.mark.parametrize(
    ("items", "markdown"),
    [
        ([(0, "- a"), (0, "- b")], "- a\n- b"),
        ([(0, "- a"), (1, "- b"), (2, "- c"), (0, "- d")], "- a\n  - b\n    - c\n- d"),
        ([(0, "1. a"), (1, "- b"), (0, "2. c")], "1. a\n   - b\n2. c"),
        ([(0, "10. a"), (1, "- b")], "10. a\n    - b"),
        ([(0, "1) a"), (1, "- b"), (0, "2) c")], "1) a\n   - b\n2) c"),
        ([(0, "- a"), (1, "1. b"), (1, "2. c")], "- a\n  1. b\n  2. c"),
        # A list may begin within another: on a new page, after a paragraph.
        ([(2, "- a"), (1, "- b"), (2, "- c")], "- a\n- b\n  - c"),
        # Lists of different kinds stay apart.
        ([(0, "- a"), (0, "1. b")], "- a\n\n1. b"),
        ([(0, "1. a"), (0, "2) b")], "1. a\n\n2) b"),
        ([(0, "- a"), (1, "- b"), (1, "1. c")], "- a\n  - b\n\n1. c"),
        # Figures from 2 on would be text of the item above.
        ([(0, "- a"), (1, "2. b")], "- a\n\n2. b"),
        ([(0, "- a"), (1, "12. b")], "- a\n\n12. b"),
    ],
)
def test_items_are_written_as_lists_in_lists(items: list[tuple[int, str]], markdown: str) -> None:
    assert written(*items) == markdown


def test_what_is_written_is_read_as_lists_in_lists() -> None:
    markdown = written((0, "1. a"), (1, "- b"), (2, "- c"), (2, "- d"), (1, "- e"), (0, "2. f"))
    html = MarkdownIt().render(markdown).replace("\n", "")
    assert html == ("<ol><li>a<ul><li>b<ul><li>c</li><li>d</li></ul></li><li>e</li></ul></li><li>f</li></ol>")


def test_headings_and_paragraphs_are_no_items() -> None:
    assert is_item(Piece(1, "- a"))
    assert not is_item(Piece(1, "-a"))
    assert not is_item(Piece(1, "a"))
    assert not is_item(Piece(1, "", level=1, title="- a"))
    assert not ItemList().takes(Piece(1, "a"))
