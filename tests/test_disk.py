import errno
import os
from pathlib import Path

import pytest

from docshelf.build.releasing.disk import exchange, write_failed, write_file


def test_a_file_has_the_bytes_and_the_time_it_was_given(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 3_000_000)
    contents: tuple[bytes | Path, ...] = (b"bytes", source)
    for number, content in enumerate(contents):
        file = tmp_path / str(number)
        write_file(file, content, time_ns=1_700_000_000_123_456_789)
        assert file.read_bytes() == (content.read_bytes() if isinstance(content, Path) else content)
        assert file.stat().st_mtime_ns == 1_700_000_000_123_456_789
        assert file.stat().st_nlink == 1


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "file", b"yours")
    assert (tmp_path / "file").read_text() == "mine"


def test_two_folders_exchange_their_names(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    exchange(tmp_path / "one", tmp_path / "other")
    assert [file.name for file in (tmp_path / "one").iterdir()] == ["other"]
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["one"]


def test_where_one_is_missing_nothing_is_exchanged(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "other")
    assert [file.name for file in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some space (SITE/.cache may go, a lower keep.count drops old releases) and"),
        (errno.EDQUOT, "free some space"),
        (errno.EACCES, f"give the user {os.geteuid()} the right to write there, or name another folder with"),
        (errno.EROFS, "name a folder that can be written with -o, or mount this one for writing"),
        (errno.EIO, "the disk or share fails; look into the kernel's log (dmesg), mend it and build again"),
        (errno.ESTALE, "mend this and build again"),
    ],
)
def test_a_refusal_says_where_why_what_it_left_and_what_to_do(number: int, advice: str) -> None:
    error = OSError(number, os.strerror(number), "site/releases/.tmp-1/index.md")
    text = str(write_failed(Path("site"), error))
    begin = f"site/releases/.tmp-1/index.md: {os.strerror(number)}; nothing was published: {advice}"
    assert text.startswith(begin)
    nameless = str(write_failed(Path("site"), OSError(number, os.strerror(number)), "nothing was pinned"))
    assert nameless.startswith(f"site: {os.strerror(number)}; nothing was pinned: {advice}")
