from collections.abc import Callable
from pathlib import Path

import pytest
from shelftest import ShelfTest

from docshelf.build.cli import main
from docshelf.build.releasing.keeping import pin_release, roll_back, unpin_release
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.release import publish
from docshelf.serve.check import check_release
from docshelf.serve.config import Budget
from docshelf.serve.errors import BuildError, NotOnShelf, ShelfDamaged
from docshelf.serve.manifest import ShelfManifest
from docshelf.serve.releases.kept import kept_ids, pinned_ids

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def built(shelf: ShelfTest) -> tuple[ShelfTest, str, str]:
    """A shelf with two releases and their names; the later one is current, and it keeps one release."""
    shelf.config(keep={"count": 1, "age_s": 3600})
    return shelf, build(shelf, "text of the first"), build(shelf, "text of the second")


def build(shelf: ShelfTest, text: str) -> str:
    shelf.pdf("a.pdf", text)
    shelf.build()
    return shelf.manifest.release


def forget_quickly(shelf: ShelfTest) -> None:
    shelf.config(keep={"count": 1, "age_s": 0})


def test_a_pinned_release_outlives_builds_and_does_not_count(built: tuple[ShelfTest, str, str]) -> None:
    shelf, first, _ = built
    assert pin_release(shelf.site, first[:6]) == first
    forget_quickly(shelf)
    third = build(shelf, "text of the third")
    assert kept_ids(shelf.site) == tuple(sorted({first, third}))
    before = (shelf.site / "releases" / first / "docs/a.md").read_text("utf-8")
    assert "text of the first" in before


def test_an_unpinned_release_goes_with_the_next_build(built: tuple[ShelfTest, str, str]) -> None:
    shelf, first, _ = built
    pin_release(shelf.site, first)
    assert unpin_release(shelf.site, first[:6]) == first
    assert pinned_ids(shelf.site) == frozenset()
    forget_quickly(shelf)
    third = build(shelf, "text of the third")
    assert kept_ids(shelf.site) == (third,)


def test_nothing_is_removed_while_the_pins_cannot_be_read(
    built: tuple[ShelfTest, str, str], caplog: pytest.LogCaptureFixture
) -> None:
    shelf, first, second = built
    (shelf.site / ".pins").write_text("a file")
    forget_quickly(shelf)
    third = build(shelf, "text of the third")
    assert kept_ids(shelf.site) == tuple(sorted({first, second, third}))
    assert "an old release could not be removed: Not a directory" in caplog.text


def test_a_pin_changes_nothing_in_the_release(built: tuple[ShelfTest, str, str]) -> None:
    shelf, _, second = built
    before = shelf.tree()
    pin_release(shelf.site, "current")
    pin_release(shelf.site, second)
    assert shelf.tree() == before
    assert pinned_ids(shelf.site) == {second}


def test_a_pin_without_its_release_can_be_taken_away_by_its_whole_name(
    built: tuple[ShelfTest, str, str],
) -> None:
    shelf, first, _ = built
    pin_release(shelf.site, first)
    (shelf.site / "releases" / first).rename(shelf.folder / "elsewhere")
    assert unpin_release(shelf.site, first) == first
    assert pinned_ids(shelf.site) == frozenset()


def test_unpinning_what_is_not_pinned_is_refused(built: tuple[ShelfTest, str, str]) -> None:
    shelf, first, second = built
    pin_release(shelf.site, first)
    with pytest.raises(NotOnShelf, match=f"{second} is not pinned; pinned: {first}"):
        unpin_release(shelf.site, second)


def test_a_release_is_made_current_again_and_the_next_build_goes_on_from_the_sources(
    built: tuple[ShelfTest, str, str],
) -> None:
    shelf, first, second = built
    assert roll_back(shelf.site, first[:6]) == first
    assert str((shelf.site / "current").readlink()) == f"releases/{first}"
    assert "text of the first" in shelf.text("docs/a.md")
    assert shelf.faults() == []
    shelf.build()
    assert shelf.manifest.release == second


def test_rolling_back_to_the_current_release_changes_nothing(built: tuple[ShelfTest, str, str]) -> None:
    shelf, _, second = built
    before = shelf.tree()
    assert roll_back(shelf.site, "current") == second
    assert (shelf.manifest.release, shelf.tree()) == (second, before)


