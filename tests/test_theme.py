import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from docshelf.build.rendering.pages import PageView, ShelfView
from docshelf.build.rendering.render import render_page
from docshelf.build.rendering.theme import BUILT_IN, Theme, load_theme
from docshelf.serve.errors import ConfigError

DOCS = Path(__file__).resolve().parent.parent / "docs" / "themes.md"
PAGE = PageView(
    path="docs/a.html",
    title="T",
    language="en",
    kind="section",
    breadcrumbs=(),
    markdown="docs/a.md",
    llms="llms.txt",
)


def write_theme(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def rendered(theme: Theme) -> str:
    return render_page("# T\n\nText\n", PAGE, ShelfView("Shelf", "en"), theme).decode()


def test_assets_carry_a_fingerprint_of_their_content(tmp_path: Path) -> None:
    built_in = load_theme().assets()
    other = load_theme(write_theme(tmp_path, {"assets/style.css": "p {}"})).assets()
    assert all(re.fullmatch(r"assets/[a-z-]+-[a-p]{8}\.(css|js|svg)", path) for path in built_in)
    names = {re.sub(r"-[a-p]{8}\.", ".", path) for path in built_in}
    assert {"assets/favicon.svg", "assets/page.js", "assets/style.css"} <= names
    assert len(set(built_in) - set(other)) == 1
    # printf 'p {}' | sha256sum | tr 0-9 g-p
    assert other["assets/style-kodikjpk.css"] == b"p {}"


def test_a_template_of_ones_own_extends_the_built_in_one(tmp_path: Path) -> None:
    own = '{% extends "default/base.html" %}{% block footer %}<footer>{{ shelf.name }} & Co</footer>{% endblock %}'
    html = rendered(load_theme(write_theme(tmp_path, {"templates/base.html": own})))
    assert "<footer>Shelf & Co</footer>" in html
    assert "<p>Text</p>" in html
    assert "DocShelf</p>" not in html


def test_a_theme_that_did_not_change_is_the_same_object_and_one_that_did_another(tmp_path: Path) -> None:
    theme = load_theme(write_theme(tmp_path, {"assets/custom.css": "p {}"}))
    assert load_theme(tmp_path) is theme
    write_theme(tmp_path, {"assets/custom.css": "b {}"})
    assert load_theme(tmp_path) is not theme
    assert load_theme(tmp_path).fingerprint != theme.fingerprint


def test_custom_css_is_linked_after_the_style_of_the_theme(tmp_path: Path) -> None:
    html = rendered(load_theme(write_theme(tmp_path, {"assets/custom.css": ":root { --accent: red; }"})))
    sheets = re.findall(r'<link rel="stylesheet" href="\.\./assets/(\w+)-[a-p]{8}\.css">', html)
    assert sheets == ["style", "custom"]


def test_a_stylesheet_reaches_the_fonts_beside_it_by_their_published_names(tmp_path: Path) -> None:
    css = 'a { src: url("fonts/a.woff2"), url(nothing.png), url(data:x) }'
    theme = load_theme(write_theme(tmp_path, {"assets/custom.css": css, "assets/fonts/a.woff2": "x"}))
    text = theme.assets()[theme.asset_path("custom.css")].decode()
    # printf x | sha256sum | tr 0-9 g-p
    assert text == 'a { src: url("fonts/a-idnhhmki.woff2"), url(nothing.png), url(data:x) }'
    assert "assets/fonts/a-idnhhmki.woff2" in theme.assets()


def test_what_a_template_prints_is_escaped(tmp_path: Path) -> None:
    own = write_theme(tmp_path, {"templates/section.html": "{{ page.title }}|{{ '<b>' }}|{{ body }}"})
    page = PageView("a.html", "<i>", "en", "section", (), "a.md", "llms.txt")
    html = render_page("# T\n\nText\n", page, ShelfView("S", "en"), load_theme(own)).decode()
    assert html == "&lt;i&gt;|&lt;b&gt;|<p>Text</p>"


def test_every_problem_of_a_theme_is_named_at_once(tmp_path: Path) -> None:
    outside = tmp_path / "secret.html"
    outside.write_text("secret")
    theme = write_theme(
        tmp_path / "theme",
        {
            "templates/section.html": "a\n{% if %}",
            "templates/index.html": "{% nonsense %}",
            "assets/a.css": "",
            "style.css": "",
            "README.md": "notes",
        },
    )
    (theme / "templates" / "base.html").symlink_to(outside)
    with pytest.raises(ConfigError) as raised:
        load_theme(theme)
    problems = raised.value.problems
    assert len(problems) == 4
    assert f"{theme}/style.css: not used here; move it into templates/ or assets/" in problems[0]
    assert f"{theme}/templates/base.html: leads out of the theme" in problems[1]
    assert f"{theme}/templates/index.html, line 1: " in problems[2]
    assert f"{theme}/templates/section.html, line 2: " in problems[3]
    assert all("; " in problem for problem in problems)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such folder; mend `theme` or remove it"):
        load_theme(tmp_path / "none")


def test_an_empty_theme_folder_does_not_pass_silently(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no template and no asset"):
        load_theme(tmp_path)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ nothing.here }}", "'nothing' is undefined"),
        ("{{ page.colour }}", "no attribute 'colour'"),
        ("{% include 'none.html' %}", "none.html"),
        ("{% include '../secret.html' %}", "secret.html"),
        ("{{ asset('none.css') }}", "no asset 'none.css'"),
    ],
)
def test_a_name_that_is_not_there_is_an_error_and_no_empty_place(
    template: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "secret.html").write_text("secret")
    theme = load_theme(write_theme(tmp_path / "theme", {"templates/section.html": template}))
    with pytest.raises(ConfigError, match=re.escape(words)):
        rendered(theme)


