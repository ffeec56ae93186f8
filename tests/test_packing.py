"""Packed twins of a built shelf: the same text, the same bytes on every build, and no work done twice."""

import gzip
import os
import sys
import zlib
from pathlib import Path

import brotli
import pytest
from shelftest import ShelfTest

from docshelf.build.rendering import packing as module
from docshelf.build.rendering.packing import PackedMemo, Packer, pack
from docshelf.serve.config import Packing
from docshelf.serve.errors import MissingExtra
from docshelf.serve.releases.tree import Release

TEXT = "Слова о сети и о том, как она устроена, и ещё о маршрутах. "


def paged(word: str) -> str:
    return f"# Глава\n{word}\n" + "\n".join([TEXT] * 40)


def facts(shelf: ShelfTest) -> dict[str, tuple[int, int]]:
    """Inode and time of each twin."""
    root = shelf.current.resolve()
    return {
        file.relative_to(root).as_posix(): (file.stat().st_ino, file.stat().st_mtime_ns)
        for file in root.rglob("*")
        if file.suffix in (".gz", ".br")
    }


@pytest.fixture
def packed(shelf: ShelfTest) -> ShelfTest:
    """A shelf of two documents with twins of both kinds."""
    shelf.config(name="Полка", compress=["gz", "br"])
    shelf.pdf("a.pdf", paged("Первый"))
    shelf.pdf("b.pdf", paged("Второй"))
    shelf.build()
    return shelf


def test_without_the_setting_there_is_no_twin(shelf: ShelfTest) -> None:
    shelf.pdf("a.pdf", paged("Первый"))
    shelf.build()

    assert facts(shelf) == {}
    assert not (shelf.site / ".cache/packed").exists()


def test_each_text_has_twins_that_unpack_to_it(packed: ShelfTest) -> None:
    tree = packed.tree()
    twins = {path: content for path, content in tree.items() if path.endswith((".gz", ".br"))}

    for path, content in twins.items():
        plain = gzip.decompress(content) if path.endswith(".gz") else brotli.decompress(content)
        assert plain == tree[path[:-3]]
        assert len(content) <= 0.9 * len(plain)
    endings = {path.rpartition(".")[0].rpartition(".")[2] for path in twins}
    assert endings == {"md", "html", "css", "js"}
    assert {"docs/a.md.gz", "docs/a.md.br", "docs/a.html.gz", "docs/a.html.br"} <= twins.keys()
    assert not any(path.startswith("sources/") for path in twins)
    small = {path for path, content in tree.items() if len(content) < 1024}
    assert not {f"{path}.{ending}" for path in small for ending in ("gz", "br")} & twins.keys()


def test_twins_are_files_of_the_release_that_no_reader_sees(packed: ShelfTest) -> None:
    release = Release(packed.current.resolve())

    assert release.files["docs/a.md.gz"].type == "application/gzip"
    assert release.files["docs/a.md.br"].type == "application/x-brotli"
    assert release.twins == facts(packed).keys()
    assert not any(path.endswith((".gz", ".br")) for path in release.addresses.indexes)
    assert packed.faults() == []


def test_a_gzip_twin_holds_no_time_and_no_name() -> None:
    content = TEXT.encode() * 40

    assert pack(content, "gz")[:8] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
    assert zlib.decompress(pack(content, "gz"), wbits=31) == content


def test_another_folder_gives_the_same_twins(packed: ShelfTest, tmp_path: Path) -> None:
    other = ShelfTest(tmp_path / "other", jobs=1)
    for file in packed.source.iterdir():
        other.file(file.name, file.read_bytes())
    other.build()

    assert other.tree() == packed.tree()


