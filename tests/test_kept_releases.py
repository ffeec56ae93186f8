import os
from pathlib import Path

import pytest
from shelftest import ShelfTest

from docshelf.build.cli import main
from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.releases.kept import (
    KeptRelease,
    find_release,
    kept_ids,
    kept_releases,
    open_release,
    pinned_ids,
    release_lines,
)

FIRST, SECOND, THIRD = "0123456789abcdef", "0123ffffffffffff", "fedcba9876543210"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Three folders with the names of releases, beside what is none; the second is current."""
    for name in (FIRST, SECOND, THIRD, ".tmp-12", "notes"):
        (tmp_path / "releases" / name).mkdir(parents=True)
    (tmp_path / "releases" / "0000000000000000").write_text("a file")
    (tmp_path / "current").symlink_to(f"releases/{SECOND}")
    return tmp_path


def test_only_folders_with_the_name_of_a_release_are_kept_releases(site: Path) -> None:
    assert kept_ids(site) == (FIRST, SECOND, THIRD)


@pytest.mark.parametrize(
    ("text", "release"),
    [(FIRST, FIRST), ("01234", FIRST), ("f", THIRD), ("current", SECOND), ("0123f", SECOND)],
)
def test_a_release_is_meant_by_its_name_by_how_it_begins_or_as_the_current_one(
    site: Path, text: str, release: str
) -> None:
    assert find_release(site, text) == release


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0123", f"'0123' means 2 releases; name one of them: {FIRST}, {SECOND}"),
        ("abc", f"'abc' is no release that is kept; name one of them: {FIRST}, {SECOND}, {THIRD}"),
        ("", "'' is no release that is kept"),
        ("../releases/f", "is no release that is kept"),
        (".tmp-12", "is no release that is kept"),
    ],
)
def test_what_means_no_release_or_several_is_refused_with_the_choice(
    site: Path, text: str, message: str
) -> None:
    with pytest.raises(NotOnShelf) as caught:
        find_release(site, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("target", ["releases/aaaaaaaaaaaaaaaa", "elsewhere", None])
def test_a_current_link_that_leads_to_no_release_means_none(site: Path, target: str | None) -> None:
    (site / "current").unlink()
    if target:
        (site / "current").symlink_to(target)
    with pytest.raises(NotOnShelf, match=f"no release is current; kept: {FIRST}"):
        find_release(site, "current")


@pytest.mark.parametrize("place", ["missing", "empty", "release"])
def test_a_folder_that_keeps_no_releases_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty" / "releases").mkdir(parents=True)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "shelf.json").write_text("{}")
    with pytest.raises(ShelfDamaged, match=f"{place} keeps no releases"):
        kept_ids(tmp_path / place)


def test_pins_are_files_with_the_name_of_a_release_and_nothing_else(site: Path) -> None:
    assert pinned_ids(site) == frozenset()
    (site / ".pins").mkdir()
    for name in (FIRST, "readme", FIRST[:8]):
        (site / ".pins" / name).touch()
    assert pinned_ids(site) == {FIRST}


def test_pins_that_cannot_be_read_are_an_error_and_not_no_pins(site: Path) -> None:
    (site / ".pins").write_text("a file")
    with pytest.raises(NotADirectoryError):
        pinned_ids(site)


def test_a_folder_that_holds_another_release_than_its_name_says_is_damaged(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    release = shelf.manifest.release
    shelf.current.resolve().rename(shelf.site / "releases" / FIRST)
    with pytest.raises(ShelfDamaged, match=f"releases/{FIRST} holds the release {release}"):
        open_release(shelf.site, FIRST)


def test_releases_come_the_latest_first_with_what_they_hold(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    older = shelf.manifest.release
    os.utime(shelf.current.resolve(), (1_000_000_000, 1_000_000_000))
    shelf.pdf("b.pdf", "another text")
    shelf.build()
    kept = kept_releases(shelf.site)
    assert [(it.id, it.documents, it.is_current) for it in kept] == [
        (shelf.manifest.release, 2, True),
        (older, 1, False),
    ]
    assert kept[1].built_s == 1_000_000_000
    assert kept[0].size_bytes == sum(len(content) for content in shelf.tree().values())


def test_a_damaged_release_is_listed_with_the_reason_and_hides_no_other(
    shelf: ShelfTest, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.pdf("a.pdf", "text")
    shelf.build()
    (shelf.site / "releases" / FIRST).mkdir()
    assert main(["releases", str(shelf.site)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    [damaged] = [line for line in lines if line.startswith(FIRST)]
    assert f"damaged: {shelf.site}/releases/{FIRST} is no shelf: it has no shelf.json" in damaged
    [whole] = [line for line in lines if line.startswith(shelf.manifest.release)]
    assert whole.endswith("  current")


def test_a_list_of_releases_is_a_table() -> None:
    kept = [
        KeptRelease(FIRST, 1_700_000_000.5, 12, 3_456_789, "0123456789abcdef+changes", True, True),
        KeptRelease(SECOND, 1_600_000_000, 3, 99, None, False, False),
        KeptRelease(THIRD, 1_500_000_000, 0, 0, None, False, True, "x"),
    ]
    assert release_lines(kept) == [
        "release           built (UTC)          documents      bytes  source commit",
        "0123456789abcdef  2023-11-14 22:13:20         12  3,456,789  0123456789ab+changes  current, pinned",
        "0123ffffffffffff  2020-09-13 12:26:40          3         99  -",
        "fedcba9876543210  2017-07-14 02:40:00          0          0  -                     pinned, damaged: x",
    ]
