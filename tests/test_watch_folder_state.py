"""Which changes of a source folder matter, seen from outside."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from docshelf.build.watching.folder_state import FolderState, look_at
from docshelf.build.watching.rehashing import PAUSE_S, Rehashing


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with a bit of everything."""
    folder = tmp_path / "source"
    for name in ("net/a.pdf", "net/a.meta.json", "look/assets/custom.css", "look/templates/x.html"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"one")
    (folder / ".docshelf.json").write_text(json.dumps({"theme": "look"}))
    return folder


def see(source: Path) -> FolderState:
    return look_at(source, source / "site")


def test_sources_sidecars_settings_and_theme_count(source: Path) -> None:
    state = see(source)
    assert state.marks.keys() == {
        "./",
        "net/",
        ".docshelf.json",
        "net/a.pdf",
        "net/a.meta.json",
        "theme: assets/custom.css",
        "theme: templates/x.html",
    }
    folders = {folder.relative_to(source).as_posix() for folder in state.folders}
    assert folders == {".", "net", "look", "look/assets", "look/templates"}
    assert state.differing(see(source)) == set()


def move_in(file: Path) -> None:
    """Puts an older file of the same size and time in its place, as `mv` and `cp -p` do."""
    facts = file.stat()
    other = file.with_name(".other")
    other.write_bytes(b"two")
    os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    other.replace(file)


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (lambda it: (it / "net/a.pdf").write_bytes(b"more than one"), {"net/a.pdf"}),
        (lambda it: move_in(it / "net/a.pdf"), {"net/a.pdf"}),
        (lambda it: (it / "net/a.pdf").touch(), {"net/a.pdf"}),
        (lambda it: (it / "net/a.pdf").unlink(), {"net/a.pdf"}),
        (lambda it: (it / "net/a.pdf").rename(it / "b.pdf"), {"net/a.pdf", "b.pdf"}),
        (lambda it: (it / "net").rename(it / "new"), {"net/", "new/"} | {
            f"{folder}/{name}" for folder in ("net", "new") for name in ("a.pdf", "a.meta.json")}),
        (lambda it: (it / "empty").mkdir(), {"empty/"}),
        (lambda it: os.mkfifo(it / "pipe"), {"pipe"}),
        (lambda it: (it / "b.pdf").symlink_to("net/a.pdf"), {"b.pdf"}),
        (lambda it: (it / "b.pdf").symlink_to("/etc/hostname"), {"b.pdf"}),
        (lambda it: (it / "look/assets/new.css").write_bytes(b""), {"theme: assets/new.css"}),
    ],
)  # fmt: skip
def test_what_a_build_would_see_is_a_change(
    change: Callable[[Path], object], paths: set[str], source: Path
) -> None:
    before = see(source)
    change(source)
    assert see(source).differing(before) == paths


@pytest.mark.parametrize(
    "change",
    [
        lambda it: (it / ".hidden.pdf").write_bytes(b"x"),
        lambda it: (it / "net/~$a.pdf").write_bytes(b"x"),
        lambda it: (it / "net/a.pdf.part").write_bytes(b"x"),
        lambda it: (it / ".git").mkdir(),
        lambda it: (it / "site/releases/x").mkdir(parents=True),
        lambda it: (it / "net/a.pdf").read_bytes(),
    ],
    ids=["hidden", "lock-of-office", "download", "git", "output", "read"],
)
def test_what_a_build_passes_over_is_no_change(change: Callable[[Path], object], source: Path) -> None:
    before = see(source)
    change(source)
    assert see(source) == before


def test_a_link_is_another_one_when_its_target_changes(source: Path) -> None:
    (source / "b.pdf").symlink_to("net/a.pdf")
    before = see(source)
    (source / "net/a.pdf").write_bytes(b"more than one")
    assert see(source).differing(before) == {"net/a.pdf", "b.pdf"}


def test_a_theme_that_a_broken_setting_hides_is_followed_as_files(source: Path) -> None:
    (source / ".docshelf.json").write_text("{")
    assert "look/assets/custom.css" in see(source).marks


def test_a_folder_that_is_gone_is_a_state_too(source: Path, tmp_path: Path) -> None:
    before = see(source)
    source.rename(tmp_path / "aside")
    gone = see(source)
    assert "" in gone.differing(before)
    assert gone.folders == frozenset()
    (tmp_path / "aside").rename(source)
    assert see(source).marks.keys() == before.marks.keys()


def test_a_change_that_no_stat_shows_is_found_by_its_bytes(tmp_path: Path) -> None:
    file, rehashing = tmp_path / "a.pdf", Rehashing()
    file.write_bytes(b"one")
    same_stat = FolderState({"a.pdf": (3, 0, 0)}, {"a.pdf": file}, frozenset())
    assert not rehashing.go_on(same_stat, 0)
    file.write_bytes(b"two")
    assert not rehashing.go_on(same_stat, PAUSE_S - 1)
    assert rehashing.edits("a.pdf") == 0

    assert rehashing.go_on(same_stat, PAUSE_S)
    assert rehashing.edits("a.pdf") == 1
    assert not rehashing.go_on(same_stat, 2 * PAUSE_S)


def test_a_change_that_its_stat_shows_is_not_counted_twice(tmp_path: Path) -> None:
    file, rehashing = tmp_path / "a.pdf", Rehashing()
    file.write_bytes(b"one")
    rehashing.go_on(FolderState({"a.pdf": (3, 0, 0)}, {"a.pdf": file}, frozenset()), 0)
    file.write_bytes(b"three")
    assert not rehashing.go_on(FolderState({"a.pdf": (5, 1, 1)}, {"a.pdf": file}, frozenset()), PAUSE_S)
    assert rehashing.edits("a.pdf") == 0


def test_a_count_of_edits_makes_another_state(source: Path) -> None:
    counted = look_at(source, source / "site", lambda path: 1 if path == "net/a.pdf" else 0)
    assert counted.differing(see(source)) == {"net/a.pdf"}
