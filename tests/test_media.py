"""Media types by file name."""

import pytest

from docshelf.serve.media import is_readable, media_type


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("docs/a/001-x.md", "text/markdown; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("llms.txt", "text/plain; charset=utf-8"),
        ("files.tsv", "text/tab-separated-values; charset=utf-8"),
        ("docs/a.meta.json", "application/json; charset=utf-8"),
        ("assets/release.js", "text/javascript; charset=utf-8"),
        ("assets/shelf.css", "text/css; charset=utf-8"),
        ("assets/mark.svg", "image/svg+xml; charset=utf-8"),
        ("sources/a.pdf", "application/pdf"),
        ("pictures/p001.png", "image/png"),
        ("pictures/p001.jpg", "image/jpeg"),
    ],
)
def test_a_name_has_one_media_type(name: str, expected: str) -> None:
    assert media_type(name) == expected


def test_the_case_of_the_ending_means_nothing() -> None:
    assert media_type("A.PDF") == "application/pdf"


@pytest.mark.parametrize("name", ["unknown.xyz", "no-ending", ".md", "docs.md/file"])
def test_what_has_no_known_ending_is_bytes(name: str) -> None:
    assert media_type(name) == "application/octet-stream"


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.tsv", "a.json"])
def test_a_model_can_be_given_markdown_text_tables_and_json(name: str) -> None:
    assert is_readable(media_type(name))


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.js", "a.pdf", "a.xyz"])
def test_a_model_is_given_no_markup_and_no_bytes(name: str) -> None:
    assert not is_readable(media_type(name))
