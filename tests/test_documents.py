"""What is made again and what stays, after every kind of change and damage."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from shelftest import ShelfTest, Silence, make_pdf

from docshelf.build.caching.cache import DEFAULT_LIMIT_BYTES
from docshelf.build.caching.cache_report import prune_cache
from docshelf.build.caching.notes import Notes
from docshelf.build.pipeline import BuildResult, build_shelf
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import WorkerFault

REPOSITORY = Path(__file__).resolve().parent.parent


class CountingPool(WorkerPool):
    """A pool that counts its calls and may fail the first of a kind; `before` is called before each."""

    def __init__(self, failing: str = "", before: Callable[[str], None] = lambda name: None) -> None:
        super().__init__(2)
        self.calls: Counter[str] = Counter()
        self._failing = failing
        self._before = before

    def submit(self, call: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        name = call.__name__.partition("_")[0]
        self.calls[name] += 1
        self._before(name)
        if name != self._failing or self.calls[name] > 1:
            return super().submit(call, *arguments, **named)
        future: Future[Any] = Future()
        future.set_exception(WorkerFault("timeout", "stopped after 60 s"))
        return future


def build(shelf: ShelfTest, pool: CountingPool | None = None) -> dict[str, int]:
    """Builds and counts the calls that make documents."""
    pool = pool or CountingPool()
    run(shelf, pool)
    return {name: pool.calls[name] for name in ("convert", "compose") if pool.calls[name]}


def run(shelf: ShelfTest, pool: CountingPool) -> BuildResult:
    return build_shelf(shelf.source, shelf.site, quality=None, executor=lambda: pool, progress=Silence())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shelf of a long document and two short ones, built."""
    shelf = ShelfTest(tmp_path_factory.mktemp("built"))
    shelf.config(name="Shelf")
    pages = [
        f"# Chapter {n}\n" + "\n".join(["Words about networks, how they are made."] * 40)
        for n in range(1, 11)
    ]
    shelf.pdf("net/long.pdf", *pages, outline=[(1, f"Chapter {n}", n) for n in range(1, 11)])
    shelf.pdf("net/a.pdf", "first words")
    shelf.pdf("power/b.pdf", "other words")
    assert build(shelf) == {"convert": 3, "compose": 3}
    return shelf.folder


@pytest.fixture
def three(built: Path, tmp_path: Path) -> ShelfTest:
    """A copy of that shelf."""
    shutil.copytree(built, tmp_path / "copy", symlinks=True)
    return ShelfTest(tmp_path / "copy")


def inodes(shelf: ShelfTest) -> dict[str, int]:
    root = shelf.current.resolve()
    return {
        file.relative_to(root).as_posix(): file.stat().st_ino for file in root.rglob("*") if file.is_file()
    }


def test_one_change_costs_one_conversion_and_the_files_above_it(three: ShelfTest) -> None:
    before = inodes(three)
    three.pdf("net/a.pdf", "new words")
    assert build(three) == {"convert": 1, "compose": 1}
    after = inodes(three)
    new = {path for path, inode in after.items() if before.get(path) != inode}
    allowed = {"shelf.json", "files.tsv", "assets/release.js", "sources/net/a.pdf"}
    above = {f"{home}{name}" for home in ("", "docs/net/") for name in ("index.md", "index.html", "llms.txt")}
    document = {"docs/net/a.md", "docs/net/a.html", "docs/net/a.meta.json"}
    assert document | allowed <= new
    assert {
        path for path in new - document - allowed - above if not path.startswith("assets/search/")
    } == set()
    assert three.text("docs/net/a.md").endswith("new words\n")
    assert three.faults() == []


def test_a_build_after_changes_gives_the_bytes_of_one_from_nothing(three: ShelfTest, tmp_path: Path) -> None:
    three.pdf("net/a.pdf", "# Switches\nnew words")
    build(three)
    three.pdf("power/c.pdf", "# Batteries\nmore words")
    build(three)
    three.sidecar("power/b.meta.json", title="Another title", order=7)
    build(three)
    fresh = ShelfTest(tmp_path / "fresh")
    shutil.copytree(three.source, fresh.source, dirs_exist_ok=True)
    build(fresh)
    assert fresh.tree() == three.tree()


def test_nothing_is_made_where_nothing_changed(three: ShelfTest) -> None:
    release = three.manifest.release
    assert build(three) == {}
    assert three.manifest.release == release


