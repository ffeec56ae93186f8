"""What a title says is read the same however it is written."""

import pytest

from docshelf.build.headings.titles import bare_key, clean, join, key, mixes_alphabets, numbering


@pytest.mark.parametrize(
    ("text", "numbers", "label", "rest"),
    [
        ("4.2 Ports", ("4", "2"), None, "Ports"),
        ("4. Ports", ("4",), None, "Ports"),
        ("Глава 5. Порты", ("5",), "chapter", "Порты"),
        ("ПРИЛОЖЕНИЕ А", ("А",), "appendix", ""),
        ("Appendix B: Cables", ("B",), "appendix", "Cables"),
        ("А.1 Кабели", ("А", "1"), None, "Кабели"),
        ("Part IV Cables", ("IV",), "part", "Cables"),
        ("II. Cables", ("II",), None, "Cables"),
        ("§ 3 Порядок", ("3",), None, "Порядок"),
    ],
)
def test_the_number_of_a_heading_is_read(
    text: str, numbers: tuple[str, ...], label: str | None, rest: str
) -> None:
    found = numbering(text)
    assert found is not None
    assert (found.numbers, found.label, text[found.end :]) == (numbers, label, rest)


@pytest.mark.parametrize("text", ["Ports", "100BASE-T", "2024year", "A Survey", "Chapters of history", ""])
def test_what_only_begins_like_a_number_is_none(text: str) -> None:
    assert numbering(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Г Л А В А 1", "Глава 1"),
        ("Ёмкость", "ЕМКОСТЬ"),
        ("и\u0306од", "йод"),
        ("of\ufb01ce set-up", "Office setup"),
        ("***", " * * *"),
    ],
)
def test_titles_that_say_the_same_have_one_key(one: str, other: str) -> None:
    assert key(one) == key(other) != ""


def test_the_bare_key_leaves_the_number_out_unless_it_is_all_there_is() -> None:
    assert bare_key("4.2 Ports") == bare_key("B. Ports") == "ports"
    assert bare_key("Глава 5") == "глава5"


def test_a_title_is_published_in_one_spelling() -> None:
    assert clean(" Of\ufb01ce\u00a0 и\u0306од\u00ad \n ёж ") == "Office йод ёж"


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("Safety when", "mounting", "Safety when mounting"),
        ("Обору-", "дование", "Оборудование"),
        ("Serie A-", "B", "Serie A- B"),
        ("", "Ports", "Ports"),
    ],
)
def test_two_printed_lines_make_one_title(first: str, second: str, title: str) -> None:
    assert join(first, second) == title


def test_only_words_that_mix_alphabets_are_named() -> None:
    assert mixes_alphabets("Hастройка cети")
    assert not mixes_alphabets("Настройка IPv6 и NTP")
