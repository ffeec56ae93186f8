"""What a publish has to do: kinds, order, headers, and what has fallen away."""

import pytest

from docshelf.serve.manifest import FileRow
from docshelf.serve.storage.bucket import Headers, StoredObject
from docshelf.serve.storage.plan import Comparison, compare, fallen, file_headers, upload_waves
from docshelf.serve.storage.state import Known, State

MARKDOWN = "text/markdown; charset=utf-8"


def row(path: str, sha256: str = "a") -> FileRow:
    """A file of five bytes."""
    return FileRow(path, 5, sha256, MARKDOWN)


def known(etag: str, sha256: str = "a", cache: str = "no-cache") -> Known:
    """What a finished publish noted."""
    return Known(etag, sha256, MARKDOWN, cache)


def test_what_is_new_goes_up_before_what_changed_and_what_links_after_what_is_linked() -> None:
    new = ["docs/b/subindex.md", "docs/b/001-x.md", "sources/b.pdf", "docs/new/index.md"]
    changed = [
        *("index.md", "llms.txt", "docs/a/index.html", "docs/a/llms.txt", "docs/a/index-2.md"),
        *("docs/a/b/subindex-1.html", "docs/a/b/001-x.html", "docs/a/b.meta.json", "assets/style-ab.css"),
        *("assets/search/index.js", "assets/search/words-0123abcd.js", "moved.tsv", "pictures/a/p001.png"),
        *("shelf.json", "files.tsv", "assets/release.js"),
    ]

    assert upload_waves(new, changed) == [
        ("sources/b.pdf",),
        ("docs/b/001-x.md",),
        ("docs/b/subindex.md",),
        ("docs/new/index.md",),
        ("assets/search/words-0123abcd.js", "assets/style-ab.css", "pictures/a/p001.png"),
        ("docs/a/b.meta.json", "docs/a/b/001-x.html"),
        ("docs/a/b/subindex-1.html",),
        ("docs/a/index-2.md", "docs/a/index.html", "docs/a/llms.txt"),
        ("assets/search/index.js", "index.md", "llms.txt", "moved.tsv"),
    ]


def test_a_document_that_is_called_like_an_index_is_a_section() -> None:
    assert upload_waves(["docs/a/reindex.md", "docs/a/index-of-parts.md", "docs/a/index.md"], []) == [
        ("docs/a/index-of-parts.md", "docs/a/reindex.md"),
        ("docs/a/index.md",),
    ]


@pytest.mark.parametrize(
    ("there", "noted", "kind"),
    [
        (None, None, "new"),
        (None, known('"1"'), "new"),
        (StoredObject(5, '"1"'), known('"1"'), "same"),
        (StoredObject(6, '"1"'), known('"1"'), "changed"),
        (StoredObject(5, '"1"'), known('"1"', sha256="b"), "changed"),
        (StoredObject(5, '"1"'), known('"1"', cache="no-store"), "changed"),
        (StoredObject(5, '"2"'), known('"1"'), "doubtful"),
        (StoredObject(5, '"2"'), Known(), "doubtful"),
        (StoredObject(5, ""), Known(), "doubtful"),
        (StoredObject(5, '"2"'), None, "doubtful"),
    ],
)
def test_an_object_is_known_by_its_etag_and_what_was_noted_of_it(
    there: StoredObject | None, noted: Known | None, kind: str
) -> None:
    listing = {"x.md": there} if there else {}
    state = State({"x.md": noted} if noted else {})

    found = compare({"x.md": row("x.md")}, listing, state)

    empty = dict.fromkeys(("same", "doubtful", "new", "changed"), frozenset[str]())
    assert found == Comparison(**(empty | {kind: frozenset({"x.md"})}))


def test_only_search_data_may_be_kept_for_ever() -> None:
    for_ever = "public, max-age=31536000, immutable"
    paths = ("assets/search/terms-00ff00ff.js", "assets/search/index.js", "docs/assets/search/x-00ff00ff.js")

    assert [file_headers(row(path)) for path in paths] == [
        Headers(MARKDOWN, for_ever),
        Headers(MARKDOWN, "no-cache"),
        Headers(MARKDOWN, "no-cache"),
    ]


def test_the_hour_counts_from_when_a_path_fell_away() -> None:
    state = State({"a": known("1"), "b": known("2"), "c": known("3")}, {"a": 100, "b": 101, "c": 0})

    found = fallen(state, {"c"}, ["r/0"], 3700)

    assert found.due == ("a",)
    assert found.waiting == {"b": 101, "r/0": 3700}
