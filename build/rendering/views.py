"""What surrounds the HTML pages of one document: the way up, neighbours, tree, source, findings."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from docshelf.build.converting.converted import Box, ConvertedDocument, Remark
from docshelf.build.cutting.sections import Section, page_range, section_name
from docshelf.build.indexing.indexes import Index
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.rendering.finding_words import reader_finding
from docshelf.build.rendering.navigation import document_tree
from docshelf.build.rendering.pages import DocumentTree, LinkTo, PageView, ReaderFinding
from docshelf.build.wording import Wording, interface_language, wording
from docshelf.serve.anchors import page_anchor
from docshelf.serve.manifest import DocumentMeta

WHOLE_PAGE = "print.html"
"""Name of the page that holds a long document whole; no section can take it."""

_READERS_SEVERITIES = ("warning", "error")
_READERS_CODES = ("ocr-layer", "ocr-read")
"""What is no fault, but what whoever reads the text should know."""
_PX_PER_POINT = 96 / 72


@dataclass(frozen=True, slots=True)
class _Common:
    """What all pages of one document share."""

    plan: DocumentPlan
    meta: DocumentMeta
    top: LinkTo | None
    """The document's index; None for a short document."""
    above: tuple[LinkTo, ...]
    """The way from the shelf's home to its sections."""
    links: Sequence[LinkTo]
    """To each section, as the contents name it."""
    tree: DocumentTree | None
    findings: tuple[tuple[int, ReaderFinding], ...]
    """Each with its PDF page, 0 for the whole document."""
    labels: Mapping[int, str]
    pictures: Mapping[str, tuple[int, int]]


def document_views(
    plan: DocumentPlan,
    meta: DocumentMeta,
    converted: ConvertedDocument,
    sections: Sequence[Section],
    indexes: Sequence[Index],
    remarks: Sequence[Remark],
) -> list[PageView]:
    """The pages of a document: its sections in order, then its indexes, then the whole of a long one."""
    top = LinkTo(meta.title, _html(plan.address.subindex)) if indexes else None
    words = wording(interface_language(meta.language, plan.shelf.language))
    links = [LinkTo(section_name(it, meta.title, words), _html(it.path)) for it in sections]
    common = _Common(
        plan=plan,
        meta=meta,
        top=top,
        above=(*plan.breadcrumbs, top) if top else plan.breadcrumbs,
        links=links,
        tree=_tree(sections, links, words) if top else None,
        findings=tuple(_findings(remarks, sections, words.language)),
        labels={page.number: page.label for page in converted.pages if page.label != str(page.number)},
        pictures=dict(_picture_sizes(converted)),
    )
    views = [*_section_views(common, sections), *_index_views(common, sections, indexes)]
    if top:
        views.append(_whole_view(common, sections, indexes[0]))
    return views


def _section_views(common: _Common, sections: Sequence[Section]) -> Iterator[PageView]:
    plan, top, links = common.plan, common.top, common.links
    for place, section in enumerate(sections):
        first, last = section.pages
        own = [it for page, it in common.findings if first <= page <= last or (page == 0 and not top)]
        yield PageView(
            path=links[place].path,
            title=section.title,
            language=common.meta.language,
            kind="section",
            breadcrumbs=common.above,
            markdown=section.path,
            llms=plan.llms,
            previous=links[place - 1] if place else top,
            next=links[place + 1] if place + 1 < len(links) else None,
            contents=top,
            source=f"{plan.source_file}#page={first}" if plan.source_file else "",
            grade=common.meta.grade,
            notices=() if top else plan.notices,
            is_kept=plan.is_kept,
            pages=page_range(section.labels),
            page_count=common.meta.pages,
            findings=tuple(own),
            finding_count=len(common.findings),
            tree=common.tree,
            whole=_whole_path(plan) if top else "",
            labels=common.labels,
            pictures=common.pictures,
        )


def _index_views(
    common: _Common, sections: Sequence[Section], indexes: Sequence[Index]
) -> Iterator[PageView]:
    plan = common.plan
    for index in indexes:
        is_first = index is indexes[0]
        yield PageView(
            path=_html(index.path),
            title=index.title,
            language=common.meta.language,
            kind="document",
            breadcrumbs=plan.breadcrumbs if is_first else common.above,
            markdown=index.path,
            llms=plan.llms,
            next=common.links[0] if is_first else None,
            contents=None if is_first else common.top,
            source=plan.source_file,
            grade=common.meta.grade,
            notices=plan.notices,
            is_kept=plan.is_kept,
            page_count=common.meta.pages,
            findings=tuple(it for _, it in common.findings) if is_first else (),
            finding_count=len(common.findings),
            tree=common.tree,
            whole=_whole_path(plan),
        )


def _whole_view(common: _Common, sections: Sequence[Section], index: Index) -> PageView:
    plan = common.plan
    return PageView(
        path=_whole_path(plan),
        title=common.meta.title,
        language=common.meta.language,
        kind="whole",
        breadcrumbs=common.above,
        markdown=index.path,
        llms=plan.llms,
        contents=common.top,
        source=plan.source_file,
        grade=common.meta.grade,
        notices=plan.notices,
        is_kept=plan.is_kept,
        pages=page_range((sections[0].labels[0], sections[-1].labels[1])),
        page_count=common.meta.pages,
        finding_count=len(common.findings),
    )


def _whole_path(plan: DocumentPlan) -> str:
    return posixpath.join(posixpath.dirname(plan.address.subindex), WHOLE_PAGE)


def _tree(sections: Sequence[Section], links: Sequence[LinkTo], words: Wording) -> DocumentTree:
    chapters = groupby(zip(sections, links, strict=True), key=lambda pair: pair[0].chapter)
    return document_tree([(chapter, [link for _, link in run]) for chapter, run in chapters], words.beginning)


def _findings(
    remarks: Sequence[Remark], sections: Sequence[Section], language: str
) -> Iterator[tuple[int, ReaderFinding]]:
    for remark in remarks:
        if remark.severity in _READERS_SEVERITIES or remark.code in _READERS_CODES:
            yield remark.page, reader_finding(remark, _place(remark.page, sections), language)


def _place(page: int, sections: Sequence[Section]) -> LinkTo | None:
    """The section that holds the page, at that page; None where none does."""
    for section in sections:
        if section.pages[0] <= page <= section.pages[1]:
            # A page without anything on it has no mark of its own.
            anchor = page_anchor(page)
            marked = f"<!-- {anchor} -->" in section.markdown
            return LinkTo(str(page), _html(section.path) + (f"#{anchor}" if marked else ""))
    return None


def _picture_sizes(converted: ConvertedDocument) -> Iterator[tuple[str, tuple[int, int]]]:
    for page in converted.pages:
        if page.picture:
            yield page.picture, _pixels((0, 0, page.width, page.height))
        for block in page.blocks:
            if block.picture:
                yield block.picture, _pixels(block.box)


def _pixels(box: Box) -> tuple[int, int]:
    """Size on paper in CSS pixels, at least 1."""
    width, height = box[2] - box[0], box[3] - box[1]
    return max(1, round(width * _PX_PER_POINT)), max(1, round(height * _PX_PER_POINT))


def _html(path: str) -> str:
    return f"{path.removesuffix('.md')}.html"
