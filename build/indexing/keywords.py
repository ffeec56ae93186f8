"""The words that tell the lines of an index apart: what a note adds for a reader who looks for a word.

No model and no dictionary: forms of a word are those that begin alike, and words that say nothing are those that
stand behind every line alike, beside a short list for pages on which only one text of a language stands.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from docshelf.serve.manifest import DocumentMeta

_WORD = re.compile(r"[^\W\d_](?!\.[0-9])[^\W_]*(?:[-._/][^\W_]+)*")
"""Not "A.2" and the like, which number headings."""
_LEAST_LETTERS = 4
"""Shorter words count where they are written in capitals: ИБП, DNS."""
_ROOT_CHARACTERS = 6
_MOST_KEPT = 300
_TITLE_WEIGHT = 20
"""How often a word of a document's title counts, against once for a word of a heading."""
_PLAIN_TEXT = """
более быть вместо всех если есть затем здесь значит иначе используется которая которого которое которой
которую которые который которых кроме между может могут можно например нужно обычно одного одной однако
очень перед поэтому после потом просто раздел следует следующий случае также такой такие того тогда
только хотя чтобы чего этим этих этого этой этот было были будет даже него самого свой своей этому
каждый других другой других самый таким глава часть введение приложение содержание
about above after again also although always another because
been before being below between both cannot could default does done each either even every example
following from given have here however into itself just like made make makes many more most much must
need note only other otherwise over page same section should since some such than that their them then
there these they this those through thus under until used user uses using very want well were what when
where whether which while will with within without would you your chapter part appendix introduction contents
"""
_PLAIN = frozenset(_PLAIN_TEXT.split())


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text by their roots."""

    counts: Mapping[str, int]
    forms: Mapping[str, str]
    """How a root's commonest word is written."""


NO_WORDS = Words({}, {})


def read_words(text: str, title: str = "", weight: int = 1) -> Words:
    """The words of a plain text that say something; those of `title` count `weight` times."""
    written = Counter(_WORD.findall(text))
    for word in _WORD.findall(title):
        written[word] += weight
    counts: dict[str, int] = {}
    commonest: dict[str, tuple[int, str]] = {}
    for word, count in written.items():
        if len(word) < _LEAST_LETTERS and not (len(word) > 1 and word.isupper()):
            continue
        lower = word.casefold()
        if lower in _PLAIN:
            continue
        root = lower[:_ROOT_CHARACTERS]
        if root in counts:
            counts[root] += count
            commonest[root] = min(commonest[root], (-count, word))
        else:
            counts[root] = count
            commonest[root] = (-count, word)
    return Words(counts, {root: _plainly(word) for root, (_, word) in commonest.items()})


def _plainly(word: str) -> str:
    """A word as it stands within a sentence: capitals stay where they are not the first letter alone."""
    return word if word.islower() or word[1:].lower() != word[1:] else word.casefold()


def title_words(meta: DocumentMeta) -> Words:
    """The words of a document's title and headings; what it is called counts most."""
    return read_words("\n".join(entry.title for entry in meta.outline), meta.title, _TITLE_WEIGHT)


def join_words(parts: Iterable[Words]) -> Words:
    """The commonest words of several texts together."""
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for part in parts:
        for root, count in part.counts.items():
            counts[root] += count
            forms.setdefault(root, part.forms[root])
    kept = sorted(counts, key=lambda root: (-counts[root], root))[:_MOST_KEPT]
    return Words({root: counts[root] for root in kept}, {root: forms[root] for root in kept})


def telling_words(texts: Sequence[Words]) -> list[list[str]]:
    """For each text the words that tell it from the others, the best first.

    A word counts by its share of the text times how many times that is its share of all texts, logarithmic.
    """
    sizes = [sum(text.counts.values()) for text in texts]
    total = Counter[str]()
    for text in texts:
        total.update(text.counts)
    everything = sum(sizes)
    told = []
    for text, size in zip(texts, sizes, strict=True):
        gains = {
            root: count / size * math.log(count * everything / (size * total[root]))
            for root, count in text.counts.items()
        }
        best = sorted((root for root in gains if gains[root] > 0), key=lambda root: (-gains[root], root))
        told.append([text.forms[root] for root in best])
    return told


def new_words(words: Iterable[str], text: str) -> Iterator[str]:
    """Those of `words` of which no form stands in `text`, each once."""
    known = {_root(word.casefold()) for word in _WORD.findall(text)}
    for word in words:
        root = _root(word.casefold())
        if root not in known:
            known.add(root)
            yield word


def _root(word: str) -> str:
    """What the forms of a word have in common, roughly: how it begins."""
    return word[:_ROOT_CHARACTERS]
