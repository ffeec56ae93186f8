"""The outline is read entry by entry, whatever is wrong with it."""

from pathlib import Path

import pymupdf
import pytest

from docshelf.build.converting.converted import Bookmark
from docshelf.build.engines.outline import clean_title, mend_cyrillic, read_outline


def _document(entries: list[dict[str, str]], pages: int = 2, page_keys: str = "") -> pymupdf.Document:
    """A PDF of blank A4 pages with outline entries given by their keys; `{p1}` is page 1's reference."""
    document = pymupdf.open()
    for _ in range(pages):
        document.new_page()
    places = {f"p{index + 1}": f"{document.page_xref(index)} 0 R" for index in range(pages)}
    for index in range(pages):
        for key, value in (pair.split("=") for pair in page_keys.split(";") if pair):
            document.xref_set_key(document.page_xref(index), key, value)
    root = document.get_new_xref()
    numbers = [document.get_new_xref() for _ in entries]
    places |= {f"e{index}": f"{number} 0 R" for index, number in enumerate(numbers)}
    document.update_object(root, f"<< /Type /Outlines /First {numbers[0]} 0 R >>")
    for number, entry in zip(numbers, entries, strict=True):
        keys = " ".join(f"/{key} {value.format(**places)}" for key, value in entry.items())
        document.update_object(number, f"<< {keys} >>")
    document.xref_set_key(document.pdf_catalog(), "Outlines", f"{root} 0 R")
    return document


def test_an_entry_has_its_level_title_page_and_height() -> None:
    document = _document(
        [
            {"Title": "(Ports)", "Dest": "[{p1} /XYZ 0 742 null]", "First": "{e1}"},
            {"Title": "(Cables)", "A": "<< /S /GoTo /D [{p2} /FitH 642] >>"},
        ]
    )
    assert read_outline(document) == ((Bookmark(1, "Ports", 1, 100.0), Bookmark(2, "Cables", 2, 200.0)), ())


@pytest.mark.parametrize("view", ["/Fit", "/XYZ null null null", "/FitV 10", "/FitB"])
def test_a_destination_without_a_top_has_no_height(view: str) -> None:
    document = _document([{"Title": "(Ports)", "Dest": f"[{{p2}} {view}]"}])
    assert read_outline(document)[0] == (Bookmark(1, "Ports", 2, None),)


def test_the_height_is_counted_on_the_page_as_a_reader_sees_it() -> None:
    cropped = _document([{"Title": "(A)", "Dest": "[{p1} /XYZ 0 600 0]"}], page_keys="CropBox=[0 0 400 700]")
    turned = _document([{"Title": "(A)", "Dest": "[{p1} /XYZ 150 600 0]"}], page_keys="Rotate=90")
    assert read_outline(cropped)[0][0].y == 100.0
    assert read_outline(turned)[0][0].y == 150.0


def test_names_are_looked_up_in_both_places_a_pdf_keeps_them() -> None:
    document = _document(
        [
            {"Title": "(Old)", "Dest": "/old", "Next": "{e1}"},
            {"Title": "(New)", "Dest": "(new)"},
        ]
    )
    catalog = document.pdf_catalog()
    first, second = (f"{document.page_xref(index)} 0 R" for index in range(2))
    document.xref_set_key(catalog, "Dests", f"<< /old [{first} /Fit] >>")
    document.xref_set_key(catalog, "Names", f"<< /Dests << /Names [(new) << /D [{second} /Fit] >>] >> >>")
    assert [entry.page for entry in read_outline(document)[0]] == [1, 2]


def test_dead_entries_are_named_once_and_their_children_kept() -> None:
    document = _document(
        [
            {"Title": "(Gone)", "Dest": "[999 0 R /Fit]", "First": "{e1}", "Next": "{e2}"},
            {"Title": "(Child)", "Dest": "[{p1} /Fit]"},
            {"Title": "(Beyond)", "Dest": "[7 /Fit]", "Next": "{e3}"},
            {"Title": "(Unknown)", "Dest": "(nobody)"},
        ]
    )
    bookmarks, remarks = read_outline(document)
    assert [(entry.title, entry.level) for entry in bookmarks] == [("Child", 2)]
    assert [(remark.severity, remark.code) for remark in remarks] == [("warning", "outline-dead-entries")]
    assert remarks[0].text.startswith("3 bookmarks lead nowhere: 'Gone', 'Beyond', 'Unknown'")


