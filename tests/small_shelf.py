"""A shelf written by hand: two long documents (one Russian) and a short one, without any builder."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from written_shelf import put, section_entry, switch, whole_release

from docshelf.serve.config import Budget
from docshelf.serve.manifest import (
    DocumentEntry,
    DocumentMeta,
    Finding,
    OutlineEntry,
    ShelfManifest,
    write_meta,
)

ROUTER = "docs/net/router"
BEGIN = f"{ROUTER}/001-begin.md"
TUNNELS = f"{ROUTER}/002-tunnels.md"
LONG = f"{ROUTER}/003-all-commands.md"
CABLE = "docs/net/cable.md"
RUSSIAN = "docs/ru/marshrutizator"
RUSSIAN_SECTION = f"{RUSSIAN}/001-nastroyka.md"
RUSSIAN_SOURCE = "ru/Маршрутизатор.pdf"

ROOT_INDEX = """# Small shelf

> Manuals of a small network.

Read a subindex, then one section.

## Documents

- [Network](docs/net/index.md): 2 documents
- [Документы](docs/ru/index.md): 1 документ
"""

NET_INDEX = """# Network

> Routers and cables.

Two documents.

## Documents

- [Router manual](router/subindex.md): 9 pages, 3 sections
- [Cable \\[2 m\\]](cable.md): 1 page, 0.1 KB
"""

RU_INDEX = """# Документы

> Руководства на русском языке.

Один документ.

## Документы

- [Маршрутизатор](marshrutizator/subindex.md): 4 страницы
"""

SUBINDEX = """# Router manual

> How to set up the router.

Three sections.

## Sections

- [Begin](001-begin.md): p. i–2, 0.2 KB
- [Tunnels](002-tunnels.md): p. 3–4, 0.2 KB
- [All commands](003-all-commands.md): p. 5–7, 40 KB
"""

RU_SUBINDEX = """# Маршрутизатор

> Настройка маршрутизатора.

Один раздел.

## Разделы

- [Настройка](001-nastroyka.md): с. 1–4
"""

BEGIN_TEXT = """# Begin

