import os
from pathlib import Path

import pytest

from docshelf.build.caching.cache import Cache
from docshelf.build.caching.cache_report import cache_lines, prune_cache, size_in_bytes
from docshelf.build.cli import main
from docshelf.build.releasing.lock import output_lock
from docshelf.serve.errors import BuildError


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site whose cache holds two conversions of 1,000 bytes and their seals, and one note."""
    cache = Cache(tmp_path / ".cache/conversions")
    for used_s, key in ((1_700_000_000, "older"), (1_800_000_000, "newer")):
        place = cache.workplace(key)
        (place / "pages.jsonl").write_bytes(bytes(1000))
        os.utime(cache.store(key, place), (used_s, used_s))
    (tmp_path / ".cache/notes").mkdir()
    (tmp_path / ".cache/notes/a").write_bytes(b"123")
    (tmp_path / ".cache/sources").write_bytes(b"12345")
    return tmp_path


def test_entries_bytes_and_age_are_told(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = sum(entry.size_bytes for entry in Cache(site / ".cache/conversions").entries())
    assert size > 2000
    assert main(["cache", str(site)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"conversions: 2, {size:,} bytes"
    assert told[1] == "  last used (UTC): 2023-11-14 22:13:20 to 2027-01-15 08:00:00"
    assert "notes of documents: 1, 3 bytes" in told
    assert "stats of sources: 5 bytes" in told


def test_pruning_removes_what_was_not_used_for_longest(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cache", str(site), "--prune"]) == 0
    assert capsys.readouterr().err == "removed: 0, 0 bytes; refusals forgotten: 0\n"
    assert main(["cache", str(site), "--prune", "--max-size", "1500"]) == 0
    assert capsys.readouterr().err.startswith("removed: 1, 1,")
    assert [entry.key for entry in Cache(site / ".cache/conversions").entries()] == ["newer"]
    prune_cache(site, 0)
    assert next(cache_lines(site)) == "conversions: 0, 0 bytes"


def test_pruning_waits_for_no_build(site: Path) -> None:
    with output_lock(site), pytest.raises(BuildError, match="another build"):
        prune_cache(site, 0)
    assert len(Cache(site / ".cache/conversions").entries()) == 2


def test_a_folder_without_a_cache_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--prune"]):
        assert main(["cache", str(tmp_path), *arguments]) == 2
        assert "holds no cache; name the folder that docshelf build wrote" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_size_without_pruning_is_refused(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", str(site), "--max-size", "1G"]) == 2
    assert "give it together with --prune" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1500", 1500), ("2k", 2048), ("500M", 524_288_000), ("2G", 2_147_483_648), ("1TiB", 1 << 40)],
)
def test_a_size_is_bytes_or_has_a_unit(text: str, size: int) -> None:
    assert size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "M", "-1", "1.5G", "10 GB please", "1" * 16])
def test_what_is_no_size_is_refused_with_what_to_do(text: str) -> None:
    with pytest.raises(ValueError, match="is no size; write it as 500M or 2G"):
        size_in_bytes(text)
