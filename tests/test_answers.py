"""Answers that were given lately are given again, as many as there is room for."""

import pytest

from docshelf.serve.answering.reading import Answer, Picture
from docshelf.serve.errors import NotOnShelf
from docshelf.serve.http.answers import AnswerCache


class Maker:
    """Makes answers and counts them."""

    def __init__(self, size: int = 10, picture: Picture | None = None) -> None:
        self.made = 0
        self._size = size
        self._picture = picture

    def __call__(self) -> Answer:
        self.made += 1
        return Answer("x" * self._size, "a.md", "r", self._picture)


def test_the_same_question_is_answered_once() -> None:
    cache, maker = AnswerCache(), Maker()

    answers = [cache.answer(("fetch", "r", "a.md", 0), maker) for _ in range(3)]
    cache.answer(("fetch", "r", "a.md", 1), maker)
    cache.answer(("fetch", "r2", "a.md", 0), maker)

    assert maker.made == 3
    assert answers[0] is answers[1] is answers[2]


def test_what_was_not_asked_for_longest_gives_way() -> None:
    cache, maker = AnswerCache(limit_characters=25), Maker()
    for name in ("a", "b", "a", "c", "a", "b"):
        cache.answer((name,), maker)

    assert maker.made == 4


def test_an_answer_larger_than_the_room_is_not_kept() -> None:
    cache, large, small = AnswerCache(limit_characters=25), Maker(30), Maker()
    cache.answer(("large",), large)
    cache.answer(("large",), large)
    cache.answer(("small",), small)
    cache.answer(("small",), small)

    assert (large.made, small.made) == (2, 1)


def test_pictures_and_errors_are_made_anew() -> None:
    cache, maker = AnswerCache(), Maker(picture=Picture("p.png", "image/png", b""))
    cache.answer(("p",), maker)
    cache.answer(("p",), maker)
    assert maker.made == 2

    def fail() -> Answer:
        raise NotOnShelf("no")

    for _ in range(2):
        with pytest.raises(NotOnShelf):
            cache.answer(("n",), fail)
