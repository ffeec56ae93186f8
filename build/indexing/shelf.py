"""The shelf above its documents: categories, the indexes that lead to them, and what their notes say."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from docshelf.build.indexing.extracts import bare_title, shorten
from docshelf.build.indexing.indexes import Index, IndexGroup, IndexLine, size_words
from docshelf.build.indexing.keywords import Words, join_words, title_words
from docshelf.build.indexing.nesting import WHOLE_LINES, nest_index
from docshelf.build.planning.addresses import ROOT
from docshelf.build.rendering.pages import LinkTo, PageView
from docshelf.build.wording import Wording, wording
from docshelf.serve.config import CategoryConfig, ShelfConfig
from docshelf.serve.manifest import DocumentMeta

_NAMED_CHARACTERS = 32
"""Of each document's title where a line leads to a category: titles are what readers choose by."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as its category lists it."""

    meta: DocumentMeta
    order: int
    about: str = ""
    """What it is about in its own words, for documents without chapters to name."""
    words: Words | None = None
    """The words of its titles (`title_words`); None where nobody has counted them yet."""


@dataclass(slots=True)
class Category:
    """A folder of the source folder that holds documents, itself or below."""

    home: str
    """Folder of its index on the shelf: `docs/<category>`, "" for the shelf itself."""
    title: str
    config: CategoryConfig
    documents: list[Listed] = field(default_factory=list)
    children: list["Category"] = field(default_factory=list)

    @property
    def index(self) -> str:
        """Shelf path of its index."""
        return f"{self.home}/index.md".lstrip("/")

    def all_documents(self) -> Iterator[Listed]:
        """Its documents and those of the categories below."""
        yield from self.documents
        for child in self.children:
            yield from child.all_documents()


def category_title(folder: PurePosixPath, config: ShelfConfig) -> str:
    """The category's title from the settings, else the folder's name; the shelf's name at the root."""
    if folder == ROOT:
        return config.name
    own = config.categories.get(folder)
    name = unicodedata.normalize("NFC", folder.name).replace("_", " ")
    return (own.title if own else None) or " ".join(name.split()) or "—"


def breadcrumbs_to(
    folder: PurePosixPath, config: ShelfConfig, categories: Mapping[PurePosixPath, str]
) -> tuple[LinkTo, ...]:
    """The way from the shelf's home down to the category of `folder`, as links to HTML pages."""
    chain = [*reversed(folder.parents), folder] if folder != ROOT else [ROOT]
    return tuple(
        LinkTo(category_title(step, config), _page(f"{_home(categories[step])}/index.md".lstrip("/")))
        for step in chain
    )


def category_tree(
    listed: Iterable[Listed], config: ShelfConfig, categories: Mapping[PurePosixPath, str]
) -> Category:
    """The categories that hold documents, as a tree; siblings and documents in the order readers see."""
    nodes: dict[PurePosixPath, Category] = {}

    def node(folder: PurePosixPath) -> Category:
        if folder not in nodes:
            own = config.categories.get(folder, CategoryConfig())
            nodes[folder] = Category(_home(categories[folder]), category_title(folder, config), own)
            if folder != ROOT:
                node(folder.parent).children.append(nodes[folder])
        return nodes[folder]

    root = node(ROOT)
    for document in listed:
        node(PurePosixPath(document.meta.source).parent).documents.append(document)
    for category in nodes.values():
        category.documents.sort(key=lambda it: (it.order, sort_key(it.meta.title), it.meta.source))
        category.children.sort(key=lambda it: (it.config.order, sort_key(it.title), it.home))
    return root


def shelf_indexes(root: Category, config: ShelfConfig) -> dict[str, list[Index]]:
    """Every category's index with the pages it nests, by the category's home; "" is the shelf's own."""
    found: dict[str, list[Index]] = {}
    waiting = [root]
    while waiting:
        category = waiting.pop()
        found[category.home] = _indexes(category, config, category is root)
        waiting += category.children
    return found


