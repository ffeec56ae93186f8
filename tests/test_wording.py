from dataclasses import fields

import pytest

from docshelf.build.wording import direction, primary_language, wording


@pytest.mark.parametrize(
    ("count", "ru", "en"),
    [
        (0, "0 документов", "0 documents"),
        (1, "1 документ", "1 document"),
        (2, "2 документа", "2 documents"),
        (4, "4 документа", "4 documents"),
        (5, "5 документов", "5 documents"),
        (11, "11 документов", "11 documents"),
        (12, "12 документов", "12 documents"),
        (14, "14 документов", "14 documents"),
        (21, "21 документ", "21 documents"),
        (22, "22 документа", "22 documents"),
        (111, "111 документов", "111 documents"),
        (1001, "1001 документ", "1001 documents"),
    ],
)
def test_documents_are_counted_in_both_languages(count: int, ru: str, en: str) -> None:
    assert wording("ru").documents(count).replace("\N{NO-BREAK SPACE}", " ") == ru
    assert wording("en").documents(count).replace("\N{NO-BREAK SPACE}", " ") == en


def test_each_kind_of_thing_has_its_own_noun() -> None:
    ru, en = wording("ru"), wording("en")
    assert [count(2)[2:] for count in (ru.categories, ru.sections, ru.pages, ru.parts)] == [
        "категории",
        "раздела",
        "страницы",
        "части",
    ]
    assert [count(2)[2:] for count in (en.categories, en.sections, en.pages, en.parts)] == [
        "categories",
        "sections",
        "pages",
        "parts",
    ]


def test_printed_pages_keep_their_abbreviation_on_the_line() -> None:
    assert wording("ru").printed_pages("12–14") == "с.\N{NO-BREAK SPACE}12–14"
    assert wording("en").printed_pages("iv") == "p.\N{NO-BREAK SPACE}iv"
    assert wording("en").printed_pages("") == ""


@pytest.mark.parametrize(
    ("asked", "given"),
    [("ru", "ru"), ("ru-RU", "ru"), ("RU_ru", "ru"), ("en", "en"), ("de", "en"), ("", "en")],
)
def test_a_language_without_words_gets_the_english_ones(asked: str, given: str) -> None:
    assert wording(asked).language == given


@pytest.mark.parametrize("language", ["ru", "en"])
def test_no_word_is_missing(language: str) -> None:
    words = wording(language)
    for field in fields(words):
        value = getattr(words, field.name)
        assert callable(value) or all(value)
        assert value != ""


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("ar", "rtl"),
        ("he-IL", "rtl"),
        ("fa_IR", "rtl"),
        ("ur", "rtl"),
        ("ru", "ltr"),
        ("en", "ltr"),
        ("", "ltr"),
    ],
)
def test_a_language_knows_its_direction(language: str, expected: str) -> None:
    assert direction(language) == expected


def test_a_language_tag_begins_with_the_language() -> None:
    assert primary_language("zh-Hant-TW") == "zh"
