"""A shelf of one section: 12 KB of Russian prose in Markdown, written without any builder."""

import hashlib
import random
from pathlib import Path

from docshelf.serve.config import Budget
from docshelf.serve.manifest import (
    FILES_FILE,
    SHELF_FILE,
    DocumentEntry,
    DocumentMeta,
    FileRow,
    OutlineEntry,
    SectionEntry,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_meta,
    write_shelf,
)
from docshelf.serve.media import media_type

DOCUMENT = "docs/seti/marshrutizator"
SECTION = f"{DOCUMENT}/001-nastroyka.md"
SECTION_BYTES = 12_288

_WORDS = """
настройка маршрутизации выполняется командой интерфейс адрес шлюз проверка журнал событий оператор сети
после перезагрузки устройство сохраняет параметры если соединение потеряно повторите вход через консоль
таблица содержит правила фильтрации каждое правило имеет номер действие источник назначение и примечание
"""


def russian_section() -> bytes:
    """The section: paragraphs, lists and a listing, the same on every call, SECTION_BYTES at most."""
    pick, known = random.Random(2026), _WORDS.split()
    lines = [
        "# Настройка",
        "",
        "> Маршрутизатор · с. 1–4 · [источник](../../../sources/seti/vr.pdf#page=1)",
        "",
    ]
    while True:
        words = [pick.choice(known) for _ in range(pick.randint(25, 60))]
        more = [" ".join(words).capitalize() + ".", ""]
        if pick.random() < 0.3:
            more += ["```", "ip route add 10.0.0.0/8 via 192.168.1.1", "```", ""]
        if pick.random() < 0.3:
            more += [f"- {pick.choice(known)} {pick.choice(known)};" for _ in range(4)] + [""]
        if len("\n".join([*lines, *more]).encode()) > SECTION_BYTES:
            return "\n".join(lines).encode()
        lines += more


def write_serving_shelf(site: Path) -> str:
    """Writes a site with one release and gives the release's name."""
    content = russian_section()
    index = "# Сеть\n\n> Руководства.\n\nОдин документ.\n\n## Документы\n\n"
    meta = _meta(content)
    contents = {
        "index.md": f"{index}- [Маршрутизатор]({DOCUMENT}/subindex.md): 4 с.\n".encode(),
        "index.html": b"<!doctype html><title>x</title>",
        f"{DOCUMENT}/subindex.md": f"{index}- [Настройка](001-nastroyka.md): с. 1–4, 12 KB\n".encode(),
        SECTION: content,
        f"{DOCUMENT}.meta.json": write_meta(meta),
    }
    rows = [
        FileRow(path, len(it), hashlib.sha256(it).hexdigest(), media_type(path))
        for path, it in contents.items()
    ]
    listing = write_files(rows)
    manifest = ShelfManifest(
        name="Сеть",
        description="Руководства.",
        language="ru",
        release="",
        source_commit=None,
        budget=Budget(),
        documents=(DocumentEntry(meta.source, meta.path, f"{DOCUMENT}.meta.json"),),
        findings=(),
    )
    release = release_id(manifest, listing)
    contents |= {SHELF_FILE: write_shelf(with_release(manifest, release)), FILES_FILE: listing}
    for path, it in contents.items():
        file = site / "releases" / release / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(it)
    (site / "current").symlink_to(f"releases/{release}")
    return release


def _meta(content: bytes) -> DocumentMeta:
    digest = hashlib.sha256(content).hexdigest()
    return DocumentMeta(
        source="Маршрутизатор.pdf",
        path=f"{DOCUMENT}/subindex.md",
        title="Маршрутизатор",
        description="",
        language="ru",
        grade="A",
        engine="fast",
        quality="auto",
        headings="bookmarks",
        pages=4,
        sha256="d" * 64,
        page_grades="AAAA",
        outline=(OutlineEntry(1, "Настройка", 1, SECTION, "nastroyka"),),
        sections=(SectionEntry(SECTION, "Настройка", (1, 4), ("1", "4"), len(content), digest, digest),),
    )
