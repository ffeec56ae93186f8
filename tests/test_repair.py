"""Cyrillic read as Latin is mended where that is sure, and nothing else is touched."""

import pytest

from docshelf.build.converting.repair import find_encoding, find_mends, mend

RUSSIAN = "Нажмите кнопку пуска и дождитесь сигнала."


@pytest.mark.parametrize(
    ("written_in", "read_as"),
    [("cp1251", "cp1252"), ("koi8-r", "cp1252"), ("mac-cyrillic", "mac-roman"), ("cp1251", "mac-roman")],
)
def test_russian_in_a_wrong_code_page_is_read_again(written_in: str, read_as: str) -> None:
    wrong = RUSSIAN.encode(written_in).decode(read_as)
    pair = find_encoding(wrong)
    assert pair is not None
    assert mend(wrong, pair) == RUSSIAN


def test_capitals_alone_are_mended_too() -> None:
    assert find_encoding("ÍÀÑÒÐÎÉÊÀ ÑÅÒÈ È ÏÈÒÀÍÈß") == "cp1252>cp1251"


@pytest.mark.parametrize(
    "text",
    [
        "Die Größe der Öffnung für größere Übergänge",
        "Příliš žluťoučký kůň úpěl ďábelské ódy",
        "Þórður á Íslandi ræður því að ég fæ það",
        "naïve café déjà vu à la carte",
        "ÀÉÈÙ ÔÎÏ ÇÂÊ",
        "Ελληνικά κείμενο για δοκιμή",
        "Уже по-русски, с «кавычками»",
        "plain English",
        "Ãë",
    ],
)
def test_what_may_be_meant_as_it_stands_is_left_alone(text: str) -> None:
    assert find_encoding(text) is None


def test_quotes_and_dashes_of_tex_fonts_come_out_right() -> None:
    wrong = "¾Ïóñòûå¿ ñèìâîëû, òàêèå, êàê ïðîáåë, òðàêòóþòñÿ îäèíàêîâî, êàê ¾ïðîáåë¿ \x16 äîêó\x7f"
    pair = find_encoding(wrong)
    assert pair == "cp1252>t2a"
    assert mend(wrong, pair).startswith("«Пустые» символы")
    assert mend(wrong, pair).endswith("«пробел» — доку-")


def test_fonts_of_one_document_are_mended_alike_and_code_stays_code() -> None:
    body = (RUSSIAN * 5).encode("cp1251").decode("cp1252")
    mends = find_mends({"Body": body, "Code": "ls -l naïve.txt"})
    assert mends.mended("Body", "Ïîðò 1") == "Порт 1"
    assert mends.mended("Head", "Ãëàâà 2. naïve") == "Глава 2. naïve"
    assert mends.mended("Code", "ls -l naïve.txt") == "ls -l naïve.txt"


def test_a_document_without_a_fault_is_not_touched() -> None:
    assert find_mends({"Body": RUSSIAN}).mended("Body", "Ãëàâà") == "Ãëàâà"


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("Лiтера i цифра", "Літера і цифра"),
        ("ЛIТЕРИ мови", "ЛІТЕРИ мови"),
        ("Linux та системi", "Linux та системі"),
        ("где i от нуля", "где i от нуля"),
        ("порт iSCSI", "порт iSCSI"),
    ],
)
def test_a_latin_i_inside_mended_cyrillic_words_becomes_cyrillic(broken: str, whole: str) -> None:
    mends = find_mends({"Body": (RUSSIAN * 5).encode("cp1251").decode("cp1252")})
    assert mends.mended("Body", broken.encode("cp1251").decode("cp1252")) == whole


def test_a_latin_i_stays_where_nothing_was_mended() -> None:
    mends = find_mends({"Body": (RUSSIAN * 5).encode("cp1251").decode("cp1252")})
    assert mends.mended("Body", "лiтера") == "лiтера"
