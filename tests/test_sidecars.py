import json
from pathlib import Path
from typing import Any

import pytest
from shelftest import ShelfTest, make_pdf

from docshelf.build.cli import main
from docshelf.build.planning.sidecars import write_sidecars
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.config import SourceConfig, parse_sidecar
from docshelf.serve.errors import BuildError, ConfigError

Captured = pytest.CaptureFixture[str]

RUSSIAN = "# Настройка маршрутизатора\nВключите питание и подождите, пока загорится лампа."
ENGLISH = "# Setting up the router\nSwitch it on and wait for the light."


def meta(shelf: ShelfTest, *options: str) -> int:
    return main(["meta", str(shelf.source), "-o", str(shelf.site), *options])


def sidecar(shelf: ShelfTest, name: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads((shelf.source / name).read_text("utf-8"))
    return values


def sidecars(shelf: ShelfTest) -> list[str]:
    return sorted(file.relative_to(shelf.source).as_posix() for file in shelf.source.rglob("*.meta.json"))


def test_each_source_without_a_sidecar_gets_one_with_title_and_language(
    shelf: ShelfTest, capsys: Captured
) -> None:
    shelf.pdf("net/маршрутизатор.pdf", RUSSIAN)
    shelf.pdf("router.pdf", ENGLISH)
    assert meta(shelf) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{shelf.source}/net/маршрутизатор.meta.json",
        f"{shelf.source}/router.meta.json",
    ]
    assert err == "sidecars written: 2, there already: 0, not read: 0\n"
    assert (shelf.source / "router.meta.json").read_text("utf-8") == (
        '{\n  "title": "Setting up the router",\n  "description": "",\n  "language": "en"\n}\n'
    )
    assert sidecar(shelf, "net/маршрутизатор.meta.json") == {
        "title": "Настройка маршрутизатора",
        "description": "",
        "language": "ru",
    }


def test_what_is_written_changes_nothing_of_what_a_build_makes(shelf: ShelfTest) -> None:
    shelf.config(default_language="ru")
    chapters = [f"# {name}\nтекст главы" for name in ("Содержание", "Питание", "Охлаждение")]
    shelf.pdf("a.pdf", *chapters, outline=[(1, "Содержание", 1), (1, "Питание", 2), (1, "Охлаждение", 3)])
    shelf.pdf("b.pdf", ENGLISH)
    shelf.pdf("no_title.pdf", "only text, nothing that stands out")
    shelf.build()
    before = {entry.source: shelf.meta(entry.source) for entry in shelf.manifest.documents}
    assert meta(shelf) == 0
    assert sidecars(shelf) == ["a.meta.json", "b.meta.json", "no_title.meta.json"]
    shelf.build()
    assert {entry.source: shelf.meta(entry.source) for entry in shelf.manifest.documents} == before


def test_a_sidecar_that_is_there_is_never_touched(shelf: ShelfTest, capsys: Captured) -> None:
    shelf.pdf("a.pdf", ENGLISH)
    shelf.pdf("b.pdf", ENGLISH)
    shelf.pdf("hidden.pdf", ENGLISH)
    shelf.sidecar("a.pdf.meta.json", title="Mine")
    shelf.sidecar("hidden.meta.json", hidden=True)
    assert meta(shelf) == 0
    assert capsys.readouterr().err == "sidecars written: 1, there already: 1, not read: 0\n"
    assert sidecars(shelf) == ["a.pdf.meta.json", "b.meta.json", "hidden.meta.json"]
    assert sidecar(shelf, "a.pdf.meta.json") == {"title": "Mine"}
    assert meta(shelf) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ([], "a.meta.json"),
        (["b.pdf", "a/b.pdf"], "a.meta.json"),
        (["a.docx"], "a.pdf.meta.json"),
        (["a"], "a.pdf.meta.json"),
        (["a.PDF"], "a.pdf.meta.json"),
        (["a.pdf.pdf"], "a.meta.json"),
    ],
)
def test_the_whole_file_name_is_used_only_where_the_stem_would_mean_two_files(
    shelf: ShelfTest, others: list[str], name: str
) -> None:
    shelf.pdf("a.pdf", ENGLISH)
    for other in others:
        shelf.pdf(other, ENGLISH)
    assert meta(shelf) == 0
    assert (shelf.source / name).exists()
    shelf.build()
    assert shelf.meta("a.pdf").title == "Setting up the router"


