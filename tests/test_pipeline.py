import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from shelftest import ShelfTest, Silence, make_pdf

from docshelf.build.converting.ranges import convert_or_share
from docshelf.build.pipeline import build_shelf
from docshelf.build.workers.pool import WorkerPool
from docshelf.serve.errors import BuildError, ConfigError, WorkerFault
from docshelf.serve.llms import parse_index
from docshelf.serve.manifest import read_files

REPOSITORY = Path(__file__).resolve().parent.parent
LONG = "Слова о сети и о том, как она устроена. " * 30


def chapters(count: int) -> tuple[list[str], list[tuple[int, str, int]]]:
    pages = [f"# Глава {n}\n" + "\n".join([LONG[:90]] * 40) for n in range(1, count + 1)]
    return pages, [(1, f"Глава {n}", n) for n in range(1, count + 1)]


def test_a_short_document_is_one_file_with_its_text_and_the_way_to_its_page(shelf: ShelfTest) -> None:
    shelf.config(name="Полка", default_language="ru")
    shelf.pdf("сеть/Памятка.pdf", "# Памятка\nПерезапустите маршрутизатор.")
    shelf.build()
    assert shelf.text("docs/set/pamyatka.md") == (
        "# Памятка\n\n"
        "> [сеть](index.md) · с.\N{NO-BREAK SPACE}1 · [источник](../../sources/set/pamyatka.pdf#page=1)\n\n"
        "<!-- p1 -->\n\n"
        "Перезапустите маршрутизатор.\n"
    )
    assert shelf.faults() == []


def test_a_long_document_is_a_subindex_and_sections(shelf: ShelfTest) -> None:
    pages, outline = chapters(12)
    shelf.pdf("manual.pdf", *pages, outline=outline)
    shelf.build()
    meta = shelf.meta("manual.pdf")
    assert meta.path == "docs/manual/subindex.md"
    assert meta.headings == "bookmarks"
    assert [entry.title for entry in meta.outline] == [title for _, title, _ in outline]
    subindex = parse_index(shelf.text(meta.path))
    assert [line.url for line in subindex.links] == [Path(section.path).name for section in meta.sections]
    assert "Глава 7" in shelf.text(meta.outline[6].path)
    assert shelf.faults() == []


def test_every_heading_of_the_outline_is_an_id_of_its_page(shelf: ShelfTest) -> None:
    pages, outline = chapters(8)
    shelf.pdf("manual.pdf", *pages, outline=outline)
    shelf.build()
    for entry in shelf.meta("manual.pdf").outline:
        assert f'id="{entry.anchor}"' in shelf.text(entry.path.removesuffix("md") + "html")


def test_the_manifest_keeps_to_its_schemas(shelf: ShelfTest) -> None:
    pages, outline = chapters(8)
    shelf.pdf("a.pdf", *pages, outline=outline)
    shelf.pdf("b.pdf", "short")
    shelf.file("c.pdf", b"")
    shelf.build()
    schemas = {
        name: Draft202012Validator(
            json.loads((REPOSITORY / f"docs/schemas/{name}.schema.json").read_text("utf-8"))
        )
        for name in ("shelf", "meta")
    }
    schemas["shelf"].validate(json.loads(shelf.text("shelf.json")))
    for entry in shelf.manifest.documents:
        schemas["meta"].validate(json.loads(shelf.text(entry.meta)))


def test_the_same_sources_give_the_same_bytes_whatever_the_folder_and_the_number_of_workers(
    tmp_path: Path,
) -> None:
    trees = []
    for place, jobs in (("one", 1), ("another", 3)):
        shelf = ShelfTest(tmp_path / place, jobs=jobs)
        pages, outline = chapters(8)
        shelf.config(name="shelf")
        for name in ("a b.pdf", "a-b.pdf", "x/c.pdf"):
            shelf.file(name, make_pdf(*pages, outline=outline))
        shelf.build()
        trees.append(shelf.tree())
    assert trees[0] == trees[1]


