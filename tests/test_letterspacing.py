"""Spaced-out words are put together; rows of single letters that are no words stay as printed."""

import pytest

from docshelf.build.engines.letterspacing import close_letters


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("Г Л А В А 1", "ГЛАВА 1"),
        ("П р и м е ч а н и е — Здесь и далее", "Примечание — Здесь и далее"),
        ("П Р И Л О Ж Е Н И Е   А", "ПРИЛОЖЕНИЕ А"),
        ("Г О С Т А Н Д А Р Т   Р О С С И И", "ГОСТАНДАРТ РОССИИ"),
        ("C H A P T E R 2", "CHAPTER 2"),
        ("а б в г д е", "а б в г д е"),
        ("a b c d e f", "a b c d e f"),
        ("size N x N x N x N", "size N x N x N x N"),
        ("x y z t", "x y z t"),
        ("я и в с", "я и в с"),
        ("и в том числе", "и в том числе"),
        ("Н А Ц И О Н А Л Ь Н Ы Й С Т А Н Д А Р Т", "Н А Ц И О Н А Л Ь Н Ы Й С Т А Н Д А Р Т"),
    ],
)  # fmt: skip
def test_spaces_between_letters_go_where_the_letters_are_words(printed: str, text: str) -> None:
    assert close_letters([(printed, None)]) == [(text, None)]


def test_letters_of_a_word_may_stand_in_parts_of_their_own() -> None:
    parts = [
        ("Т", 1),
        (" ", None),
        ("А", 2),
        (" ", None),
        ("Б", 3),
        (" ", None),
        ("Л", 4),
        (" ", None),
        ("О", 5),
    ]
    assert close_letters(parts) == [("Т", 1), ("А", 2), ("Б", 3), ("Л", 4), ("О", 5)]
