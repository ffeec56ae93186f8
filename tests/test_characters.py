"""Characters are plain where they read alike, and what says nothing is counted."""

import pytest

from docshelf.build.characters import (
    count_invisible,
    count_unreadable,
    is_right_to_left,
    mixes_alphabets,
    name_alphabet,
    plain_text,
)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain", "plain"),
        ("a\tb\x00\x1fc", "a bc"),
        ("1\u00a0250\u202f₽", "1 250 ₽"),
        ("ноль\u200bширины\ufeff", "нольширины"),
        ("и\u0306 е\u0308", "й ё"),
        ("\u202eabc\u202c", "abc"),
        ("a\U000e0049\U000e0047b", "ab"),
        ("a\ufe0f\U000e0101b", "ab"),
        ("па\u200c\u200dр\u2063ол\u3164ь", "пароль"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🔧", "👩\u200d🔧"),
        ("\uf0b7 item", "• item"),
        ("мяг\u00adкий", "мяг\u00adкий"),
        ("Defense \ufffd\ufffd\ufffd\ufffd\ufffd 699", "Defense   699"),
    ],
)
def test_text_is_made_plain(text: str, plain: str) -> None:
    assert plain_text(text) == plain


def test_characters_that_nobody_sees_are_counted() -> None:
    assert count_invisible("plain, ёлка, мяг\u00adкий, م\u200cم") == 0
    assert count_invisible("\u202eev\u202cil \U000e0041\U000e0042\u200b") == 5


def test_signs_without_a_meaning_are_counted() -> None:
    assert count_unreadable("ok, всё «в порядке»\n\t") == 0
    assert count_unreadable("\x01\x02\ufffd\ue123\x7f") == 5
    assert count_unreadable("\uf0b7") == 0


@pytest.mark.parametrize("word", ["Hастройка", "noвёрнут", "ΠΡΟΤΟΚΟЛ", "сеть-pоса"])
def test_words_that_mix_alphabets_are_found(word: str) -> None:
    assert mixes_alphabets(word)


@pytest.mark.parametrize("word", ["USB-порт", "x86-сборка", "Größe", "сеть", "plain", "IPv6"])
def test_words_that_only_meet_at_a_hyphen_mix_nothing(word: str) -> None:
    assert not mixes_alphabets(word)


def test_letters_know_their_alphabet_and_units_have_none() -> None:
    assert [name_alphabet(char) for char in "aяωאع7µΩ"] == [
        "latin", "cyrillic", "greek", "hebrew", "arabic", "", "", "greek",
    ]  # fmt: skip


def test_the_direction_of_most_letters_counts() -> None:
    assert is_right_to_left("מדריך התקנה 8080")
    assert not is_right_to_left("the word דף in English text")
    assert not is_right_to_left("8080 — «ёлки»")
