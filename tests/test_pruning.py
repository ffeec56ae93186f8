import os
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest
from publisher import publish_version

from docshelf.build.releasing.keeping import pin_release, roll_back
from docshelf.build.releasing.pruning import clear_private, private_folder, remove_retired, retire
from docshelf.serve.config import Keep
from docshelf.serve.releases.kept import current_id, kept_ids

ALL = Keep(count=9, age_s=3600)
HOUR_S = 3600.0


def build(site: Path, *numbers: int) -> list[str]:
    """The releases of these versions, published one after the other."""
    return [publish_version(site, number, ALL) for number in numbers]


def became_current_s(site: Path, release: str) -> float:
    return (site / "releases" / release).stat().st_ctime


def left(site: Path, keep: Keep, now_s: float) -> list[str]:
    current = current_id(site)
    assert current is not None
    retire(site, current, keep, now_s)
    return list(kept_ids(site))


def between(site: Path, releases: Sequence[str]) -> float:
    """A time after the first of two releases became current and before the second did."""
    first, second = (became_current_s(site, release) for release in releases)
    assert first < second
    return (first + second) / 2


def test_as_many_as_count_stay_however_old_they_are(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2, 3, 4)
    now_s = became_current_s(tmp_path, releases[-1]) + 2 * HOUR_S
    assert left(tmp_path, Keep(2, 3600), now_s) == sorted(releases[2:])


def test_a_release_stays_for_its_age_from_when_another_one_took_its_place(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2)
    # The first is older than an hour, but readers were sent there less than an hour ago.
    now_s = between(tmp_path, releases) + HOUR_S
    assert left(tmp_path, Keep(1, 3600), now_s) == sorted(releases)
    now_s = became_current_s(tmp_path, releases[1]) + HOUR_S + 1
    assert left(tmp_path, Keep(1, 3600), now_s) == [releases[1]]


def test_a_release_that_was_current_again_by_a_rollback_stays_for_its_age_after_that(tmp_path: Path) -> None:
    first, second = build(tmp_path, 1, 2)
    roll_back(tmp_path, first)
    (third,) = build(tmp_path, 3)
    now_s = between(tmp_path, (first, third)) + HOUR_S
    # The second was left when the first came back, the first when the third came.
    assert left(tmp_path, Keep(1, 3600), now_s) == sorted((first, third))
    assert second not in kept_ids(tmp_path)


def test_the_current_release_stays_where_a_rollback_made_it_the_oldest(tmp_path: Path) -> None:
    first, second, third = build(tmp_path, 1, 2, 3)
    (tmp_path / "current").unlink()
    (tmp_path / "current").symlink_to(f"releases/{first}")
    assert left(tmp_path, Keep(1, 0), became_current_s(tmp_path, third) + 1) == sorted((first, third))
    assert second not in kept_ids(tmp_path)


def test_pinned_releases_stay_and_do_not_count(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2, 3, 4)
    pin_release(tmp_path, releases[0])
    now_s = became_current_s(tmp_path, releases[-1]) + 2 * HOUR_S
    assert left(tmp_path, Keep(2, 3600), now_s) == sorted([releases[0], *releases[2:]])


def test_no_more_than_four_times_the_count_stay_however_young_they_are(tmp_path: Path) -> None:
    releases = build(tmp_path, *range(1, 11))
    now_s = became_current_s(tmp_path, releases[-1])
    assert left(tmp_path, Keep(2, 3600), now_s) == sorted(releases[-8:])


def test_a_lower_count_is_followed_by_a_build_that_changes_nothing(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2, 3)
    assert publish_version(tmp_path, 3, Keep(2, 0)) == releases[2]
    assert kept_ids(tmp_path) == tuple(sorted(releases[1:]))


def test_a_private_folder_is_gone_afterwards_whatever_happens(tmp_path: Path) -> None:
    for error in (OSError, KeyboardInterrupt):
        with pytest.raises(error), private_folder(tmp_path) as folder:
            (folder / "half").write_text("x")
            raise error
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    build(tmp_path, 1)
    before = sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*"))
    (tmp_path / "releases/.tmp-1/docs").mkdir(parents=True)
    (tmp_path / ".tmp-current").symlink_to("releases")
    (tmp_path / ".tmp-index.html").write_text("half")
    clear_private(tmp_path)
    assert sorted(file.relative_to(tmp_path) for file in tmp_path.rglob("*")) == before


def retired(site: Path) -> list[Path]:
    """The files of releases that are only to be removed."""
    return [file for file in site.glob("releases/.old-*/**/*") if file.is_file()]


def test_a_retired_release_is_gone_for_readers_and_its_files_go_later(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2)
    assert left(tmp_path, Keep(1, 0), became_current_s(tmp_path, releases[1]) + 1) == [releases[1]]
    assert retired(tmp_path)
    remove_retired(tmp_path)
    assert [folder.name for folder in (tmp_path / "releases").iterdir()] == [releases[1]]


def test_a_release_that_came_back_is_retired_again_though_its_files_are_still_there(tmp_path: Path) -> None:
    first, second = build(tmp_path, 1, 2)
    for times in (1, 2):
        assert left(tmp_path, Keep(1, 0), became_current_s(tmp_path, second) + 1) == [second]
        retired_first = sorted((tmp_path / "releases").glob(f".old-{first}*"))
        assert len(retired_first) == times
        copytree(retired_first[0], tmp_path / "releases" / first)
        time.sleep(0.02)  # The clock of a file system ticks every few milliseconds.
        os.utime(tmp_path / "releases" / second)
    remove_retired(tmp_path)
    assert retired(tmp_path) == []


def test_whoever_wants_to_build_does_not_wait_until_all_files_are_removed(tmp_path: Path) -> None:
    releases = build(tmp_path, 1, 2)
    left(tmp_path, Keep(1, 0), became_current_s(tmp_path, releases[1]) + 1)
    before = len(retired(tmp_path))
    remove_retired(tmp_path, lambda: len(retired(tmp_path)) < before)
    assert 0 < len(retired(tmp_path)) < before
    remove_retired(tmp_path)
    assert retired(tmp_path) == []


def test_two_may_remove_the_same_release(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    releases = build(tmp_path, 1, 2)
    left(tmp_path, Keep(1, 0), became_current_s(tmp_path, releases[1]) + 1)

    def meanwhile() -> bool:
        remove_retired(tmp_path)
        return False

    remove_retired(tmp_path, meanwhile)
    assert retired(tmp_path) == []
    assert caplog.text == ""
