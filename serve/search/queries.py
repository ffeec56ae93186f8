"""What a query means: for each of its words, the words of the index that stand for it.

A word is taken as typed where the index knows it. Else it is tried under the other keyboard layout, in
letters of the other script, as the beginning of a word, and with one error mended; the first that leads
somewhere counts.
"""

from dataclasses import dataclass

from docshelf.serve.search.layouts import other_layout
from docshelf.serve.search.vocabulary import BEGINNING, BEGUN, Meanings, Vocabulary
from docshelf.serve.search.words import Token, fold, other_script, pair, token_words, tokens

_READ = 4_000
_CHARACTERS = 400
_WORDS = 16


@dataclass(frozen=True, slots=True)
class Understood:
    """What a query asks for."""

    words: tuple[Meanings, ...]
    """For each of its words that leads to sections, at most 16, the words of the index it may mean."""
    pairs: tuple[str, ...]
    """Words that follow each other, as the index writes pairs."""


def understood(query: str, vocabulary: Vocabulary, stops: frozenset[str]) -> Understood:
    """What `query` asks for; of a long one the first 400 characters and 16 words count.

    The last word may be the beginning of one. Stop words count where there are no other words.
    """
    chunks = " ".join(query.lstrip()[:_READ].split())[:_CHARACTERS].split()[:_WORDS]
    if not any(_searched(_tokens(chunk), stops) for chunk in chunks):
        stops = frozenset()
    meanings: dict[tuple[tuple[str, int], ...], Meanings] = {}
    typed: list[str] = []
    for number, chunk in enumerate(chunks, 1):
        words, found = _chunk(chunk, number == len(chunks), vocabulary, stops)
        typed += words
        for meaning in found:
            if meaning:
                meanings.setdefault(tuple(sorted(meaning.items())), meaning)
    stems = [vocabulary.stem(word) for word in typed[:_WORDS]]
    pairs = dict.fromkeys(map(pair, stems, stems[1:]))
    return Understood(tuple(meanings.values())[:_WORDS], tuple(pairs))


def _chunk(
    chunk: str, last: bool, vocabulary: Vocabulary, stops: frozenset[str]
) -> tuple[list[str], list[Meanings]]:
    """The words between two spaces of a query, as they were meant to be typed, and what they mean."""
    typed = _tokens(chunk)
    words = _searched(typed, stops)
    known = [vocabulary.known(word) for word in words]
    if words and not any(known):
        switched = _searched(_tokens(other_layout(chunk)), stops)
        other = [
            vocabulary.known(word) or (vocabulary.begun(word, BEGUN) if last else {}) for word in switched
        ]
        if other and all(other):
            return switched, other
    meanings = [_whole_meaning(token, last, vocabulary) for token in typed if token.whole]
    for at, (word, found) in enumerate(zip(words, known, strict=True), 1):
        meanings.append(_meaning(word, found, last and at == len(words), vocabulary))
    return words, meanings


def _whole_meaning(token: Token, last: bool, vocabulary: Vocabulary) -> Meanings:
    """What an identifier means as it stands; its parts are words by themselves."""
    found: Meanings = {}
    for word in token.whole:
        found |= vocabulary.identifier(word)
    if found and not last:
        return found
    return vocabulary.begun(token.whole[0], BEGINNING if found else BEGUN) | found


def _meaning(word: str, known: Meanings, last: bool, vocabulary: Vocabulary) -> Meanings:
    if known:
        return vocabulary.begun(word, BEGINNING) | known if last else known
    twin = other_script(word)
    return (
        (vocabulary.known(twin) if twin else {}) or vocabulary.begun(word, BEGUN) or vocabulary.mistyped(word)
    )


def _tokens(chunk: str) -> list[Token]:
    return [token_words(token) for token in tokens(fold(chunk))]


def _searched(found: list[Token], stops: frozenset[str]) -> list[str]:
    return [word for token in found for word in token.words if word not in stops]
