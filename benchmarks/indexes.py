"""What the way to a section costs on large shelves, and how long their indexes take to build.

    python benchmarks/indexes.py [PDFS] [--documents N]... [--sections 13]

Titles of documents and sections are drawn from the outlines of the PDFs in the folder PDFS (default:
../shared/corpus/pdfs beside the repository, else shelf_src), Russian and English mixed, with a fixed seed.
Sections are about 6 KiB. For each size the shelf is laid out twice: all documents in one folder, and in
folders of about 40. Printed: the largest index, the bytes of all indexes on the way to a section (median,
95 %, largest), calls, and CPU time per document. Nothing is written.
"""

import argparse
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import pymupdf

from docshelf.build.cutting.sections import Section
from docshelf.build.cutting.titles import text_language
from docshelf.build.indexing.indexes import Index, write_index
from docshelf.build.indexing.keywords import title_words
from docshelf.build.indexing.shelf import Listed, breadcrumbs_to, category_tree, shelf_indexes
from docshelf.build.indexing.subindex import document_indexes
from docshelf.build.planning.addresses import Address, assign_addresses
from docshelf.build.planning.plan import DocumentPlan
from docshelf.build.planning.slugs import slug
from docshelf.build.rendering.pages import LinkTo, ShelfView
from docshelf.build.wording import wording
from docshelf.serve.config import ShelfConfig, parse_config
from docshelf.serve.llms import parse_index
from docshelf.serve.manifest import DocumentMeta, OutlineEntry