def cut_short(release: Path) -> None:
    file = release / "docs/a.md"
    file.unlink()
    file.write_text("# other", "utf-8")


def lose_source(release: Path) -> None:
    (release / "sources/a.pdf").unlink()


def add_file(release: Path) -> None:
    (release / "extra.html").touch()


def rename_shelf(release: Path) -> None:
    file = release / "shelf.json"
    text = file.read_text("utf-8").replace('"name": "source"', '"name": "other"')
    file.write_text(text, "utf-8")


def lose_manifest(release: Path) -> None:
    (release / "shelf.json").unlink()


@pytest.mark.parametrize("damage", [cut_short, lose_source, add_file, rename_shelf, lose_manifest])
def test_a_damaged_release_is_never_made_current(
    built: tuple[ShelfTest, str, str], damage: Callable[[Path], None]
) -> None:
    shelf, first, second = built
    damage(shelf.site / "releases" / first)
    with pytest.raises(ShelfDamaged):
        roll_back(shelf.site, first)
    assert shelf.manifest.release == second


def test_the_message_for_a_damaged_release_names_the_fault_and_what_to_do(
    built: tuple[ShelfTest, str, str], capsys: Captured
) -> None:
    shelf, first, _ = built
    lose_source(shelf.site / "releases" / first)
    assert main(["rollback", first, str(shelf.site)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"release {first} is not whole (faults: 1), so it was not made current" in err
    assert "sources/a.pdf: is listed in files.tsv and is not there" in err


def test_a_fault_that_was_built_so_does_not_hinder_rolling_back(tmp_path: Path) -> None:
    manifest = ShelfManifest("shelf", "", "en", "", None, Budget(), (), ())
    with output_lock(tmp_path):
        first, _ = [
            publish(tmp_path, {"index.md": text}, manifest, None).manifest.release
            for text in (b"no index", b"no index either")
        ]
    assert [fault.code for fault in check_release(tmp_path / "releases" / first)] == ["index"]
    assert roll_back(tmp_path, first) == first
    assert (tmp_path / "current/index.md").read_bytes() == b"no index"


def test_while_a_build_holds_the_folder_nothing_is_pinned_or_rolled_back(
    built: tuple[ShelfTest, str, str],
) -> None:
    shelf, first, second = built
    with output_lock(shelf.site):
        for act in (pin_release, unpin_release, roll_back):
            with pytest.raises(BuildError, match="another build"):
                act(shelf.site, first)
    assert (shelf.manifest.release, pinned_ids(shelf.site)) == (second, frozenset())


def test_a_folder_that_is_no_site_stays_as_it_is(tmp_path: Path) -> None:
    for act in (pin_release, unpin_release, roll_back):
        with pytest.raises(ShelfDamaged, match="name the folder that docshelf build wrote"):
            act(tmp_path / "nowhere", "current")
    assert list(tmp_path.iterdir()) == []


def test_the_commands_list_pin_unpin_and_roll_back(
    built: tuple[ShelfTest, str, str], capsys: Captured
) -> None:
    shelf, first, second = built

    def marked(*options: str) -> dict[str, str]:
        assert main(["releases", str(shelf.site), *options]) == 0
        rows = capsys.readouterr().out.splitlines()[1:]
        # Sources in no repository: the commit is a dash.
        return {row.split()[0]: row.partition(" -")[2].strip() for row in rows}

    assert marked("--pin", first[:8]) == {first: "pinned", second: "current"}
    assert main(["rollback", first[:8], str(shelf.site)]) == 0
    assert capsys.readouterr().out == f"{first}\n"
    assert marked() == {first: "current, pinned", second: ""}
    assert marked("--unpin", first[:8]) == {first: "current", second: ""}


def test_an_unknown_release_exits_with_2_and_names_the_kept_ones(
    built: tuple[ShelfTest, str, str], capsys: Captured
) -> None:
    shelf, first, second = built
    for command in (["releases", str(shelf.site), "--pin", "zz"], ["rollback", "zz", str(shelf.site)]):
        assert main(command) == 2
        err = capsys.readouterr().err
        assert f"'zz' is no release that is kept; name one of them: {min(first, second)}" in err
