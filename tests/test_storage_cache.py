"""Files kept on disk by their hash."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from docshelf.serve.errors import ConfigError
from docshelf.serve.releases.tree import SMALL_BYTES
from docshelf.serve.storage.disk_cache import DiskCache

CONTENT = b"Plug in the router."
LARGE = b"x" * (SMALL_BYTES + 1)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def add(cache: DiskCache, content: bytes) -> None:
    file = cache.add(sha256(content), len(content), [content])
    assert file
    with file:
        assert file.read() == content


def kept(cache: DiskCache, content: bytes) -> bytes | None:
    file = cache.open(sha256(content), len(content))
    if file is None:
        return None
    with file:
        return file.read()


@pytest.mark.parametrize("content", [CONTENT, LARGE, b""])
def test_what_was_added_is_there_also_for_the_next_process(tmp_path: Path, content: bytes) -> None:
    cache = DiskCache(tmp_path / "new" / "cache")
    assert kept(cache, content) is None

    add(cache, content)

    assert kept(cache, content) == content
    assert kept(DiskCache(tmp_path / "new" / "cache"), content) == content
    assert (tmp_path / "new" / "cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "chunks", [[], [CONTENT[:5]], [CONTENT, b"!"], [CONTENT[::-1]], [CONTENT[:5], CONTENT[5:-1], b"?"]]
)
def test_what_is_not_what_it_should_be_is_not_kept(tmp_path: Path, chunks: list[bytes]) -> None:
    cache = DiskCache(tmp_path)

    assert cache.add(sha256(CONTENT), len(CONTENT), chunks) is None

    assert list(tmp_path.iterdir()) == []


def test_a_fetch_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield CONTENT[:5]
        raise TimeoutError("gone")

    with pytest.raises(TimeoutError, match="gone"):
        DiskCache(tmp_path).add(sha256(CONTENT), len(CONTENT), broken())

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_spoiled_on_disk_is_not_given_out(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    for content, spoiled in ((CONTENT, CONTENT[::-1]), (LARGE, LARGE[:-1])):
        add(cache, content)
        (tmp_path / sha256(content)).write_bytes(spoiled)
        assert kept(cache, content) is None
        add(cache, content)


def test_what_was_not_used_for_longest_goes_past_the_limit(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit_bytes=30)
    first, second, third = (letter * 10 for letter in (b"1", b"2", b"3"))
    for content in (first, second, third):
        add(cache, content)
    kept(cache, first)

    add(cache, b"4" * 10)

    assert [kept(cache, it) is not None for it in (first, second, third)] == [True, False, True]
    assert kept(DiskCache(tmp_path, limit_bytes=30), first) == first


def test_parts_that_nobody_writes_any_more_are_removed_and_other_files_stay(tmp_path: Path) -> None:
    now_s = time.time()
    for name, age_s in ((".docshelf-part-old", 3700), (".docshelf-part-new", 3500), ("notes.txt", 9999)):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (now_s - age_s, now_s - age_s))

    DiskCache(tmp_path)

    assert {it.name for it in tmp_path.iterdir()} == {".docshelf-part-new", "notes.txt"}


def test_servers_with_the_same_process_number_do_not_meet_in_their_parts(tmp_path: Path) -> None:
    """Each container has a process 1 of its own, and one that was killed there has left its part."""
    caches = DiskCache(tmp_path), DiskCache(tmp_path)

    def fetched() -> Iterator[bytes]:
        yield CONTENT[:5]
        add(caches[1], LARGE)
        yield CONTENT[5:]

    file = caches[0].add(sha256(CONTENT), len(CONTENT), fetched())
    assert file
    file.close()
    assert (kept(caches[1], CONTENT), kept(caches[0], LARGE)) == (CONTENT, LARGE)


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(ConfigError, match=r"--cache .*file/cache: cannot be used \(Not a directory\)"):
        DiskCache(tmp_path / "file" / "cache")


def test_who_fetches_a_file_holds_its_lock(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)

    assert cache.filling(sha256(CONTENT)) is cache.filling(sha256(CONTENT))
    assert isinstance(cache.filling(sha256(LARGE)), type(threading.Lock()))
