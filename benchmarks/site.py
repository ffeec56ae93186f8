"""What it costs to make a reading site of many Markdown sections, with search, beside other generators.

    python benchmarks/site.py [--sections 10000] [--runs 3] [--peers DIR] [--folder DIR]

Sections of 3 to 4 KB, Russian and English in turn, ten to a document, a hundred documents to a category, are
drawn from a fixed seed. Ours: the stages from Markdown on (views, HTML of sections, indexes and whole
documents, search index), one process, every file written. Peers read the same Markdown and search it too:
mkdocs-material and Zensical from the virtual environment DIR (`pip install mkdocs-material zensical`), Hugo,
with a small layout of its own and without search, from PATH. What is not there is left out. Printed: CPU
seconds (user and system, with children), the largest process, files and bytes; medians of `--runs`.
"""

import argparse
import json
import os
import platform
import posixpath
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from docshelf.build.converting.converted import ConversionEnd, ConvertedDocument, Page
from docshelf.build.cutting.sections import Section
from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.subindex import document_indexes
from docshelf.build.planning.addresses import Address
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.rendering.pages import LinkTo, ShelfView
from docshelf.build.rendering.render import render_document, render_search_page
from docshelf.build.rendering.theme import Theme, load_theme
from docshelf.build.rendering.views import document_views
from docshelf.build.searching.files import search_files
from docshelf.build.searching.merging import merged
from docshelf.build.searching.words import DocumentWords, document_words
from docshelf.build.wording import wording
from docshelf.serve.config import HEADING_TIERS, Budget
from docshelf.serve.manifest import DocumentMeta, OutlineEntry

