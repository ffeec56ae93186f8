"""The question sets that lie beside the repository."""

import csv
import shutil
from pathlib import Path

import pytest
from searched_shelf import write_searched
from shelftest import ShelfTest
from test_search_building import random_documents
from written_shelf import written_document

from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.search.hits import Hit
from docshelf.serve.search.index import SearchIndex

FIRST = 3
"""How many hits are the first ones."""


def table(file: Path) -> list[list[str]]:
    """The rows of a table below its head."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t"))[1:]


def write_evaluated(shared: Path, folder: Path) -> Path:
    """Writes a release of the sections of search_eval among 2,000 others; gives its folder."""
    asked = [
        written_document(f"docs/asked/{name}", title, [(title, body)])
        for name, title, body in table(shared / "cases" / "search_eval" / "sections.tsv")
    ]
    return write_searched(folder, [*asked, *random_documents(1, 100, 20)])


def build_asked(shared: Path, shelf: ShelfTest) -> list[list[str]]:
    """Builds the documents that search_queries.tsv asks about; gives its rows of those that are there."""
    cases = shared / "cases"
    queries = [row for row in table(cases / "search_queries.tsv") if not row[1] or (cases / row[1]).is_file()]
    for name in {row[1] for row in queries if row[1]}:
        (shelf.source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(cases / name, shelf.source / name)
    shelf.build()
    return queries


@pytest.mark.timeout(120)
def test_nine_of_ten_questions_lead_to_their_section_among_many_others(shared: Path, tmp_path: Path) -> None:
    index = SearchIndex(Release(write_evaluated(shared, tmp_path)))
    queries = table(shared / "cases" / "search_eval" / "queries.tsv")
    missed = [
        query for query, wanted, _ in queries if not any(wanted in hit.path for hit in index.search(query, 5))
    ]
    assert len(missed) <= len(queries) // 10, missed


@pytest.mark.timeout(120)
def test_each_query_leads_to_its_document_among_the_first(shared: Path, shelf: ShelfTest) -> None:
    queries = build_asked(shared, shelf)
    release = Site(shelf.site).current()
    index = SearchIndex(release)

    def holds(hit: Hit, name: str, title: str) -> bool:
        entry = release.addresses.document(hit.path)
        return entry is not None and entry.source == name and title in release.read(hit.path).decode()

    for query, name, title in queries:
        hits = index.search(query)[:FIRST]
        assert any(holds(hit, name, title) for hit in hits) if name else hits == [], query
