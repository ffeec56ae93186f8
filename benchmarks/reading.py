"""What a page weighs beyond its content, and what a first search loads and how long a reader waits for it.

    python benchmarks/reading.py [SITE ...] [--sections 10000] [--characters 1000] [--pdfs PDFS] [--queries 50]

Weights are those of all section pages of the sites SITE (default: the sample shelf, built for it); "packed" is
brotli, 5 for pages and 11 for assets, as `docshelf build` packs twins. The search is that of benchmarks/search.py:
sections cut from the text of the PDFs, with those of a question set among them. Each of its questions is put at
once into a page that was just opened by a Chromium that has nothing of it, from a disk and over HTTP; counted are
the shards that it loads, gzip, and the time from the input to the first hit on the screen, of which the page waits
120 ms for further letters.
"""

import argparse
import functools
import gzip
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import brotli
from playwright.sync_api import Browser, sync_playwright

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

from benchmarks.search_shelf import (
    in_order,
    make_documents,
    read_questions,
    read_sections,
    write_release,
)
from docshelf.build.rendering.pages import ShelfView
from docshelf.build.rendering.render import render_search_page
from docshelf.build.rendering.theme import Theme, load_theme
from docshelf.build.searching.words import document_words
from docshelf.serve.manifest import RELEASE_SCRIPT

PAGE_QUALITY, ASSET_QUALITY = 5, 11
SEARCH_DATA = "/assets/search/"
_PARTS = {
    "tree": re.compile(r'<nav class="tree".*?</nav>\n', re.DOTALL),
    "headings": re.compile(r'<div class="aside">.*?</nav>\n</details>\n</div>\n', re.DOTALL),
    "text": re.compile(r'(?<=<div class="text">\n).*(?=\n</div>\n(?:<nav class="pager"|</main>))', re.DOTALL),
}
# The time of the last letter and of the first frame after a hit is there.
_CLOCK = """
document.addEventListener("input", () => { window.typedAt = performance.now(); window.shownAt = 0; }, true);
new MutationObserver(() => {
  if (window.shownAt || !document.querySelector(".seek-hits a")) return;
  window.shownAt = -1;
  requestAnimationFrame(() => { window.shownAt = performance.now(); });
}).observe(document, {childList: true, subtree: true});
"""


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes of a section page beyond its content."""

    frame: int
    tree: int
    headings: int
    """Its own contents: they grow with the headings of its text."""
    packed: int
    """Frame and tree together, brotli."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sites", nargs="*", type=Path)
    parser.add_argument("--sections", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=1000)
    parser.add_argument("--pdfs", type=Path)
    parser.add_argument("--queries", type=int, default=50, help="how many questions are asked at most")
    parser.add_argument("--questions", type=Path, default=REPOSITORY.parent / "shared/cases/search_eval")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    theme = load_theme()
    print(
        f"style and scripts: {asset_bytes(theme)} bytes packed, {asset_bytes(theme, core=True)} for searching"
    )
    with tempfile.TemporaryDirectory(prefix="docshelf-") as scratch:
        for site in arguments.sites or [built_sample(Path(scratch) / "site")]:
            print(told_weights(site))
        corpus = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
        pdfs = arguments.pdfs or (corpus if corpus.is_dir() else REPOSITORY / "shelf_src")
        folder = Path(scratch) / "large"
        queries = write_searchable(folder, pdfs, arguments, theme)
        with sync_playwright() as playwright, serving(folder) as address:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            print(f"Chromium {browser.version}")
            for name, root in (("from a disk", f"{folder.as_uri()}/"), ("over HTTP", address)):
                print(name, told_searches(browser, root, folder, queries), sep=": ")
            browser.close()


def weights(page: str) -> Weights:
    """What the HTML of a section page weighs."""
    found = {name: pattern.search(page) for name, pattern in _PARTS.items()}
    sizes = {name: len(match[0].encode()) if match else 0 for name, match in found.items()}
    around = page
    for name in ("text", "headings"):
        match = found[name]
        around = around.replace(match[0], "", 1) if match else around
    packed = len(brotli.compress(around.encode(), quality=PAGE_QUALITY))
    return Weights(len(around.encode()) - sizes["tree"], sizes["tree"], sizes["headings"], packed)


