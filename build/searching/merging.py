"""The words of a shelf from those of its documents, made anew or from what the release before held."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from docshelf.build.searching.words import DocumentWords, Place
from docshelf.serve.search.postings import decode, encode, shifted


@dataclass(frozen=True, slots=True)
class ShelfWords:
    """All that the search index of a shelf is written from."""

    places: tuple[tuple[str, Place], ...]
    """Each section under its document's title, by path; postings count them from 0."""
    postings: dict[str, str]
    """Word → its postings in the whole shelf."""


@dataclass(frozen=True, slots=True)
class Change:
    """A document whose words changed, while its sections stand where they stood."""

    first: int
    """Number of its first section."""
    before: DocumentWords
    after: DocumentWords


def merged(documents: Iterable[DocumentWords]) -> ShelfWords:
    """The words of these documents, which come in the order of their sections' paths."""
    places: list[tuple[str, Place]] = []
    parts: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    for document in documents:
        first = len(places)
        places += [(document.title, place) for place in document.places]
        for word, (text, last) in document.postings.items():
            if word in parts:
                parts[word].append(shifted(text, first - ends[word]))
            else:
                parts[word] = [shifted(text, first)]
            ends[word] = first + last
    return ShelfWords(tuple(places), {word: "".join(found) for word, found in parts.items()})


def changed(shelf: ShelfWords, changes: Sequence[Change]) -> ShelfWords:
    """`shelf` with the changes, just as `merged` would make it of all documents: only their words are touched."""
    places, postings = list(shelf.places), dict(shelf.postings)
    for change in changes:
        end = change.first + len(change.after.places)
        places[change.first : end] = [(change.after.title, place) for place in change.after.places]
        before, after = change.before.postings, change.after.postings
        for word in before.keys() | after.keys():
            if before.get(word) == after.get(word):
                continue
            own = after[word][0] if word in after else ""
            text = _spliced(postings.get(word, ""), change.first, end, own)
            if text:
                postings[word] = text
            else:
                del postings[word]
    return ShelfWords(tuple(places), postings)


def _spliced(text: str, first: int, end: int, own: str) -> str:
    """Postings with those of the sections from `first` to before `end` replaced by a document's own."""
    numbers, levels = decode(text)
    own_numbers, own_levels = decode(own)
    head, tail = bisect_left(numbers, first), bisect_left(numbers, end)
    numbers[head:tail] = [first + number for number in own_numbers]
    levels[head:tail] = own_levels
    return encode(zip(numbers, levels, strict=True))
