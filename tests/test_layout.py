import itertools
from pathlib import Path

import pymupdf
import pytest

from docshelf.build.converting.converted import ConversionEnd, EngineOptions, Page
from docshelf.build.engines import fast, layout
from docshelf.serve.errors import SourceError

PROSE = (
    "The transmitter is set up once, when it is mounted. Its range is kept in a memory that needs no battery,",
    "so that it comes back with the same range after a loss of power. A change of range is written at once.",
    "Every change is counted, and the counter can be read over the bus together with the serial number.",
)


def convert(
    file: Path, pictures: Path, options: EngineOptions | None = None
) -> tuple[list[Page], ConversionEnd]:
    reading, pages = layout.read(file, options or EngineOptions(), pictures=pictures, password=None), []
    while True:
        try:
            pages.append(next(reading))
        except StopIteration as stop:
            return pages, stop.value


RANGES = (
    ("Code", "Lower range", "Upper range", "Unit", "Error"),
    ("01", "0", "250", "kPa", "0.1 %"),
    ("02", "0", "500", "kPa", "0.2 %"),
    ("03", "-100", "1000", "kPa", "0.2 %"),
)


def write_manual(file: Path, rotation: int = 0) -> Path:
    """A page of a manual: heading, text, a table without lines, a listing."""
    with pymupdf.open() as document:
        page = document.new_page(width=595, height=842)
        page.insert_text((72, 90), "2.1 Setting the range", fontname="hebo", fontsize=16)
        for number, text in enumerate(PROSE):
            page.insert_text((72, 120 + 14 * number), text, fontname="helv", fontsize=9.5)
        for number, cells in enumerate(RANGES):
            for left, cell in zip((75, 150, 250, 350, 430), cells, strict=True):
                font = "helv" if number else "hebo"
                page.insert_text((left, 200 + 16 * number), cell, fontname=font, fontsize=9)
        for number, (left, text) in enumerate(((72, "if (range > 3) {"), (94, "range = 3;"), (72, "}"))):
            page.insert_text((left, 320 + 12 * number), text, fontname="cour", fontsize=9)
        page.set_rotation(rotation)
        document.save(file)
    return file


def written(page: Page) -> str:
    texts = [
        text
        for block in page.blocks
        for text in (block.marker, block.text, *(cell for row in block.rows for cell in row))
    ]
    return "".join(sorted("".join("".join(texts).split())))


def test_a_page_has_headings_tables_and_listings(tmp_path: Path) -> None:
    (page,), end = convert(write_manual(tmp_path / "manual.pdf"), tmp_path)
    kinds = {block.kind: block for block in page.blocks}
    assert kinds["heading"].text == "2.1 Setting the range"
    assert kinds["heading"].lines[0].size == 16
    assert kinds["table"].rows == RANGES
    assert kinds["code"].text == "if (range > 3) {\n    range = 3;\n}"
    assert (page.grade, end.engine, end.remarks) == ("A", "layout", ())


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_turned_page_keeps_its_text(tmp_path: Path, rotation: int) -> None:
    upright = convert(write_manual(tmp_path / "upright.pdf"), tmp_path)[0][0]
    turned = convert(write_manual(tmp_path / "turned.pdf", rotation), tmp_path)[0][0]
    assert written(turned) == written(upright)
    assert (turned.width > turned.height) == (rotation != 180)


def test_a_page_without_text_is_a_picture(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80))
        pixels.clear_with(90)
        page.insert_image(page.rect, pixmap=pixels)
        document.save(tmp_path / "scan.pdf")
    (page,), end = convert(tmp_path / "scan.pdf", tmp_path)
    assert (page.grade, page.blocks) == ("C", ())
    assert (tmp_path / page.picture).is_file()
    assert [remark.code for remark in end.remarks] == ["no-text-layer"]


def test_a_page_the_model_fails_on_is_read_as_by_fast_and_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(page: object) -> None:
        raise RuntimeError("no such shape")

    file = write_manual(tmp_path / "manual.pdf")
    (plain,) = itertools.islice(fast.read(file, EngineOptions(), pictures=tmp_path, password=None), 1)
    monkeypatch.setattr(layout, "read_regions", fail)
    (page,), end = convert(file, tmp_path)
    assert page == plain
    assert [(remark.code, remark.page) for remark in end.remarks] == [("layout-failed", 1)]


def test_a_model_without_memory_ends_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(page: object) -> None:
        raise MemoryError

    monkeypatch.setattr(layout, "read_regions", fail)
    with pytest.raises(MemoryError):
        convert(write_manual(tmp_path / "manual.pdf"), tmp_path)


def test_a_page_on_which_text_runs_sideways_is_left_as_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for number, text in enumerate(PROSE):
            page.insert_text((100 + 14 * number, 700), text, fontsize=9, rotate=90)
        document.save(tmp_path / "sideways.pdf")
    monkeypatch.setattr(layout, "read_regions", lambda page: pytest.fail("the model was asked"))
    (page,), _ = convert(tmp_path / "sideways.pdf", tmp_path)
    assert written(page) == "".join(sorted("".join("".join(PROSE).split())))


def test_a_contents_page_is_no_table(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for number in range(12):
            page.insert_text((72, 100 + 16 * number), f"{number + 1}.1", fontsize=10)
            page.insert_text((110, 100 + 16 * number), "Chapter with a name " + ". " * 60, fontsize=10)
            page.insert_text((500, 100 + 16 * number), str(5 * number + 7), fontsize=10)
        document.save(tmp_path / "contents.pdf")
    (page,), _ = convert(tmp_path / "contents.pdf", tmp_path)
    assert not [block for block in page.blocks if block.kind == "table"]


def test_what_is_no_pdf_has_a_code(tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_text("<html>no pdf</html>")
    with pytest.raises(SourceError) as caught:
        convert(tmp_path / "page.pdf", tmp_path)
    assert caught.value.code == "not-a-pdf"


@pytest.mark.parametrize("name", ["cam-rot.pdf", "lay-multicolumn.pdf", "refcard.pdf"])
def test_no_letter_of_a_real_page_is_lost_or_doubled(shared: Path, tmp_path: Path, name: str) -> None:
    file = shared / "corpus" / "pdfs" / name
    first = {
        engine.__name__: next(
            engine.read(file, EngineOptions(pictures="none"), pictures=tmp_path, password=None)
        )
        for engine in (fast, layout)
    }
    assert written(first[layout.__name__]) == written(first[fast.__name__])


def test_columns_of_a_real_paper_are_read_one_after_the_other(shared: Path, tmp_path: Path) -> None:
    reading = layout.read(
        shared / "corpus" / "pdfs" / "tracemonkey.pdf", EngineOptions(), pictures=tmp_path, password=None
    )
    second = next(itertools.islice(reading, 1, 2))
    text = "\n".join(block.text for block in second.blocks)
    places = [
        text.index(part)
        for part in ("Every compiled trace", "This paper makes", "Figure 2. State machine", "2. Overview")
    ]
    assert places == sorted(places)


def test_fast_reads_a_page_the_same_after_the_model_has_run(tmp_path: Path) -> None:
    file = tmp_path / "manual.pdf"
    with pymupdf.open(write_manual(tmp_path / "plain.pdf")) as document:
        # Of the fonts every PDF may use, this one has heights that pymupdf corrects, unless it is told not to.
        document[0].insert_text((72, 400), "4 4 4", fontname="zadb", fontsize=20)
        document.save(file)

    def read_fast() -> Page:
        return next(fast.read(file, EngineOptions(), pictures=tmp_path, password=None))

    before = read_fast()
    convert(file, tmp_path)
    assert read_fast() == before
