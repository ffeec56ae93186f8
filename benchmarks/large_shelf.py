"""What a shelf of 100,000 sections costs the server that reads it, beside one of 1,000.

    python benchmarks/large_shelf.py [--sections 100000] [--beside 1000] [--folder DIR]

Writes both releases without any builder: documents of 20 sections of 2 KB (Russian), 50 documents a category, a
page for each section, the search data that a build makes of them. Then starts `docshelf serve` on each and prints: seconds from the start of
the process to its first connection (median of three) and to the first answer that needs the addresses, resident
memory after all requests, p50 of `/list`, `/fetch`, `/search` and a plain GET, each over a connection of its own. Every kind
asks for 50 documents or their sections, drawn from a fixed seed: once, so that all is read anew ("first"), then four
times more ("again"). The two servers take turns. In DIR (default: a temporary folder) shelves that are there
already are used.
"""

import argparse
import http.client
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

from written_shelf import document_meta, file_row, section_entry

from benchmarks.large_shelf_words import query_words, search_data, section_words
from benchmarks.serving_servers import RunningServer, docshelf_server
from docshelf.build.searching.words import DocumentWords, document_words
from docshelf.serve.config import Budget
from docshelf.serve.manifest import (
    FILES_FILE,
    SHELF_FILE,
    DocumentEntry,
    DocumentMeta,
    FileRow,
    SectionEntry,
    ShelfManifest,
    release_id,
    with_release,
    write_files,
    write_meta,
    write_shelf,
)

DOCUMENT_SECTIONS, CATEGORY_DOCUMENTS = 20, 50
STARTS = 3
MOST_START_S, MOST_MEMORY_MB, MOST_RATIO = 3.0, 400, 1.5
_PAGE = b"<!doctype html>\n<title>x</title>\n"
_KINDS = ("list", "fetch", "search", "GET")
_ASKED, _AGAIN = 50, 4
"""Addresses of each kind, at most the documents of the smaller shelf; how often they are asked for once more."""


@dataclass(frozen=True)
class Figures:
    """Of one server."""

    sections: int
    start_s: float
    first_answer_s: float
    memory_mb: float
    milliseconds: dict[str, list[float]]
    """Kind of request → each answer's time, in the order of asking."""

    def first_ms(self, kind: str) -> float:
        """The median of what was asked for the first time."""
        return statistics.median(self.milliseconds[kind][:_ASKED])

    def again_ms(self, kind: str) -> float:
        """The median of what was asked for before."""
        return statistics.median(self.milliseconds[kind][_ASKED:])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sections", type=int, default=100_000)
    parser.add_argument("--beside", type=int, default=1_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="docshelf-") as scratch:
        folder = arguments.folder or Path(scratch)
        sites = [folder / str(count) for count in (arguments.beside, arguments.sections)]
        for site in sites:
            if not (site / "current").exists():
                write_large_shelf(site, int(site.name))
        print(f"Python {platform.python_version()}, {platform.machine()}, load {os.getloadavg()[0]:.1f}")
        report([*measured(sites)])


