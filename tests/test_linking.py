"""Links from one document to another: to the section that holds the page, and only to what is on the shelf."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from shelftest import ShelfTest, Silence, make_pdf

from docshelf.build.pipeline import build_shelf
from docshelf.build.workers.pool import WorkerPool

CHAPTER = "Насос подаёт воду в бак, клапан держит давление.\n" * 30
FAR = "Раздел, которого нет"


def pages(*titles: str) -> list[str]:
    return [f"# {title}\n{CHAPTER}" if title else "" for title in titles]


def linking_pdf(links: Sequence[tuple[str, int | None]], *titles: str) -> bytes:
    """A PDF of one page per title, with links on its first page: file name and page from 1, or no page."""
    lines = "\n".join(f"Смотри место {number}" for number in range(1, len(links) + 1))
    first, *rest = titles
    with pymupdf.open(
        stream=make_pdf(f"# {first}\n{lines}", *pages(*rest), outline=outline(titles))
    ) as document:
        for number, (name, page) in enumerate(links, 1):
            [box, *_] = document[0].search_for(f"Смотри место {number}")
            # pymupdf writes the name into the file as it is, and a backslash escapes there.
            written = name.replace("\\", "\\\\")
            link = {"kind": pymupdf.LINK_GOTOR, "from": box, "file": written, "page": (page or 1) - 1}
            if page is None:
                link = {"kind": pymupdf.LINK_URI, "from": box, "uri": name}
            document[0].insert_link({**link, "to": pymupdf.Point(0, 0), "zoom": 0})
        return bytes(document.tobytes(no_new_id=True))


def outline(titles: Sequence[str]) -> list[tuple[int, str, int]]:
    return [(1, title, number) for number, title in enumerate(titles, 1) if title]


def lines_of(shelf: ShelfTest, source: str) -> list[str]:
    """What stands where the document's links are, one line per link."""
    text = shelf.text(shelf.meta(source).sections[0].path)
    joined = text.partition("<!-- p1 -->\n\n")[2].partition("\n\n")[0]
    return [f"Смотри {part.strip()}" for part in joined.replace("[Смотри", "Смотри").split("Смотри ")[1:]]


class CountingPool(WorkerPool):
    """A pool that counts its calls."""

    def __init__(self) -> None:
        super().__init__(2)
        self.calls: Counter[str] = Counter()

    def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Any:
        self.calls[call.__name__] += 1
        return super().submit(call, *arguments, **named)


def composed(shelf: ShelfTest) -> int:
    """Builds, and says how many documents were composed."""
    pool = CountingPool()
    build_shelf(shelf.source, shelf.site, quality=None, executor=lambda: pool, progress=Silence())
    return pool.calls["compose"]


@pytest.fixture
def small(shelf: ShelfTest) -> ShelfTest:
    """A shelf whose documents are cut at each chapter."""
    shelf.config(budget={"section_bytes": 4096, "section_max_bytes": 8192})
    return shelf


def test_a_link_leads_to_the_section_that_holds_the_page(small: ShelfTest) -> None:
    names = [
        ("pump.pdf", 3),
        ("pump.pdf", 1),
        ("pump.pdf", None),
        ("pump.pdf#page=2", None),
        ("pump.pdf", 99),
    ]
    small.file("net/see.pdf", linking_pdf(names, "Обзор"))
    small.pdf("net/pump.pdf", *pages("Бак", "Клапан", "Насос"), outline=outline(("Бак", "Клапан", "Насос")))
    small.build()
    assert lines_of(small, "net/see.pdf") == [
        "Смотри место 1](pump/003-nasos.md#p3)",
        "Смотри место 2](pump/subindex.md)",
        "Смотри место 3](pump/subindex.md)",
        "Смотри место 4](pump/002-klapan.md#p2)",
        "Смотри место 5](pump/subindex.md)",
    ]
    assert 'href="pump/003-nasos.html#p3"' in small.text("docs/net/see.html")
    assert small.faults() == []


def test_a_page_without_text_is_the_next_one_that_has_some(small: ShelfTest) -> None:
    small.file("see.pdf", linking_pdf([("pump.pdf", 2), ("pump.pdf", 4)], "Обзор"))
    small.pdf("pump.pdf", *pages("Бак", "", "Насос", ""), outline=outline(("Бак", "", "Насос")))
    small.build()
    assert lines_of(small, "see.pdf") == [
        "Смотри место 1](pump/002-nasos.md#p3)",
        "Смотри место 2](pump/002-nasos.md#p3)",
    ]
    assert small.faults() == []


