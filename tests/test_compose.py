"""Every document, sample and case alike: nothing lost, nothing twice, no section that ends with a heading."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.build.compose import Document, compose_document
from docshelf.build.converting.converted import ConversionEnd, ConvertedDocument, EngineOptions, Page
from docshelf.build.cutting.furniture import drop_furniture
from docshelf.build.cutting.joining import join_paragraphs
from docshelf.build.cutting.pieces import document_pieces
from docshelf.build.cutting.references import aim_links
from docshelf.build.cutting.split import Piece, end_with_text
from docshelf.build.engines.fast import read
from docshelf.build.headings.find import find_headings
from docshelf.build.planning.addresses import Address
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.rendering.pages import LinkTo, ShelfView
from docshelf.build.rendering.theme import load_theme
from docshelf.build.wording import wording
from docshelf.serve.anchors import PAGE_MARK
from docshelf.serve.config import HEADING_TIERS, Budget
from docshelf.serve.errors import SourceError

SAMPLES = sorted((Path(__file__).resolve().parent.parent / "shelf_src").rglob("*.pdf"))
SMALL = Budget(section_bytes=3000, section_min_bytes=500, section_max_bytes=6000)


def converted(file: Path, pictures: Path) -> ConvertedDocument:
    reading = read(file, EngineOptions(), pictures=pictures, password=None)
    pages: list[Page] = []
    while True:
        try:
            pages.append(next(reading))
        except StopIteration as stop:
            end: ConversionEnd = stop.value
            return ConvertedDocument(tuple(pages), end)


def plan_of(file: Path, budget: Budget, title: str | None = None) -> DocumentPlan:
    return DocumentPlan(
        source=file.name, stem=file.stem, sha256="0" * 64, address=Address("c", "d"), shelf=ShelfView("S", "en"),
        breadcrumbs=(LinkTo("S", "index.html"), LinkTo("C", "docs/c/index.html")), title=title, description="",
        language="ru", default_language="en", quality="fast", split=True, heading_sources=HEADING_TIERS,
        budget=budget, source_file="sources/c/d.pdf",
    )  # fmt: skip


def pieces_of(document: ConvertedDocument, plan: DocumentPlan) -> list[Piece]:
    headed = find_headings(drop_furniture(aim_links(document, plan)[0]), HEADING_TIERS)
    pieces = document_pieces(join_paragraphs(headed.document), "../../../pictures/c/d", wording("ru"))
    return list(end_with_text(pieces))


def sections(document: Document) -> list[str]:
    return [document.files[section.path].decode() for section in document.meta.sections]


def body_lines(texts: list[str]) -> list[str]:
    """What stands below the quote lines, without page marks, headings and blank lines; links to pages by number."""
    lines: list[str] = []
    for text in texts:
        fence = ""
        for line in text.split("\n")[3:]:
            if re.fullmatch(r"`{3,}\w*", line) and (not fence or line == fence):
                fence = "" if fence else line.rstrip("abcdefghijklmnopqrstuvwxyz")
            if line and (fence or not (PAGE_MARK.match(line) or line.startswith("#"))):
                lines.append(re.sub(r"\]\([^)]*#(p\d+)\)", r"](\1)", line))
    return lines


def piece_lines(pieces: list[Piece]) -> list[str]:
    text = "\n\n".join(piece.markdown for piece in pieces if not piece.level)
    return body_lines(["\n\n\n" + re.sub("\0(p\\d+)", r"#\1", text)])


@pytest.mark.parametrize("budget", [Budget(), SMALL], ids=["standard", "small"])
@pytest.mark.parametrize("file", SAMPLES, ids=[file.stem for file in SAMPLES])
def test_the_sections_of_a_sample_joined_are_its_text(file: Path, budget: Budget, tmp_path: Path) -> None:
    source = converted(file, tmp_path)
    document = compose_document(source, plan_of(file, budget), load_theme())
    texts = sections(document)
    pieces = pieces_of(source, plan_of(file, SMALL))
    if budget == Budget():
        assert body_lines(texts) == piece_lines(pieces)
    assert [entry.title for entry in document.meta.outline if document.meta.headings != "none"] == [
        piece.title for piece in pieces if piece.level
    ]
    assert not [text for text in texts if text.rstrip().rsplit("\n", 1)[-1].startswith("#")]
    assert all(section.bytes <= budget.section_max_bytes for section in document.meta.sections)


@pytest.mark.parametrize(
    ("language", "shown"), [("ja", ("разделов", "Начало")), ("en", ("sections", "Beginning"))]
)
def test_the_words_around_a_text_of_another_language_are_the_shelf_s(
    language: str, shown: tuple[str, str], tmp_path: Path
) -> None:
    [file] = [it for it in SAMPLES if it.stem == "vr-340-operator-manual"]
    plan = replace(plan_of(file, SMALL), language=language, shelf=ShelfView("Полка", "ru"))
    document = compose_document(converted(file, tmp_path), plan, load_theme())
    assert document.meta.language == language
    index = document.files[document.meta.path].decode()
    for words in (("разделов", "Начало"), ("sections", "Beginning")):
        assert all(word in index for word in words) == (words == shown)
        page = document.files[document.meta.sections[1].path.replace(".md", ".html")].decode()
        assert (words[1] in page) == (words == shown)


def test_no_case_loses_a_block_or_ends_a_section_with_a_heading(shared: Path) -> None:
    files = [file for kind in ("headings", "layout", "lookalike", "outline", "tables", "slugs", "cyrillic")
             for file in sorted((shared / "cases" / kind).glob("*.pdf"))]  # fmt: skip
    assert files
    theme = load_theme()
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            try:
                source = converted(file, Path(folder))
                document = compose_document(source, plan_of(file, SMALL), theme)
            except SourceError:
                continue
        texts = sections(document)
        assert not [text for text in texts if text.rstrip().rsplit("\n", 1)[-1].startswith("# ")], file
        kept = re.sub(r"\W", "", "".join(body_lines(texts)))
        wanted = re.sub(r"\W", "", "".join(piece_lines(pieces_of(source, plan_of(file, SMALL)))))
        assert len(kept) >= len(wanted), file
