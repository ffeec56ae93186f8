from pathlib import Path

import pytest

from docshelf.build.releasing.current import current_release
from docshelf.build.releasing.lock import output_lock
from docshelf.build.releasing.pruning import drop_old_releases, remove_retired
from docshelf.build.releasing.release import publish
from docshelf.serve.check import check_release
from docshelf.serve.config import Budget, Keep
from docshelf.serve.errors import BuildError
from docshelf.serve.manifest import ShelfManifest

KEEP_ALL = Keep(count=5, age_s=3600)


def manifest(name: str = "shelf") -> ShelfManifest:
    return ShelfManifest(name, "", "en", "", None, Budget(), (), ())


def put(site: Path, files: dict[str, bytes], keep: Keep = KEEP_ALL, name: str = "shelf") -> str:
    with output_lock(site):
        release = publish(site, dict(files), manifest(name), current_release(site)).manifest.release
        drop_old_releases(site, release, keep)
        remove_retired(site)
        return release


def releases(site: Path) -> list[str]:
    return sorted(folder.name for folder in (site / "releases").iterdir())


def test_the_current_link_leads_to_the_release_that_its_content_names(tmp_path: Path) -> None:
    release = put(tmp_path, {"a.txt": b"a"})
    assert str((tmp_path / "current").readlink()) == f"releases/{release}"
    assert (tmp_path / "current/a.txt").read_bytes() == b"a"
    assert (tmp_path / "current/assets/release.js").read_text() == f'window.docshelfRelease = "{release}";\n'
    assert list(check_release(tmp_path / "current")) == []


def test_the_release_depends_on_the_manifest_and_on_every_file(tmp_path: Path) -> None:
    names = {
        put(tmp_path / "1", {"a.txt": b"a"}),
        put(tmp_path / "2", {"a.txt": b"b"}),
        put(tmp_path / "3", {"b.txt": b"a"}),
        put(tmp_path / "4", {"a.txt": b"a"}, name="other"),
    }
    assert len(names) == 4
    assert put(tmp_path / "5", {"a.txt": b"a"}) in names


def test_an_unchanged_file_is_a_link_to_the_release_before(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"a", "b.txt": b"1"})
    before = (tmp_path / "current/a.txt").stat().st_ino
    put(tmp_path, {"a.txt": b"a", "b.txt": b"2"})
    assert (tmp_path / "current/a.txt").stat().st_ino == before


def test_a_file_damaged_in_the_release_before_is_written_anew(tmp_path: Path) -> None:
    first = put(tmp_path, {"a.txt": b"right", "b.txt": b"1"})
    (tmp_path / "releases" / first / "a.txt").write_bytes(b"wrong")
    put(tmp_path, {"a.txt": b"right", "b.txt": b"2"})
    assert (tmp_path / "current/a.txt").read_bytes() == b"right"


def test_a_damaged_release_is_replaced_by_a_build_of_the_same_content(tmp_path: Path) -> None:
    release = put(tmp_path, {"a.txt": b"right"})
    (tmp_path / "current/a.txt").unlink()
    assert put(tmp_path, {"a.txt": b"right"}) == release
    assert list(check_release(tmp_path / "current")) == []
    assert releases(tmp_path) == [release]


def test_sources_are_copied_and_never_linked_to_the_users_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine.pdf"
    mine.write_bytes(b"x")
    with output_lock(tmp_path / "site"):
        publish(tmp_path / "site", {"sources/a.pdf": mine}, manifest(), None)
    assert mine.stat().st_nlink == 1


def test_old_releases_go_once_there_are_more_than_count_and_they_are_old_enough(tmp_path: Path) -> None:
    young = [put(tmp_path, {"a.txt": str(number).encode()}, Keep(2, 3600)) for number in range(4)]
    assert releases(tmp_path) == sorted(young)
    last = put(tmp_path, {"a.txt": b"last"}, Keep(2, 0))
    assert releases(tmp_path) == sorted([young[-1], last])


def test_a_release_that_comes_back_is_made_current_again(tmp_path: Path) -> None:
    first = put(tmp_path, {"a.txt": b"1"})
    put(tmp_path, {"a.txt": b"2"})
    assert put(tmp_path, {"a.txt": b"1"}) == first
    assert (tmp_path / "current/a.txt").read_bytes() == b"1"


def test_a_failed_publish_leaves_the_old_release_and_no_litter(tmp_path: Path) -> None:
    release = put(tmp_path, {"a.txt": b"1"})
    with output_lock(tmp_path), pytest.raises(BuildError, match=r"gone\.pdf: No such file"):
        publish(tmp_path, {"b.pdf": tmp_path / "gone.pdf"}, manifest(), current_release(tmp_path))
    assert current_release(tmp_path) is not None
    assert releases(tmp_path) == [release]


def test_an_output_that_is_a_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(BuildError, match="name a folder with -o"), output_lock(tmp_path / "site"):
        pass
    assert (tmp_path / "site").read_text() == "mine"


def test_a_current_link_that_leads_elsewhere_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "current").symlink_to("elsewhere")
    assert current_release(tmp_path) is None


@pytest.mark.parametrize("target", ["current", "releases/0123456789abcdef", "releases/..", ""])
def test_a_current_link_that_leads_nowhere_is_no_release(target: str, tmp_path: Path) -> None:
    if target:
        (tmp_path / "current").symlink_to(target)
    else:
        (tmp_path / "current").mkdir()
    assert current_release(tmp_path) is None


def test_where_current_is_a_folder_of_somebody_nothing_is_published_and_it_stays(tmp_path: Path) -> None:
    (tmp_path / "current").mkdir()
    (tmp_path / "current/mine").touch()
    with pytest.raises(BuildError, match=r"current: Is a directory; nothing was published: mend this"):
        put(tmp_path, {"a.txt": b"a"})
    assert (tmp_path / "current/mine").exists()
    assert not (tmp_path / ".tmp-current").is_symlink()


def test_changed_files_are_later_than_those_of_every_kept_release_and_the_rest_keeps_its_time(
    tmp_path: Path,
) -> None:
    changing = ("b.txt", "shelf.json", "files.tsv", "assets/release.js")
    seen: dict[str, set[int]] = {path: set() for path in changing}
    put(tmp_path, {"a.txt": b"a", "b.txt": b"0"})
    same = (tmp_path / "current/a.txt").stat().st_mtime_ns
    for number in (1, 2, 1, 3):
        put(tmp_path, {"a.txt": b"a", "b.txt": str(number).encode()})
        for path in changing:
            time_s = int((tmp_path / "current" / path).stat().st_mtime)
            assert all(time_s > before for before in seen[path])
            seen[path].add(time_s)
        assert (tmp_path / "current/a.txt").stat().st_mtime_ns == same


def test_the_stub_beside_the_releases_leads_to_the_current_one(tmp_path: Path) -> None:
    put(tmp_path, {"index.html": b"x"})
    assert 'href="current/index.html"' in (tmp_path / "index.html").read_text()
