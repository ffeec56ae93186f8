"""Levels follow the numbers first and the look second."""

import pytest

from docshelf.build.headings.levels import Title, even_levels, title_levels
from docshelf.build.headings.titles import numbering


@pytest.mark.parametrize(
    ("read", "even"),
    [
        ([1, 2, 3, 2, 1], [1, 2, 3, 2, 1]),
        ([2, 4, 4, 3, 2], [1, 2, 2, 2, 1]),
        ([3, 1, 2], [2, 1, 2]),
        ([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 6, 6]),
        ([], []),
    ],
)
def test_levels_begin_at_one_and_never_jump_down(read: list[int], even: list[int]) -> None:
    assert even_levels(read) == even


@pytest.mark.parametrize(
    ("titles", "levels"),
    [
        (["1 A", "1.1 B", "1.1.1 C", "2 D"], [1, 2, 3, 1]),
        (["Chapter 1", "1.1 B", "1.2 C", "Chapter 2"], [1, 2, 2, 1]),
        (["Chapter 1", "1. B", "2. C", "Chapter 2"], [1, 2, 2, 1]),
        (["Часть 1", "Глава 1", "1.1 B", "Часть 2", "Приложение А"], [1, 2, 3, 1, 2]),
        (["Раздел I", "Глава 1", "Глава 2", "Раздел II"], [1, 2, 2, 1]),
        (["1 A", "Приложение А", "А.1 B"], [1, 1, 2]),
    ],
)
def test_numbers_give_levels_although_all_look_alike(titles: list[str], levels: list[int]) -> None:
    assert title_levels([Title(numbering(title), 0) for title in titles]) == levels


def test_a_title_without_a_number_has_the_level_of_those_that_look_like_it() -> None:
    titles = [("Preface", 1), ("1 A", 1), ("1.1 B", 2), ("Hints", 2), ("Details", 3), ("2 C", 1)]
    assert title_levels([Title(numbering(text), rank) for text, rank in titles]) == [1, 1, 2, 2, 3, 1]


def test_without_numbers_the_look_decides() -> None:
    assert title_levels([Title(None, rank) for rank in (0, 2, 5, 2, 0)]) == [1, 2, 3, 2, 1]
