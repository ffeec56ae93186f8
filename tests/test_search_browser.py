"""The browser's reader in a real Chromium, from a disk: the same sections in the same order as the server's."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browsing import open_browser, visiting
from running_server import running_server
from searched_shelf import rows, sample_documents, write_searched
from shelftest import ShelfTest
from test_search_building import random_documents
from test_search_cases import build_asked, table, write_evaluated

from docshelf.build.rendering.theme import BUILT_IN
from docshelf.serve.releases.tree import Release
from docshelf.serve.search.hits import Hit
from docshelf.serve.search.index import SearchIndex

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=20000",
)
PAGE = """<!doctype html>
<html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">
<script src="search-core.js"></script><script src="run.js"></script>
</head><body><pre id="out"></pre></body></html>
"""
RUN = """
document.addEventListener("DOMContentLoaded", async () => {
  const index = docshelfSearch.open(""), out = [];
  for (const [query, limit, path] of QUERIES) {
    const { hits, words } = await index.search(query, { limit, path });
    const kept = JSON.parse(JSON.stringify(words));
    docshelfSearch.marks(query, kept);
    out.push(hits.map((hit) => {
      const { text, marks, page } = docshelfSearch.snippet(TEXTS[hit.path] || "", kept);
      const label = page && docshelfSearch.label(hit, page);
      return [hit.path, hit.title, hit.document, hit.pages, hit.labels, hit.score, text, marks, page, label];
    }));
  }
  document.getElementById("out").textContent = JSON.stringify(out);
});
"""
SHOWN = 3
"""How many hits stand on the screen for certain; of those that do the page asks for the text, to name the page."""
LINKS = """() => [...document.querySelectorAll(".seek-hits a")].map((it) => it.pathname.slice(1) + it.hash)"""
SETTLED = f"""(wanted) => {{
  const links = ({LINKS})().slice(0, wanted);
  return document.querySelector(".seek-status").textContent && links.length === wanted &&
    links.every((link) => link.includes("#"));
}}"""
ODD = [
    "",
    "   ",
    "\0 порт",
    "\ud800 порт",
    "\U0001f600 сеть",
    "İstanbul STRASSE straße",
    "ﬁle м² ①",
    "a" * 1_000,
    "память " * 300,
    " ".join(f"слово{number}" for number in range(99)),
    "\ufeffпорт\u2028сеть\x85память",
    "п",
    "пр",
    "00:1a:2b a@b.c x//y __init__",
    "руддщ ghbdtn",
    "(.*)+[",
]


def asked(folder: Path, queries: list[tuple[str, int, str]], tmp_path: Path) -> None:
    """Holds that Chromium and Python answer all queries alike: sections, their order, snippets, pages."""
    release = Release(folder)
    index = SearchIndex(release)
    found = [index.search(query, limit, path) for query, limit, path in queries]
    texts = {hit.path: release.read(hit.path).decode() for hits in found for hit in hits}
    for got, hits, (query, *_) in zip(run(folder, queries, texts, tmp_path), found, queries, strict=True):
        assert (query, got) == (query, [told(hit) for hit in hits])


def told(hit: Hit) -> list[Any]:
    """A hit as the page gives it."""
    pages, labels, marks = [*hit.pages], [*hit.labels], [[*mark] for mark in hit.marks]
    own = [hit.path, hit.title, hit.document, pages, labels, hit.score]
    return [*own, hit.snippet, marks, hit.page, hit.label]


def run(
    folder: Path, queries: list[tuple[str, int, str]], texts: dict[str, str], tmp_path: Path
) -> list[list[Any]]:
    """What the page finds for (query, limit, path) each; `texts` is the Markdown of sections by path."""
    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed; run: apt-get install chromium"
    shutil.copy(BUILT_IN / "assets" / "search-core.js", folder)
    given = f"const QUERIES = {json.dumps(queries)}, TEXTS = {json.dumps(texts)};"
    (folder / "run.js").write_text(given + RUN, "utf-8")
    (folder / "search-test.html").write_text(PAGE, "utf-8")
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (folder / "search-test.html").as_uri()]
    result = subprocess.run(
        [chromium, *SWITCHES, *own], capture_output=True, text=True, timeout=180, check=True
    )
    assert re.findall(r":CONSOLE[:(].*", result.stderr) == []
    out = re.search(r'<pre id="out">(.*)</pre>', result.stdout, re.DOTALL)
    assert out
    assert out[1], "the page did not come to an end"
    found: list[list[Any]] = json.loads(html.unescape(out[1]))
    return found


def test_the_browser_finds_what_the_server_finds(tmp_path: Path) -> None:
    folder = write_searched(tmp_path / "shelf", sample_documents())
    queries = [(row["query"], 10, "") for row in rows("queries.tsv")]
    queries += [(query, 50, "") for query in ODD]
    queries += [("память срок насос", limit, path) for limit in (1, 3) for path in ("docs/a", "docs/b/")]
    queries += [("насос", 10, "docs/a/document-2/003-section.md"), ("насос", 10, "docs/nowhere/")]
    for_python = [(query, limit, path) for query, limit, path in queries if path != "docs/nowhere/"]
    asked(folder, for_python, tmp_path)
    assert run(folder, [("насос", 10, "docs/nowhere/")], {}, tmp_path) == [[]]


@pytest.mark.timeout(120)
def test_the_browser_finds_what_the_server_finds_for_the_questions_of_the_cases(
    shared: Path, tmp_path: Path
) -> None:
    folder = write_evaluated(shared, tmp_path / "shelf")
    queries = [(row[0], 10, "") for row in table(shared / "cases" / "search_eval" / "queries.tsv")]
    assert len(queries) > 40
    asked(folder, queries, tmp_path)


@pytest.mark.timeout(120)
def test_the_page_that_searches_lists_what_the_server_lists(shared: Path, shelf: ShelfTest) -> None:
    queries = [row[0] for row in build_asked(shared, shelf)]
    with (
        running_server(shelf.site) as server,
        open_browser() as browser,
        visiting(browser, server) as visit,
    ):
        for query in queries:
            answer = visit.page.request.get(f"{server}/search?query={quote(query)}").text()
            listed = re.findall(r"^- \[.*?\]\((\S+?)\.md(#p\d+)\): ", answer, re.MULTILINE)
            visit.go(f"{server}/search.html?q={quote(query)}")
            visit.page.wait_for_function(SETTLED, arg=min(SHOWN, len(listed)))
            links = visit.value(f"({LINKS})()")
            assert (query, [link.partition("#")[0] for link in links]) == (
                query,
                [f"{path}.html" for path, _ in listed],
            )
            assert links[:SHOWN] == [f"{path}.html{page}" for path, page in listed[:SHOWN]]


def test_the_browser_finds_what_the_server_finds_in_many_shards(tmp_path: Path) -> None:
    documents = random_documents(3, 60, 10)
    folder = write_searched(tmp_path / "shelf", documents)
    words = [word for it in documents[::7] for text in it.texts.values() for word in text.split()[-4:]]
    queries = [(" ".join(words[at : at + 3]), 10, "") for at in range(0, 120, 3)]
    queries += [(word[:-1], 10, "") for word in words[:40]]
    queries += [(f"{word[:2]}щ{word[3:]}", 10, "") for word in words[40:90]]
    asked(folder, queries, tmp_path)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Настройка маршрутов и НАСТРОЙКИ: маршрут", ["Настройка", "маршрутов", "НАСТРОЙКИ", "маршрут"]),
        ("ничего такого", []),
    ],
)
def test_found_words_are_marked_in_any_text(text: str, marked: list[str], tmp_path: Path) -> None:
    folder = write_searched(tmp_path / "shelf", sample_documents())
    hit = SearchIndex(Release(folder)).search("настроить маршруты", 1)[0]
    [[got]] = run(folder, [("настроить маршруты", 1, "")], {hit.path: f"# Т\n\n> т\n\n{text}"}, tmp_path)
    snippet, marks = got[6], got[7]
    assert [snippet[start:end] for start, end in marks] == marked