def test_the_fingerprint_follows_every_template_and_asset(tmp_path: Path) -> None:
    first = load_theme(write_theme(tmp_path / "a", {"templates/x.html": "1"})).fingerprint
    same = load_theme(
        write_theme(tmp_path / "b", {"templates/x.html": "1", "templates/.swp": "2"})
    ).fingerprint
    other = load_theme(write_theme(tmp_path / "c", {"templates/x.html": "2"})).fingerprint
    assert first == same
    assert len({first, other, load_theme().fingerprint}) == 3
    assert re.fullmatch(r"[0-9a-f]{16}", first)


def test_a_picture_is_published_byte_by_byte(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "logo.png").write_bytes(b"\x89PNG\xff")
    assert b"\x89PNG\xff" in load_theme(tmp_path).assets().values()


@pytest.mark.parametrize("name", ["templates/section.html", "assets/style.css"])
def test_a_text_that_is_no_utf8_is_named(name: str, tmp_path: Path) -> None:
    write_theme(tmp_path, {name: ""})
    (tmp_path / name).write_bytes("жёлтый".encode("cp1251"))
    with pytest.raises(ConfigError, match="is no UTF-8 text; save it as UTF-8"):
        load_theme(tmp_path)


def documented(heading: str) -> set[str]:
    """What the tables of docs/themes.md name in their first column under `heading`."""
    text = DOCS.read_text("utf-8")
    part = text.split(f"### {heading}\n", 1)[1].split("\n### ", 1)[0]
    rows = re.findall(r"^\| (`[^|]+`) \|", part, re.MULTILINE)
    return {name.partition("(")[0] for row in rows for name in re.findall("`([^`]+)`", row)}


def test_every_template_block_and_name_is_documented() -> None:
    templates = BUILT_IN / "templates"
    assert documented("Templates") == {file.name for file in templates.iterdir()}
    blocks = re.findall(r"{% block (\w+) %}", (templates / "base.html").read_text("utf-8"))
    assert documented("Blocks") == set(blocks)
    given: dict[str, object] = {}

    class Listening(Theme):
        def render(self, template: str, context: Mapping[str, object]) -> str:
            given.update(context)
            return ""

    built_in = load_theme()
    render_page("# T\n", PAGE, ShelfView("S", "en"), Listening(built_in.environment, built_in.published, ""))
    assert documented("Names") == set(given)
    fields = DOCS.read_text("utf-8")
    of_page = {field.name for field in dataclasses.fields(PageView)} - {"tree", "labels", "pictures"}
    assert [name for name in of_page if f"`{name}`" not in fields] == []
