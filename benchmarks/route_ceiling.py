"""What words alone can do: every section ranked by its whole text, the best two read.

No reader of an index can know more than the text itself says; this tells how far word overlap goes at most,
and what is left to readers who understand.
"""

import math
from collections import Counter
from collections.abc import Sequence

from benchmarks.route_questions import Question, answers
from benchmarks.route_reader import Line, Walk
from benchmarks.route_words import Roots
from docshelf.serve.releases.tree import Release

READ = 2
"""Sections read: a reader who may step back once reads two."""

_SATURATION = 1.2
_LENGTH_SHARE = 0.5
_TITLE_TIMES = 5
"""A word of the section's title counts as often; one of the document's title three times."""
_DOCUMENT_TIMES = 3


class WholeText:
    """The sections of a shelf with the words of all they say (ranked by BM25)."""

    def __init__(self, release: Release) -> None:
        self._roots = Roots()
        self._sections: list[tuple[Line, str, Counter[str]]] = []
        for entry in release.manifest.documents:
            meta = release.meta(entry.meta)
            for section in meta.sections:
                text = release.read(section.path).decode()
                words = Counter(self._roots.in_order(text))
                for times, title in ((_TITLE_TIMES, section.title), (_DOCUMENT_TIMES, meta.title)):
                    words.update(dict.fromkeys(self._roots.of(title), times))
                self._sections.append((Line(section.path, section.title, group=meta.title), text, words))
        self._held = Counter(root for _, _, words in self._sections for root in words)
        self._lengths = [sum(words.values()) for _, _, words in self._sections]

    def answer(self, question: Question) -> Walk:
        """The best two sections, as a walk of two calls."""
        wanted = self._roots.of(question.text)
        scores = [self._score(wanted, place) for place in range(len(self._sections))]
        best = sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:READ]
        lines = tuple(self._sections[place][0] for place in best)
        texts = [self._sections[place][1] for place in best]
        size = sum(len(text.encode()) for text in texts)
        return Walk(question, size, len(texts), lines, any(answers(text, question) for text in texts))

    def answer_all(self, questions: Sequence[Question]) -> list[Walk]:
        """A walk for each question, in order."""
        return [self.answer(question) for question in questions]

    def _score(self, wanted: frozenset[str], place: int) -> float:
        words, count = self._sections[place][2], len(self._sections)
        length = self._lengths[place] * count / max(1, sum(self._lengths))
        damping = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length)
        return sum(
            math.log(1 + (count - self._held[root] + 0.5) / (self._held[root] + 0.5))
            * words[root]
            * (_SATURATION + 1)
            / (words[root] + damping)
            for root in wanted
            if words[root]
        )
