"""`docshelf watch` as a whole: real files, processes, HTTP and events."""

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from shelftest import ShelfTest
from watching import Watching, running_watch, small_pdf, until

from docshelf.build.releasing.lock import output_lock

pytestmark = pytest.mark.timeout(180)


def sources(shelf: ShelfTest) -> set[str]:
    return {entry.source for entry in shelf.manifest.documents}


def save(shelf: ShelfTest, name: str, *pages: str) -> Path:
    return shelf.file(name, small_pdf(*pages))


def fill(shelf: ShelfTest) -> None:
    """So many sources that a build takes seconds: time enough to meet it while it runs."""
    for name in range(300):
        save(shelf, f"{name}.pdf", *(f"# Chapter {page}\nText {name} {page}" for page in range(5)))


def titles(state: dict[str, Any]) -> list[str]:
    return [part["title"] for part in state["parts"]]


def test_the_shelf_is_built_and_served_and_follows_what_happens_to_its_sources(shelf: ShelfTest) -> None:
    for name in ("a", "b", "c"):
        save(shelf, f"net/{name}.pdf", f"# Letter {name}\nText of {name}")
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("new release")
        assert "Text of a" in watch.get("docs/net/a.md")

        (shelf.source / "net/a.pdf").unlink()
        (shelf.source / "net/b.pdf").rename(shelf.source / "net/renamed.pdf")
        (shelf.source / "other").mkdir()
        (shelf.source / "net/c.pdf").rename(shelf.source / "other/c.pdf")
        until(lambda: sources(shelf) == {"net/renamed.pdf", "other/c.pdf"}, "the three moves")
        index = watch.get("docs/net/index.md")
        assert "renamed.md" in index
        assert not any(gone in index for gone in ("(a.md)", "(b.md)", "(c.md)"))
        assert "Text of c" in watch.get("docs/other/c.md")

        save(shelf, "other/new.pdf", "# New\nIn a folder that was not there at first")
        until(lambda: "other/new.pdf" in sources(shelf), "a file in a new folder")
    assert shelf.faults() == []