def index_views(
    root: Category, indexes: Mapping[str, Sequence[Index]], config: ShelfConfig
) -> Iterator[tuple[Index, PageView]]:
    """Each index with what surrounds its HTML page."""
    waiting: list[tuple[Category, tuple[LinkTo, ...]]] = [(root, ())]
    while waiting:
        category, above = waiting.pop()
        here = LinkTo(category.title, _page(category.index))
        for place, index in enumerate(indexes[category.home]):
            yield (
                index,
                PageView(
                    path=_page(index.path),
                    title=index.title,
                    language=config.default_language,
                    kind="category" if category.home else "home",
                    breadcrumbs=(*above, here) if place else above,
                    markdown=index.path,
                    llms=f"{category.home}/llms.txt".lstrip("/"),
                ),
            )
        waiting += [(child, (*above, here)) for child in category.children]


def sort_key(text: str) -> tuple[str, str]:
    """Order of titles: case, ё and accents only part what is otherwise equal."""
    folded = unicodedata.normalize("NFKD", text.casefold().replace("й", "и\uffff"))
    plain = "".join(sign for sign in folded if not unicodedata.combining(sign))
    return plain.replace("ё", "е"), text


def _indexes(category: Category, config: ShelfConfig, is_shelf: bool) -> list[Index]:
    words = wording(config.default_language)
    documents = list(category.all_documents())
    size = sum(_size(document.meta) for document in documents)
    counted = f"{words.documents(len(documents))}, {size_words(size, words.language)}"
    description = config.description if is_shelf else category.config.description

    def index(groups: Iterable[IndexGroup]) -> Index:
        return Index(
            path=category.index,
            title=category.title,
            summary=description or counted,
            guide=words.guide_shelf,
            groups=tuple(groups),
            language=words.language,
        )

    # The shortest route: documents of the categories below stand here while the page is cheap to read.
    if len(documents) <= WHOLE_LINES["documents"]:
        whole = nest_index(index(_groups(category, words, inline=True)), config.budget.index_bytes)
        if len(whole) == 1:
            return whole
    return nest_index(index(_groups(category, words, inline=False)), config.budget.index_bytes)


def _groups(category: Category, words: Wording, *, inline: bool) -> Iterator[IndexGroup]:
    if category.documents:
        own = tuple(document_line(it, words) for it in category.documents)
        yield IndexGroup(words.documents_title, own)
    grouped: dict[str, list[IndexLine]] = {}
    for child in category.children:
        title = child.config.group or (child.title if inline else words.categories_title)
        lines = grouped.setdefault(title, [])
        if inline:
            lines += [document_line(it, words) for it in child.all_documents()]
        else:
            lines.append(_category_line(child, words))
    for title, lines in grouped.items():
        yield IndexGroup(title, tuple(lines))


def _category_line(category: Category, words: Wording) -> IndexLine:
    documents = list(category.all_documents())
    size = sum(_size(document.meta) for document in documents)
    cost = f"{words.documents(len(documents))}, {size_words(size, words.language)}"
    titles = (shorten(it.meta.title, _NAMED_CHARACTERS) for it in documents)
    about = category.config.description or "; ".join(titles)
    held = join_words(_words(it) for it in documents)
    return IndexLine(category.title, category.index, cost, about, size, held)


def document_line(listed: Listed, words: Wording) -> IndexLine:
    """The line that leads to a document: what it is about, and what reading it costs."""
    meta = listed.meta
    size = _size(meta)
    pages = words.pages(meta.pages)
    cost = f"{pages}, {size_words(size, words.language)}"
    if meta.grade == "C":
        cost = f"{cost}, {words.page_without_text}"
    chapters = [
        bare_title(entry.title) for entry in meta.outline if entry.level == 1 and entry.title != meta.title
    ]
    about = meta.description or ("; ".join(chapters) if len(chapters) > 1 else listed.about)
    return IndexLine(meta.title, meta.path, cost, about, size, _words(listed))


def _words(listed: Listed) -> Words:
    return title_words(listed.meta) if listed.words is None else listed.words


def _size(meta: DocumentMeta) -> int:
    return sum(section.bytes for section in meta.sections)


def _home(category: str) -> str:
    return f"docs/{category}" if category else ""


def _page(path: str) -> str:
    return f"{path.removesuffix('.md')}.html"
