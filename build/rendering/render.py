"""HTML pages of a shelf: their text, and around it the way through the shelf."""

import functools
import posixpath
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from markupsafe import Markup

from docshelf.build.rendering.article import Article, Heading, join_articles, render_article
from docshelf.build.rendering.navigation import document_tree, tree_html
from docshelf.build.rendering.page_words import page_words
from docshelf.build.rendering.pages import (
    SEARCH_PAGE,
    Card,
    LinkTo,
    PageKind,
    PageView,
    ReaderFinding,
    ShelfView,
    relative_url,
    url_path,
)
from docshelf.build.rendering.theme import Theme
from docshelf.build.wording import Wording, direction, interface_language, primary_language, wording
from docshelf.serve.manifest import RELEASE_SCRIPT

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'"
)
"""Stands in every page, so that it holds from a disk and from servers that know nothing of it.

Frames are for a page from a disk that searches: it hears from the pages it found what they say.
"""

_LISTED_DEPTH = 2
_FEWEST_LISTED = 2
_MOST_LISTED = 150


def render_page(markdown: str, page: PageView, shelf: ShelfView, theme: Theme) -> bytes:
    """The page as UTF-8 HTML; the same arguments give the same bytes.

    Raises: ConfigError where the user's own template names what is not there.
    """
    article = render_article(markdown, page, _words(page, shelf))
    return _page_html(article, page, shelf, theme)


def render_document(
    markdown: Mapping[str, str], views: Sequence[PageView], shelf: ShelfView, theme: Theme
) -> dict[str, bytes]:
    """Shelf path → UTF-8 HTML of all pages of a document, from its Markdown by shelf path.

    The page of the whole document is joined from its sections, which must stand before it in `views`.

    Raises: ConfigError where the user's own template names what is not there.
    """
    pages: dict[str, bytes] = {}
    articles: list[tuple[str, Article]] = []
    for view in views:
        if view.kind == "whole":
            article = join_articles(articles)
        else:
            article = render_article(markdown[view.markdown], view, _words(view, shelf))
        if view.kind == "section":
            articles.append((posixpath.basename(view.path), article))
        pages[view.path] = _page_html(article, view, shelf, theme)
    return pages


def render_search_page(shelf: ShelfView, theme: Theme, categories: tuple[Card, ...] = ()) -> bytes:
    """The page that searches the shelf, or one of its categories.

    Raises: ConfigError where the user's own template names what is not there.
    """
    page = PageView(
        path=SEARCH_PAGE,
        title=page_words(interface_language("", shelf.language)).search,
        language=shelf.language,
        kind="search",
        breadcrumbs=(LinkTo(shelf.name, shelf.home),),
        markdown="index.md",
        llms="llms.txt",
        cards=categories,
    )
    return _page_html(Article("", "", "", ()), page, shelf, theme)


@functools.lru_cache(maxsize=1)
def check_theme(theme: Theme) -> None:
    """Renders one page of each kind, so that a fault in a user's template stops a build at its beginning.

    Raises: ConfigError.
    """
    shelf = ShelfView("Shelf", "en")
    home = LinkTo("Shelf", shelf.home)
    kinds: tuple[PageKind, ...] = get_args(PageKind)
    for kind in kinds:
        page = PageView(
            path="docs/a/b.html",
            title="Title",
            language="en",
            kind=kind,
            breadcrumbs=(home,),
            markdown="docs/a/b.md",
            llms="docs/a/llms.txt",
            previous=home,
            next=home,
            contents=home,
            source="sources/a/b.pdf#page=1",
            grade="A",
            notices=("Notice",),
            pages="1",
            page_count=1,
            findings=(ReaderFinding("Finding", "warning", home),),
            finding_count=1,
            tree=document_tree([("Chapter", [home, home])], "Beginning"),
            whole="docs/a/print.html",
            cards=(Card("Category", "docs/a/index.html", "About", "1 document", (home,), "Group"),),
        )
        render_page("# Title\n\n> Place\n\n<!-- p1 -->\n\n## A\n\n## B\n\n## C\n", page, shelf, theme)


def _words(page: PageView, shelf: ShelfView) -> Wording:
    return wording(interface_language(page.language, shelf.language))


def _lang(language: str, around: str) -> Markup:
    """The attribute of an element in `language` that stands in one of the language `around`; "" where none is due."""
    if primary_language(language) == primary_language(around):
        return Markup()
    return Markup(' lang="{}"').format(language)


def _page_html(article: Article, page: PageView, shelf: ShelfView, theme: Theme) -> bytes:
    words = _words(page, shelf)

    def url(target: str) -> str:
        return relative_url(page.path, target)

    root = "../" * page.path.count("/")

    def asset(name: str) -> str:
        return root + url_path(theme.asset_path(name))

    context: Mapping[str, Any] = {
        "page": page,
        "shelf": shelf,
        "words": words,
        "ui": page_words(words.language),
        "policy": Markup(POLICY),
        "direction": direction,
        "url": url,
        "asset": asset,
        "assets": frozenset(theme.published),
        "root": root,
        "release_script": root + RELEASE_SCRIPT,
        "search_page": root + SEARCH_PAGE,
        "lang": _lang,
        "text_lang": _lang(page.language, words.language),
        "words_lang": _lang(words.language, page.language),
        "head_title": _head_title(page, shelf),
        "title": Markup(article.title),
        "lead": Markup(article.lead),
        "body": Markup(article.body),
        "headings": _listed(article.headings),
        "tree": Markup(tree_html(page.tree, page.path)) if page.tree else "",
        "source_words": _source_words(page.source, words),
        "source_type": posixpath.splitext(page.source.partition("#")[0])[1].lstrip(".").upper(),
    }
    return theme.render(_template(page), context).encode("utf-8", "replace")


def _template(page: PageView) -> str:
    own = {"section": "section.html", "home": "home.html", "whole": "whole.html", "search": "search.html"}
    return own.get(page.kind, "index.html")


def _head_title(page: PageView, shelf: ShelfView) -> str:
    """Section — Document — Shelf; a part that repeats the one before it is left out."""
    parts = [page.title]
    if page.contents is not None and page.breadcrumbs:
        parts.append(page.breadcrumbs[-1].title)
    parts.append(shelf.name)
    return " — ".join(part for at, part in enumerate(parts) if part and part not in parts[:at])


def _listed(headings: Sequence[Heading]) -> list[tuple[int, Heading]]:
    """What the page's own contents list: the two highest levels there are, each heading with its depth.

    Depth 1 is the highest level. Empty where the list would hold next to nothing; only the highest level
    where both would be too many.
    """
    levels = sorted({heading.level for heading in headings})[:_LISTED_DEPTH]
    listed = [(levels.index(heading.level) + 1, heading) for heading in headings if heading.level in levels]
    if len(listed) > _MOST_LISTED:
        listed = [(depth, heading) for depth, heading in listed if depth == 1]
    return listed if len(listed) >= _FEWEST_LISTED else []


def _source_words(source: str, words: Wording) -> str:
    """«источник, с. 12 PDF»: what the link to the source says, with the page it opens at."""
    page = source.partition("#page=")[2]
    return f"{words.source}, {words.source_page(int(page))}" if page else words.source
