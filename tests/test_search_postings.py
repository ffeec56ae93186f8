import json

import pytest

from docshelf.serve.search.postings import LEVEL_VALUES, decode, encode, level_of, shifted

LISTS = [
    [(0, 1)],
    [(0, 15), (1, 1), (2, 7)],
    [(57, 3), (58, 4), (3453, 9), (3455, 2)],
    [(100_000, 5), (2_000_000, 15)],
]


@pytest.mark.parametrize("postings", LISTS)
def test_what_is_encoded_is_decoded(postings: list[tuple[int, int]]) -> None:
    numbers, levels = decode(encode(postings))
    assert list(zip(numbers, levels, strict=True)) == postings


@pytest.mark.parametrize("postings", LISTS)
def test_a_shifted_list_is_the_list_of_the_sections_further_on(postings: list[tuple[int, int]]) -> None:
    for distance in (0, 1, 5_000, 100_000):
        moved = [(number + distance, level) for number, level in postings]
        assert shifted(encode(postings), distance) == encode(moved)
        assert shifted(encode(moved), -distance) == encode(postings)


def test_a_list_survives_json_utf8_and_the_sign_between_lists() -> None:
    text = encode((number * number, number % 15 + 1) for number in range(0, 3_000, 7))
    assert json.loads(json.dumps(text, ensure_ascii=False).encode()) == text
    assert " " not in text
    assert all(ord(sign) >= 35 and not 0xD800 <= ord(sign) <= 0xDFFF for sign in text)


def test_a_section_costs_one_sign() -> None:
    assert len(encode((number, 15) for number in range(0, 34_000, 3_400))) == 10


@pytest.mark.parametrize(
    ("value", "level"), [(0.0, 1), (0.3, 1), (0.44, 2), (0.46, 3), (1.0, 6), (7.6, 15), (900.0, 15)]
)
def test_a_value_gets_the_nearest_level(value: float, level: int) -> None:
    assert level_of(value) == level


def test_levels_rise() -> None:
    assert list(LEVEL_VALUES) == sorted(set(LEVEL_VALUES))
    assert len(LEVEL_VALUES) == 16
