"""The way by search: one call of `search`, then the two of its hits whose lines fit the question best.

The lines of the answer are read as those of an index are: by the words that title, document and snippet share with
the question, and here also by their order. A reader who may step back once reads two; it has no way to tell
beforehand which of them holds the answer.
"""

from collections.abc import Mapping, Sequence

from benchmarks.route_questions import Question, answers
from benchmarks.route_reader import Line, Walk
from benchmarks.route_words import Roots
from docshelf.serve.answering.reading import fetch
from docshelf.serve.answering.searching import search_answer
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.index import SearchIndex

HITS = 4
"""Sections asked for."""
READ = 2
"""Sections read."""
WORDS_WEIGHT = 2
"""What a line with all of the question's words is worth, against 1 for the first of the answer, 1/2 for the second."""


class Searching:
    """What `search` and `fetch` answer."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._index = SearchIndex(release)
        self._roots = Roots()

    def answer(self, question: Question) -> Walk:
        """The answer of search and two sections, as a walk of three calls."""
        hits = self._index.search(question.text, HITS)
        lines = [Line(hit.path, hit.title, hit.snippet, hit.document) for hit in hits]
        followed = self._best(lines, self._roots.weighed(question.text))
        texts = [fetch(self._release, line.path).text for line in followed]
        read = [search_answer(self._release, question.text, hits).text, *texts]
        size = sum(len(text.encode()) for text in read)
        found = any(answers(text, question) for text in texts)
        return Walk(question, size, len(read), followed, found)

    def answer_all(self, questions: Sequence[Question]) -> list[Walk]:
        """A walk for each question, in order."""
        return [self.answer(question) for question in questions]

    def _best(self, lines: Sequence[Line], wanted: Mapping[str, float]) -> tuple[Line, ...]:
        everything = sum(wanted.values()) or 1.0

        def worth(place: int) -> float:
            line = lines[place]
            held = self._roots.of(f"{line.title} {line.note} {line.group}")
            shared = sum(weight for word, weight in wanted.items() if word in held)
            return 1 / (place + 1) + WORDS_WEIGHT * shared / everything

        order = sorted(range(len(lines)), key=lambda place: (-worth(place), place))
        return tuple(lines[place] for place in order[:READ])
