"""The words that tell the lines of an index apart: what a note adds for a reader who looks for a word.

No model and no dictionary: forms of a word are those that begin alike, and words that say nothing are those that
stand behind every line alike, beside a short list for pages on which only one text of a language stands.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from docshelf.serve.manifest import DocumentMeta

_WORD = re.compile(r"[^\W\d_](?!\.[0-9])[^\W_]*(?:[-._/][^\W_]+)*")
"""Not "A.2" and the like, which number headings."""
_LEAST_LETTERS = 4
"""Shorter words count where they are written in capitals: ИБП, DNS."""
_ROOT_CHARACTERS = 6
_MOST_KEPT = 300
_KNOWN_WORDS = 50_000
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
    """How the first word of each root is written."""


NO_WORDS = Words({}, {})


def read_words(text: str, title: str = "", weight: int = 1) -> Words:
    """The words of a plain text that say something; those of `title` count `weight` times."""
    counts: dict[str, int] = {}
    forms: dict[str, str] = {}
    for part, times in ((title, weight), (text, 1)):
        for word in _WORD.findall(part):
            root, form = _root_and_form(word)
            if root:
                counts[root] = counts.get(root, 0) + times
                forms.setdefault(root, form)
    return Words(counts, forms)


@lru_cache(maxsize=_KNOWN_WORDS)
def _root_and_form(word: str) -> tuple[str, str]:
    """The root of a word, "" if it says nothing, and how it is written within a sentence.

    There a capital stays, where it is not the first letter alone.
    """
    folded = word.casefold()
    if folded in _PLAIN or (len(word) < _LEAST_LETTERS and not (len(word) > 1 and word.isupper())):
        return "", word
    is_plain = word.islower() or word[1:].lower() != word[1:]
    return folded[:_ROOT_CHARACTERS], word if is_plain else folded


def title_words(meta: DocumentMeta) -> Words:
    """The words of a document's title and headings; what it is called counts most."""
    return read_words("\n".join(entry.title for entry in meta.outline), meta.title, _TITLE_WEIGHT)


def join_words(parts: Iterable[Words]) -> Words:
    """The commonest words of several texts together."""
    counts: dict[str, int] = {}
    forms: dict[str, str] = {}
    for part in parts:
        for root, count in part.counts.items():
            if root in counts:
                counts[root] += count
            else:
                counts[root] = count
                forms[root] = part.forms[root]
    kept = sorted(counts, key=lambda root: (-counts[root], root))[:_MOST_KEPT]
    return Words({root: counts[root] for root in kept}, {root: forms[root] for root in kept})


def telling_words(texts: Sequence[Words]) -> list[list[str]]:
    """For each text the words that tell it from the others, the best first.

    A word counts by its share of the text times how many times that is its share of all texts, logarithmic.
    """
    sizes = [sum(text.counts.values()) for text in texts]
    total: dict[str, int] = {}
    for text in texts:
        for root, count in text.counts.items():
            total[root] = total.get(root, 0) + count
    everything = sum(sizes)
    told = []
    for text, size in zip(texts, sizes, strict=True):
        ranks: dict[str, float] = {}
        for root, count in text.counts.items():
            lift = count * everything / (size * total[root])
            if lift > 1:
                ranks[root] = -count * math.log(lift)
        told.append([text.forms[root] for _, root in sorted(zip(ranks.values(), ranks, strict=True))])
    return told


def new_words(words: Iterable[str], text: str) -> Iterator[str]:
    """Those of `words` of which no form stands in `text`, each once."""
    known = {word[:_ROOT_CHARACTERS] for word in _WORD.findall(text.casefold())}
    for word in words:
        root = word.casefold()[:_ROOT_CHARACTERS]
        if root not in known:
            known.add(root)
            yield word
