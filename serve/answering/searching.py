"""What `search` answers: one line a hit, ready for the next call."""

from collections.abc import Sequence
from typing import Protocol

from docshelf.serve.anchors import page_anchor
from docshelf.serve.answering.citing import link_text, pages_text, source_line
from docshelf.serve.answering.reading import Answer
from docshelf.serve.releases.tree import Release

_QUERY_SHOWN = 100


class Found(Protocol):
    """A section that was found; `serve.search.hits.Hit` is one."""

    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def document(self) -> str: ...
    @property
    def labels(self) -> tuple[str, str]: ...
    @property
    def snippet(self) -> str: ...
    @property
    def page(self) -> int | None: ...
    @property
    def label(self) -> str | None: ...


def search_answer(release: Release, query: str, hits: Sequence[Found]) -> Answer:
    """The hits as Markdown, the best first; without any, what to do instead."""
    lines = [_line(hit) for hit in hits]
    if not lines:
        shown = " ".join(query.split())[:_QUERY_SHOWN]
        lines = [
            f'Nothing found for "{shown}". Try fewer words or other ones, or see the contents: list("").'
        ]
    return Answer("\n".join([*lines, "", source_line(release, ""), ""]), "", release.id)


def _line(hit: Found) -> str:
    """A link to the page on which the words stand, and that page as printed; else the pages of the section."""
    title, document, snippet = (" ".join(text.split()) for text in (hit.title, hit.document, hit.snippet))
    place = hit.path if hit.page is None else f"{hit.path}#{page_anchor(hit.page)}"
    pages = pages_text(hit.labels if hit.label is None else (hit.label, hit.label))
    return f"- [{link_text(title)}]({place}): {document}, {pages}: {snippet}"
