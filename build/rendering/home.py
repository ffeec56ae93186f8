"""The shelf's home as people see it: a card per category, and the documents that stand in none."""

from collections.abc import Iterator, Sequence
from itertools import islice

from docshelf.build.indexing.extracts import shorten
from docshelf.build.indexing.indexes import Index, IndexGroup, size_words
from docshelf.build.indexing.shelf import Category, document_line
from docshelf.build.rendering.pages import Card, LinkTo
from docshelf.build.wording import Wording, wording
from docshelf.serve.config import ShelfConfig

_FIRST_DOCUMENTS = 4
_TITLE_CHARACTERS = 90


def home_cards(root: Category, config: ShelfConfig) -> tuple[Card, ...]:
    """A card for each category at the top of the shelf; those of one group stand together."""
    words = wording(config.default_language)
    cards = [_card(category, words) for category in root.children]
    groups = list(dict.fromkeys(card.group for card in cards))
    return tuple(sorted(cards, key=lambda card: groups.index(card.group)))


def home_index(whole: Sequence[Index], root: Category, config: ShelfConfig) -> Index:
    """What the home page lists below its cards: the documents of no category; all where there are no cards."""
    if not root.children:
        return whole[0]
    words = wording(config.default_language)
    lines = tuple(document_line(it, words) for it in root.documents)
    groups = (IndexGroup(words.documents_title, lines),) if lines else ()
    first = whole[0]
    return Index(first.path, first.title, first.summary, "", groups, first.language)


def _card(category: Category, words: Wording) -> Card:
    documents = list(category.all_documents())
    size = sum(section.bytes for it in documents for section in it.meta.sections)
    return Card(
        title=category.title,
        path=_html(category.index),
        about=category.config.description,
        extent=f"{words.documents(len(documents))}, {size_words(size, words.language)}",
        first=tuple(islice(_links(category), _FIRST_DOCUMENTS)),
        group=category.config.group,
    )


def _links(category: Category) -> Iterator[LinkTo]:
    for it in category.all_documents():
        yield LinkTo(shorten(it.meta.title, _TITLE_CHARACTERS), _html(it.meta.path))


def _html(path: str) -> str:
    return f"{path.removesuffix('.md')}.html"
