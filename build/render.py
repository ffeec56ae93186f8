"""One HTML page of a shelf: its text, and around it the way through the shelf."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from markupsafe import Markup

from docshelf.build.article import Heading, render_article
from docshelf.build.pages import LinkTo, PageKind, PageView, ShelfView, relative_url
from docshelf.build.theme import Theme
from docshelf.build.wording import Wording, direction, wording
from docshelf.serve.manifest import RELEASE_SCRIPT

_LISTED_DEPTH = 2
_FEWEST_LISTED = 3


def render_page(markdown: str, page: PageView, shelf: ShelfView, theme: Theme) -> bytes:
    """The page as UTF-8 HTML; the same arguments give the same bytes.

    Raises: ConfigError where the user's own template names what is not there.
    """
    words = wording(shelf.language)
    article = render_article(markdown, page, words)

    def url(target: str) -> str:
        return relative_url(page.path, target)

    def asset(name: str) -> str:
        return url(theme.asset_path(name))

    context: Mapping[str, Any] = {
        "page": page,
        "shelf": shelf,
        "words": words,
        "direction": direction,
        "url": url,
        "asset": asset,
        "assets": frozenset(theme.published),
        "release_script": url(RELEASE_SCRIPT),
        "head_title": _head_title(page, shelf),
        "title": Markup(article.title),
        "lead": Markup(article.lead),
        "body": Markup(article.body),
        "headings": _listed(article.headings),
        "source_words": _source_words(page.source, words),
    }
    return theme.render(_template(page), context).encode("utf-8", "replace")


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
        )
        render_page("# Title\n\n> Place\n\n<!-- p1 -->\n\n## A\n\n## B\n\n## C\n", page, shelf, theme)


def _template(page: PageView) -> str:
    return "section.html" if page.kind == "section" else "index.html"


def _head_title(page: PageView, shelf: ShelfView) -> str:
    """Section — Document — Shelf; a part that repeats the one before it is left out."""
    parts = [page.title]
    if page.contents is not None and page.breadcrumbs:
        parts.append(page.breadcrumbs[-1].title)
    parts.append(shelf.name)
    return " — ".join(part for at, part in enumerate(parts) if part and part not in parts[:at])


def _listed(headings: Sequence[Heading]) -> list[tuple[int, Heading]]:
    """What the page's own contents list: the two highest levels there are, each heading with its depth.

    Depth 1 is the highest level. Empty where the list would hold next to nothing.
    """
    levels = sorted({heading.level for heading in headings})[:_LISTED_DEPTH]
    listed = [(levels.index(heading.level) + 1, heading) for heading in headings if heading.level in levels]
    return listed if len(listed) >= _FEWEST_LISTED else []


def _source_words(source: str, words: Wording) -> str:
    """«источник, с. 12»: what the link to the source says, with the PDF page it opens at."""
    page = source.partition("#page=")[2]
    return f"{words.source}, {words.printed_pages(page)}" if page else words.source