def test_a_name_that_would_be_the_sidecar_of_another_source_is_not_taken(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", ENGLISH)
    shelf.pdf("a.pdf.pdf", RUSSIAN)
    assert meta(shelf) == 0
    assert sidecars(shelf) == ["a.meta.json", "a.pdf.pdf.meta.json"]
    shelf.build()
    assert shelf.meta("a.pdf").title == "Setting up the router"
    assert shelf.meta("a.pdf.pdf").title == "Настройка маршрутизатора"


def test_with_all_a_sidecar_holds_every_key_as_a_build_would_use_it_now(shelf: ShelfTest) -> None:
    shelf.config(split=False, quality="fast", categories={"layout": {"quality": "auto"}})
    shelf.pdf("a.pdf", ENGLISH)
    shelf.pdf("layout/below/b.pdf", ENGLISH)
    assert meta(shelf, "--all") == 0
    assert sidecar(shelf, "a.meta.json") == {
        "title": "Setting up the router",
        "description": "",
        "language": "en",
        "quality": "fast",
        "split": False,
        "order": 0,
        "hidden": False,
        "repair_text": True,
    }
    assert sidecar(shelf, "layout/below/b.meta.json")["quality"] == "auto"
    text = (shelf.source / "a.meta.json").read_bytes()
    assert parse_sidecar(text, "a.meta.json") == SourceConfig(
        title="Setting up the router", language="en", quality="fast", split=False, repair_text=True
    )


def test_a_source_that_cannot_be_read_is_named_and_skipped(shelf: ShelfTest, capsys: Captured) -> None:
    shelf.file("bad.pdf", b"<html>")
    shelf.pdf("good.pdf", ENGLISH)
    assert meta(shelf) == 0
    assert sidecars(shelf) == ["good.meta.json"]
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("bad.pdf: the content is an HTML page, not a PDF")
    assert lines[1] == "sidecars written: 1, there already: 0, not read: 1"


def test_where_no_source_can_be_read_the_status_is_2(shelf: ShelfTest) -> None:
    shelf.file("bad.pdf", b"")
    assert meta(shelf) == 2
    assert sidecars(shelf) == []


def test_one_file_may_be_named_alone(shelf: ShelfTest, capsys: Captured) -> None:
    file = shelf.pdf("a.pdf", ENGLISH)
    shelf.pdf("b.pdf", ENGLISH)
    assert main(["meta", str(file)]) == 0
    assert capsys.readouterr().out == f"{shelf.source}/a.meta.json\n"
    assert sidecars(shelf) == ["a.meta.json"]


def test_the_sidecar_of_a_link_stands_beside_the_link(shelf: ShelfTest) -> None:
    shelf.pdf("real/a.pdf", ENGLISH)
    (shelf.source / "link.pdf").symlink_to("real/a.pdf")
    assert meta(shelf) == 0
    assert sidecars(shelf) == ["link.meta.json", "real/a.meta.json"]


def test_what_a_build_refuses_is_refused(shelf: ShelfTest, tmp_path: Path, capsys: Captured) -> None:
    assert main(["meta", "/"]) == 2
    assert "is no source folder; name a folder inside it" in capsys.readouterr().err
    assert main(["meta", str(tmp_path / "nowhere")]) == 2
    assert "the source folder does not exist" in capsys.readouterr().err
    assert meta(shelf) == 2
    assert "holds no PDF that goes onto the shelf" in capsys.readouterr().err
    assert main(["meta", str(shelf.file("a.docx", b"x"))]) == 2
    assert "a.docx: is no PDF; name a PDF or a folder of them" in capsys.readouterr().err


def test_wrong_settings_are_named_before_anything_is_written(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", ENGLISH)
    shelf.sidecar("b.meta.json")
    with WorkerPool(1) as pool, pytest.raises(ConfigError, match=r"b\.meta\.json: there is no source b"):
        list(write_sidecars(shelf.source, shelf.site, pool))
    assert sidecars(shelf) == ["b.meta.json"]


def test_a_built_shelf_gets_no_sidecars(shelf: ShelfTest, capsys: Captured) -> None:
    shelf.site = shelf.source / "site"
    shelf.pdf("a.pdf", ENGLISH)
    shelf.build()
    before = shelf.tree()
    assert meta(shelf) == 0
    for place in ("site/current/sources", "site/current/sources/a.pdf"):
        assert main(["meta", str(shelf.source / place)]) == 2
        assert "lies in a built shelf, which is never changed" in capsys.readouterr().err
    assert shelf.tree() == before
    assert (shelf.source / "a.meta.json").exists()


def test_a_sidecar_that_appears_meanwhile_is_not_overwritten(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", ENGLISH)
    shelf.pdf("b.pdf", ENGLISH)
    with WorkerPool(1) as pool:
        outcomes = write_sidecars(shelf.source, shelf.site, pool)
        first = next(outcomes)
        shelf.sidecar("b.meta.json", title="Mine")
        rest = list(outcomes)
    assert (first.outcome, [it.outcome for it in rest]) == ("written", ["there"])
    assert sidecar(shelf, "b.meta.json") == {"title": "Mine"}


def test_a_folder_that_cannot_be_written_is_named(shelf: ShelfTest) -> None:
    stem = "a" * 250
    shelf.file(f"{stem}.pdf", make_pdf(ENGLISH))
    shelf.build()
    with WorkerPool(1) as pool, pytest.raises(BuildError, match="cannot be written: File name too long"):
        list(write_sidecars(shelf.source, shelf.site, pool))
    assert sidecars(shelf) == []