def test_an_unchanged_source_is_not_opened_once_its_stat_has_settled(three: ShelfTest) -> None:
    code = (
        "import sys, time; from pathlib import Path; from shelftest import ShelfTest\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, told: opened.append(str(told[0])) if event == 'open' else None)\n"
        "shelf = ShelfTest(Path(sys.argv[1]))\n"
        "shelf.build()\n"
        "once = sum(name.endswith('.pdf') and name.startswith(str(shelf.source)) for name in opened)\n"
        "time.sleep(2.1); shelf.build(); opened.clear(); shelf.build()\n"
        "print(once, [name for name in opened if name.endswith('.pdf')])\n"
    )
    path = f"{REPOSITORY / '.dev'}:{REPOSITORY / 'tests'}"
    done = subprocess.run(
        [sys.executable, "-c", code, str(three.folder)],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3 []\n"


def test_a_touched_source_is_read_but_not_made_again(three: ShelfTest) -> None:
    (three.source / "net/a.pdf").touch()
    assert build(three) == {}


def test_what_decides_a_documents_files_makes_it_again_without_a_conversion(three: ShelfTest) -> None:
    three.sidecar("net/a.meta.json", title="Another title")
    assert build(three) == {"compose": 1}
    assert three.text("docs/net/a.md").startswith("# Another title\n")
    three.config(name="Renamed")
    assert build(three) == {"compose": 3}
    three.file("theme/assets/custom.css", b"p { color: red }")
    three.config(name="Renamed", theme="theme")
    assert build(three) == {"compose": 3}
    three.file("theme/assets/custom.css", b"p { color: blue }")
    assert build(three) == {"compose": 3}
    assert three.faults() == []


def test_an_edited_theme_is_used_by_workers_that_have_loaded_it_before(three: ShelfTest) -> None:
    class WarmPool(CountingPool):
        def __exit__(self, *_: object) -> None:
            """Stays for the next build, as in `docshelf watch`."""

    three.config(name="Shelf", theme="theme")
    three.file("theme/templates/section.html", b"one {{ body }}")
    pool = WarmPool()
    try:
        run(three, pool)
        three.file("theme/templates/section.html", b"two {{ body }}")
        run(three, pool)
    finally:
        pool.stop()
    assert three.text("docs/net/a.html").startswith("two ")


def test_a_renamed_source_takes_its_conversion_along(three: ShelfTest) -> None:
    (three.source / "net/a.pdf").rename(three.source / "power/moved.pdf")
    assert build(three) == {"compose": 1}
    assert three.text("docs/power/moved.md").endswith("first words\n")
    assert three.faults() == []


def test_two_sources_of_the_same_bytes_are_two_documents(three: ShelfTest) -> None:
    shutil.copy(three.source / "net/a.pdf", three.source / "net/twin.pdf")
    assert build(three) == {"compose": 1}
    assert build(three) == {}
    assert three.text("docs/net/twin.md").endswith("first words\n")


@pytest.mark.parametrize("damage", ["gone", "cut", "changed"])
def test_a_document_whose_files_were_damaged_in_the_release_is_made_again(
    three: ShelfTest, damage: str
) -> None:
    section = three.current.resolve() / three.meta("net/long.pdf").sections[1].path
    text = section.read_bytes()
    if damage == "gone":
        section.unlink()
    elif damage == "cut":
        os.truncate(section, 100)
    else:
        section.write_bytes(text.swapcase())
    assert three.faults() != []
    assert build(three) == {"compose": 1}
    assert section.read_bytes() == text
    assert three.faults() == []


def test_a_source_damaged_in_the_release_is_taken_from_the_folder_again(three: ShelfTest) -> None:
    copy = three.current.resolve() / "sources/net/a.pdf"
    os.truncate(copy, 10)
    assert build(three) == {"compose": 1}
    assert copy.read_bytes() == (three.source / "net/a.pdf").read_bytes()
    assert three.faults() == []


def test_without_the_release_before_all_is_made_of_the_cache(three: ShelfTest) -> None:
    release = three.manifest.release
    shutil.rmtree(three.current.resolve())
    assert build(three) == {"compose": 3}
    assert three.manifest.release == release
    assert three.faults() == []


def test_without_the_cache_all_is_made_again(three: ShelfTest) -> None:
    release = three.manifest.release
    shutil.rmtree(three.site / ".cache")
    assert build(three) == {"convert": 3, "compose": 3}
    assert three.manifest.release == release


@pytest.mark.parametrize("cut", [0, 40, 200])
def test_damaged_notes_and_conversions_cost_time_and_nothing_else(three: ShelfTest, cut: int) -> None:
    release = three.manifest.release
    for file in (three.site / ".cache").rglob("*"):
        if file.is_file():
            os.truncate(file, cut)
    assert build(three) == {"convert": 3, "compose": 3}
    assert three.manifest.release == release
    assert build(three) == {}


def test_a_change_that_is_taken_back_is_seen(three: ShelfTest) -> None:
    first = (three.source / "net/a.pdf").read_bytes()
    release = three.manifest.release
    three.pdf("net/a.pdf", "other words now")
    build(three)
    three.file("net/a.pdf", first)
    assert build(three) == {"compose": 1}
    assert three.manifest.release == release


def test_a_source_edited_during_the_build_is_never_mislabelled(shelf: ShelfTest) -> None:
    old = shelf.pdf("a.pdf", "old words").read_bytes()

    def edit(call: str) -> None:
        if call == "convert":
            shelf.pdf("a.pdf", "new words")

    build(shelf, CountingPool(before=edit))
    assert "old words" in shelf.text("docs/a.md")
    assert (shelf.current / "sources/a.pdf").read_bytes() == old
    assert shelf.faults() == []
    build(shelf)
    assert "new words" in shelf.text("docs/a.md")


def test_a_source_edited_between_look_and_copy_is_what_was_copied(
    shelf: ShelfTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "docshelf.build.planning.snapshots.RACY_NS", -(10**12)
    )  # every stat counts as settled
    shelf.pdf("a.pdf", "old words")
    build(shelf)
    shelf.sidecar("a.meta.json", title="Title")
    (shelf.current / "sources/a.pdf").unlink()

    def pool() -> CountingPool:
        shelf.pdf("a.pdf", "new words")
        return CountingPool()

    build_shelf(shelf.source, shelf.site, quality=None, executor=pool, progress=Silence())
    assert "new words" in shelf.text("docs/a.md")
    assert (shelf.current / "sources/a.pdf").read_bytes() == (shelf.source / "a.pdf").read_bytes()
    assert shelf.faults() == []


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "This is the last good version"), ("ru", "Это последняя удачная версия")],
)
def test_every_page_of_a_document_that_broke_says_that_it_is_the_last_good_version(
    three: ShelfTest, language: str, words: str
) -> None:
    three.config(name="Shelf", default_language=language)
    three.sidecar("net/long.meta.json", language=language)
    build(three)
    good = three.meta("net/long.pdf").sha256
    three.file("net/long.pdf", b"%PDF-1.7 broken")
    assert build(three) == {"convert": 1, "compose": 1}
    meta = three.meta("net/long.pdf")
    assert meta.sha256 == good
    pages = [meta.path, *(section.path for section in meta.sections)]
    assert [words in three.text(f"{path.removesuffix('md')}html") for path in pages] == [True] * len(pages)
    assert words not in three.text("docs/net/a.html")
    assert three.codes("net/long.pdf")[-1] == "kept-last-good"
    assert three.faults() == []


