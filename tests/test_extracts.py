import pytest

from docshelf.build.indexing.extracts import bare_title, extract, plain, shorten


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (["The router has two WAN ports. Both are equal."], "The router has two WAN ports."),
        (["Версия 2.5 вышла в мае 2024 г. и стала основной. Дальше."], "Версия 2.5 вышла в мае 2024 г. и стала основной."),
        (["| a | b |", "```\ncode\n```", "- item of a list here too", "Текст раздела говорит о сети."], "Текст раздела говорит о сети."),
        (["Таблица 1. Начальные значения для всех линий", "Затем идёт сам текст раздела."], "Затем идёт сам текст раздела."),
        (["см. [сайт](https://example.com) и \\*звёзды\\* в тексте"], "см. сайт и *звёзды* в тексте"),
        (["Коротко."], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_an_extract_is_the_first_sentence_of_prose(blocks: list[str], expected: str) -> None:
    assert extract(blocks, 200) == expected


def test_a_long_sentence_is_cut_at_a_word() -> None:
    assert (
        extract(["Маршрутизатор выбирает самый короткий путь к сети."], 30) == "Маршрутизатор выбирает самый…"
    )
    assert shorten("слово", 3) == "сл…"
    assert shorten("Guide for… Maintainers", 12) == "Guide for…"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Глава 5 Загрузка системы", "Загрузка системы"),
        ("Appendix B. Specifications", "Specifications"),
        ("8.3 PPPoE (1/2)", "PPPoE"),
        ("A.2 ПРИМЕРЫ", "ПРИМЕРЫ"),
        ("IV. Сети", "Сети"),
        ("Б) Сети", "Б) Сети"),
        ("С чего начать", "С чего начать"),
        ("A static route", "A static route"),
        ("I am online", "I am online"),
        ("Section", "Section"),
        ("2021", "2021"),
    ],
)
def test_a_bare_title_has_no_number_and_no_part(title: str, expected: str) -> None:
    assert bare_title(title) == expected


def test_plain_text_has_no_links_and_no_escapes() -> None:
    assert plain(r"![рис\. 1](a.png) \_\_init\_\_ [x\]y](b.md)") == "рис. 1 __init__ x]y"
