"""The browser's reader in a real Chromium, from a disk: the same sections in the same order as the server's."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from searched_shelf import rows, sample_documents, write_searched
from test_search_building import random_documents

from docshelf.build.rendering.theme import BUILT_IN
from docshelf.serve.releases.tree import Release
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
  for (const [query, limit, path, markdown] of QUERIES) {
    const { hits, words } = await index.search(query, { limit, path });
    const told = hits.map((hit) => [hit.path, hit.title, hit.document, hit.pages, hit.labels, hit.score]);
    const kept = JSON.parse(JSON.stringify(words));
    out.push({ told, snippet: docshelfSearch.snippet(markdown, kept), marks: docshelfSearch.marks(query, kept) });
  }
  document.getElementById("out").textContent = JSON.stringify(out);
});
"""
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
    """Holds that Chromium and Python answer all queries alike."""
    release = Release(folder)
    index = SearchIndex(release)
    expected, tasks = [], []
    for query, limit, path in queries:
        hits = index.search(query, limit, path)
        markdown = release.read(hits[0].path).decode() if hits else ""
        tasks.append([query, limit, path, markdown])
        told = [[it.path, it.title, it.document, [*it.pages], [*it.labels], it.score] for it in hits]
        first = [hits[0].snippet, [list(mark) for mark in hits[0].marks]] if hits else ["", []]
        expected.append((query, told, first))
    for got, (query, told, first) in zip(run(folder, tasks, tmp_path), expected, strict=True):
        assert (query, got["told"]) == (query, told)
        assert (query, [got["snippet"]["text"], got["snippet"]["marks"]]) == (query, first)


def run(folder: Path, tasks: list[list[Any]], tmp_path: Path) -> list[dict[str, Any]]:
    """What the page gives for [query, limit, path, Markdown of the first hit] each."""
    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed; run: apt-get install chromium"
    shutil.copy(BUILT_IN / "assets" / "search-core.js", folder)
    (folder / "run.js").write_text(f"const QUERIES = {json.dumps(tasks)};{RUN}", "utf-8")
    (folder / "search-test.html").write_text(PAGE, "utf-8")
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (folder / "search-test.html").as_uri()]
    result = subprocess.run(
        [chromium, *SWITCHES, *own], capture_output=True, text=True, timeout=50, check=True
    )
    assert re.findall(r":CONSOLE[:(].*", result.stderr) == []
    out = re.search(r'<pre id="out">(.*)</pre>', result.stdout, re.DOTALL)
    assert out
    assert out[1], "the page did not come to an end"
    told: list[dict[str, Any]] = json.loads(html.unescape(out[1]))
    return told


def test_the_browser_finds_what_the_server_finds(tmp_path: Path) -> None:
    folder = write_searched(tmp_path / "shelf", sample_documents())
    queries = [(row["query"], 10, "") for row in rows("queries.tsv")]
    queries += [(query, 50, "") for query in ODD]
    queries += [("память срок насос", limit, path) for limit in (1, 3) for path in ("docs/a", "docs/b/")]
    queries += [("насос", 10, "docs/a/document-2/003-section.md"), ("насос", 10, "docs/nowhere/")]
    for_python = [(query, limit, path) for query, limit, path in queries if path != "docs/nowhere/"]
    asked(folder, for_python, tmp_path)
    nowhere = run(folder, [["насос", 10, "docs/nowhere/", ""]], tmp_path)
    assert nowhere[0]["told"] == []


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
    got = run(folder, [["настроить маршруты", 1, "", f"# Т\n\n> т\n\n{text}"]], tmp_path)
    snippet = got[0]["snippet"]
    assert [snippet["text"][start:end] for start, end in snippet["marks"]] == marked