def test_a_build_without_a_change_packs_nothing(packed: ShelfTest, monkeypatch: pytest.MonkeyPatch) -> None:
    before = facts(packed)
    packed.pdf("c.pdf", "short")  # Another release, in which nothing of a and b is new.
    asked: list[int] = []

    def counted(content: bytes, packing: Packing) -> bytes:
        asked.append(len(content))
        return pack(content, packing)

    monkeypatch.setattr(module, "pack", counted)

    packed.build()

    after = facts(packed)
    kept = {
        path for path in before if path.startswith(("docs/a", "docs/b", "assets/style", "assets/search-"))
    }
    assert len(kept) > 8
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}
    documents = {
        len(packed.tree()[path]) for path in ("docs/a.md", "docs/a.html", "docs/b.md", "docs/b.html")
    }
    assert asked
    assert not documents.intersection(asked)


def test_only_the_document_that_changed_gets_new_twins(packed: ShelfTest) -> None:
    before = facts(packed)
    packed.pdf("b.pdf", paged("Третий"))

    packed.build()

    after, tree = facts(packed), packed.tree()
    assert after["docs/a.md.gz"] == before["docs/a.md.gz"]
    for ending, unpacked in (("gz", gzip.decompress), ("br", brotli.decompress)):
        path = f"docs/b.md.{ending}"
        assert "Третий" in unpacked(tree[path]).decode()
        assert after[path][0] != before[path][0]
        assert after[path][1] // 10**9 > before[path][1] // 10**9  # nginx compares whole seconds.
    assert packed.faults() == []


def test_what_is_not_worth_packing_is_tried_once(packed: ShelfTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SHARE", 0.0)
    packed.build()
    assert facts(packed) == {}
    monkeypatch.setattr(module, "pack", None)  # A call would fail.

    packed.build()

    assert facts(packed) == {}


def test_the_setting_can_be_changed_and_taken_back(packed: ShelfTest) -> None:
    both = packed.tree()
    packed.config(name="Полка", compress=["gz"])
    packed.build()
    assert {path.rpartition(".")[2] for path in facts(packed)} == {"gz"}
    packed.config(name="Полка")
    packed.build()
    assert facts(packed) == {}
    packed.config(name="Полка", compress=["br", "gz"])
    packed.build()
    assert packed.tree() == both


@pytest.mark.parametrize("memory", ["kept", "lost", "damaged"])
def test_a_twin_that_was_damaged_is_found_and_made_again(packed: ShelfTest, memory: str) -> None:
    whole = packed.tree()
    twin = packed.current.resolve() / "docs/a.md.br"
    twin.chmod(0o644)
    twin.write_bytes(b"x" * len(whole["docs/a.md.br"]))
    assert [fault.split(":")[0] for fault in packed.faults()] == ["docs/a.md.br"]
    remembered = packed.site / ".cache/packed"
    if memory == "lost":
        remembered.unlink()
    elif memory == "damaged":
        remembered.write_bytes(b"\x00" + remembered.read_bytes()[1:])

    packed.build()

    assert packed.tree() == whole
    assert packed.faults() == []


def test_a_note_of_other_settings_says_nothing(packed: ShelfTest) -> None:
    memo = PackedMemo(packed.site / ".cache/packed")

    assert memo.read({"gz": "other", "br": "other"}) == {}
    assert PackedMemo(packed.site / ".cache/nowhere").read({"gz": "x"}) == {}


def test_brotli_is_named_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    memo = PackedMemo(tmp_path / "packed")

    with pytest.raises(MissingExtra, match=r"brotli.*docshelf\[build\]"):
        Packer(("gz", "br"), memo, None, tmp_path)
    made = Packer(("gz",), memo, None, tmp_path).twins({"a.md": TEXT.encode() * 40, "a.pdf": b"x" * 9000})
    assert list(made) == ["a.md.gz"]


def test_a_disk_that_refuses_a_twin_publishes_nothing(packed: ShelfTest, tmp_path: Path) -> None:
    packer = Packer(("gz",), PackedMemo(tmp_path / "packed"), None, Path(os.devnull) / "x")

    with pytest.raises(OSError, match="Not a directory"):
        packer.twins({"a.md": TEXT.encode() * 40})
