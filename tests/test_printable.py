import pytest

from docshelf.serve.printable import printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Руководство № 1, 中文", "Руководство № 1, 中文"),
        ("a\nfault: b", "a\\nfault: b"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("left\u202eright", "left\\u202eright"),
        ("\udcff", "\\udcff"),
    ],
)
def test_text_stays_on_one_line_and_commands_no_terminal(text: str, expected: str) -> None:
    assert printable(text) == expected
