"""A large document read in ranges is, byte for byte, the document read in one go; here in real workers."""

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from docshelf.build.converting.convert import convert
from docshelf.build.converting.ranges import (
    convert_or_share,
    convert_range,
    join_ranges,
    page_ranges,
    submit_conversion,
)
from docshelf.build.engines import page_pictures
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import SourceError, WorkerFault

PAGES = 304
PROSE = "The unit is mounted in the rack and its power cord is led to the socket behind the door."


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """304 pages with what is told of the whole document: bookmarks, notices of pages in both halves."""
    document = pymupdf.open()
    for number in range(1, PAGES + 1):
        page = document.new_page()
        if number in (30, 250):
            page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 60, 80), False))
            continue
        page.insert_text((60, 80), f"Chapter {number}", fontsize=18)
        for line in range(12):
            font = "cour" if number % 5 == 0 and line > 6 else "helv"
            page.insert_text((60, 120 + 14 * line), f"{line} {PROSE}", fontname=font)
        if number in (10, 200):
            page.add_text_annot((300, 300), "a reviewer's note")
    document.set_toc([[1, f"Chapter {number}", number] for number in range(1, PAGES + 1)])
    file = tmp_path_factory.mktemp("source") / "manual.pdf"
    document.save(file)
    return file


def job(source: Path, out: Path, time_s: float = 60) -> dict[str, Any]:
    out.mkdir(exist_ok=True)
    return {
        "source": str(source),
        "out": str(out),
        "engine": "fast",
        "options": {},
        "password": None,
        "limits": {"time_s": time_s, "memory_mb": 2048},
    }


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize(
    ("engine", "pages", "ranges"),
    [
        ("fast", 299, []),
        ("fast", 300, [(1, 150), (151, 300)]),
        ("fast", 601, [(1, 150), (151, 300), (301, 450), (451, 601)]),
        ("fast", 1158, [(1, 193), (194, 386), (387, 579), (580, 772), (773, 965), (966, 1158)]),
        ("high", 5000, []),
    ],
)
def test_the_ranges_are_an_even_number_of_equal_parts(
    engine: Any, pages: int, ranges: list[tuple[int, int]]
) -> None:
    assert page_ranges(engine, pages) == ranges


def test_the_ranges_of_a_file_that_lies_about_its_pages_are_few() -> None:
    ranges = page_ranges("fast", 2_000_000_000)
    assert len(ranges) == 64
    assert ranges[-1][1] == 2_000_000_000


def test_a_large_document_is_shared_and_comes_out_the_same(
    pool: WorkerPool, manual: Path, tmp_path: Path
) -> None:
    whole, shared = job(manual, tmp_path / "whole"), job(manual, tmp_path / "shared")
    assert pool.submit(convert_or_share, shared).result() == {"ranges": [[1, 152], [153, 304]]}
    assert submit_conversion(pool, shared).result() == pool.submit(convert, whole).result() == {"pages": 304}
    assert files(tmp_path / "shared") == files(tmp_path / "whole")
    assert sorted(files(tmp_path / "whole")) == ["p030.jpg", "p250.jpg", "pages.jsonl"]
    end = json.loads(files(tmp_path / "shared")["pages.jsonl"].splitlines()[-1])
    assert len(end["bookmarks"]) == 304
    assert [(remark["code"], remark["text"].split(":")[0]) for remark in end["remarks"]] == [
        ("no-text-layer", "pages 30, 250"),
        ("notes-left-out", "pages 10, 200"),
    ]


def test_any_cut_gives_the_same_bytes(pool: WorkerPool, manual: Path, tmp_path: Path) -> None:
    whole, parts = job(manual, tmp_path / "whole"), job(manual, tmp_path / "parts")
    pool.submit(convert, whole).result()
    ranges = [(1, 1), (2, 29), (30, 30), (31, 199), (200, 304)]
    futures = [pool.submit(convert_range, {**parts, "range": it}) for it in ranges]
    names = [future.result()["file"] for future in futures]
    assert pool.submit(join_ranges, {**parts, "parts": names}).result() == {"pages": 304}
    assert files(tmp_path / "parts") == files(tmp_path / "whole")


def test_a_real_manual_is_the_same_shared_and_whole(shared: Path, pool: WorkerPool, tmp_path: Path) -> None:
    source = shared / "corpus" / "pdfs" / "gnuplot.pdf"
    one, other = job(source, tmp_path / "one"), job(source, tmp_path / "other")
    assert "ranges" in pool.submit(convert_or_share, one).result()
    submit_conversion(pool, one).result()
    pool.submit(convert, other).result()
    assert files(tmp_path / "one") == files(tmp_path / "other")


