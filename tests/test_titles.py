import pytest

from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Line, Page
from docshelf.build.cutting.titles import document_title, is_sane_title, text_language, title_page


@pytest.mark.parametrize(
    "title",
    [
        "Microsoft Word - Документ1.doc", "untitled", "Документ1", "report.pdf", "", "  ", "12", "Slide 1",
        "Ãëàâà 1. Îáùèå ñâåäåíèÿ", "[выгодно](javascript:alert(1))", "<b>Title</b>", "# Title", "---",
        "Презентация 3", "main.tex", "(anonymous)",
    ],
)  # fmt: skip
def test_a_title_that_a_tool_left_is_not_sane(title: str) -> None:
    assert not is_sane_title(title)


@pytest.mark.parametrize(
    "title", ["BIRD User's Guide", "ГОСТ 2.105-95", "Überblick", "日本語の手引き", "C++ for networks"]
)
def test_a_title_meant_for_readers_is_sane(title: str) -> None:
    assert is_sane_title(title)


def test_the_title_comes_from_the_sidecar_then_metadata_then_the_first_heading_then_the_file() -> None:
    assert document_title("Sidecar", "Meta data", ["Heading"], "file") == "Sidecar"
    assert document_title(None, "Meta data", ["Heading"], "file") == "Meta data"
    assert document_title(None, "untitled", ["Heading"], "file") == "Heading"
    assert document_title(None, "", ["Содержание", "Title page", "Сеть"], "file") == "Сеть"
    assert (
        document_title(None, "", ["1 APC", "2. Порты", "Глава 3. Сеть", "Appendix A"], "nut-cables")
        == "nut-cables"
    )
    assert document_title(None, "", ["Предметный указатель", "Index", "References"], "lshort") == "lshort"
    assert document_title(None, "", [], "план_сети") == "план сети"
    assert document_title(None, "", ["***"], "***") == "Document"


def test_a_title_is_one_line_of_composed_letters() -> None:
    assert document_title(None, "Настройка\r\n  йода\u200b", [], "x") == "Настройка йода"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Маршрутизатор и сеть", "ru"),
        ("Маршрутизатор і мережа, її ґанок", "uk"),
        ("The router", "en"),
        ("Пътят към мрежата е къс и ясен", "bg"),
        ("Подршка језику у писму, љубав и њива", "sr"),
        ("ルータの手引き", "ja"),
        ("路由器手册", "zh"),
        ("شبكة", "ar"),
        ("123", "ru"),
    ],
)
def test_the_alphabet_tells_the_language(text: str, language: str) -> None:
    assert text_language(text, "ru") == language


def test_a_shelf_in_another_latin_or_cyrillic_language_keeps_it() -> None:
    assert text_language("Der Router", "de") == "de"
    assert text_language("Маршрутизатор", "bg") == "bg"


def page_of(*blocks: tuple[str, str, float]) -> ConvertedDocument:
    box = (0.0, 0.0, 1.0, 1.0)
    made = tuple(
        Block("heading" if kind == "heading" else "paragraph", box, (Line(text, box, size),))
        for kind, text, size in blocks
    )
    return ConvertedDocument((Page(1, "1", 600, 800, "A", made),), ConversionEnd("fast"))


def test_the_largest_text_above_the_first_heading_is_the_title_page() -> None:
    document = page_of(
        ("text", "AVRDUDE", 30), ("text", "A program for downloading", 14), ("heading", "1 Introduction", 18),
        ("text", "body text " * 20, 10),
    )  # fmt: skip
    assert title_page(document) == "AVRDUDE"


def test_a_page_that_begins_with_text_or_a_heading_is_no_title_page() -> None:
    assert title_page(page_of(("text", "body text " * 20, 10))) == ""
    assert title_page(page_of(("heading", "1 Introduction", 18), ("text", "body text " * 20, 10))) == ""


def test_a_document_without_text_has_no_title_page() -> None:
    assert title_page(page_of()) == ""
