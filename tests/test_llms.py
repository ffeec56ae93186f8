import pytest

from docshelf.serve.llms import parse_index

WHOLE = "# Title\n\n> Summary\n\nA paragraph.\n\n## Group\n\n- [One](a.md): note\n- [Two](b/c.md)\n"


def test_an_index_is_read_into_its_links() -> None:
    index = parse_index(WHOLE)
    assert (index.title, index.summary) == ("Title", "Summary")
    assert [(link.group, link.title, link.url, link.note) for link in index.links] == [
        ("Group", "One", "a.md", "note"),
        ("Group", "Two", "b/c.md", ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("# Title", "Title", "line 1"),
        ("\n> Summary", "> Summary", "line 3"),
        ("> Summary", "Summary", "line 3"),
        ("A paragraph.", "- item", "line 5: only paragraphs"),
        ("A paragraph.\n", "", "line 5: a paragraph follows"),
        ("- [One](a.md): note", "- [One](a.md) and [Three](d.md)", "line 9"),
        ("- [One](a.md): note", "- [[One](a.md): note", "line 9"),
        ("- [One](a.md): note", "text", "line 9"),
        ("- [Two](b/c.md)\n", "- [Two](b/c.md)\r\n", "line 10"),
    ],
)
def test_what_a_strict_reader_would_not_take_is_named_by_line(old: str, new: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_index(WHOLE.replace(old, new, 1))
