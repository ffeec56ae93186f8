"""A shelf of one section: 12 KB of Russian prose in Markdown, written without any builder."""

import random
from pathlib import Path

from written_shelf import document_meta, put, section_entry, switch, whole_release

from docshelf.serve.config import Budget
from docshelf.serve.manifest import DocumentEntry, ShelfManifest, write_meta

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
    section = section_entry(SECTION, "Настройка", (1, 4), ("1", "4"), content.decode())
    index = "# Сеть\n\n> Руководства.\n\nОдин документ.\n\n## Документы\n\n"
    meta = document_meta(DOCUMENT, "Маршрутизатор", [section])
    contents = {
        "index.md": f"{index}- [Маршрутизатор]({DOCUMENT}/subindex.md): 4 с.\n".encode(),
        "index.html": b"<!doctype html><title>x</title>",
        f"{DOCUMENT}/subindex.md": f"{index}- [Настройка](001-nastroyka.md): с. 1–4, 12 KB\n".encode(),
        SECTION: content,
        f"{DOCUMENT}.meta.json": write_meta(meta),
    }
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
    release, files = whole_release(manifest, contents)
    put(site / "releases" / release, files)
    switch(site, release)
    return release