def site_weights(site: Path) -> Iterator[Weights]:
    """Of all section pages of the current release of a site."""
    for file in sorted((site / "current" / "docs").rglob("*.html")):
        page = file.read_text("utf-8")
        if '<body class="section' in page:
            yield weights(page)


def told_weights(site: Path) -> str:
    """The heaviest of each kind on a site."""
    all_weights = list(site_weights(site))
    most = {
        name: max(getattr(it, name) for it in all_weights) for name in ("frame", "tree", "headings", "packed")
    }
    told = ", ".join(f"{name} {size}" for name, size in most.items())
    return f"{site.name}: {len(all_weights)} section pages, bytes at most: {told} (frame and tree)"


def asset_bytes(theme: Theme, *, core: bool = False) -> int:
    """Bytes of all style and scripts of a theme, packed; `core`: of what is loaded for a search only."""
    return sum(
        len(brotli.compress(content, quality=ASSET_QUALITY))
        for path, content in theme.assets().items()
        if path.endswith((".css", ".js")) and (not core or "/search-core-" in path)
    )


def built_sample(site: Path) -> Path:
    """The sample shelf."""
    command = [sys.executable, "-m", "docshelf.build.cli", "build", "shelf_src", "-o", str(site)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / ".dev")}
    subprocess.run(command, cwd=REPOSITORY, env=environment, check=True, capture_output=True)
    return site


def write_searchable(folder: Path, pdfs: Path, arguments: argparse.Namespace, theme: Theme) -> list[str]:
    """Writes a large shelf with its page that searches; gives the queries that are asked."""
    asked, questions = read_questions(arguments.questions)
    documents = make_documents(read_sections(pdfs, arguments.sections, arguments.characters)) + asked
    index = write_release(
        folder, documents, in_order([document_words(it.meta, it.texts) for it in documents])
    )
    extra = {
        **theme.assets(),
        "search.html": render_search_page(ShelfView("Shelf", "en"), theme),
        RELEASE_SCRIPT: b'window.docshelfRelease = "0";\n',
    }
    for path, content in extra.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    size = sum(len(gzip.compress(content, 6)) for content in index.values())
    sections = sum(len(it.texts) for it in documents)
    print(f"search data of {sections} sections: {size / 1e6:.2f} MB gzip in {len(index)} files")
    return [it.query for it in questions[: arguments.queries]]


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a plain file server on loopback."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def told_searches(browser: Browser, root: str, folder: Path, queries: Sequence[str]) -> str:
    """What the first query of a page loads and how long it takes."""
    loaded, waited_ms = zip(*(first_search(browser, root, folder, query) for query in queries), strict=True)
    return (
        f"{len(queries)} first queries, shards median {statistics.median(loaded) / 1000:.0f}, "
        f"most {max(loaded) / 1000:.0f} KB gzip; first hit after median {statistics.median(waited_ms):.0f}, "
        f"most {max(waited_ms):.0f} ms"
    )


def first_search(browser: Browser, root: str, folder: Path, query: str) -> tuple[int, float]:
    """Bytes of the shards (gzip) and milliseconds of a query typed into a page that was just opened."""
    with browser.new_context() as tab:
        tab.add_init_script(_CLOCK)
        page = tab.new_page()
        asked: list[str] = []
        page.on("request", lambda it: asked.append(it.url))
        page.goto(f"{root}search.html")
        page.wait_for_load_state("networkidle")
        page.keyboard.insert_text(query)
        page.wait_for_function("() => window.shownAt > 0")
        waited_ms: float = page.evaluate("window.shownAt - window.typedAt")
        shards = {url.rpartition(SEARCH_DATA)[2] for url in asked if SEARCH_DATA in url}
    files = (folder / SEARCH_DATA.strip("/") / name for name in shards)
    return sum(len(gzip.compress(file.read_bytes(), 6)) for file in files), waited_ms


if __name__ == "__main__":
    main()