> Router manual · p. i–2 · [source](../../../sources/net/router.pdf#page=1)

<!-- p1 -->

Plug in the router.

<!-- p2 -->

Wait for the light.
"""

TUNNELS_TEXT = """# Tunnels

> Router manual · p. 3–4 · [source](../../../sources/net/router.pdf#page=5)

<!-- p5 -->

A tunnel joins two networks.

<!-- p6 -->

## GRE

The command is `tunnel gre`.
"""

COMMANDS = "".join(f"Command number {number} does thing {number}.\n\n" for number in range(1, 1001))
LONG_TEXT = (
    "# All commands\n\n> Router manual · p. 5–7 · [source](../../../sources/net/router.pdf#page=7)\n\n"
    "<!-- p7 -->\n\n" + COMMANDS[:20000] + "\n\n<!-- p8 -->\n\n## Later commands\n\n" + COMMANDS[20000:]
)

CABLE_TEXT = """# Cable [2 m]

> Cable · p. 1 · [source](../../sources/net/cable.pdf#page=1)

<!-- p1 -->

The cable is two metres long.
"""

RUSSIAN_TEXT = """# Настройка

> Маршрутизатор · с. 1–4 · [источник](../../../sources/ru/marshrutizator.pdf#page=1)

<!-- p1 -->

Подключите маршрутизатор к сети.
"""

SOURCE_BYTES = b"%PDF-1.7\n" + bytes(range(256)) * 2048
"""512 KB and 9 bytes: more than is kept in memory, so it is streamed."""

PICTURE = b"\x89PNG\r\n\x1a\n picture"
SCANNED_PAGE = "pictures/net/router/p008.jpg"

DESCRIPTION = "Manuals of a small network."


def page(title: str) -> str:
    """An HTML page."""
    return f'<!doctype html>\n<html lang="en"><title>{title}</title><h1>{title}</h1></html>\n'


def write_small_shelf(
    site: Path,
    *,
    renumbered: bool = False,
    nested: bool = False,
    description: str = DESCRIPTION,
    russian_source: str = RUSSIAN_SOURCE,
    base_url: str | None = None,
    extra: Mapping[str, bytes] = MappingProxyType({}),
) -> str:
    """Writes a release below `site`, makes it current and gives its name.

    `renumbered` puts in a new second section, so that the tunnels stand at 003 and the commands at 004;
    `nested` moves the first section's line to `subindex-2.md`; `extra` are more files by path.
    """
    contents = _contents(renumbered, nested, russian_source) | dict(extra)
    manifest = replace(_manifest(description, russian_source), base_url=base_url)
    release, files = whole_release(manifest, contents)
    put(site / "releases" / release, files)
    switch(site, release)
    return release


def _contents(renumbered: bool, nested: bool, russian_source: str) -> dict[str, bytes]:
    texts = {
        "index.md": ROOT_INDEX,
        "llms.txt": ROOT_INDEX,
        "index.html": page("Small shelf"),
        "docs/net/index.md": NET_INDEX,
        "docs/net/llms.txt": NET_INDEX,
        "docs/net/index.html": page("Network"),
        "docs/ru/index.md": RU_INDEX,
        "docs/ru/llms.txt": RU_INDEX,
        "docs/ru/index.html": page("Документы"),
        f"{ROUTER}/subindex.md": SUBINDEX,
        f"{ROUTER}/subindex.html": page("Router manual"),
        BEGIN: BEGIN_TEXT,
        BEGIN.replace(".md", ".html"): page("Begin"),
        TUNNELS: TUNNELS_TEXT,
        TUNNELS.replace(".md", ".html"): page("Tunnels"),
        LONG: LONG_TEXT,
        LONG.replace(".md", ".html"): page("All commands"),
        CABLE: CABLE_TEXT,
        CABLE.replace(".md", ".html"): page("Cable"),
        f"{RUSSIAN}/subindex.md": RU_SUBINDEX,
        f"{RUSSIAN}/subindex.html": page("Маршрутизатор"),
        RUSSIAN_SECTION: RUSSIAN_TEXT,
        RUSSIAN_SECTION.replace(".md", ".html"): page("Настройка"),
        "assets/shelf.css": "h1 { color: black }\n",
        "assets/mark.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    }
    if renumbered:
        for path, number in ((LONG, "004"), (TUNNELS, "003")):
            for old in (path, path.replace(".md", ".html")):
                texts[old.replace(f"{ROUTER}/{old.split('/')[-1][:3]}", f"{ROUTER}/{number}")] = texts.pop(
                    old
                )
        texts[f"{ROUTER}/002-safety.md"] = "# Safety\n\nMind the mains.\n"
        texts[f"{ROUTER}/002-safety.html"] = page("Safety")
    if nested:
        line = "- [Begin](001-begin.md): p. i–2, 0.2 KB\n"
        texts[f"{ROUTER}/subindex.md"] = SUBINDEX.replace(line, "- [Part 1](subindex-2.md): p. i–2\n")
        texts[f"{ROUTER}/subindex-2.md"] = f"# Part 1\n\n> Part 1.\n\nOne section.\n\n## Sections\n\n{line}"
    contents = {path: text.encode() for path, text in texts.items()}
    contents |= {
        f"{meta.path.removesuffix('/subindex.md').removesuffix('.md')}.meta.json": write_meta(meta)
        for meta in (_router(), _cable(), _russian(russian_source))
    }
    return contents | {
        "sources/net/router.pdf": SOURCE_BYTES,
        "sources/net/cable.pdf": b"%PDF-1.7\ncable\n",
        "sources/ru/marshrutizator.pdf": b"%PDF-1.7\nrussian\n",
        "pictures/net/cable/p001.png": PICTURE,
        SCANNED_PAGE: b"\xff\xd8\xff scanned",
    }


def _manifest(description: str, russian_source: str) -> ShelfManifest:
    return ShelfManifest(
        name="Small shelf",
        description=description,
        language="en",
        release="",
        source_commit=None,
        budget=Budget(),
        documents=(
            DocumentEntry("net/cable.pdf", CABLE, "docs/net/cable.meta.json"),
            DocumentEntry("net/router.pdf", f"{ROUTER}/subindex.md", f"{ROUTER}.meta.json"),
            DocumentEntry(russian_source, f"{RUSSIAN}/subindex.md", f"{RUSSIAN}.meta.json"),
        ),
        findings=(
            Finding("net/router.pdf", 6, "warning", "turned-text", "some text is turned; look at the page"),
            Finding("net/cable.pdf", 0, "info", "no-bookmarks", "no bookmarks; headings are from fonts"),
        ),
    )


def _router() -> DocumentMeta:
    return DocumentMeta(
        source="net/router.pdf",
        path=f"{ROUTER}/subindex.md",
        title="Router manual",
        description="How to set up the router.",
        language="en",
        grade="A",
        engine="fast",
        quality="auto",
        headings="bookmarks",
        pages=9,
        sha256=hashlib.sha256(SOURCE_BYTES).hexdigest(),
        page_grades="AAAABBACA",
        outline=(
            OutlineEntry(1, "Begin", 1, BEGIN, "begin"),
            OutlineEntry(1, "Tunnels", 5, TUNNELS, "tunnels"),
            OutlineEntry(2, "GRE", 6, TUNNELS, "gre"),
            OutlineEntry(1, "All commands", 7, LONG, "all-commands"),
            OutlineEntry(2, "Later commands", 8, LONG, "later-commands"),
        ),
        sections=(
            section_entry(BEGIN, "Begin", (1, 4), ("i", "2"), BEGIN_TEXT),
            section_entry(TUNNELS, "Tunnels", (5, 6), ("3", "4"), TUNNELS_TEXT),
            section_entry(LONG, "All commands", (7, 9), ("5", "7"), LONG_TEXT),
        ),
    )


def _cable() -> DocumentMeta:
    return replace(
        _router(),
        source="net/cable.pdf",
        path=CABLE,
        title="Cable [2 m]",
        description="",
        headings="fonts",
        pages=1,
        sha256="c" * 64,
        page_grades="A",
        outline=(OutlineEntry(1, "Cable [2 m]", 1, CABLE, "cable-2-m"),),
        sections=(section_entry(CABLE, "Cable [2 m]", (1, 1), ("1", "1"), CABLE_TEXT),),
    )


def _russian(source: str) -> DocumentMeta:
    return replace(
        _router(),
        source=source,
        path=f"{RUSSIAN}/subindex.md",
        title="Маршрутизатор",
        description="Настройка маршрутизатора.",
        language="ru",
        pages=4,
        sha256="d" * 64,
        page_grades="AAAA",
        outline=(OutlineEntry(1, "Настройка", 1, RUSSIAN_SECTION, "nastroyka"),),
        sections=(section_entry(RUSSIAN_SECTION, "Настройка", (1, 4), ("1", "4"), RUSSIAN_TEXT),),
    )