def test_a_group_without_a_page_gets_that_of_its_first_child() -> None:
    document = _document(
        [
            {"Title": "(Part)", "First": "{e1}"},
            {"Title": "(Chapter)", "Dest": "[{p2} /Fit]"},
        ]
    )
    assert read_outline(document) == ((Bookmark(1, "Part", 2), Bookmark(2, "Chapter", 2)), ())


@pytest.mark.parametrize("back", [{"Next": "{e0}"}, {"First": "{e0}"}, {"Next": "{e1}"}])
def test_a_loop_ends_with_each_entry_once(back: dict[str, str]) -> None:
    document = _document(
        [
            {"Title": "(A)", "Dest": "[{p1} /Fit]", "Next": "{e1}"},
            {"Title": "(B)", "Dest": "[{p2} /Fit]", **back},
        ]
    )
    bookmarks, remarks = read_outline(document)
    assert [entry.title for entry in bookmarks] == ["A", "B"]
    assert [remark.code for remark in remarks] == ["outline-loop"]


def test_an_outline_deeper_than_the_limit_is_cut_and_says_so() -> None:
    chain = [
        {"Title": f"({index})", "Dest": "[{p1} /Fit]", "First": f"{{e{index + 1}}}"} for index in range(70)
    ]
    bookmarks, remarks = read_outline(_document([*chain, {"Title": "(end)", "Dest": "[{p1} /Fit]"}]))
    assert len(bookmarks) == 64
    assert [remark.code for remark in remarks] == ["outline-cut"]


def test_links_out_of_the_document_and_empty_titles_are_no_bookmarks() -> None:
    document = _document(
        [
            {"Title": "(Web)", "A": "<< /S /URI /URI (https://example.com) >>", "Next": "{e1}"},
            {"Title": "( \\t )", "Dest": "[{p1} /Fit]", "Next": "{e2}"},
            {"Title": "12", "Dest": "[{p1} /Fit]"},
        ]
    )
    assert read_outline(document) == ((), ())


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("  Ports\r\n and\tcables ", "Ports and cables"),
        ("и\u0306од", "йод"),
        ("a\u200bb\u00adc\u0000d", "abc d"),
        ("x" * 600, "x" * 500),
        ("\ue000\u200b", ""),
    ],
)
def test_a_title_is_fit_to_read(raw: str, title: str) -> None:
    assert clean_title(raw) == title


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("Ãëàâà 1. Îáùèå ñâåäåíèÿ", "Глава 1. Общие сведения"),
        ("Ïðèëîæåíèå À Š «¸ëêè»", "Приложение А — «ёлки»"),
        ("Über die Lüftungsanlage", "Über die Lüftungsanlage"),
        ("Théâtre où l’été a été", "Théâtre où l’été a été"),
        ("Hääyöaie ja Öölanti", "Hääyöaie ja Öölanti"),
        ("Глава 1", "Глава 1"),
    ],
)
def test_only_russian_in_latin_clothes_is_mended(read: str, meant: str) -> None:
    assert mend_cyrillic(read) == meant


@pytest.mark.parametrize(
    ("name", "titles", "codes"),
    [
        ("outline/loop_next.pdf", ["Глава А", "Глава Б"], ["outline-loop"]),
        ("outline/missing_pages.pdf", ["Первая", "Вторая"], ["outline-dead-entries"]),
        ("outline/named_dests.pdf", ["Установка", "Удаление"], []),
        ("outline/cp1251_titles.pdf", ["Глава 1. Общие сведения", "Глава 2. Подключение"], []),
    ],
)
def test_outlines_met_in_the_wild(shared: Path, name: str, titles: list[str], codes: list[str]) -> None:
    with pymupdf.open(shared / "cases" / name) as document:
        bookmarks, remarks = read_outline(document)
    assert [entry.title for entry in bookmarks] == titles
    assert [remark.code for remark in remarks] == codes


@pytest.mark.timeout(10)
def test_five_thousand_entries_take_a_moment(shared: Path) -> None:
    with pymupdf.open(shared / "cases" / "outline" / "outline_5000.pdf") as document:
        bookmarks, remarks = read_outline(document)
    assert (len(bookmarks), remarks) == (5000, ())
    assert [entry.level for entry in bookmarks[:8]] == [1, 2, 2, 2, 2, 2, 3, 3]
