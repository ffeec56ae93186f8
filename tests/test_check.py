from collections.abc import Callable
from pathlib import Path

import pytest
from shelftest import ShelfTest

from docshelf.serve.check import check_release
from docshelf.serve.errors import ShelfDamaged


@pytest.fixture
def release(shelf: ShelfTest) -> Path:
    shelf.pdf("x/a.pdf", "text of a")
    shelf.build()
    return shelf.current.resolve()


def rewrite(path: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / path
        text = file.read_text("utf-8")
        assert old in text
        file.unlink()
        file.write_text(text.replace(old, new), "utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            lambda folder: (folder / "docs/x/a.md").unlink(),
            "docs/x/a.md: is listed in files.tsv and is not there",
        ),
        (lambda folder: (folder / "extra.txt").write_text(""), "extra.txt: is not listed in files.tsv"),
        (rewrite("docs/x/a.md", "text of a", "text of b"), "docs/x/a.md: is not what files.tsv says"),
        (
            rewrite("shelf.json", '"name": "source"', '"name": "other"'),
            "shelf.json: its release is not the hash",
        ),
        (
            rewrite("index.md", "docs/x/a.md", "docs/x/b.md"),
            "index.md: leads to docs/x/b.md, which is not there",
        ),
        (rewrite("index.md", "## ", "### "), "index.md: is no index that strict readers take"),
        (rewrite("index.html", "docs/x/a.html", "docs/x/b.html"), "index.html: leads to docs/x/b.html"),
        (rewrite("docs/x/a.html", 'id="p1"', 'id="p2"'), "leads to #p1, where there is no such place"),
        (
            rewrite("docs/x/a.meta.json", '"bytes": ', '"bytes": 1'),
            "docs/x/a.md: is not what the meta of x/a.pdf says",
        ),
    ],
)
def test_every_kind_of_damage_is_named(release: Path, change: Callable[[Path], None], fault: str) -> None:
    if "#p1" in fault:
        page = release / "docs/x/a.html"
        text = (
            page.read_text("utf-8")
            .replace("<body", '<body data-x=""', 1)
            .replace("</main>", '<a href="#p1"></a></main>')
        )
        page.unlink()
        page.write_text(text, "utf-8")
    change(release)
    faults = [str(found) for found in check_release(release)]
    assert any(fault in found for found in faults), faults


def test_a_folder_without_a_manifest_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(ShelfDamaged, match="run docshelf build"):
        list(check_release(tmp_path))