def test_a_watch_of_a_shelf_that_is_built_already_says_what_it_holds(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    shelf.build()
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("unchanged release")
        watch.says("published: 1 (pages: 1)")


def test_many_files_at_once_are_a_few_builds_and_the_output_inside_the_source_is_none(tmp_path: Path) -> None:
    shelf = ShelfTest(tmp_path)
    save(shelf, "first.pdf", "# First\nText")
    site = shelf.source / "site"
    with running_watch(shelf.source, site) as watch:
        watch.says("new release")
        contents = [small_pdf(f"# Number {number}\nText") for number in range(100)]
        for number, content in enumerate(contents):
            (shelf.source / f"{number}.pdf").write_bytes(content)
        watch.says("published: 101")
        save(shelf, "last.pdf", "# Last\nText")
        watch.says("published: 102")

        changes = [line for line in watch.said if line.startswith("changed: ")]
        assert len(changes) <= 4
        assert changes[-1] == "changed: last.pdf"
        assert len(watch.releases) <= len(changes) + 1


def test_each_way_to_save_is_one_build_and_a_touch_writes_nothing(shelf: ShelfTest) -> None:
    file = save(shelf, "a.pdf", "# A\nFirst words")
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("new release")

        aside = shelf.source / ".a.pdf.new"
        aside.write_bytes(small_pdf("# A\nSecond words"))
        aside.replace(file)
        watch.says("new release", 2)
        assert "Second words" in watch.get("docs/a.md")

        file.write_bytes(small_pdf("# A\nThird words"))
        watch.says("new release", 3)
        assert "Third words" in watch.get("docs/a.md")

        file.touch()
        watch.says("unchanged release")
        assert len(watch.releases) == 3
        assert [line for line in watch.said if line.startswith("changed: ")] == 3 * ["changed: a.pdf"]


def test_a_file_that_comes_in_pieces_is_read_once_when_it_is_whole(shelf: ShelfTest) -> None:
    save(shelf, "there.pdf", "# There\nText")
    whole = small_pdf(*(f"# Chapter {number}\nText {number}" for number in range(10)))
    size = len(whole) // 10 + 1
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("new release")
        with (shelf.source / "slow.pdf").open("wb", buffering=0) as file:
            for start in range(0, len(whole), size):
                file.write(whole[start : start + size])
                time.sleep(0.5)
        watch.says("new release", 2)
        assert len(watch.releases) == 2
        assert shelf.codes("slow.pdf") == []
        assert shelf.meta("slow.pdf").pages == 10


def test_a_file_cut_short_keeps_its_last_good_version_until_its_end_comes(shelf: ShelfTest) -> None:
    file = save(shelf, "a.pdf", "# A\nGood words")
    with running_watch(shelf.source, shelf.site) as watch, watch_page(watch, "docs/a.html") as ear:
        whole = small_pdf("# A\nBetter words")
        file.write_bytes(whole[: len(whole) // 2])
        state = ear.until(lambda state: titles(state) == ["Findings of this document: 2"])
        assert "the version of the last good build stays on the shelf" in state["parts"][0]["lines"][1]
        assert "Good words" in watch.get("docs/a.md")

        file.write_bytes(whole)
        ear.until(lambda state: titles(state) == [])
        assert "Better words" in watch.get("docs/a.md")


def test_settings_sidecars_and_theme_are_followed_too(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    shelf.config(theme="look")
    style = shelf.file("look/assets/custom.css", b"h1 { color: red }")
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("new release")
        shelf.sidecar("a.meta.json", title="Named by hand")
        until(lambda: "Named by hand" in watch.get("index.md"), "the sidecar")

        before = watch.get("docs/a.html")
        style.write_bytes(b"h1 { color: blue }")
        until(lambda: watch.get("docs/a.html") != before, "the style")

        template = shelf.file("look/templates/base.html", FOOTER)
        until(lambda: "Made by us" in watch.get("docs/a.html"), "the template")
        template.write_bytes(FOOTER.replace(b"us", b"me"))
        until(lambda: "Made by me" in watch.get("docs/a.html"), "the changed template")

        shelf.config(theme="look", name="Renamed")
        until(lambda: "# Renamed" in watch.get("index.md"), "the settings")


FOOTER = b'{% extends "default/base.html" %}{% block footer %}<footer>Made by us</footer>{% endblock %}'


def test_only_a_page_that_changed_hears_of_another_version(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    save(shelf, "b.pdf", "# B\nText")
    with (
        running_watch(shelf.source, shelf.site) as watch,
        watch_page(watch, "docs/a.html") as changed,
        watch_page(watch, "docs/b.html") as other,
    ):
        first, still = changed.next()["version"], other.next()["version"]
        save(shelf, "a.pdf", "# A\nOther text")
        second = changed.next()["version"]
        assert second != first
        assert f'data-version="{second}"' in watch.get("docs/a.html")

        (shelf.source / ".docshelf.json").write_text("{")
        told = other.next()
        assert told["version"] == still
        assert titles(told) == ["The last build failed. The shelf is shown as it was before:"]


def test_a_failed_build_is_shown_until_the_next_good_one_and_the_shelf_stays(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nSome text")
    shelf.config(default_language="ru")
    with running_watch(shelf.source, shelf.site) as watch, watch_page(watch, "docs/a.html") as ear:
        good = ear.next()
        assert good["parts"] == []
        shelf.config(default_language="ru", colour="red")
        [part] = ear.next()["parts"]
        assert part["title"] == "Последняя сборка не удалась. Показана прежняя полка:"
        assert "unknown key 'colour'" in part["lines"][0]
        watch.says("the build failed, the shelf stays as it was:")
        assert "Some text" in watch.get("docs/a.md")

        shelf.config(default_language="ru")
        assert ear.next() == good


def test_a_first_build_that_fails_is_shown_and_the_shelf_opens_once_it_is_mended(shelf: ShelfTest) -> None:
    shelf.config(colour="red")
    with running_watch(shelf.source, shelf.site) as watch, watch_page(watch, "index.html") as ear:
        state = ear.until(lambda state: bool(state["parts"]))
        assert (state["version"], titles(state)) == ("", ["The build failed, so there is no shelf yet:"])
        assert "This page opens the shelf by itself." in watch.get("docs/any.html")

        shelf.config()
        save(shelf, "a.pdf", "# A\nText")
        assert ear.until(lambda state: state["version"] != "")["parts"] == []
        assert "live.js" in watch.get("")


def test_a_source_folder_that_goes_and_comes_back_is_followed(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    aside = shelf.source.with_name("aside")
    with running_watch(shelf.source, shelf.site) as watch, watch_page(watch, "index.html") as ear:
        shelf.source.rename(aside)
        [part] = ear.until(lambda state: bool(state["parts"]))["parts"]
        assert "the source folder does not exist" in part["lines"][0]
        assert "Text" in watch.get("docs/a.md")

        aside.rename(shelf.source)
        ear.until(lambda state: not state["parts"])
        save(shelf, "b.pdf", "# B\nText")
        until(lambda: sources(shelf) == {"a.pdf", "b.pdf"}, "a file in the folder that came back")


def test_a_lock_held_by_another_build_is_waited_for(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    with ExitStack() as held:
        held.enter_context(output_lock(shelf.site))
        with running_watch(shelf.source, shelf.site) as watch:
            watch.says("writes here; wait for it")
            assert watch.releases == []
            held.close()
            watch.says("new release")


def test_without_events_the_folder_is_looked_at(shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    with running_watch(shelf.source, shelf.site, ["--poll"]) as watch:
        watch.says("new release")
        save(shelf, "a.pdf", "# A\nOther text")
        watch.says("new release", 2)
        assert "Other text" in watch.get("docs/a.md")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order_while_it_waits(number: int, shelf: ShelfTest) -> None:
    save(shelf, "a.pdf", "# A\nText")
    with running_watch(shelf.source, shelf.site) as watch, watch_page(watch, "index.html"):
        assert watch.stop(number) == 0
        assert not any("Traceback" in line for line in watch.said)
    assert shelf.faults() == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order_while_it_builds(number: int, shelf: ShelfTest) -> None:
    fill(shelf)
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("[2/300]")
        assert watch.stop(number) == 0
        assert not any("Traceback" in line for line in watch.said)
        assert watch.processes() == []
    assert [entry.name for entry in (shelf.site / "releases").iterdir()] == []
    assert not (shelf.site / ".work").exists()


def test_a_build_that_is_killed_costs_itself_and_is_tried_again(shelf: ShelfTest) -> None:
    fill(shelf)
    with (
        running_watch(shelf.source, shelf.site) as watch,
        watch_page(watch, "index.html", ready=False) as ear,
    ):
        watch.says("[2/300]")
        os.kill(builder_of(watch), signal.SIGKILL)
        [part] = ear.until(lambda state: bool(state["parts"]))["parts"]
        assert part["lines"] == ["the build was killed by SIGKILL before it was done; it will be tried again"]
        watch.says("published: 300")
        ear.until(lambda state: not state["parts"])


def test_killed_during_builds_it_leaves_no_process_and_serves_a_whole_release_at_once(
    shelf: ShelfTest,
) -> None:
    for name in range(10):
        save(shelf, f"{name}.pdf", *(f"# Chapter {page}\nText {name} {page}" for page in range(5)))
    shelf.build()
    for turn in range(5):
        save(shelf, "0.pdf", f"# Chapter\nText of turn {turn}")
        with running_watch(shelf.source, shelf.site) as watch:
            assert '"status": "ok"' in watch.get("healthz")
            assert shelf.faults() == []
            watch.says("documents: 10")
            time.sleep(0.1 * turn)
            watch.kill()
    assert shelf.build().published.manifest.release == shelf.manifest.release
    assert shelf.faults() == []


def builder_of(watch: Watching) -> int:
    """The process id of the one that builds."""
    found: list[int] = []

    def is_one() -> bool:
        # One that has just begun may still have the command line of its parent, and one that ended has none.
        found[:] = [it for it in watch.processes() if b"watching.building" in command_line(it)]
        return len(found) == 1

    until(is_one, found)
    return found[0]


def command_line(process: int) -> bytes:
    """What it was started with; b"" where it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def watch_page(watch: Watching, page: str, *, ready: bool = True) -> Any:
    """The events of an open page, after the first build has ended where `ready`."""
    if ready:
        begins = ("published: ", "the build failed")
        until(lambda: any(line.startswith(begins) for line in watch.said), "the first build")
    return watch.listening(page)
