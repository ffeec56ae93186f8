"""The process that builds for a watch, by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from shelftest import ShelfTest
from watching import small_pdf, until

from docshelf.build.caching.cache_report import CACHE_FOLDER, SOURCES
from docshelf.build.watching.builder import Builder, Order
from docshelf.build.watching.stopping import Stopping


@pytest.fixture
def builder(shelf: ShelfTest) -> Iterator[Builder]:
    order = Order(shelf.source, shelf.site, quality=None, jobs=1)
    with Stopping() as stopping, Builder(order, stopping) as it:
        yield it


def test_one_process_builds_again_and_again_and_says_what_came_of_it(
    builder: Builder, shelf: ShelfTest
) -> None:
    shelf.file("a.pdf", small_pdf("# A\nText"))
    first, again = builder.build(), builder.build()
    assert first is not None and again is not None
    assert (first.failure, first.changed, first.unreadable) == ("", True, False)
    assert first.lines[1:] == ("published: 1 (pages: 1)", "refused: 0", "not read: 0")
    assert (again.changed, again.release) == (False, first.release)


def test_old_releases_are_removed_while_nobody_waits(builder: Builder, shelf: ShelfTest) -> None:
    shelf.config(keep={"count": 1, "age_s": 0})
    for words in ("First", "Second", "Third"):
        shelf.file("a.pdf", small_pdf(f"# A\n{words} words"))
        builder.build()
    folders = shelf.site / "releases"
    until(lambda: [it.name for it in folders.iterdir()] == [shelf.manifest.release], "only one release left")


def test_what_another_build_did_meanwhile_is_seen(builder: Builder, shelf: ShelfTest) -> None:
    shelf.file("a.pdf", small_pdf("# A\nFirst words"))
    builder.build()
    shelf.file("a.pdf", small_pdf("# A\nSecond words"))
    shelf.build()
    shelf.file("a.pdf", small_pdf("# A\nThird words"))
    outcome = builder.build()
    assert outcome is not None and outcome.changed
    assert "Third words" in shelf.text("docs/a.md")
    assert shelf.faults() == []


def test_a_failure_is_an_outcome_and_the_next_build_goes_on(builder: Builder, shelf: ShelfTest) -> None:
    failed = builder.build()
    assert failed is not None
    assert "holds no PDF, so nothing was published" in failed.failure
    shelf.file("a.pdf", small_pdf("# A\nText"))
    mended = builder.build()
    assert mended is not None and mended.changed


def test_where_a_change_cannot_be_seen_no_file_is_known_by_its_looks(
    builder: Builder, shelf: ShelfTest
) -> None:
    shelf.file("a.pdf", small_pdf("# A\nText"))
    memo: Path = shelf.site / CACHE_FOLDER / SOURCES
    builder.build()
    memo.write_bytes(b"what an earlier build knew")
    outcome = builder.build(anew=True)
    assert outcome is not None and not outcome.changed
    assert not memo.exists() or memo.read_bytes() != b"what an earlier build knew"
