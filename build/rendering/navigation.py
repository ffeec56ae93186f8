"""The tree of a document's sections, built once per document and cut to size on each page."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from docshelf.build.indexing.extracts import shorten
from docshelf.build.rendering.pages import DocumentTree, LinkTo, TreePart

TREE_BYTES = 7_500
"""Most that a tree takes on a page, with room left for the frame around it (8 KB together)."""

_TITLE_CHARACTERS = 72
_CURRENT = ' aria-current="page"'


def document_tree(chapters: Sequence[tuple[str, Sequence[LinkTo]]], beginning: str) -> DocumentTree:
    """The tree of a document: title and sections of each chapter, in order.

    Chapters of one section show that section; a chapter without a title has its sections stand for
    themselves. Below its chapter, a section of the same title is named `beginning`.
    """
    parts: list[TreePart] = []
    for title, sections in chapters:
        if not title or len(sections) == 1:
            parts += [_part("", [section]) for section in sections]
        else:
            named = (replace(it, title=beginning) if it.title == title else it for it in sections)
            parts.append(_part(title, list(named)))
    part_of = {name: place for place, part in enumerate(parts) for name in part.names}
    return DocumentTree(tuple(parts), part_of, sum(len(_whole(part).encode()) for part in parts))


def tree_html(tree: DocumentTree, path: str) -> str:
    """List items of the tree on the page at `path`, with that page marked and its chapter open.

    A tree past its budget shows other chapters as one line each, and only the lines around the page
    where even those are too many; "…" then stands for what is left out.
    """
    name = posixpath.basename(path)
    at = tree.part_of.get(name)
    if tree.size_bytes <= TREE_BYTES:
        whole = [_whole(part, is_open=place == at) for place, part in enumerate(tree.parts)]
        return _marked("".join(whole), name)
    shown = [part.folded for part in tree.parts]
    if at is not None and tree.parts[at].title:
        part = tree.parts[at]
        lines = _around(part.lines, part.names.index(name), TREE_BYTES // 2)
        shown[at] = _open_chapter(part.title, "".join(lines), is_open=True)
    return _marked("".join(_around(shown, at or 0, TREE_BYTES)), name)


def _part(title: str, sections: Sequence[LinkTo]) -> TreePart:
    names = tuple(posixpath.basename(section.path) for section in sections)
    lines = tuple(
        f'<li><a href="{escape(name)}">{_short(section.title)}</a></li>\n'
        for name, section in zip(names, sections, strict=True)
    )
    return TreePart(names, lines, _short(title))


def _short(title: str) -> str:
    return escape(shorten(title, _TITLE_CHARACTERS))


def _whole(part: TreePart, *, is_open: bool = False) -> str:
    return _open_chapter(part.title, "".join(part.lines), is_open=is_open) if part.title else part.lines[0]


def _open_chapter(title: str, lines: str, *, is_open: bool) -> str:
    state = " open" if is_open else ""
    return f"<li><details{state}><summary>{title}</summary>\n<ul>\n{lines}</ul>\n</details></li>\n"


def _marked(html: str, name: str) -> str:
    link = f'href="{escape(name)}"'
    return html.replace(link, link + _CURRENT, 1)


def _around(lines: Sequence[str], at: int, budget_bytes: int) -> list[str]:
    """The lines nearest to `at` that fit, in order, with "…" where some are left out."""
    sizes = [len(line.encode()) for line in lines]
    first, end, left = at, at + 1, budget_bytes - sizes[at]
    while True:
        before = first > 0 and sizes[first - 1] <= left
        if before:
            first -= 1
            left -= sizes[first]
        after = end < len(lines) and sizes[end] <= left
        if after:
            left -= sizes[end]
            end += 1
        if not before and not after:
            break
    gap = '<li class="gap">…</li>\n'
    return [*([gap] if first else []), *lines[first:end], *([gap] if end < len(lines) else [])]