def test_a_document_that_stays_broken_is_not_made_again_and_one_that_was_mended_is(three: ShelfTest) -> None:
    whole = (three.source / "net/a.pdf").read_bytes()
    three.file("net/a.pdf", b"%PDF-1.7 broken")
    build(three)
    kept, codes = three.manifest.release, three.codes("net/a.pdf")
    assert build(three) == {}
    assert (three.manifest.release, three.codes("net/a.pdf")) == (kept, codes)
    three.file("net/a.pdf", whole)
    assert build(three) == {"compose": 1}
    assert three.codes("net/a.pdf") == []
    assert "last good version" not in three.text("docs/net/a.html")


def test_a_source_that_may_not_be_read_keeps_its_last_good_version(three: ShelfTest) -> None:
    file = three.source / "net/a.pdf"
    file.unlink()
    file.symlink_to("a-link-to-itself.pdf")
    other = three.source / "net/a-link-to-itself.pdf"
    other.write_bytes(b"x")
    build(three)
    assert three.codes("net/a.pdf") == ["not-a-pdf", "kept-last-good"]


@pytest.mark.parametrize("stage", ["convert", "compose"])
def test_a_document_whose_new_version_fails_keeps_its_last_good_version(three: ShelfTest, stage: str) -> None:
    three.pdf("net/a.pdf", "new words")
    assert build(three, CountingPool(failing=stage))["compose"] == (1 if stage == "convert" else 2)
    assert three.codes("net/a.pdf") == ["timeout", "kept-last-good"]
    assert three.text("docs/net/a.md").endswith("first words\n")
    prune_cache(three.site, DEFAULT_LIMIT_BYTES)
    build(three)
    assert three.text("docs/net/a.md").endswith("new words\n")


def test_a_document_that_was_never_read_is_left_out_on_every_build(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "words")
    shelf.file("b.pdf", make_pdf("x")[:100])
    build(shelf)
    for _ in range(2):
        assert [entry.source for entry in shelf.manifest.documents] == ["a.pdf"]
        assert "kept-last-good" not in shelf.codes("b.pdf")
        build(shelf)


def test_what_is_remembered_of_documents_that_are_gone_is_forgotten(three: ShelfTest) -> None:
    notes = Notes(three.site / ".cache/notes")
    assert notes.read("net/a.pdf") is not None
    (three.source / "net/a.pdf").unlink()
    build(three)
    assert notes.read("net/a.pdf") is None
    assert notes.read("power/b.pdf") is not None


def test_conversions_that_are_not_used_go_when_there_are_too_many(
    three: ShelfTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docshelf.build.caching.memory.DEFAULT_LIMIT_BYTES", 0)
    three.pdf("net/a.pdf", "new words")
    build(three)
    seals = [
        json.loads(file.read_bytes()) for file in (three.site / ".cache/conversions").glob("*/seal.json")
    ]
    assert len(seals) == 3
    three.config(name="Renamed")
    assert build(three) == {"compose": 3}


def test_notes_that_cannot_be_written_cost_the_next_build_time_and_nothing_else(
    three: ShelfTest, caplog: pytest.LogCaptureFixture
) -> None:
    release = three.manifest.release
    shutil.rmtree(three.site / ".cache/notes")
    (three.site / ".cache/notes").write_text("no folder")
    assert build(three) == {"compose": 3}
    assert "what this build did could not be kept" in caplog.text
    assert three.manifest.release == release