def test_a_second_build_of_the_same_sources_changes_nothing(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    first = shelf.build().published
    second = shelf.build().published
    assert (first.changed, second.changed) == (True, False)
    assert [folder.name for folder in (shelf.site / "releases").iterdir()] == [first.manifest.release]


def test_a_bad_document_costs_no_other_and_is_named_with_its_reason(shelf: ShelfTest) -> None:
    shelf.pdf("good.pdf", "text")
    shelf.file("bad.pdf", b"")
    shelf.file("page.pdf", b"<html><body>Not Found</body></html>")
    shelf.build()
    assert [entry.source for entry in shelf.manifest.documents] == ["good.pdf"]
    assert (shelf.codes("bad.pdf"), shelf.codes("page.pdf")) == (["empty"], ["not-a-pdf"])
    assert b"Not Found" not in b"".join(shelf.tree().values())


def test_a_document_that_breaks_keeps_its_last_good_version(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "first words")
    shelf.pdf("b.pdf", "other")
    shelf.build()
    shelf.file("a.pdf", b"%PDF-1.7 broken")
    shutil.rmtree(shelf.site / ".cache")
    shelf.build()
    assert "first words" in shelf.text("docs/a.md")
    assert "kept-last-good" in shelf.codes("a.pdf")
    assert "This is the last good version" in shelf.text("docs/a.html")
    assert shelf.faults() == []


class FailingConversion(WorkerPool):
    """A pool whose engine fails on every document; all else works."""

    def submit(self, call, /, *arguments, **named):  # type: ignore[no-untyped-def]
        if call is not convert_or_share:
            return super().submit(call, *arguments, **named)
        future: Future[object] = Future()
        future.set_exception(WorkerFault("timeout", "stopped after 60 s"))
        return future


@pytest.mark.parametrize("include_sources", [True, False])
def test_a_document_that_an_engine_no_longer_reads_keeps_its_last_good_version(
    shelf: ShelfTest, monkeypatch: pytest.MonkeyPatch, include_sources: bool
) -> None:
    shelf.config(include_sources=include_sources)
    shelf.pdf("a.pdf", "first words")
    shelf.build()
    monkeypatch.setattr("docshelf.build.pipeline.engine_versions", lambda engine: "newer")
    if not include_sources:
        shelf.pdf("a.pdf", "other bytes")
    build_shelf(
        shelf.source, shelf.site, quality=None, executor=lambda: FailingConversion(1), progress=Silence()
    )
    assert "first words" in shelf.text("docs/a.md")
    assert shelf.codes("a.pdf") == ["timeout", "kept-last-good"]
    assert shelf.faults() == []


def test_a_folder_without_documents_never_replaces_a_release(shelf: ShelfTest) -> None:
    file = shelf.pdf("a.pdf", "text")
    release = shelf.build().published.manifest.release
    file.unlink()
    with pytest.raises(BuildError, match="holds no PDF, so nothing was published"):
        shelf.build()
    assert shelf.manifest.release == release


def test_a_folder_of_bad_documents_publishes_nothing_and_names_each(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    with pytest.raises(BuildError, match=r"no document could be read.*\n.*a\.pdf: .*empty"):
        shelf.build()
    assert not shelf.current.exists()


def test_a_damaged_conversion_in_the_cache_is_made_again(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "right words")
    before = shelf.build().published.manifest.release
    for stored in (shelf.site / ".cache").rglob("pages.jsonl"):
        stored.write_text(stored.read_text("utf-8").replace("right", "wrong"), "utf-8")
    assert shelf.build().published.manifest.release == before


def test_what_a_killed_build_left_is_cleared(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    for litter in ("releases/.tmp-1/docs", ".work/0", ".cache/conversions/.abc"):
        (shelf.site / litter).mkdir(parents=True)
    shelf.build()
    left = [path.name for path in shelf.site.rglob(".*") if path.name not in (".cache", ".lock")]
    assert left == []


def test_all_wrong_settings_stop_the_build_at_once(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.config(nmae="x")
    shelf.sidecar("a.meta.json", titel="y")
    with pytest.raises(ConfigError) as caught:
        shelf.build()
    assert len(caught.value.problems) == 2


def test_a_template_that_names_what_is_not_there_stops_the_build_at_its_beginning(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.config(theme="theme")
    shelf.file("theme/templates/section.html", b"{{ no_such_name }}")
    with pytest.raises(ConfigError, match=r"section\.html.*no_such_name"):
        shelf.build()
    assert not shelf.current.exists()


def test_a_theme_of_ones_own_is_used(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.config(theme="theme")
    shelf.file("theme/assets/custom.css", b"p { color: red }")
    shelf.build()
    assert "assets/custom-" in shelf.text("docs/a.html")
    assert shelf.faults() == []


def test_documents_of_one_group_share_a_heading_in_the_root_index(shelf: ShelfTest) -> None:
    for folder in ("a", "b", "c"):
        shelf.pdf(f"{folder}/{folder}.pdf", f"text of {folder}")
    shelf.config(
        categories={
            "a": {"group": "Net", "order": 2},
            "b": {"group": "Net", "order": 1},
            "c": {"title": "Rest"},
        }
    )
    shelf.build()
    links = parse_index(shelf.text("index.md")).links
    assert [(line.group, line.url) for line in links] == [
        ("Rest", "docs/c/c.md"),
        ("Net", "docs/b/b.md"),
        ("Net", "docs/a/a.md"),
    ]


def test_an_index_past_its_budget_is_nested_and_every_document_stays_in_reach(shelf: ShelfTest) -> None:
    shelf.config(budget={"index_bytes": 2048})
    for number in range(40):
        shelf.pdf(f"document {number:02d}.pdf", f"# Title of document number {number}\ntext")
    shelf.build()
    waiting, seen = ["index.md"], set()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        if Path(path).name.startswith("index"):
            assert len(shelf.text(path).encode()) <= 2048
            waiting += [line.url for line in parse_index(shelf.text(path)).links if line.url not in seen]
    assert {entry.path for entry in shelf.manifest.documents} <= seen
    assert shelf.faults() == []


def test_llms_txt_carries_absolute_addresses_where_the_shelf_has_one(shelf: ShelfTest) -> None:
    shelf.pdf("x/a.pdf", "text")
    shelf.build()
    assert shelf.text("llms.txt") == shelf.text("index.md")
    shelf.config(base_url="https://shelf.lan/docs")
    shelf.build()
    assert "](https://shelf.lan/docs/docs/x/a.md)" in shelf.text("llms.txt")
    assert "](docs/x/a.md)" in shelf.text("index.md")


def test_no_source_is_published_where_the_shelf_says_so(shelf: ShelfTest) -> None:
    shelf.config(include_sources=False)
    shelf.pdf("a.pdf", "text")
    shelf.build()
    assert not [path for path in shelf.tree() if path.startswith("sources/")]
    assert ".pdf" not in shelf.text("docs/a.md") + shelf.text("docs/a.html")
    assert shelf.faults() == []


def test_a_document_that_is_not_split_stays_one_file_and_a_finding_says_so(shelf: ShelfTest) -> None:
    pages, outline = chapters(20)
    shelf.pdf("a.pdf", *pages, outline=outline)
    shelf.sidecar("a.meta.json", split=False)
    shelf.build()
    assert [section.path for section in shelf.meta("a.pdf").sections] == ["docs/a.md"]
    assert shelf.meta("a.pdf").sections[0].bytes > 24576
    assert shelf.codes("a.pdf") == ["not-split"]
    assert shelf.faults() == []


def test_a_changed_file_never_keeps_its_time(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "aaaa")
    shelf.pdf("b.pdf", "same")
    shelf.build()
    before = {name: (shelf.current / name).stat() for name in ("docs/a.md", "docs/b.md")}
    shelf.pdf("a.pdf", "bbbb")
    shelf.build()
    after = {name: (shelf.current / name).stat() for name in before}
    assert int(after["docs/a.md"].st_mtime) > int(before["docs/a.md"].st_mtime)
    assert after["docs/b.md"].st_ino == before["docs/b.md"].st_ino


def test_a_second_builder_is_told_who_holds_the_output(shelf: ShelfTest) -> None:
    from docshelf.build.releasing.lock import output_lock

    shelf.pdf("a.pdf", "text")
    with (
        output_lock(shelf.site),
        pytest.raises(BuildError, match=f"another build .process {os.getpid()} on "),
    ):
        shelf.build()


def test_the_commit_of_the_sources_stands_in_the_manifest(shelf: ShelfTest) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(
            ["git", *identity, "-C", str(shelf.source), *arguments], check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    shelf.pdf("a.pdf", "text")
    shelf.build()
    assert shelf.manifest.source_commit is None
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    shelf.build()
    assert shelf.manifest.source_commit == git("rev-parse", "HEAD")
    shelf.pdf("b.pdf", "text")
    shelf.build()
    assert shelf.manifest.source_commit == git("rev-parse", "HEAD") + "+changes"


def test_files_tsv_lists_every_file_but_itself_and_those_that_carry_the_release(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    listed = read_files((shelf.current / "files.tsv").read_bytes())
    assert shelf.tree().keys() - listed.keys() == {"files.tsv", "shelf.json", "assets/release.js"}


def test_markdown_holds_no_raw_html_but_page_marks(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "<script>alert(1)</script>\n\n<!-- p9 -->\n\n&copy; <b>bold</b>")
    shelf.build()
    tokens = MarkdownIt("commonmark").parse(shelf.text("docs/a.md"))
    raw = [token.content for token in tokens if token.type == "html_block"]
    assert raw == ["<!-- p1 -->\n"]
    assert not [child for token in tokens for child in token.children or [] if child.type == "html_inline"]


def test_a_build_does_not_depend_on_the_locale(shelf: ShelfTest) -> None:
    shelf.pdf("сеть/план 😀.pdf", "текст")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1251", "PYTHONUTF8": "0", "LC_ALL": "C",
                   "PYTHONPATH": str(REPOSITORY / ".dev")}  # fmt: skip
    command = [sys.executable, "-m", "docshelf.build.cli", "build", str(shelf.source), "-o", str(shelf.site)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "текст" in shelf.text("docs/set/plan-grinning.md")