IN_DOCUMENT, IN_CATEGORY = 10, 100
WORDS = {
    "ru": "маршрут порт кабель модуль питание батарея адрес пакет журнал правило служба канал проверка настройка "
    "устройство замена нагрузка датчик экран доступ пароль копия время сигнал выход значение таблица раздел",
    "en": "route port cable module power battery address packet journal rule service channel check setting "
    "device exchange load sensor screen access password copy time signal output value table section",
}
HUGO = (
    '<!DOCTYPE html><html><head><meta charset="utf-8"><title>{{ .Title }}</title></head><body><nav><ul>'
    "{{ with .Parent }}{{ range .Pages }}<li><a href={{ .RelPermalink }}>{{ .Title }}</a></li>{{ end }}{{ end }}"
    "</ul></nav><main>{{ .Content }}</main></body></html>"
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sections", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--ours", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ours:
        make_ours(arguments.folder / "source", arguments.ours, arguments.sections)
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {arguments.sections} sections")
    with tempfile.TemporaryDirectory(prefix="docshelf-") as scratch:
        folder = arguments.folder or Path(scratch)
        write_sources(folder / "source", arguments.sections)
        for name, command, output in commands(folder, arguments):
            print(measured(name, command, folder, output, arguments.runs), flush=True)


def commands(folder: Path, arguments: argparse.Namespace) -> Iterator[tuple[str, list[str], Path]]:
    """Name, command and output folder of everything that is there to be measured."""
    ours = [sys.executable, __file__, "--folder", str(folder), "--ours", str(folder / "ours")]
    yield "docshelf", [*ours, "--sections", str(arguments.sections)], folder / "ours"
    if arguments.peers:
        programs = (arguments.peers / "bin").resolve()
        config = {
            "site_name": "Shelf",
            "docs_dir": "source",
            "theme": {"name": "material", "features": ["navigation.prune"]},
        }
        (folder / "mkdocs.yml").write_text(json.dumps(config), "utf-8")
        for name, program in (("mkdocs-material", "mkdocs"), ("zensical", "zensical")):
            if (programs / program).exists():
                yield name, [str(programs / program), "build", "-f", "mkdocs.yml"], folder / "site"
    if shutil.which("hugo"):
        layout = folder / "layouts" / "_default" / "single.html"
        layout.parent.mkdir(parents=True, exist_ok=True)
        layout.write_text(HUGO, "utf-8")
        layout.with_name("list.html").write_text(HUGO, "utf-8")
        # A folder is a section of Hugo's only with an _index.md, which the others would show as a page.
        write_sources(folder / "hugo-source", arguments.sections, index="_index.md")
        settings = {"contentDir": "hugo-source", "title": "Shelf"}
        (folder / "hugo.json").write_text(json.dumps(settings), "utf-8")
        yield "hugo", ["hugo", "--destination", str(folder / "hugo")], folder / "hugo"


def measured(name: str, command: Sequence[str], folder: Path, output: Path, runs: int) -> str:
    """A line with medians."""
    seconds, megabytes = [], []
    for _ in range(runs):
        shutil.rmtree(output, ignore_errors=True)
        for cache in (".cache", "resources"):
            shutil.rmtree(folder / cache, ignore_errors=True)
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return f"{name}: ended with {process.returncode}"
        seconds.append(usage.ru_utime + usage.ru_stime)
        megabytes.append(usage.ru_maxrss / 1024)
    files = [file for file in output.rglob("*") if file.is_file()]
    size_mb = sum(file.stat().st_size for file in files) / 1e6
    return (
        f"{name}: {statistics.median(seconds):.1f} CPU s, {statistics.median(megabytes):.0f} MB of memory, "
        f"{len(files)} files, {size_mb:.0f} MB"
    )


def environment() -> dict[str, str]:
    """What the programs see; ours must find its packages."""
    root = Path(__file__).resolve().parent.parent
    return {**os.environ, "PYTHONPATH": str(root / ".dev"), "PYTHONWARNINGS": "ignore"}


def place(number: int) -> tuple[str, str, int]:
    """Category, document and place in the document of a section."""
    document = number // IN_DOCUMENT
    return f"group-{document // IN_CATEGORY:03d}", f"doc-{document:05d}", number % IN_DOCUMENT + 1


def section_text(number: int) -> tuple[str, str]:
    """Title and body of a section: prose, a list, a table and a listing under three headings."""
    draw = random.Random(number)
    language = ("ru", "en")[number // IN_DOCUMENT % 2]
    words = WORDS[language].split()

    def prose(count: int) -> str:
        return " ".join(
            draw.choice(words) + (str(draw.randrange(99)) if draw.random() < 0.1 else "")
            for _ in range(count)
        )

    title = prose(4).capitalize()
    rows = "\n".join(f"| `eth{draw.randrange(9)}` | {prose(2)} | {draw.randrange(9999)} |" for _ in range(8))
    listing = "\n".join(f"    value_{n} = call({n}, {prose(1)!r})" for n in range(6))
    body = (
        f"{prose(90)}.\n\n## {prose(3).capitalize()}\n\n{prose(60)}.\n\n- {prose(9)}\n- {prose(8)}\n\n"
        f"## {prose(3).capitalize()}\n\n| A | B | C |\n| --- | --- | --- |\n{rows}\n\n{prose(70)}.\n\n"
        f"## {prose(2).capitalize()}\n\n```python\ndef run():\n{listing}\n```\n\n{prose(50)}.\n"
    )
    return title, body


def write_sources(folder: Path, count: int, index: str = "") -> None:
    """The Markdown that the peers read; `index` is the file that each folder needs, "" for the root alone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (index or "index.md")).write_text("# Shelf\n\nText.\n", "utf-8")
    for number in range(count):
        category, document, at = place(number)
        title, body = section_text(number)
        file = folder / category / document / f"{at:03d}-section.md"
        if index and not file.parent.is_dir():
            file.parent.mkdir(parents=True)
            for place_of_index in (file.parent, file.parent.parent):
                (place_of_index / index).write_text("# Folder\n", "utf-8")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {title}\n\n{body}", "utf-8")


def make_ours(source: Path, folder: Path, count: int) -> None:
    """Writes the whole site of the Markdown in `source` into `folder`."""
    theme, shelf = load_theme(), ShelfView("Shelf", "ru")
    words: list[DocumentWords] = []
    for first in range(0, count, IN_DOCUMENT):
        files, own = document_files(source, range(first, min(count, first + IN_DOCUMENT)), shelf, theme)
        write_files(folder, files)
        words.append(own)
    write_files(folder, {**search_files(merged(words)), **theme.assets()})
    write_files(folder, {"search.html": render_search_page(shelf, theme)})


def document_files(
    source: Path, numbers: range, shelf: ShelfView, theme: Theme
) -> tuple[dict[str, bytes], DocumentWords]:
    """Markdown and HTML of one document, and its words."""
    category, name, _ = place(numbers[0])
    language = ("ru", "en")[numbers[0] // IN_DOCUMENT % 2]
    address = Address(category, name)
    above = (LinkTo("Shelf", "index.html"), LinkTo(category, f"docs/{category}/index.html"))
    plan = DocumentPlan(
        source=f"{category}/{name}.pdf", stem=name, sha256="0" * 64, address=address, shelf=shelf, breadcrumbs=above,
        title=name, description="", language=language, default_language="ru", quality="fast", split=True,
        heading_sources=HEADING_TIERS, budget=Budget(), source_file=address.source(".pdf"),
    )  # fmt: skip
    folder = source / category / name
    sections = [section(folder, number, address, name) for number in numbers]
    meta = DocumentMeta(
        plan.source, address.subindex, name, "", language, "A", "fast", "fast", "bookmarks", len(sections), plan.sha256,
        "A" * len(sections), tuple(it.outline[0] for it in sections), tuple(it.entry() for it in sections),
    )  # fmt: skip
    pages = tuple(Page(at, str(at), 595, 842, "A") for at in range(1, len(sections) + 1))
    indexes = document_indexes(plan, sections, name, wording(language))
    texts = {it.path: it.markdown for it in sections} | {it.path: write_index(it) for it in indexes}
    views = document_views(plan, meta, ConvertedDocument(pages, ConversionEnd("fast")), sections, indexes, ())
    files = {path: text.encode() for path, text in texts.items()} | render_document(
        texts, views, shelf, theme
    )
    return files, document_words(meta, texts)


def section(folder: Path, number: int, address: Address, document: str) -> Section:
    """A section as the stages before hand it on; each fills one page."""
    _, _, at = place(number)
    text = (folder / f"{at:03d}-section.md").read_text("utf-8")
    heading, _, body = text.partition("\n\n")
    title = heading.removeprefix("# ")
    path = f"{address.base}/{at:03d}-section.md"
    markdown = f"# {title}\n\n> [{document}](subindex.md) · p. {at}\n\n<!-- p{at} -->\n\n{body}"
    outline = (OutlineEntry(1, title, at, path, "part"),)
    return Section(path, title, markdown, (at, at), (str(at), str(at)), title, outline, "")


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    for below in {posixpath.dirname(path) for path in files}:
        (folder / below).mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        (folder / path).write_bytes(content)


if __name__ == "__main__":
    main()
