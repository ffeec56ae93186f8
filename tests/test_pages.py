import pytest

from docshelf.build.rendering.pages import relative_url, resolved_path


@pytest.mark.parametrize(
    ("page", "target", "url"),
    [
        ("index.html", "index.html", "index.html"),
        ("index.html", "docs/a/index.html", "docs/a/index.html"),
        ("docs/a/b/1.html", "docs/a/b/2.html#p12", "2.html#p12"),
        ("docs/a/b/1.html", "docs/a/c/2.html", "../c/2.html"),
        ("docs/a/b/1.html", "docs/a/b.html", "../b.html"),
        ("docs/a/b/1.html", "index.html", "../../../index.html"),
        ("docs/a/b.html", "docs/a/b/1.html", "b/1.html"),
        ("docs/a/1.html", "sources/a/x.pdf#page=12", "../../sources/a/x.pdf#page=12"),
        ("docs/a/1.html", "docs/a/a:b c%?.html", "a%3Ab%20c%25%3F.html"),
        ("docs/a/1.html", 'docs/a/"x".html#"', "%22x%22.html#%22"),
        ("docs/a/1.html", "docs/a/схема.html", "%D1%81%D1%85%D0%B5%D0%BC%D0%B0.html"),
    ],
)
def test_a_page_refers_to_other_files_relative_to_itself(page: str, target: str, url: str) -> None:
    assert relative_url(page, target) == url


@pytest.mark.parametrize(
    ("relative", "path"),
    [
        ("2.md", "docs/a/2.md"),
        ("./2.md", "docs/a/2.md"),
        ("../b/2.md", "docs/b/2.md"),
        ("../../index.md", "index.md"),
        ("../../../x", None),
        ("x/../../../../x", None),
    ],
)
def test_a_relative_path_is_resolved_inside_the_shelf_only(relative: str, path: str | None) -> None:
    assert resolved_path("docs/a/1.html", relative) == path
