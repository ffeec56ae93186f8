import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from shelftest import ShelfTest, make_pdf

import docshelf.build.pipeline
import docshelf.build.report  # noqa: F401  loaded before another user may not read them
from docshelf.build.cli import main
from docshelf.build.planning.snapshots import SourceMemo
from docshelf.serve.errors import SourceError

Captured = pytest.CaptureFixture[str]


def build(shelf: ShelfTest, *options: str) -> int:
    return main(["build", str(shelf.source), "-o", str(shelf.site), *options])


def test_build_prints_the_release_on_stdout_and_all_else_on_stderr(
    shelf: ShelfTest, capsys: Captured
) -> None:
    shelf.pdf("a.pdf", "text")
    assert build(shelf) == 0
    out, err = capsys.readouterr()
    assert out == f"{shelf.manifest.release}\n"
    assert "published: 1 (pages: 1)" in err


def test_a_build_ends_with_counts_by_kind_and_what_to_do(shelf: ShelfTest, capsys: Captured) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.file("b.pdf", b"")
    shelf.file("c.docx", b"")
    assert build(shelf) == 0
    lines = capsys.readouterr().err.splitlines()
    assert "refused: 1" in lines and "not read: 1" in lines
    assert any(line.startswith("  b.pdf: the file is empty") for line in lines)
    assert any(line.startswith("  c.docx: docx is not read yet; save it as PDF") for line in lines)


def test_strict_exits_with_1_where_a_finding_is_an_error(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    assert build(shelf, "--strict") == 0
    shelf.file("b.pdf", b"")
    assert build(shelf, "--strict") == 1
    assert shelf.current.is_dir()


def test_the_report_says_as_json_what_was_done(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.file("b.pdf", b"")
    assert build(shelf, "--report", str(shelf.folder / "report.json")) == 0
    report = json.loads((shelf.folder / "report.json").read_text("utf-8"))
    assert report["release"] == shelf.manifest.release
    assert [entry["source"] for entry in report["published"]] == ["a.pdf"]
    assert [entry["code"] for entry in report["refused"]] == ["empty"]


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda shelf: shelf.source.rmdir(), "the source folder does not exist"),
        (lambda shelf: None, "holds no PDF, so nothing was published"),
        (lambda shelf: shelf.file(".docshelf.json", b'{"nmae": 1}'), "unknown key 'nmae'; valid keys: name"),
        (lambda shelf: shelf.site.write_text("x"), "nothing was published: name a folder with -o"),
        (lambda shelf: shelf.file("b.meta.json", b"{}"), "b.meta.json: there is no source b.*"),
    ],
)
def test_what_cannot_be_built_exits_with_2_and_says_why(
    shelf: ShelfTest, capsys: Captured, prepare: Callable[[ShelfTest], object], message: str
) -> None:
    if "holds no PDF" not in message and "does not exist" not in message:
        shelf.pdf("a.pdf", "text")
    prepare(shelf)
    assert build(shelf) == 2
    out, err = capsys.readouterr()
    assert (out, message in err) == ("", True), err


@contextmanager
def as_another_user(folder: Path) -> Iterator[None]:
    """Below `folder` as somebody who owns nothing there, since root sees no permissions."""
    for parent in [folder, *folder.parents]:
        if parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o055)
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("place", ["source", "site"])
def test_a_forbidden_folder_is_named(shelf: ShelfTest, capsys: Captured, place: str) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.site.mkdir()
    forbidden = shelf.source if place == "source" else shelf.site
    forbidden.chmod(0o000 if place == "source" else 0o555)
    with as_another_user(shelf.folder):
        status = build(shelf)
    forbidden.chmod(0o755)
    err = capsys.readouterr().err
    assert status == 2
    assert str(forbidden) in err and "Permission denied" in err


def test_a_source_that_may_not_be_read_is_a_finding(shelf: ShelfTest) -> None:
    file = shelf.pdf("b.pdf", "text")
    file.chmod(0o000)
    with (
        as_another_user(shelf.source),
        pytest.raises(SourceError, match=r"cannot be read .Permission denied.; mend its rights"),
    ):
        SourceMemo(shelf.folder / "memo").copy("a.pdf", file, shelf.folder, "copy")


def test_inspect_tells_grades_headings_and_findings_without_building(
    tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(
        make_pdf("# Глава 1\nтекст", "# Глава 2\nтекст", outline=[(1, "Глава 1", 1), (1, "Глава 2", 2)])
    )
    assert main(["inspect", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.pdf: 2 pages, grade A, engine fast",
        "page grades: AA",
        "headings: 2 from bookmarks",
        "  Глава 1 (page 1)",
        "  Глава 2 (page 2)",
        "findings: 0",
    ]


def test_inspect_of_a_file_that_is_no_pdf_exits_with_2(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "a.pdf").write_bytes(b"<html>")
    assert main(["inspect", str(tmp_path / "a.pdf")]) == 2
    assert main(["inspect", str(tmp_path / "missing.pdf")]) == 2
    assert "there is no such file" in capsys.readouterr().err


def test_check_exits_with_1_where_the_tree_has_faults(shelf: ShelfTest, capsys: Captured) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    assert main(["check", str(shelf.site)]) == 0
    (shelf.current / "docs/a.md").unlink()
    assert main(["check", str(shelf.site)]) == 1
    assert "docs/a.md: is listed in files.tsv and is not there" in capsys.readouterr().out
    assert main(["check", str(shelf.folder / "nowhere")]) == 2


def test_a_wrong_command_line_exits_with_2() -> None:
    for arguments in (["build", "--jobs", "0"], ["serve", "--port", "99999"], ["nothing"], []):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
