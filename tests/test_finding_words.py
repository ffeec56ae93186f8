"""A reader is told of a finding in the language of the page."""

import re

from test_docs import codes_of_findings

from docshelf.build.converting.converted import Remark
from docshelf.build.engines.notices import Notices
from docshelf.build.rendering.finding_words import RUSSIAN, reader_finding
from docshelf.build.rendering.pages import LinkTo, ReaderFinding

PLACE = LinkTo("3", "docs/c/d/001-s.html#p3")
OF_SOURCES = {"kept-last-good", "link", "not-searched", "unknown-kind"}
"""Warnings about a file of the folder, which no page of a document shows."""


def remark_on(pages: list[int]) -> Remark:
    notices = Notices()
    for page in pages:
        notices.add("table-flattened", page)
    [remark] = notices.remarks()
    return remark


def test_a_russian_page_says_it_in_russian_with_all_pages() -> None:
    text = "объединённые ячейки таблиц разделены; сверьте таблицы с источником"
    assert reader_finding(remark_on([3]), PLACE, "ru") == ReaderFinding(
        text, "warning", PLACE, "страница PDF 3", "ru"
    )
    assert reader_finding(remark_on([3, 4, 5, 9]), PLACE, "ru").pages == "страницы PDF 3–5, 9"
    many = reader_finding(remark_on(list(range(1, 41, 2))), PLACE, "ru")
    assert many.pages == "страницы PDF 1, 3, 5, 7, 9, 11, 13, 15 и ещё 12"


def test_an_english_page_says_what_the_author_is_told() -> None:
    assert reader_finding(remark_on([3, 4]), PLACE, "en") == ReaderFinding(
        "2 tables with merged cells were flattened; compare them with the source page",
        "warning",
        PLACE,
        "pages 3-4",
    )


def test_a_finding_on_the_whole_document_names_no_pages() -> None:
    remark = Remark("warning", "damaged", "the file is damaged: parts may be missing")
    assert reader_finding(remark, None, "en") == ReaderFinding(remark.text, "warning", None)
    assert reader_finding(remark, None, "ru").pages == ""


def test_a_finding_without_russian_words_stays_english_and_says_so() -> None:
    shown = reader_finding(Remark("warning", "new-code", "page 3: something new", 3), PLACE, "ru")
    assert (shown.pages, shown.text, shown.language) == ("page 3", "something new", "en")


def test_every_warning_on_the_text_of_a_document_has_russian_words() -> None:
    # One whose severity is reckoned has none in the source.
    warnings = {code for code, found in codes_of_findings().items() if "warning" in found or not found}
    assert RUSSIAN.keys() == (warnings - OF_SOURCES) | {"ocr-layer", "ocr-read"}
    assert all(re.fullmatch(r"[а-яё].*[^.]", text) for text in RUSSIAN.values())
