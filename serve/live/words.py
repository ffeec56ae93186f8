"""What the server itself says on the open page while a shelf is watched, in Russian and English."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LiveWords:
    """The words of one language."""

    language: str
    failed: str
    """Above what went wrong, where an older release is shown."""
    first_failed: str
    """The same where there is no release yet."""
    findings: str
    left_out: str
    more: str
    """`{}` is how many lines are not shown."""
    waiting: str
    """The page that stands in until there is a release."""


_ENGLISH = LiveWords(
    language="en",
    failed="The last build failed. The shelf is shown as it was before:",
    first_failed="The build failed, so there is no shelf yet:",
    findings="Findings of this document",
    left_out="Not on the shelf",
    more="and {} more",
    waiting="The first build is going on. This page opens the shelf by itself.",
)
_RUSSIAN = LiveWords(
    language="ru",
    failed="Последняя сборка не удалась. Показана прежняя полка:",
    first_failed="Сборка не удалась, полки ещё нет:",
    findings="Замечания к документу",
    left_out="Не попали на полку",
    more="и ещё {}",
    waiting="Идёт первая сборка. Эта страница откроет полку сама.",
)


def live_words(language: str) -> LiveWords:
    """Russian for `ru` and its variants, English for all others."""
    return _RUSSIAN if language.partition("-")[0] == "ru" else _ENGLISH