def test_a_damaged_document_is_read_in_one_go(pool: WorkerPool, manual: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(manual.read_bytes()[:-300])
    assert pool.submit(convert_or_share, job(damaged, tmp_path / "out")).result() == {"pages": 304}


def test_a_document_found_damaged_on_the_way_is_read_anew_in_one_go(
    pool: WorkerPool, manual: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(with_a_lost_content(manual, page=200))
    whole, shared = job(damaged, tmp_path / "whole"), job(damaged, tmp_path / "shared")
    assert "ranges" in pool.submit(convert_or_share, shared).result()
    assert submit_conversion(pool, shared).result() == pool.submit(convert, whole).result()
    assert files(tmp_path / "shared") == files(tmp_path / "whole")
    assert b'"code":"damaged"' in files(tmp_path / "shared")["pages.jsonl"]


def test_a_range_that_is_lost_fails_the_document_and_is_named(pool: WorkerPool, tmp_path: Path) -> None:
    source = tmp_path / "bomb.pdf"
    source.write_bytes(with_a_bomb(page=250))
    with pytest.raises(WorkerFault) as caught:
        submit_conversion(pool, job(source, tmp_path / "out", time_s=5)).result()
    assert caught.value.code == "timeout"
    assert str(caught.value).startswith("pages 153-304: stopped after 5 s; raise limits.fast.time_s")


class SlowClock(ThreadPoolExecutor):
    """An executor whose workers take 40 seconds for each range, by their own account."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def slow(job: dict[str, Any]) -> Any:
            result = fn(job)
            return result | ({"seconds": 40} if "seconds" in result else {})

        return super().submit(slow, *args)


def test_the_time_of_all_ranges_together_is_limited(manual: Path, tmp_path: Path) -> None:
    with SlowClock(1) as executor:
        submit_conversion(executor, job(manual, tmp_path / "in time", time_s=80)).result()
        with pytest.raises(WorkerFault, match=r"^stopped after 79 s of reading; raise limits\.fast\.time_s"):
            submit_conversion(executor, job(manual, tmp_path / "late", time_s=79)).result()


def test_pictures_that_fill_the_disk_are_stopped_page_by_page(
    manual: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = job(manual, tmp_path / "out")
    convert_range({**given, "range": [28, 30]})
    size = (tmp_path / "out" / "p030.jpg").stat().st_size
    monkeypatch.setattr(page_pictures, "MAX_TOTAL_BYTES", size)
    convert_range({**given, "range": [28, 30]})
    monkeypatch.setattr(page_pictures, "MAX_TOTAL_BYTES", size - 1)
    with pytest.raises(SourceError, match="pictures and text take more than") as caught:
        convert_range({**given, "range": [28, 30]})
    assert caught.value.code == "output-too-large"


def test_what_ranges_wrote_together_is_limited_too(
    manual: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = job(manual, tmp_path / "out")
    names = [convert_range({**given, "range": it})["file"] for it in ([1, 2], [3, 4])]
    sizes = [(tmp_path / "out" / name).stat().st_size for name in names]
    monkeypatch.setattr(page_pictures, "MAX_TOTAL_BYTES", sum(sizes) - 1)
    with pytest.raises(SourceError, match="pictures and text take more than"):
        join_ranges({**given, "parts": names})


def test_a_source_that_cannot_be_read_is_refused_as_ever(pool: WorkerPool, tmp_path: Path) -> None:
    source = tmp_path / "picture.pdf"
    source.write_bytes(b"\x89PNG\r\n" + bytes(200_000))
    with pytest.raises(SourceError, match="the content is a PNG picture"):
        submit_conversion(pool, job(source, tmp_path / "out")).result()


def test_a_pool_that_is_stopped_ends_the_conversion(manual: Path, tmp_path: Path) -> None:
    pool = WorkerPool(1)
    futures = [submit_conversion(pool, job(manual, tmp_path / f"{number}")) for number in range(3)]
    pool.stop()
    for future in futures:
        error = None
        try:
            error = future.exception(timeout=60)
        except CancelledError as cancelled:
            error = cancelled
        assert isinstance(error, (CancelledError, WorkerFault, RuntimeError))


def test_an_executor_that_takes_nothing_more_is_not_waited_for(manual: Path, tmp_path: Path) -> None:
    executor: Executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(RuntimeError, match="after shutdown"):
        submit_conversion(executor, job(manual, tmp_path / "out"))


def with_a_lost_content(source: Path, page: int) -> bytes:
    """The file with a wrong place in its table for what stands on a page: known when the page is read."""
    with pymupdf.open(source) as document:
        number = document[page - 1].get_contents()[0]
    data = source.read_bytes()
    table = data.rindex(b"xref\n0 ")
    rows = re.compile(rb"\d{10} \d{5} [nf]").finditer(data, table)
    row = next(row for index, row in enumerate(rows) if index == number)
    return data[: row.start()] + b"0000000999" + data[row.start() + 10 :]


def with_a_bomb(page: int) -> bytes:
    """304 pages, one of which draws a form that draws another twice, and so on 40 times."""
    document = pymupdf.open()
    for number in range(1, PAGES + 1):
        for line in range(6):
            at = document.new_page() if not line else document[-1]
            at.insert_text((60, 120 + 14 * line), f"{number} {line} {PROSE}")
    forms = [document.get_new_xref() for _ in range(40)]
    for form, inner in zip(forms, [*forms[1:], 0], strict=True):
        resources = f"/Resources<</XObject<</F {inner} 0 R>>>>" if inner else ""
        document.update_object(form, f"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]{resources}>>")
        document.update_stream(form, b"/F Do /F Do" if inner else b"0 0 m 9 9 l S")
    xref, contents = document[page - 1].xref, document[page - 1].get_contents()[0]
    document.xref_set_key(xref, "Resources", f"<</XObject<</F {forms[0]} 0 R>>>>")
    document.update_stream(contents, b"/F Do")
    return bytes(document.tobytes())
