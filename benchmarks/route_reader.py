"""A reader without a model: follows indexes by the words that its question shares with their lines.

It reads the first index, follows the line that shares the rarest words with the question, and so on down to a
section. A word of the title of a line that it followed is settled: all below is about it, and it is not looked
for again. The reader may step back once: where no line shares a word with the question, or where the text it
came to does not hold enough of the question's words. It then takes the second best line of the page on its way
where that line came closest to the best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.route_questions import Question, answers
from benchmarks.route_words import Roots, rarity, speaks

ENOUGH = 0.6
"""Share of the question's words that a text holds when a reader takes it for the answer."""
GROUP_WEIGHT = 0.5
"""What a word of the heading over a line counts, against 1 for a word of the line."""

FOREIGN_WEIGHT = 0.5
"""What a line counts whose title is not in the question's language, against 1 for one that is."""

_MOST_CALLS = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to follow."""

    path: str
    title: str
    note: str = ""
    group: str = ""
    """The heading it stands under."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one call gives."""

    text: str
    """All that a model would have to read."""
    lines: tuple[Line, ...] = ()
    """What can be followed; none in a text."""
    more: str | None = None
    """What to ask for to read on, where the text is cut."""


class Library(Protocol):
    """Something to read. `Shelf`, `FlatShelf` and `PeerShelf` are libraries."""

    def start(self) -> Reading:
        """The first index."""

    def read(self, path: str) -> Reading:
        """What stands at `path`: the path of a line, or what a reading calls `more`."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How a question was answered."""

    question: Question
    size_bytes: int
    """Bytes of UTF-8 of all calls."""
    calls: int
    followed: tuple[Line, ...]
    """The lines followed, in order, those of the second way after those of the first."""
    found: bool
    """Whether a text that was read holds the answer."""


class Reader:
    """Answers questions from libraries, one like the other."""

    def __init__(self) -> None:
        self._roots = Roots()

    def answer(self, question: Question, library: Library) -> Walk:
        """The way to what the reader takes for the answer."""
        walk = _Walking(self._roots, self._roots.weighed(question.text), library, question.language)
        walk.go(walk.readings[0], walk.wanted)
        again = walk.second_best()
        if walk.lost and again is not None:
            line, open_words = again
            walk.follow(line, open_words, may_get_lost=False)
        texts = [reading.text for reading in walk.readings]
        return Walk(
            question,
            sum(len(text.encode()) for text in texts),
            len(texts),
            tuple(walk.followed),
            any(answers(it.text, question) for it in walk.readings if not it.lines),
        )


@dataclass(frozen=True, slots=True)
class _Choice:
    """The lines of one index, the best first, and the words they were chosen by."""

    lines: tuple[Line, ...]
    scores: tuple[float, ...]
    open_words: frozenset[str]

    @property
    def doubt(self) -> float:
        """How close the second line came to the first: 0 (there is none) to 1."""
        return self.scores[1] / self.scores[0] if len(self.scores) > 1 and self.scores[0] else 0.0


class _Walking:
    """One reader on its way."""

    def __init__(self, roots: Roots, weights: Mapping[str, float], library: Library, language: str) -> None:
        self._language = language
        self._roots = roots
        self._weights = weights
        self._library = library
        self._choices: list[_Choice] = []
        self.wanted = frozenset(weights)
        self.readings = [library.start()]
        self.followed: list[Line] = []
        self.lost = False

    def go(self, reading: Reading, open_words: frozenset[str], may_get_lost: bool = True) -> None:
        """On from `reading` to a text."""
        if not reading.lines:
            self.lost = not self._read_on(reading)
            return
        choice = self._choose(reading.lines, open_words)
        self.lost = not choice.scores[0]
        if self.lost and may_get_lost and self.second_best():
            return
        self._choices.append(choice)
        self.follow(choice.lines[0], open_words, may_get_lost)

    def follow(self, line: Line, open_words: frozenset[str], may_get_lost: bool = True) -> None:
        """On along `line` to a text."""
        if len(self.readings) >= _MOST_CALLS:
            return
        self.followed.append(line)
        self.readings.append(self._library.read(line.path))
        self.go(self.readings[-1], open_words - self._roots.of(line.title) or open_words, may_get_lost)

    def second_best(self) -> tuple[Line, frozenset[str]] | None:
        """The second line where it came closest to the best, of equal ones the last; None without any."""
        closest = max(reversed(self._choices), key=lambda choice: choice.doubt, default=None)
        return (closest.lines[1], closest.open_words) if closest is not None and closest.doubt else None

    def _choose(self, lines: Sequence[Line], wanted: frozenset[str]) -> _Choice:
        own = [self._roots.of(f"{line.title} {line.note}") for line in lines]
        above = [self._roots.of(line.group) - words for line, words in zip(lines, own, strict=True)]
        tells = rarity((words | group for words, group in zip(own, above, strict=True)), wanted)
        tells = {word: tells[word] * self._weights[word] for word in wanted}
        scores = [
            sum(tells[word] for word in wanted & words)
            + GROUP_WEIGHT * sum(tells[word] for word in wanted & group)
            for words, group in zip(own, above, strict=True)
        ]
        scores = [
            score * (1 if speaks(line.title, self._language) else FOREIGN_WEIGHT)
            for line, score in zip(lines, scores, strict=True)
        ]
        order = sorted(range(len(lines)), key=lambda place: (-scores[place], place))
        return _Choice(tuple(lines[it] for it in order), tuple(scores[it] for it in order), wanted)

    def _read_on(self, reading: Reading) -> bool:
        """Reads a text that is cut until it holds enough of the question; whether it does."""
        held = self._roots.of(reading.text) & self.wanted
        while len(held) < ENOUGH * len(self.wanted):
            if reading.more is None or len(self.readings) >= _MOST_CALLS:
                return False
            reading = self._library.read(reading.more)
            self.readings.append(reading)
            held |= self._roots.of(reading.text) & self.wanted
        return True