def write_large_shelf(site: Path, sections: int) -> None:
    """Writes a site with one release of that many sections, a multiple of what a document has."""
    root = site / "releases" / ".new"
    rows: list[FileRow] = []
    documents: list[DocumentEntry] = []
    categories: dict[str, list[str]] = {}
    words: list[DocumentWords] = []

    def put(path: str, content: bytes) -> None:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        rows.append(file_row(path, content))

    for number in range(sections // DOCUMENT_SECTIONS):
        category = f"docs/razdel-{number // CATEGORY_DOCUMENTS:03}"
        base = f"{category}/rukovodstvo-{number:04}"
        meta, texts = _document(number, base, put)
        words.append(document_words(meta, texts))
        documents.append(DocumentEntry(meta.source, meta.path, f"{base}.meta.json"))
        line = f"- [{meta.title}]({base.rpartition('/')[2]}/subindex.md): 20 с."
        categories.setdefault(category, []).append(line)
    for category, lines in categories.items():
        put(f"{category}/index.md", _index(category, lines))
    put("index.md", _index("Полка", [f"- [{it}]({it}/index.md): 50" for it in categories]))
    put("index.html", _PAGE)
    for path, content in search_data(words).items():
        put(path, content)
    listing = write_files(sorted(rows, key=lambda row: row.path))
    manifest = ShelfManifest("Полка", "", "ru", "", None, Budget(), tuple(documents), ())
    release = release_id(manifest, listing)
    (root / FILES_FILE).write_bytes(listing)
    (root / SHELF_FILE).write_bytes(write_shelf(with_release(manifest, release)))
    root.rename(root.with_name(release))
    (site / "current").symlink_to(f"releases/{release}")


def measured(sites: list[Path]) -> Iterator[Figures]:
    """The figures of each site's server; requests are sent to all of them in turn."""
    starts = [statistics.median(_start_s(site) for _ in range(STARTS)) for site in sites]
    with ExitStack() as running:
        servers = [running.enter_context(docshelf_server(site)) for site in sites]
        firsts = [_answered_ms(server, "/list") / 1000 for server in servers]
        targets = [_targets(int(site.name) // DOCUMENT_SECTIONS) for site in sites]
        times: list[dict[str, list[float]]] = [{kind: [] for kind in _KINDS} for _ in sites]
        for number in list(range(_ASKED)) * (1 + _AGAIN):
            for kind in _KINDS:
                for place, server in enumerate(servers):
                    times[place][kind].append(_answered_ms(server, targets[place][kind][number]))
        for place, site in enumerate(sites):
            memory = servers[place].memory_mb()
            yield Figures(int(site.name), starts[place], firsts[place], memory, times[place])


def report(figures: list[Figures]) -> None:
    """Prints a row per shelf, and what has to hold."""
    print(
        "| sections | start, s | first answer, s | memory, MB | list first, again, ms | fetch | search | GET |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for it in figures:
        cells = [f"{it.sections:,}", f"{it.start_s:.2f}", f"{it.first_answer_s:.2f}", f"{it.memory_mb:.0f}"]
        cells += [f"{it.first_ms(kind):.2f}, {it.again_ms(kind):.2f}" for kind in _KINDS]
        print(f"| {' | '.join(cells)} |")
    small, large = figures
    print(f"start to first answer: {large.start_s + large.first_answer_s:.2f} s (at most {MOST_START_S})")
    print(f"memory: {large.memory_mb:.0f} MB (at most {MOST_MEMORY_MB})")
    for kind in ("list", "fetch"):
        first, again = (
            large.first_ms(kind) / small.first_ms(kind),
            large.again_ms(kind) / small.again_ms(kind),
        )
        print(f"{kind} p50, large / small: first {first:.2f}, again {again:.2f} (at most {MOST_RATIO})")


def _document(
    number: int, base: str, put: Callable[[str, bytes], None]
) -> tuple[DocumentMeta, dict[str, str]]:
    """Puts the files of a document and gives its meta, and its sections' Markdown by path."""
    title = f"Руководство {number}"
    sections: list[SectionEntry] = []
    texts: dict[str, str] = {}
    for place in range(1, DOCUMENT_SECTIONS + 1):
        path, name, label = f"{base}/{place:03}-nastroyka-{place}.md", f"Настройка {place}", str(place)
        body = section_words(number * DOCUMENT_SECTIONS + place)
        texts[path] = f"# {name}\n\n> {title} · с. {place}\n\n<!-- p{place} -->\n\n{body}\n"
        put(path, texts[path].encode())
        put(f"{path.removesuffix('md')}html", _PAGE)
        sections.append(section_entry(path, name, (place, place), (label, label), texts[path]))
    lines = [f"- [{it.title}]({it.path.rpartition('/')[2]}): с. {it.pages[0]}" for it in sections]
    put(f"{base}/subindex.md", _index(title, lines))
    put(f"{base}/subindex.html", _PAGE)
    meta = document_meta(base, title, sections)
    put(f"{base}.meta.json", write_meta(meta))
    return meta, texts


def _index(title: str, lines: list[str]) -> bytes:
    listed = "\n".join(lines)
    return f"# {title}\n\n> {title}.\n\nСодержание.\n\n## Содержание\n\n{listed}\n".encode()


def _targets(documents: int) -> dict[str, list[str]]:
    """Kind → addresses of as many different documents."""
    pick = random.Random(2026)
    targets: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for number in pick.sample(range(documents), _ASKED):
        base = f"docs/razdel-{number // CATEGORY_DOCUMENTS:03}/rukovodstvo-{number:04}"
        place, other = pick.sample(range(1, DOCUMENT_SECTIONS + 1), 2)
        targets["list"].append(f"/list?path={base}")
        targets["fetch"].append(f"/fetch?path={base}/{place:03}-nastroyka-{place}.md")
        query = quote(query_words(number * DOCUMENT_SECTIONS + place))
        targets["search"].append(f"/search?query={query}")
        targets["GET"].append(f"/{base}/{other:03}-nastroyka-{other}.md")
    return targets


def _start_s(site: Path) -> float:
    with docshelf_server(site) as server:
        return server.ready_s


def _answered_ms(server: RunningServer, target: str) -> float:
    """A request over a connection of its own, to its last byte."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.connect()
    begun = time.perf_counter()
    connection.request("GET", target)
    answer = connection.getresponse()
    answer.read()
    took_ms: float = (time.perf_counter() - begun) * 1000
    connection.close()
    assert answer.status == 200, (target, answer.status)
    return took_ms


if __name__ == "__main__":
    main()
