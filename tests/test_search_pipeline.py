"""Search from sources to hits, and the index between builds."""

import shutil
from pathlib import Path

from shelftest import ShelfTest

from docshelf.serve.releases.tree import Site
from docshelf.serve.search.index import SearchIndex

ROUTER = "# Настройка маршрутизации\nЧтобы настроить маршруты, укажите шлюз 10.0.0.1."
PUMP = "# Смазка насоса\nМасло меняют каждый год."


def titles(shelf: ShelfTest, query: str) -> list[str]:
    return [hit.title for hit in SearchIndex(Site(shelf.site).current()).search(query)]


def index_files(shelf: ShelfTest) -> dict[str, bytes]:
    return {path: text for path, text in shelf.tree().items() if path.startswith("assets/search/")}


def test_what_was_built_is_found(shelf: ShelfTest) -> None:
    shelf.pdf("net/router.pdf", ROUTER)
    shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    assert titles(shelf, "маршрутизатор") == ["Настройка маршрутизации"]
    assert titles(shelf, "смазать") == ["Смазка насоса"]
    assert shelf.faults() == []


def test_a_hidden_document_is_not_found(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", ROUTER)
    shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    assert titles(shelf, "насос") == ["Смазка насоса"]
    shelf.sidecar("pump.meta.json", hidden=True)
    shelf.build()
    assert titles(shelf, "насос") == []
    assert "насос" not in b"".join(index_files(shelf).values()).decode()


def test_an_edited_document_gives_the_index_of_a_fresh_build(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.pdf("net/router.pdf", ROUTER)
    shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    shelf.pdf("pump.pdf", "# Смазка насоса\nМасло меняют по прибору.")
    shelf.build()
    fresh = ShelfTest(tmp_path / "fresh")
    shutil.copytree(shelf.source, fresh.source, dirs_exist_ok=True)
    fresh.build()
    assert titles(shelf, "прибор") == ["Смазка насоса"]
    assert index_files(shelf) == index_files(fresh)


def test_documents_that_come_and_go_give_the_index_of_a_fresh_build(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.pdf("net/router.pdf", ROUTER)
    shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    (shelf.source / "net" / "router.pdf").unlink()
    shelf.pdf("a/valve.pdf", "# Клапан\nКлапан закрывают рукой.")
    shelf.build()
    fresh = ShelfTest(tmp_path / "fresh")
    shutil.copytree(shelf.source, fresh.source, dirs_exist_ok=True)
    fresh.build()
    assert (titles(shelf, "клапан"), titles(shelf, "маршрут")) == (["Клапан"], [])
    assert index_files(shelf) == index_files(fresh)


def test_words_that_were_damaged_or_removed_are_cut_again(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", ROUTER)
    shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    before = index_files(shelf)
    kept = sorted((shelf.site / ".cache" / "words").iterdir())
    assert len(kept) == 3
    kept[0].write_bytes(b"{}")
    kept[1].unlink()
    (shelf.site / ".cache" / "words" / "last").write_text("nothing")
    shelf.build()
    assert index_files(shelf) == before


def test_an_index_that_was_damaged_in_the_release_is_made_again(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", ROUTER)
    shelf.build()
    before = index_files(shelf)
    shard = next((shelf.current / "assets" / "search").glob("terms-*.js"))
    size = shard.stat().st_size
    shard.unlink()
    shard.write_bytes(b"x" * size)
    shelf.build()
    assert index_files(shelf) == before
    assert titles(shelf, "маршрутизатор") == ["Настройка маршрутизации"]


def test_the_words_of_documents_that_fell_away_are_forgotten(shelf: ShelfTest) -> None:
    shelf.pdf("router.pdf", ROUTER)
    pump = shelf.pdf("pump.pdf", PUMP)
    shelf.build()
    pump.unlink()
    shelf.build()
    assert len(list((shelf.site / ".cache" / "words").iterdir())) == 2
