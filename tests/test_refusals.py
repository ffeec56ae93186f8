"""What is remembered of documents that were refused, and what makes a build try them again."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from shelftest import ShelfTest
from test_documents import CountingPool, build, run

from docshelf.build.caching.refusals import Refusals
from docshelf.build.cli import main
from docshelf.build.report import summary_lines
from docshelf.serve.errors import SourceError


@pytest.fixture
def refusals(tmp_path: Path) -> Refusals:
    return Refusals(tmp_path / "refusals")


@pytest.fixture
def two(shelf: ShelfTest) -> ShelfTest:
    """A shelf of a document that can be read and one that cannot, built once."""
    shelf.pdf("good.pdf", "words")
    shelf.file("bad.pdf", b"%PDF-1.7 broken")
    assert build(shelf) == {"convert": 2, "compose": 1}
    assert shelf.codes("bad.pdf") == ["damaged"]
    return shelf


def kept(shelf: ShelfTest) -> Iterator[Path]:
    return (shelf.site / ".cache/refusals").iterdir()


def test_a_refusal_is_found_as_it_was_kept(refusals: Refusals) -> None:
    assert refusals.find("k") is None
    refusals.keep("k", SourceError("damaged", "повреждён"))
    found = refusals.find("k")
    assert found is not None
    assert (found.code, str(found)) == ("damaged", "повреждён")


@pytest.mark.parametrize("code", ["killed", "stopped", "wrong-password", "engine-failed", "missing-weights"])
def test_a_refusal_that_may_pass_is_not_kept(refusals: Refusals, code: str) -> None:
    refusals.keep("k", SourceError(code, "text"))
    assert refusals.find("k") is None


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "empty", "folder"])
def test_a_damaged_refusal_is_a_miss(refusals: Refusals, tmp_path: Path, damage: str) -> None:
    refusals.keep("k", SourceError("damaged", "text"))
    file = tmp_path / "refusals/k"
    text = file.read_bytes()
    if damage == "cut":
        os.truncate(file, len(text) - 2)
    elif damage == "flip":
        file.write_bytes(text[:70] + bytes([text[70] ^ 1]) + text[71:])
    elif damage == "foreign":
        refusals.keep("other", SourceError("empty", "text"))
        file.with_name("other").replace(file)
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        file.unlink()
        file.mkdir()
    assert refusals.find("k") is None


def test_a_refused_document_is_not_read_again_and_is_found_to_be_the_same(two: ShelfTest) -> None:
    release = two.manifest.release
    result = run(two, pool := CountingPool())
    assert pool.calls == {}
    assert two.manifest.release == release
    lines = list(summary_lines(result))
    assert any("bad.pdf: the PDF is damaged" in line for line in lines)
    assert "  not tried again: 1; docshelf cache SITE --prune lets the next build try" in lines


def test_a_new_refusal_is_not_said_to_be_an_old_one(shelf: ShelfTest) -> None:
    shelf.pdf("good.pdf", "words")
    shelf.file("bad.pdf", b"%PDF-1.7 broken")
    assert not any("not tried again" in line for line in summary_lines(run(shelf, CountingPool())))


def test_a_changed_file_is_tried_again(two: ShelfTest) -> None:
    two.file("bad.pdf", b"%PDF-1.7 broken in another way")
    assert build(two) == {"convert": 1}
    two.pdf("bad.pdf", "mended")
    assert build(two) == {"convert": 1, "compose": 1}
    assert two.codes("bad.pdf") == []


def test_a_changed_engine_is_tried(two: ShelfTest) -> None:
    two.sidecar("bad.meta.json", quality="layout")
    assert build(two) == {"convert": 1}


@pytest.mark.parametrize("limit", ["time_s", "memory_mb"])
def test_a_changed_limit_is_tried(two: ShelfTest, limit: str) -> None:
    two.config(limits={"fast": {limit: 3000}})
    assert build(two)["convert"] == 1
    assert build(two) == {}


def test_a_changed_option_of_the_engine_is_tried(two: ShelfTest) -> None:
    two.sidecar("bad.meta.json", repair_text=False)
    assert build(two) == {"convert": 1}


def test_a_password_that_was_given_is_tried(two: ShelfTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD_OF_A_TEST", "x")
    two.sidecar("bad.meta.json", password_env="PASSWORD_OF_A_TEST")
    assert build(two) == {"convert": 1}


def test_a_timeout_is_not_waited_for_again_until_its_limit_is_raised(shelf: ShelfTest) -> None:
    """The pool fails the first conversion as it fails one that hangs; a second would succeed."""
    shelf.pdf("a.pdf", "old words")
    build(shelf)
    shelf.pdf("a.pdf", "new words")
    assert build(shelf, CountingPool(failing="convert")) == {"convert": 1, "compose": 1}
    release = shelf.manifest.release
    assert shelf.codes("a.pdf") == ["timeout", "kept-last-good"]
    assert build(shelf) == {}
    assert shelf.manifest.release == release
    shelf.config(limits={"fast": {"time_s": 70}})
    assert build(shelf) == {"convert": 1, "compose": 1}
    assert shelf.text("docs/a.md").endswith("new words\n")


def test_a_document_that_cannot_be_composed_is_not_composed_again(shelf: ShelfTest) -> None:
    shelf.pdf("good.pdf", "words")
    shelf.pdf("blank.pdf", "")
    shelf.config(page_pictures="none")
    assert build(shelf) == {"convert": 2, "compose": 2}
    assert shelf.codes("blank.pdf") == ["no-content"]
    assert build(shelf) == {}
    shelf.sidecar("blank.meta.json", title="Another")
    assert build(shelf) == {"compose": 1}


def test_a_build_that_publishes_nothing_has_learnt_why(shelf: ShelfTest) -> None:
    shelf.file("bad.pdf", b"%PDF-1.7 broken")
    for calls in (1, 0):
        pool = CountingPool()
        with pytest.raises(Exception, match="no document could be read"):
            run(shelf, pool)
        assert pool.calls["convert"] == calls


def test_refusals_of_documents_that_are_gone_or_mended_are_forgotten(two: ShelfTest) -> None:
    assert len(list(kept(two))) == 1
    two.pdf("bad.pdf", "mended")
    build(two)
    assert list(kept(two)) == []


def test_a_damaged_memory_costs_another_try(two: ShelfTest) -> None:
    for file in kept(two):
        os.truncate(file, 40)
    assert build(two) == {"convert": 1}
    assert build(two) == {}


def test_pruning_the_cache_lets_the_next_build_try(
    two: ShelfTest, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", str(two.site)]) == 0
    (line,) = (it for it in capsys.readouterr().out.splitlines() if it.startswith("refusals"))
    assert line.startswith("refusals of documents: 1, ")
    assert main(["cache", str(two.site), "--prune"]) == 0
    told = capsys.readouterr()
    assert told.err == "removed: 0, 0 bytes; refusals forgotten: 1\n"
    assert "refusals of documents: 0, 0 bytes\n" in told.out
    assert build(two) == {"convert": 1}


def test_the_bytes_are_those_of_a_build_from_nothing(two: ShelfTest, tmp_path: Path) -> None:
    build(two)
    fresh = ShelfTest(tmp_path / "fresh")
    shutil.copytree(two.source, fresh.source, dirs_exist_ok=True)
    build(fresh)
    assert fresh.tree() == two.tree()


def test_words_that_could_not_be_cut_are_not_cut_again(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "words")
    for cuts in (1, 0):
        pool = CountingPool(failing="cut")
        run(shelf, pool)
        assert pool.calls["cut"] == cuts
        assert shelf.codes("a.pdf") == ["not-searched"]
    shelf.config(limits={"fast": {"time_s": 70}})
    build(shelf)
    assert shelf.codes("a.pdf") == []
