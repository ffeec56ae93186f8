"""What the paths of a release mean: the nested pages of an index, and sections that moved."""

from docshelf.serve.releases.addresses import Addresses

PATHS = [
    "index.md", "index-1.md", "docs/a/index.md", "docs/a/index-1.md", "docs/a/index-2.md", "docs/a/index-2-1.md",
    "docs/a/index-10.md", "docs/a/long/subindex.md", "docs/a/long/subindex-1.md", "docs/a/long/002-begin.md",
    "docs/a/long/002-begin.html", "docs/ab/index.md", "docs/ab/index-1.md", "docs/a/other/002-begin.md",
]  # fmt: skip


def test_the_nested_pages_of_an_index_come_by_number() -> None:
    addresses = Addresses(PATHS, ())

    assert addresses.covering("docs/a/short.md") == (
        "docs/a/index.md", "docs/a/index-1.md", "docs/a/index-2.md", "docs/a/index-2-1.md", "docs/a/index-10.md",
    )  # fmt: skip
    assert addresses.covering("docs/a/long/002-begin.md") == (
        "docs/a/long/subindex.md",
        "docs/a/long/subindex-1.md",
    )
    assert addresses.covering("docs/ab/short.md") == ("docs/ab/index.md", "docs/ab/index-1.md")
    assert addresses.covering("docs/a/index.md") == ("index.md", "index-1.md")


def test_a_stale_number_leads_to_the_section_of_the_same_document() -> None:
    addresses = Addresses(PATHS, ())

    assert addresses.moved("docs/a/long/001-begin.md") == "docs/a/long/002-begin.md"
    assert addresses.moved("docs/a/long/0015-begin.html") == "docs/a/long/002-begin.html"
    assert addresses.moved("docs/a/long/002-begin.md") is None
    assert addresses.moved("docs/a/long/001-end.md") is None
    assert addresses.moved("docs/a/other/001-begin.md") is None  # No document stands there.
