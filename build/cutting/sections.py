"""Sections as they are published: title, address, quote line, text with page marks, headings with anchors."""

import hashlib
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from docshelf.build.cutting.item_lists import ItemList, is_item
from docshelf.build.cutting.markdown import PAGE_LINK, SHELF_LINK, heading, link
from docshelf.build.cutting.split import Cut, Piece
from docshelf.build.indexing.extracts import extract
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.slugs import heading_anchors, slug, unique_slugs
from docshelf.build.rendering.pages import LinkTo
from docshelf.build.wording import Wording
from docshelf.serve.anchors import PAGE_MARK, page_anchor, page_mark
from docshelf.serve.manifest import OutlineEntry, SectionEntry

_TITLE_CHARACTERS = 120
_EXTRACT_CHARACTERS = 64
_SLUG_BYTES = 32
"""Section names stand in every line of a subindex, which a model pays for."""
_PAGE_LINK = re.compile(re.escape(PAGE_LINK) + r"(\d+)")
_SHELF_LINK = re.compile(re.escape(SHELF_LINK) + r"(\d+)")


@dataclass(frozen=True, slots=True)
class Section:
    """One section, ready to be written."""

    path: str
    """Shelf path of its Markdown."""
    title: str
    markdown: str
    """The whole file."""
    pages: tuple[int, int]
    """First and last PDF page, from 1."""
    labels: tuple[str, str]
    """The same as printed."""
    chapter: str
    """Title of the level-1 heading it stands under, or ""."""
    outline: tuple[OutlineEntry, ...]
    extract: str
    """Its first sentence that says something, as plain text, or ""."""

    def entry(self) -> SectionEntry:
        """What the document's meta says of it."""
        encoded = self.markdown.encode()
        return SectionEntry(
            path=self.path,
            title=self.title,
            pages=self.pages,
            labels=self.labels,
            bytes=len(encoded),
            sha256=hashlib.sha256(encoded).hexdigest(),
            text_sha256=hashlib.sha256(bare_text(self.markdown).encode()).hexdigest(),
        )


def whole_section(
    plan: DocumentPlan, pieces: Sequence[Piece], title: str, labels: Mapping[int, str], words: Wording
) -> Section:
    """The one section of a short document."""
    cut = Cut(tuple(pieces))
    above = plan.breadcrumbs[-1]
    page = _write(plan, cut, title, plan.address.short, LinkTo(above.title, plan.home), labels, words)
    return _with_links([page], [cut], plan)[0]


def cut_sections(
    plan: DocumentPlan, cuts: Sequence[Cut], title: str, labels: Mapping[int, str], words: Wording
) -> list[Section]:
    """The sections of a long document, each at `NNN-slug.md`."""
    titles = [_section_title(cut, title, labels, words) for cut in cuts]
    plain = [slug(name, "section", _SLUG_BYTES) for name in titles]
    parents = [slug(cut.path[-1], "section", _SLUG_BYTES) if cut.path else "" for cut in cuts]
    slugs = unique_slugs(list(zip(plain, parents, strict=True)))
    above = LinkTo(title, plan.address.subindex)
    sections = []
    for number, (cut, name, final) in enumerate(zip(cuts, titles, slugs, strict=True), 1):
        path = f"{plan.address.base}/{number:03d}-{final}.md"
        sections.append(_write(plan, cut, name, path, above, labels, words))
    return _with_links(sections, cuts, plan)


def bare_text(markdown: str) -> str:
    """A section's text without its quote line and page marks: what `text_sha256` is made of."""
    lines = markdown.split("\n")
    return "\n".join(
        line
        for number, line in enumerate(lines)
        if not PAGE_MARK.match(line) and not (number == 2 and line.startswith("> "))
    )


def page_range(labels: tuple[str, str]) -> str:
    """«12–14», or «12» for one page."""
    return labels[0] if labels[0] == labels[1] else f"{labels[0]}–{labels[1]}"


def section_name(section: Section, document: str, words: Wording) -> str:
    """How the contents of the document with this title name the section: never by the document's title again."""
    return words.beginning if section.title == document else section.title


def _section_title(cut: Cut, document: str, labels: Mapping[int, str], words: Wording) -> str:
    headings = cut.headings
    top = _top(cut)
    names = [piece.title for piece in headings if piece.level == top]
    if cut.parts and not names:
        name = cut.path[-1] if cut.path else document
        pages = words.printed_pages(page_range(_labels(cut, labels)))
        return f"{name}, {pages}" if not cut.path else f"{name} ({cut.part}/{cut.parts})"
    if not names:
        return cut.path[-1] if cut.path else document
    joined = " · ".join(names)
    title = joined if len(joined) <= _TITLE_CHARACTERS or len(names) == 1 else f"{names[0]} — {names[-1]}"
    return f"{title} ({cut.part}/{cut.parts})" if cut.parts else title


