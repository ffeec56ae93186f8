"""One document from its conversion: headings, sections, index, HTML and meta. Runs in a worker."""

import functools
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from docshelf.build.converting.converted import ConvertedDocument, Remark, load_conversion
from docshelf.build.cutting.furniture import drop_furniture
from docshelf.build.cutting.joining import join_paragraphs
from docshelf.build.cutting.pieces import document_pieces
from docshelf.build.cutting.references import aim_links
from docshelf.build.cutting.sections import Section, cut_sections, whole_section
from docshelf.build.cutting.split import Piece, end_with_text, split_pieces
from docshelf.build.cutting.titles import document_title, first_text, text_language, title_page
from docshelf.build.headings.find import Headed, find_headings
from docshelf.build.indexing.extracts import extract
from docshelf.build.indexing.indexes import size_words, write_index
from docshelf.build.indexing.keywords import title_words
from docshelf.build.indexing.subindex import document_indexes
from docshelf.build.planning.plan import DocumentPlan, plan_from_json
from docshelf.build.planning.references import References, references_to_json
from docshelf.build.planning.slugs import heading_anchors
from docshelf.build.rendering.render import render_document
from docshelf.build.rendering.theme import Theme, load_theme
from docshelf.build.rendering.views import document_views
from docshelf.build.wording import interface_language, wording
from docshelf.serve.errors import SourceError
from docshelf.serve.manifest import DocumentMeta, OutlineEntry, write_meta

_ABOUT_CHARACTERS = 140
_NAMING_PAGES = 10
"""A heading after so many pages names a part, not the document."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document after cutting, with everything that is written for it."""

    meta: DocumentMeta
    remarks: tuple[Remark, ...]
    files: Mapping[str, bytes]
    """Shelf path → content: Markdown, HTML, indexes and the meta."""
    about: str
    """What it is about in its own words, one line; "" where its text does not say."""
    references: References


def compose(job: dict[str, Any]) -> dict[str, Any]:
    """Makes the document of the conversion in the file `job["converted"]` in the folder `job["out"]`.

    The job is JSON: `converted`, `out`, `theme` (folder or None), `theme_fingerprint`, `plan`, `limits`. The
    result is JSON: `remarks`, `about`, `words` (those of its titles), `references` and `theme`, the fingerprint
    of the theme that was used; the meta stands in the folder like every other file.

    Raises: SourceError where nothing is left to publish.
    """
    with Path(job["converted"]).open(encoding="utf-8") as lines:
        converted = load_conversion(lines)
    theme = _theme(job["theme"], job["theme_fingerprint"])
    document = compose_document(converted, plan_from_json(job["plan"]), theme)
    out = Path(job["out"])
    for path, content in document.files.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    remarks = [asdict(remark) for remark in document.remarks]
    words = asdict(title_words(document.meta))
    return {
        "remarks": remarks,
        "about": document.about,
        "words": words,
        "references": references_to_json(document.references),
        "theme": theme.fingerprint,
    }


def compose_document(converted: ConvertedDocument, plan: DocumentPlan, theme: Theme) -> Document:
    """The document that `plan` asks for.

    Raises: SourceError `no-content` where no page has text or a picture.
    """
    converted, targets = aim_links(converted, plan)
    headed = find_headings(drop_furniture(converted), plan.heading_sources)
    document = join_paragraphs(headed.document)
    language = plan.language or text_language(first_text(document), plan.default_language)
    words = wording(interface_language(language, plan.shelf.language))

    def pieces_below(path: str) -> Sequence[Piece]:
        pictures = posixpath.relpath(plan.address.pictures, posixpath.dirname(path))
        return end_with_text(document_pieces(document, pictures, words))

    pieces = pieces_below(plan.address.short)
    if not pieces or not any(page.blocks or page.picture for page in converted.pages):
        raise SourceError(
            "no-content",
            'no page has text or a picture, so nothing was published; run OCR first or set "hidden"',
        )
    first = (piece.title for piece in pieces if piece.level and piece.page <= _NAMING_PAGES)
    title = document_title(
        plan.title,
        converted.end.metadata_title,
        (name for name in (title_page(headed.document), *first) if name),
        plan.stem,
    )
    remarks = (*converted.end.remarks, *headed.remarks, *_size_remarks(plan, pieces))
    labels = {page.number: page.label for page in converted.pages}
    sections = [whole_section(plan, pieces, title, labels, words)]
    if plan.split and len(sections[0].markdown.encode()) > plan.budget.section_bytes:
        if document.has_pictures:  # Their place is another one from there.
            pieces = pieces_below(plan.address.subindex)
        sections = cut_sections(plan, split_pieces(pieces, plan.budget), title, labels, words)
    indexes = document_indexes(plan, sections, title, words) if _is_long(plan, sections) else []
    meta = _meta(plan, converted, headed, sections, title, language)
    files = {section.path: section.markdown.encode() for section in sections}
    files |= {index.path: write_index(index).encode() for index in indexes}
    views = document_views(plan, meta, converted, sections, indexes, remarks)
    files |= render_document({path: text.decode() for path, text in files.items()}, views, plan.shelf, theme)
    about = extract((piece.markdown for piece in pieces), _ABOUT_CHARACTERS)
    marked = {piece.page for piece in pieces}
    unmarked = (page.number for page in converted.pages if page.number not in marked)
    references = References(tuple(sorted(targets)), plan.followed or (), tuple(unmarked))
    return Document(meta, remarks, {**files, plan.address.meta: write_meta(meta)}, about, references)


def _is_long(plan: DocumentPlan, sections: Sequence[Section]) -> bool:
    return sections[0].path != plan.address.short


def _size_remarks(plan: DocumentPlan, pieces: Sequence[Piece]) -> Iterator[Remark]:
    size = sum(piece.size_bytes for piece in pieces)
    if not plan.split and size > plan.budget.section_max_bytes:
        text = f"kept in one file of {size_words(size, 'en')} because split is false; fetch reads it in parts"
        yield Remark("info", "not-split", text)


def _named(first: Section, title: str) -> OutlineEntry:
    """A document without headings is named in its outline once, by its title."""
    return OutlineEntry(1, title, first.pages[0], first.path, heading_anchors([first.title])[0])


def _meta(
    plan: DocumentPlan,
    converted: ConvertedDocument,
    headed: Headed,
    sections: Sequence[Section],
    title: str,
    language: str,
) -> DocumentMeta:
    return DocumentMeta(
        source=plan.source,
        path=plan.address.subindex if _is_long(plan, sections) else plan.address.short,
        title=title,
        description=plan.description,
        language=language,
        grade=converted.grade,
        engine=converted.end.engine,
        quality=plan.quality,
        headings=headed.tier,
        pages=len(converted.pages),
        sha256=plan.sha256,
        page_grades="".join(page.grade for page in converted.pages),
        outline=tuple(entry for section in sections for entry in section.outline)
        or (_named(sections[0], title),),
        sections=tuple(section.entry() for section in sections),
    )


@functools.lru_cache(maxsize=1)
def _theme(folder: str | None, fingerprint: str) -> Theme:
    """The theme, loaded once per worker, and anew when the build has seen another `fingerprint`."""
    return load_theme(Path(folder) if folder else None)
