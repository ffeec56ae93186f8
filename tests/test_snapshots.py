import hashlib
import os
import time
from pathlib import Path

import pytest

from docshelf.build.planning.snapshots import SourceMemo
from docshelf.build.releasing.digests import read_content
from docshelf.serve.errors import SourceError

RACY_NS = 100_000_000


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a local disk ticks every few milliseconds: 0.1 s does what 2 s do elsewhere."""
    monkeypatch.setattr("docshelf.build.planning.snapshots.RACY_NS", RACY_NS)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "source.pdf"
    file.write_bytes(b"first")
    return file


def wait_until_settled(file: Path) -> None:
    """Until the file's stat is too old for another edit to leave it as it is."""
    facts = file.stat()
    time.sleep(max(0, max(facts.st_mtime_ns, facts.st_ctime_ns) + RACY_NS - time.time_ns()) / 1e9 + 0.01)


def look(tmp_path: Path, source: Path) -> tuple[int, str]:
    """What a new build knows of the source before it reads it."""
    return SourceMemo(tmp_path / "memo").find("a.pdf", source)


def read(tmp_path: Path, source: Path) -> str:
    """A build that copies the source; gives the hash of what it copied."""
    memo = SourceMemo(tmp_path / "memo")
    memo.find("a.pdf", source)
    copy = memo.copy("a.pdf", source, tmp_path, "copy.pdf")
    memo.save()
    assert hashlib.sha256(read_content(copy)).hexdigest() == copy.sha256
    return copy.sha256


def test_a_source_that_settled_is_known_by_its_stat_alone(tmp_path: Path, source: Path) -> None:
    assert look(tmp_path, source) == (5, "")
    wait_until_settled(source)
    sha256 = read(tmp_path, source)
    assert sha256 == hashlib.sha256(b"first").hexdigest()
    assert look(tmp_path, source) == (5, sha256)


def test_a_young_source_is_hashed_again(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be edited within the same tick of the clock; git calls such an entry racily clean."""
    # Young for an hour: the test may be slow.
    monkeypatch.setattr("docshelf.build.planning.snapshots.RACY_NS", 3_600_000_000_000)
    read(tmp_path, source)
    assert look(tmp_path, source) == (5, "")


def test_a_source_with_a_time_to_come_is_hashed_again(tmp_path: Path, source: Path) -> None:
    wait_until_settled(source)
    os.utime(source, (2**32, 2**32))
    read(tmp_path, source)
    assert look(tmp_path, source) == (5, "")


def test_an_edit_of_equal_size_with_its_time_set_back_is_seen(tmp_path: Path, source: Path) -> None:
    wait_until_settled(source)
    read(tmp_path, source)
    facts = source.stat()
    source.write_bytes(b"other")
    os.utime(source, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert source.stat().st_mtime_ns == facts.st_mtime_ns
    assert look(tmp_path, source) == (5, "")


def test_another_file_moved_to_its_place_is_seen(tmp_path: Path, source: Path) -> None:
    wait_until_settled(source)
    read(tmp_path, source)
    other = tmp_path / "other.pdf"
    other.write_bytes(b"other")
    facts = source.stat()
    os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    other.replace(source)
    assert look(tmp_path, source) == (5, "")


def test_an_edit_during_the_copy_is_not_remembered(tmp_path: Path, source: Path) -> None:
    source.write_bytes(bytes(3 << 20))
    wait_until_settled(source)
    memo = SourceMemo(tmp_path / "memo")
    fifo = tmp_path / "copy.pdf"
    os.mkfifo(fifo)
    child = os.posix_spawn(
        "/bin/sh", ["sh", "-c", f"exec 3<{fifo}; printf x >>{source}; cat <&3 >/dev/null"], {}
    )
    memo.copy("a.pdf", source, tmp_path, "copy.pdf")
    memo.save()
    os.waitpid(child, 0)
    assert look(tmp_path, source) == (3 * (1 << 20) + 1, "")


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "gone"])
def test_a_damaged_memo_knows_nothing(tmp_path: Path, source: Path, damage: str) -> None:
    wait_until_settled(source)
    read(tmp_path, source)
    memo = tmp_path / "memo"
    text = memo.read_bytes()
    if damage == "cut":
        memo.write_bytes(text[:-1])
    elif damage == "flip":
        memo.write_bytes(text[:70] + bytes([text[70] ^ 1]) + text[71:])
    elif damage == "foreign":
        memo.write_bytes(b'{"a.pdf": [5, 0, 0, 0, 0, ""]}')
    else:
        memo.unlink()
    assert look(tmp_path, source) == (5, "")


def test_a_source_that_is_gone_is_forgotten(tmp_path: Path, source: Path) -> None:
    wait_until_settled(source)
    read(tmp_path, source)
    SourceMemo(tmp_path / "memo").save()
    assert look(tmp_path, source) == (5, "")


def test_what_cannot_be_read_is_a_source_error_that_says_what_to_do(tmp_path: Path) -> None:
    memo = SourceMemo(tmp_path / "memo")
    assert memo.find("a.pdf", tmp_path / "gone.pdf") == (0, "")
    with pytest.raises(
        SourceError, match=r"cannot be read \(No such file or directory\); mend its rights"
    ) as caught:
        memo.copy("a.pdf", tmp_path / "gone.pdf", tmp_path, "copy.pdf")
    assert caught.value.code == "unreadable"


def test_a_disk_that_takes_no_copy_is_no_fault_of_the_source(tmp_path: Path, source: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        SourceMemo(tmp_path / "memo").copy("a.pdf", source, tmp_path / "none", "copy.pdf")