def _top(cut: Cut) -> int:
    """The highest level among the headings inside; 1 where there are none."""
    return min((piece.level for piece in cut.headings), default=1)


def _write(
    plan: DocumentPlan,
    cut: Cut,
    title: str,
    path: str,
    above: LinkTo,
    labels: Mapping[int, str],
    words: Wording,
) -> Section:
    pages = cut.pieces[0].page, cut.pieces[-1].page
    # The section's own heading becomes its title and does not stand below it again.
    first = cut.pieces[0]
    leads = bool(first.level) and (first.title == title or first.title == _without_part(title))
    body = cut.pieces[1:] if leads else cut.pieces
    printed = words.printed_pages(page_range(_labels(cut, labels)))
    quote = [link(above.title, _relative(above.path, path)), printed]
    if plan.source_file:
        quote.append(link(words.source, f"{_relative(plan.source_file, path)}#page={pages[0]}"))
    head = [heading(1, title), "> " + " · ".join(part for part in quote if part)]
    text = "\n\n".join(
        [*head, page_mark(first.page), *_body(body, first.page, _top(cut) - (0 if leads else 1))]
    )
    return Section(
        path=path,
        title=title,
        markdown=f"{text}\n",
        pages=pages,
        labels=_labels(cut, labels),
        chapter=cut.chapter,
        outline=_outline(cut, title, path, leads),
        extract=extract((piece.markdown for piece in cut.pieces if not piece.level), _EXTRACT_CHARACTERS),
    )


def _body(pieces: Sequence[Piece], page: int, title_level: int) -> Iterator[str]:
    """The blocks with a page mark wherever the page changes; items of one list stay together.

    `title_level` is the level in the document that the section's title stands for.
    """
    items = ItemList()
    for piece in pieces:
        if items and not (piece.page == page and items.takes(piece)):
            yield items.markdown()
            items = ItemList()
        if piece.page != page:
            page = piece.page
            yield page_mark(page)
        if piece.level:
            yield heading(max(2, 1 + piece.level - title_level), piece.title)
        elif is_item(piece):
            items.add(piece)
        else:
            yield piece.markdown
    if items:
        yield items.markdown()


def _outline(cut: Cut, title: str, path: str, leads: bool) -> tuple[OutlineEntry, ...]:
    headings = cut.headings
    shown = [title, *(piece.title for piece in headings[1 if leads else 0 :])]
    anchors = heading_anchors(shown)
    own = anchors if leads else anchors[1:]
    return tuple(
        OutlineEntry(piece.level, piece.title, piece.page, path, anchor)
        for piece, anchor in zip(headings, own, strict=True)
    )


def _with_links(sections: Sequence[Section], cuts: Sequence[Cut], plan: DocumentPlan) -> list[Section]:
    """The sections with links to pages of the document leading to the section that holds the page.

    Those to other documents lead where the plan says.
    """
    holds: dict[int, str] = {}
    for section, cut in zip(sections, cuts, strict=True):
        for piece in cut.pieces:
            holds.setdefault(piece.page, section.path)
    pages, followed = sorted(holds), plan.followed or ()

    def linked(section: Section) -> Section:
        def elsewhere(found: re.Match[str]) -> str:
            return _relative(followed[int(found[1])].address, section.path)

        def target(found: re.Match[str]) -> str:
            # A page without text holds no mark: the next one that does is nearest.
            page = pages[min(bisect_left(pages, int(found[1])), len(pages) - 1)]
            path = holds[page]
            anchor = f"#{page_anchor(page)}"
            return anchor if path == section.path else _relative(path, section.path) + anchor

        markdown = _PAGE_LINK.sub(target, section.markdown)
        return replace(section, markdown=_SHELF_LINK.sub(elsewhere, markdown))

    return [linked(section) for section in sections]


def _labels(cut: Cut, labels: Mapping[int, str]) -> tuple[str, str]:
    first, last = cut.pieces[0].page, cut.pieces[-1].page
    return labels.get(first, str(first)), labels.get(last, str(last))


def _without_part(title: str) -> str:
    return re.sub(r" \(\d+/\d+\)$", "", title)


def _relative(target: str, page: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")
