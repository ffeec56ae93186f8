import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from docshelf.build.caching.notes import Note, NotedFile, Notes, kept_files, note_files
from docshelf.build.indexing.keywords import Words
from docshelf.build.releasing.current import CurrentRelease, current_release
from docshelf.build.releasing.digests import Known
from docshelf.build.releasing.release import publish
from docshelf.serve.config import Budget
from docshelf.serve.manifest import Finding, ShelfManifest

NOTE = Note(
    source="сеть/a.pdf",
    key="k",
    conversion="c",
    sha256="0" * 64,
    findings=(Finding("сеть/a.pdf", 3, "warning", "code", "text"),),
    about="about",
    words=Words({"сеть": 3, "dns": 1}, {"сеть": "сети", "dns": "DNS"}),
    files=(NotedFile("docs/a.md", 4, "1" * 64, 12),),
)


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes")


def test_a_note_is_read_as_it_was_written(notes: Notes) -> None:
    assert notes.read(NOTE.source) is None
    notes.write(NOTE)
    assert notes.read(NOTE.source) == NOTE
    assert notes.read("a.pdf") is None


@pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "empty"])
def test_a_damaged_note_is_none(notes: Notes, damage: str) -> None:
    notes.write(NOTE)
    (file,) = notes.folder.iterdir()
    text = file.read_bytes()
    if damage == "cut":
        file.write_bytes(text[:-3])
    elif damage == "flip":
        file.write_bytes(text[:80] + bytes([text[80] ^ 8]) + text[81:])
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        notes.write(replace(NOTE, source="b.pdf"))
        (other,) = set(notes.folder.iterdir()) - {file}
        other.replace(file)
    assert notes.read(NOTE.source) is None


def test_a_note_that_was_read_is_read_again_only_where_its_file_is_another(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.write(NOTE)
    first = notes.read(NOTE.source)
    with monkeypatch.context() as patch:
        patch.setattr("docshelf.build.caching.notes.read_sealed", lambda file: pytest.fail(f"read {file}"))
        assert notes.read(NOTE.source) is first
    Notes(notes.folder).write(replace(NOTE, about="as another build left it"))
    again = notes.read(NOTE.source)
    assert again is not None and again.about == "as another build left it"
    notes.keep_only([])
    assert notes.read(NOTE.source) is None


def test_notes_of_sources_that_are_gone_are_forgotten(notes: Notes) -> None:
    notes.keep_only([])
    for source in ("a.pdf", "b.pdf", "c.pdf"):
        notes.write(replace(NOTE, source=source))
    notes.keep_only(["b.pdf", "new.pdf"])
    assert [it is not None for it in map(notes.read, ("a.pdf", "b.pdf", "c.pdf"))] == [False, True, False]
    assert len(list(notes.folder.iterdir())) == 1


def published(site: Path) -> tuple[Note, CurrentRelease]:
    """A release of one document of two files, and the document's note."""
    (site / "releases").mkdir(parents=True)
    manifest = ShelfManifest("s", "", "en", "", None, Budget(), (), ())
    files = {"docs/a.md": b"text", "docs/a.html": b"page", "index.md": b"index"}
    rows = publish(site, dict(files), manifest, None).rows
    current = current_release(site)
    assert current is not None
    noted = tuple(note_files(["docs/a.md", "docs/a.html"], rows, current.folder))
    return replace(NOTE, files=noted), current


def test_what_the_release_still_holds_is_kept_without_being_read(tmp_path: Path) -> None:
    note, current = published(tmp_path)
    (current.folder / "docs/a.md").chmod(0)
    kept = kept_files(note, current)
    assert kept == {it.path: Known(current.folder, it.path, 4, it.sha256) for it in note.files}


def test_a_release_that_was_unpacked_with_times_in_whole_seconds_is_kept(tmp_path: Path) -> None:
    note, current = published(tmp_path)
    for noted in note.files:
        whole_s = noted.mtime_ns // 10**9
        os.utime(current.folder / noted.path, (whole_s, whole_s))
    assert kept_files(note, current) is not None


@pytest.mark.parametrize("damage", ["gone", "cut", "changed", "link", "folder", "pipe", "other"])
def test_a_document_is_not_kept_where_a_file_is_not_what_was_written(tmp_path: Path, damage: str) -> None:
    note, current = published(tmp_path)
    file = current.folder / "docs/a.html"
    if damage == "cut":
        os.truncate(file, 2)
    elif damage == "changed":
        time.sleep(0.02)  # the clock of a file system ticks every few milliseconds
        file.write_bytes(b"PAGE")
    elif damage == "other":
        note = replace(note, files=(note.files[0]._replace(sha256="2" * 64), *note.files[1:]))
    else:
        file.unlink()
        if damage == "link":
            file.symlink_to("a.md")
        elif damage == "folder":
            file.mkdir()
        elif damage == "pipe":
            os.mkfifo(file)
    assert kept_files(note, current) is None