def test_links_to_what_is_not_on_the_shelf_are_plain_text(shelf: ShelfTest) -> None:
    names = [
        "nowhere.pdf",
        "../../outside.pdf",
        "/etc/passwd",
        "C:\\docs\\pump.pdf",
        "javascript:alert(1)",
        ".",
    ]
    shelf.file("net/see.pdf", linking_pdf([(name, 2) for name in names], "Обзор"))
    shelf.pdf("net/pump.pdf", *pages("Бак"))
    shelf.file("net/broken.pdf", b"%PDF-1.7 nothing")
    shelf.build()
    assert lines_of(shelf, "net/see.pdf") == [f"Смотри место {number}" for number in range(1, len(names) + 1)]


@pytest.mark.parametrize("name", ["../power/Pump.PDF", "..\\power\\pump.pdf", "../power/./x/../pump.pdf"])
def test_names_are_met_as_on_the_machines_on_which_they_were_written(name: str, shelf: ShelfTest) -> None:
    shelf.file("net/see.pdf", linking_pdf([(name, 2)], "Обзор"))
    shelf.pdf("power/pump.pdf", *pages("Бак", "Клапан"))
    shelf.build()
    assert lines_of(shelf, "net/see.pdf") == ["Смотри место 1](../power/pump.md#p2)"]


def test_two_documents_may_lead_to_each_other(small: ShelfTest) -> None:
    titles = [f"Глава {number}" for number in range(1, 6)]
    small.file("one.pdf", linking_pdf([("two.pdf", page) for page in range(1, 6)] * 8, *titles))
    small.file("two.pdf", linking_pdf([("one.pdf", page) for page in range(1, 6)] * 8, *titles))
    small.build()
    assert small.faults() == []
    for source in ("one", "two"):
        assert [line for line in lines_of(small, f"{source}.pdf") if "](" not in line] == []
    assert composed(small) == 0


def test_a_link_follows_what_becomes_of_the_other_document(small: ShelfTest) -> None:
    small.file("see.pdf", linking_pdf([("pump.pdf", 2)], "Обзор"))
    small.pdf("tank.pdf", *pages("Бак"))
    assert composed(small) == 2
    assert lines_of(small, "see.pdf") == ["Смотри место 1"]

    small.pdf("pump.pdf", *pages("Бак", "Клапан"), outline=outline(("Бак", "Клапан")))
    # The new document, and the one that leads to it; not the third.
    assert composed(small) == 2
    assert lines_of(small, "see.pdf") == ["Смотри место 1](pump/002-klapan.md#p2)"]

    small.pdf("pump.pdf", *pages("Бак", "Вентиль"), outline=outline(("Бак", "Вентиль")))
    assert composed(small) == 2
    assert lines_of(small, "see.pdf") == ["Смотри место 1](pump/002-ventil.md#p2)"]
    assert composed(small) == 0

    (small.source / "pump.pdf").unlink()
    assert composed(small) == 1
    assert lines_of(small, "see.pdf") == ["Смотри место 1"]
    assert small.faults() == []


def test_a_last_good_version_follows_too(small: ShelfTest) -> None:
    small.file("see.pdf", linking_pdf([("pump.pdf", 2)], "Обзор"))
    small.pdf("pump.pdf", *pages("Бак", "Клапан"), outline=outline(("Бак", "Клапан")))
    small.build()
    small.file("see.pdf", b"%PDF-1.7 nothing")
    small.pdf("pump.pdf", *pages("Бак", "Вентиль"), outline=outline(("Бак", "Вентиль")))
    small.build()
    assert "kept-last-good" in small.codes("see.pdf")
    assert lines_of(small, "see.pdf") == ["Смотри место 1](pump/002-ventil.md#p2)"]
    assert small.faults() == []


def test_the_document_of_the_cases_leads_to_its_neighbour(shared: Path, shelf: ShelfTest) -> None:
    for name in ("cross_document_simple.pdf", "link_kinds.pdf"):
        shelf.file(name, (shared / "cases" / "links" / name).read_bytes())
    shelf.build()
    text = shelf.text(shelf.meta("cross_document_simple.pdf").path)
    assert "](link-kinds.md#p2)" in text
    assert text.count("](") == 3
    assert "чужой документ" in text
