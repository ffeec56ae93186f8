"""What a process that builds again and again need not read anew."""

from pathlib import Path

import pytest
from shelftest import ShelfTest

from docshelf.build.caching.warm import Warm
from docshelf.build.releasing.current import CurrentRelease, current_release
from docshelf.build.releasing.keeping import roll_back
from docshelf.serve.manifest import DocumentMeta
from docshelf.serve.releases.tree import Release


@pytest.fixture
def warm(shelf: ShelfTest) -> Warm:
    shelf.pdf("a.pdf", "# A\nText of a")
    shelf.pdf("b.pdf", "# B\nText of b")
    shelf.build()
    return Warm(shelf.site)


def current(warm: Warm) -> CurrentRelease:
    found = warm.current()
    assert found is not None
    return found


def test_where_nothing_was_built_there_is_no_current_release(shelf: ShelfTest) -> None:
    assert Warm(shelf.site).current() is None


def test_a_release_is_read_once_as_long_as_it_is_current(warm: Warm) -> None:
    assert current(warm) is current(warm)


def test_a_release_of_another_build_is_seen(warm: Warm, shelf: ShelfTest) -> None:
    before = current(warm)
    shelf.pdf("b.pdf", "# B\nOther text")
    shelf.build()
    assert current(warm).release.id == shelf.manifest.release != before.release.id


def test_of_a_new_release_only_the_metas_that_changed_are_read(
    warm: Warm, shelf: ShelfTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [current(warm).meta(path) for path in ("docs/a.meta.json", "docs/b.meta.json")]
    shelf.pdf("b.pdf", "# B\nOther text")
    shelf.build()
    after = current(warm)
    read: list[str] = []
    meta_of = Release.meta

    def watched(release: Release, path: str) -> DocumentMeta:
        read.append(path)
        return meta_of(release, path)

    monkeypatch.setattr(Release, "meta", watched)
    assert after.meta("docs/a.meta.json") is before[0]
    assert after.meta("docs/b.meta.json") != before[1]
    assert read == ["docs/b.meta.json"]


@pytest.mark.parametrize("name", ["shelf.json", "files.tsv"])
def test_a_release_that_was_damaged_meanwhile_is_none_and_the_next_build_mends_it(
    warm: Warm, shelf: ShelfTest, name: str
) -> None:
    whole = shelf.tree()
    current(warm)
    (shelf.current / name).write_bytes(b"damaged\ndamaged\n")
    assert warm.current() is None
    shelf.build()
    assert shelf.tree() == whole
    assert current(warm).release.id == shelf.manifest.release


def test_what_was_read_while_another_build_switched_is_read_again(
    warm: Warm, shelf: ShelfTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shelf.manifest.release

    def read_late(output: Path) -> CurrentRelease | None:
        monkeypatch.undo()
        shelf.pdf("b.pdf", "# B\nOther text")
        shelf.build()
        return current_release(output)

    monkeypatch.setattr("docshelf.build.caching.warm.current_release", read_late)
    assert current(warm).release.id != first
    roll_back(shelf.site, first)
    assert current(warm).release.id == first
