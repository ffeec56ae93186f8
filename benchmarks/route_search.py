"""The way by search: one call of `search`, then the best two of the sections that it found.

A reader who may step back once reads two; it has no way to tell beforehand which of them holds the answer.
"""

from collections.abc import Sequence

from benchmarks.route_questions import Question, answers
from benchmarks.route_reader import Line, Walk
from docshelf.serve.answering.reading import fetch
from docshelf.serve.answering.searching import search_answer
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.index import SearchIndex

HITS = 3
"""Sections asked for."""
READ = 2
"""Sections read."""


class Searching:
    """What `search` and `fetch` answer."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._index = SearchIndex(release)

    def answer(self, question: Question) -> Walk:
        """The answer of search and the best two sections, as a walk of three calls."""
        hits = self._index.search(question.text, HITS)
        followed = tuple(Line(hit.path, hit.title, hit.snippet, hit.document) for hit in hits[:READ])
        texts = [fetch(self._release, line.path).text for line in followed]
        read = [search_answer(self._release, question.text, hits).text, *texts]
        size = sum(len(text.encode()) for text in read)
        found = any(answers(text, question) for text in texts)
        return Walk(question, size, len(read), followed, found)

    def answer_all(self, questions: Sequence[Question]) -> list[Walk]:
        """A walk for each question, in order."""
        return [self.answer(question) for question in questions]
