from pathlib import Path

import pytest

from docshelf.build.caching.sealed import read_sealed, write_sealed


def test_what_was_sealed_is_read_as_it_was(tmp_path: Path) -> None:
    write_sealed(tmp_path / "a" / "b", {"имя": [1, None, "\udcff"]})
    assert read_sealed(tmp_path / "a" / "b") == {"имя": [1, None, "\udcff"]}
    assert [file.name for file in (tmp_path / "a").iterdir()] == ["b"]


def test_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert read_sealed(tmp_path / "none") is None
    assert read_sealed(tmp_path) is None


def test_every_flipped_bit_and_every_cut_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a"
    write_sealed(file, {"key": 12})
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place])
        assert read_sealed(file) is None
        for bit in range(8):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
            assert read_sealed(file) is None
    file.write_bytes(whole + b" ")
    assert read_sealed(file) is None


@pytest.mark.parametrize("text", [b"", b"\n", b"[" * 100_000, b"\xff\xfe", b"{}"])
def test_what_another_put_there_is_nothing(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a").write_bytes(text)
    assert read_sealed(tmp_path / "a") is None
