import os
from pathlib import Path

import pytest
from shelftest import ShelfTest

from docshelf.build.planning.sources import SourceFolder, read_source_folder
from docshelf.serve.errors import BuildError, ConfigError


def read(shelf: ShelfTest) -> SourceFolder:
    return read_source_folder(shelf.source, shelf.site)


def paths(shelf: ShelfTest) -> list[str]:
    return [source.path for source in read(shelf).sources]


def findings(shelf: ShelfTest) -> dict[str, tuple[str, str]]:
    return {finding.source: (finding.severity, finding.code) for finding in read(shelf).findings}


def test_pdfs_of_any_case_and_depth_are_sources(shelf: ShelfTest) -> None:
    for name in ("a.pdf", "б/В.PDF", "x/y/z.pdf"):
        shelf.file(name, b"")
    assert paths(shelf) == ["a.pdf", "x/y/z.pdf", "б/В.PDF"]


@pytest.mark.parametrize(
    "name",
    [
        ".hidden.pdf",
        ".git/x.pdf",
        "~$a.pdf",
        "a.pdf~",
        "a.pdf.crdownload",
        "Thumbs.db",
        "#a.pdf#",
        ".DS_Store",
    ],
)
def test_litter_is_passed_over_in_silence(shelf: ShelfTest, name: str) -> None:
    shelf.file(name, b"")
    assert (paths(shelf), findings(shelf)) == ([], {})


def test_a_kind_that_is_not_read_yet_is_an_error_that_says_what_to_do(shelf: ShelfTest) -> None:
    shelf.file("a.docx", b"")
    shelf.file("b.djvu", b"")
    found = read(shelf).findings
    assert [(f.source, f.severity, f.code) for f in found] == [
        ("a.docx", "error", "unsupported"),
        ("b.djvu", "error", "unsupported"),
    ]
    assert "save it as PDF" in found[0].text


def test_a_file_of_unknown_kind_is_named(shelf: ShelfTest) -> None:
    shelf.file("a.bin", b"")
    assert findings(shelf) == {"a.bin": ("warning", "unknown-kind")}


def test_links_that_leave_the_folder_and_special_files_are_named_and_never_opened(shelf: ShelfTest) -> None:
    outside = shelf.folder / "secret.pdf"
    outside.write_bytes(b"")
    (shelf.source / "leak.pdf").symlink_to(outside)
    (shelf.source / "dangling.pdf").symlink_to("nowhere.pdf")
    (shelf.source / "self.pdf").symlink_to("self.pdf")
    os.mkfifo(shelf.source / "pipe.pdf")
    assert paths(shelf) == []
    assert findings(shelf) == {
        "dangling.pdf": ("error", "link"),
        "leak.pdf": ("error", "link"),
        "pipe.pdf": ("error", "special-file"),
        "self.pdf": ("error", "link"),
    }


def test_a_link_inside_the_folder_is_a_source_of_its_own(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    (shelf.source / "b.pdf").symlink_to("a.pdf")
    assert paths(shelf) == ["a.pdf", "b.pdf"]


def test_a_name_that_is_no_utf8_is_named(shelf: ShelfTest) -> None:
    Path(os.fsdecode(os.fsencode(shelf.source) + b"/\xef\xee.pdf")).write_bytes(b"")
    assert findings(shelf) == {"\\xef\\xee.pdf": ("error", "name")}


def test_the_output_inside_the_source_folder_is_never_a_source(shelf: ShelfTest) -> None:
    shelf.site = shelf.source / "site"
    shelf.file("site/releases/0/sources/a.pdf", b"")
    shelf.file("b.pdf", b"")
    assert paths(shelf) == ["b.pdf"]


def test_a_theme_inside_the_source_folder_is_never_a_source(shelf: ShelfTest) -> None:
    shelf.config(theme="theme")
    shelf.file("theme/templates/section.html", b"")
    shelf.file("b.pdf", b"")
    assert (paths(shelf), findings(shelf)) == (["b.pdf"], {})


def test_a_sidecar_belongs_to_the_source_of_its_stem(shelf: ShelfTest) -> None:
    shelf.file("a.v2.pdf", b"")
    shelf.sidecar("a.v2.meta.json", title="Title")
    assert read(shelf).sources[0].config.title == "Title"


def test_an_ambiguous_sidecar_stops_the_build_and_says_how_to_name_it(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    shelf.file("a.docx", b"")
    shelf.sidecar("a.meta.json")
    with pytest.raises(ConfigError) as caught:
        read(shelf)
    assert caught.value.problems == (
        "a.meta.json: belongs to 2 sources; name it a.docx.meta.json or a.pdf.meta.json",
    )


def test_a_sidecar_with_the_whole_name_is_never_ambiguous(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    shelf.file("a.docx", b"")
    shelf.sidecar("a.pdf.meta.json", title="Title")
    assert read(shelf).sources[0].config.title == "Title"


def test_a_sidecar_without_a_source_and_a_second_one_are_errors(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    shelf.sidecar("a.pdf.meta.json")
    shelf.sidecar("a.meta.json")
    shelf.sidecar("b.meta.json", titel="x")
    with pytest.raises(ConfigError) as caught:
        read(shelf)
    assert caught.value.problems == (
        "a.pdf.meta.json: a second sidecar for a.pdf; keep one of them",
        "b.meta.json: there is no source b.*; rename or remove the sidecar",
    )


def test_a_hidden_source_is_none(shelf: ShelfTest) -> None:
    shelf.file("a.pdf", b"")
    shelf.sidecar("a.meta.json", hidden=True)
    assert paths(shelf) == []


def test_a_category_without_a_folder_is_an_error(shelf: ShelfTest) -> None:
    shelf.config(categories={"сети": {"title": "Сети"}})
    with pytest.raises(ConfigError, match="categories: сети: there is no such folder"):
        read(shelf)


@pytest.mark.parametrize("folder", [Path("/"), Path.home()])
def test_a_whole_home_or_root_folder_is_refused(shelf: ShelfTest, folder: Path) -> None:
    with pytest.raises(BuildError, match="is no source folder"):
        read_source_folder(folder, shelf.site)


def test_a_missing_folder_and_a_file_are_refused(shelf: ShelfTest) -> None:
    with pytest.raises(BuildError, match="does not exist"):
        read_source_folder(shelf.folder / "nowhere", shelf.site)
    with pytest.raises(BuildError, match="is no folder"):
        read_source_folder(shelf.file("a.pdf", b""), shelf.site)
