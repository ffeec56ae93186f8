"""Answers that were given lately: a release never changes, so the same question has the same answer."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from docshelf.serve.answering.reading import Answer

_CHARACTERS = 1_000_000
"""About 2 MB of Cyrillic, or 150 sections of 12 KB."""


class AnswerCache:
    """Answers by question, least recently used first out; safe between threads.

    Without it a section of 12 KB cost 70 µs to decode and to rewrite its links, a third of an MCP call
    (2026-11).
    """

    def __init__(self, limit_characters: int = _CHARACTERS) -> None:
        self._limit_characters = limit_characters
        self._characters = 0
        self._answers: OrderedDict[tuple[object, ...], Answer] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, question: tuple[object, ...], make: Callable[[], Answer]) -> Answer:
        """What was answered before, else what `make` answers.

        `question` holds all that the answer depends on, the release among it. Errors and answers with a
        picture, which is large and kept elsewhere, are made anew.
        """
        with self._lock:
            known = self._answers.get(question)
            if known is not None:
                self._answers.move_to_end(question)
                return known
        made = make()
        if made.picture is None:
            self._keep(question, made)
        return made

    def _keep(self, question: tuple[object, ...], answer: Answer) -> None:
        with self._lock:
            if question in self._answers:
                return
            self._answers[question] = answer
            self._characters += len(answer.text)
            while self._characters > self._limit_characters:
                _, dropped = self._answers.popitem(last=False)
                self._characters -= len(dropped.text)