REPOSITORY = Path(__file__).resolve().parent.parent
SECTION_BYTES = 6144
FOLDER_DOCUMENTS = 40


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles found in outlines: of documents (level 1) and of sections, each with its language."""

    documents: tuple[str, ...]
    sections: dict[str, tuple[str, ...]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pdfs", nargs="?", type=Path)
    parser.add_argument("--documents", type=int, action="append")
    parser.add_argument("--sections", type=int, default=13)
    arguments = parser.parse_args()
    corpus = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    titles = read_titles(arguments.pdfs or (corpus if corpus.is_dir() else REPOSITORY / "shelf_src"))
    print("documents  folders  largest index  way: median     95 %  largest  calls  CPU ms a document")
    for count in arguments.documents or (1000, 10_000):
        for folders in (1, max(2, count // FOLDER_DOCUMENTS)):
            print(measure(titles, count, folders, arguments.sections))


def measure(titles: Titles, count: int, folders: int, sections: int) -> str:
    """One line of figures for a shelf of `count` documents in `folders` folders."""
    config = parse_config(b'{"name": "Shelf", "default_language": "ru"}', "shelf")
    plans, listed, cut = draw_shelf(titles, count, folders, sections, config)
    begun = time.process_time()
    listed = [replace(it, words=title_words(it.meta)) for it in listed]
    root = category_tree(listed, config, assign_addresses(meta.meta.source for meta in listed).categories)
    indexes = [index for found in shelf_indexes(root, config).values() for index in found]
    for plan, meta in zip(plans, listed, strict=True):
        language = meta.meta.language
        indexes += document_indexes(plan, cut[plan.source], meta.meta.title, wording(language))
    spent_ms = (time.process_time() - begun) * 1000 / count
    sizes, ways = follow(indexes)
    costs = sorted(cost for cost, _ in ways)
    calls = statistics.median(steps for _, steps in ways) + 1
    assert len(ways) == count * sections, f"{len(ways)} of {count * sections} sections in reach"
    return (
        f"{count:9}  {folders:7}  {max(sizes.values()):13}  {costs[len(costs) // 2]:11}  {costs[len(costs) * 95 // 100]:7}"
        f"  {costs[-1]:7}  {calls:5.0f}  {spent_ms:.2f}"
    )


def follow(indexes: Sequence[Index]) -> tuple[dict[str, int], list[tuple[int, int]]]:
    """Bytes of each index, and for every section the bytes and number of the indexes on its shortest way."""
    texts = {index.path: write_index(index) for index in indexes}
    sizes = {path: len(text.encode()) for path, text in texts.items()}
    ways: dict[str, tuple[int, int]] = {}
    waiting = [("index.md", sizes["index.md"], 1)]
    seen = {"index.md"}
    for path, cost, steps in waiting:
        folder = PurePosixPath(path).parent
        for line in parse_index(texts[path]).links:
            target = str(folder / line.url)
            if target in sizes and target not in seen:
                seen.add(target)
                waiting.append((target, cost + sizes[target], steps + 1))
            elif target not in sizes:
                ways.setdefault(target, (cost, steps))
    return sizes, list(ways.values())


def draw_shelf(
    titles: Titles, count: int, folders: int, sections: int, config: ShelfConfig
) -> tuple[list[DocumentPlan], list[Listed], dict[str, list[Section]]]:
    """A shelf of documents whose titles and sections are drawn from `titles`, the same on every run."""
    chance = random.Random(1)
    names = [f"{chance.choice(titles.documents)} {number}" for number in range(count)]
    sources = [
        (f"folder {number % folders:03d}/" if folders > 1 else "")
        + f"{number} {name[:60].replace('/', ' ')}.pdf"
        for number, name in enumerate(names)
    ]
    addresses = assign_addresses(sources)
    plans, listed, cut = [], [], {}
    for source, name in zip(sources, names, strict=True):
        language = "ru" if text_language(name, "en") in ("ru", "uk", "bg") else "en"
        address = addresses.documents[source]
        plan = make_plan(
            source,
            address,
            config,
            breadcrumbs_to(PurePosixPath(source).parent, config, addresses.categories),
        )
        made = list(draw_sections(chance, titles.sections[language], address, sections))
        meta = DocumentMeta(
            source=source, path=address.subindex, title=name, description="", language=language, grade="A",
            engine="fast", quality="auto", headings="bookmarks", pages=sections * 3, sha256="", page_grades="A",
            outline=tuple(entry for section in made for entry in section.outline),
            sections=tuple(section.entry() for section in made),
        )  # fmt: skip
        plans.append(plan)
        listed.append(Listed(meta, 0))
        cut[source] = made
    return plans, listed, cut


def draw_sections(
    chance: random.Random, titles: Sequence[str], address: Address, count: int
) -> Iterator[Section]:
    for number in range(1, count + 1):
        title, *inside = (chance.choice(titles) for _ in range(chance.randint(1, 5)))
        path = f"{address.base}/{number:03d}-{slug(title, 'section', 48)}.md"
        size = max(2048, min(12_000, int(chance.gauss(SECTION_BYTES, 2500))))
        outline = tuple(
            OutlineEntry(1 if place == 0 else 2, name, number, path, "a")
            for place, name in enumerate((title, *inside))
        )
        yield Section(
            path, title, "x" * size, (number, number + 2), (str(number), str(number + 2)), title, outline, ""
        )


def make_plan(
    source: str, address: Address, config: ShelfConfig, breadcrumbs: tuple[LinkTo, ...]
) -> DocumentPlan:
    return DocumentPlan(
        source=source, stem="x", sha256="", address=address, shelf=ShelfView("Shelf", "ru"), breadcrumbs=breadcrumbs,
        title=None, description="", language=None, default_language="ru", quality="auto", split=True,
        heading_sources=config.heading_sources, budget=config.budget, source_file="",
    )  # fmt: skip


def read_titles(folder: Path) -> Titles:
    """The titles in the outlines of all PDFs of a folder that open."""
    documents: list[str] = []
    sections: dict[str, list[str]] = {"ru": [], "en": []}
    pymupdf.TOOLS.mupdf_display_errors(False)
    for file in sorted(folder.rglob("*.pdf")):
        try:
            with pymupdf.open(file) as document:
                entries = [] if document.needs_pass else document.get_toc()
        except (RuntimeError, ValueError):
            continue
        for level, title, _ in entries:
            words = " ".join(title.split())[:120]
            language = text_language(words, "en")
            if len(words) < 4 or language not in ("ru", "uk", "bg", "en"):
                continue
            sections["en" if language == "en" else "ru"].append(words)
            if level == 1 and len(words) > 12:
                documents.append(words)
    return Titles(tuple(documents), {name: tuple(found) for name, found in sections.items()})


if __name__ == "__main__":
    main()
