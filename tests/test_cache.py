import os
import shutil
from pathlib import Path

import pytest

from docshelf.build.caching.cache import Cache, cache_key


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "conversions")


def put(cache: Cache, key: str, text: str, name: str = "work") -> Path:
    place = cache.workplace(name)
    (place / "pages.jsonl").write_text(text)
    return cache.store(key, place)


def test_an_entry_is_found_as_it_was_stored(cache: Cache) -> None:
    entry = put(cache, "a", "text")
    assert cache.find("a") == entry
    assert (entry / "pages.jsonl").read_text() == "text"
    assert cache.find("b") is None


@pytest.mark.parametrize("damage", ["change", "cut", "remove", "add", "seal", "folder", "foreign"])
def test_a_damaged_entry_is_a_miss_and_goes(cache: Cache, damage: str) -> None:
    entry = put(cache, "a", "text")
    file = entry / "pages.jsonl"
    if damage == "change":
        file.write_text("test")
    elif damage == "cut":
        os.truncate(file, 2)
    elif damage == "folder":
        file.unlink()
        file.mkdir()
    elif damage == "foreign":
        shutil.rmtree(entry)
        put(cache, "b", "another's").rename(entry)
    elif damage == "remove":
        file.unlink()
    elif damage == "add":
        (entry / "p001.png").write_text("")
    else:
        (entry / "seal.json").write_text("[]")
    assert cache.find("a") is None
    assert not entry.exists()


def test_an_entry_that_a_worker_may_be_reading_is_never_replaced(cache: Cache) -> None:
    """Two sources of the same bytes are converted at once; the second must not pull the first away."""
    first = put(cache, "a", "text", "one")
    before = (first / "pages.jsonl").stat().st_ino
    assert put(cache, "a", "text", "two") == first
    assert (first / "pages.jsonl").stat().st_ino == before
    assert [entry.name for entry in cache.folder.iterdir()] == ["a"]


def test_an_entry_without_its_seal_is_made_anew(cache: Cache) -> None:
    (put(cache, "a", "text") / "seal.json").unlink()
    assert cache.find("a") is None
    assert (put(cache, "a", "again") / "pages.jsonl").read_text() == "again"


def test_what_a_killed_build_left_is_cleared(cache: Cache) -> None:
    put(cache, "a", "text")
    cache.workplace("b")
    cache.drop_workplaces()
    assert [entry.name for entry in cache.folder.iterdir()] == ["a"]


def test_what_was_not_used_for_longest_goes_first(cache: Cache) -> None:
    for place, key in enumerate("abcd"):
        os.utime(put(cache, key, "x" * 1000), (place, place))
    size = cache.entries()[0].size_bytes
    cache.mark_used(["a", "unknown"])
    assert [entry.key for entry in cache.entries()] == ["b", "c", "d", "a"]
    removed = cache.prune(limit_bytes=2 * size)
    assert [entry.key for entry in removed] == ["b", "c"]
    assert sorted(entry.name for entry in cache.folder.iterdir()) == ["a", "d"]
    assert cache.find("d") and not cache.find("b")


def test_nothing_goes_while_there_is_room(cache: Cache) -> None:
    put(cache, "a", "text")
    assert cache.prune(cache.entries()[0].size_bytes) == []
    assert Cache(cache.folder / "none").prune(0) == []


def test_what_has_to_stay_stays_whatever_the_limit(cache: Cache) -> None:
    for key in "ab":
        put(cache, key, "text")
    assert [entry.key for entry in cache.prune(0, staying={"a"})] == ["b"]
    assert cache.find("a")


def test_a_key_follows_everything_that_made_the_entry() -> None:
    parts = {"sha256": "0", "engine": "fast", "versions": "1"}
    assert cache_key(parts) == cache_key(dict(reversed(parts.items())))
    assert cache_key(parts) != cache_key({**parts, "versions": "2"})


def test_every_flipped_bit_of_an_entry_is_seen(cache: Cache) -> None:
    for name in ("pages.jsonl", "seal.json"):
        size = (put(cache, "a", "text") / name).stat().st_size
        for place in range(size):
            file = put(cache, "a", "text") / name
            content = bytearray(file.read_bytes())
            content[place] ^= 1
            file.write_bytes(content)
            assert cache.find("a") is None
