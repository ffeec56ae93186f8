"""The sample documents of shelf_src: made again byte for byte, and as varied as they claim to be."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHELF_SRC = ROOT / "shelf_src"
MAKE_SAMPLES = SHELF_SRC / ".make" / "make_samples.py"
MANUAL = "hardware/vr-340-operator-manual.pdf"
GUIDE = "power/ups-sosna-3000.pdf"
DATASHEET = "hardware/vs-1210p-datasheet.pdf"
MEMO = "operations/Памятка дежурного инженера.pdf"
LESSONS = ("routing/dual-wan-failover.pdf", "security/firewall.pdf", "wireless/wifi-standards.pdf")


def run_make_samples(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    """The finished script, with its own hash seed, clock zone and locale."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}
    command = [sys.executable, str(MAKE_SAMPLES), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def pdfs_in(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.pdf")}


def outline_levels(path: str) -> list[int]:
    import pymupdf

    with pymupdf.open(SHELF_SRC / path) as document:
        return [entry[0] for entry in document.get_toc()]


@cache
def page_texts(path: str) -> list[str]:
    import pymupdf

    with pymupdf.open(SHELF_SRC / path) as document:
        return [page.get_text() for page in document]


def sample_questions() -> list[dict[str, str]]:
    with (ROOT / "tests" / "sample_questions.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("hash_seed", ["1", "4294967295"])
def test_the_script_makes_exactly_the_committed_files(tmp_path: Path, hash_seed: str) -> None:
    finished = run_make_samples(str(tmp_path), hash_seed=hash_seed)
    assert finished.returncode == 0, finished.stderr
    made, committed = pdfs_in(tmp_path), pdfs_in(SHELF_SRC)
    assert sorted(made) == sorted(committed)
    assert [path for path in made if made[path] != committed[path]] == []


def test_check_names_the_files_that_differ(tmp_path: Path) -> None:
    for path, content in pdfs_in(SHELF_SRC).items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    (tmp_path / MANUAL).write_bytes(b"%PDF-1.4 somebody edited this")
    (tmp_path / "power" / "left-over.pdf").write_bytes(b"%PDF-1.4 its text is gone")
    finished = run_make_samples("--check", str(tmp_path))
    named = [line.partition(":")[0] for line in finished.stdout.splitlines()]
    assert (finished.returncode, named) == (1, [MANUAL, "power/left-over.pdf"])


def test_there_are_seven_samples_in_at_least_three_folders_and_all_are_small() -> None:
    samples = pdfs_in(SHELF_SRC)
    assert len(samples) >= 7
    assert len({path.partition("/")[0] for path in samples}) >= 3
    assert sum(map(len, samples.values())) < 3_000_000


def test_the_manual_has_sixty_pages_and_bookmarks_of_three_levels() -> None:
    assert len(page_texts(MANUAL)) >= 60
    assert set(outline_levels(MANUAL)) == {1, 2, 3}


def test_the_manual_numbers_its_front_matter_in_roman_figures() -> None:
    import pymupdf

    with pymupdf.open(SHELF_SRC / MANUAL) as document:
        labels = [page.get_label() for page in document]
    first_arabic = labels.index("1")
    assert labels[:3] == ["i", "ii", "iii"]
    assert labels[first_arabic:] == [str(number) for number in range(1, len(labels) - first_arabic + 1)]
    printed = [text.split("VR340-OM-05")[-1].strip().split("\n")[0] for text in page_texts(MANUAL)]
    assert printed[1:] == labels[1:]


def test_the_guide_has_printed_contents_but_no_bookmarks() -> None:
    assert outline_levels(GUIDE) == []
    contents = page_texts(GUIDE)[1]
    assert "Содержание" in contents and "1.1 Назначение ....." in contents


@pytest.mark.parametrize("path", LESSONS)
def test_a_lesson_has_bookmarks(path: str) -> None:
    assert set(outline_levels(path)) == {1, 2}


@pytest.mark.parametrize(("path", "pages"), [(DATASHEET, 2), (MEMO, 1)])
def test_the_short_documents_have_no_bookmarks(path: str, pages: int) -> None:
    assert outline_levels(path) == []
    assert len(page_texts(path)) == pages


def test_two_folders_share_a_group_and_every_folder_is_described() -> None:
    config = json.loads((SHELF_SRC / ".docshelf.json").read_text(encoding="utf-8"))
    categories = config["categories"]
    groups = [category["group"] for category in categories.values() if "group" in category]
    assert set(categories) == {path.partition("/")[0] for path in pdfs_in(SHELF_SRC)}
    assert len(groups) > len(set(groups))


def test_the_first_question_is_about_failover_and_half_of_all_are_russian() -> None:
    questions = sample_questions()
    languages = [question["language"] for question in questions]
    assert questions[0]["question"] == "how do I set up failover between two WAN links"
    assert len(questions) >= 14
    assert languages.count("ru") == languages.count("en") == len(questions) / 2


@pytest.mark.parametrize("question", sample_questions(), ids=lambda question: question["question"])
def test_a_question_is_answered_on_one_line_of_its_page_and_nowhere_else(question: dict[str, str]) -> None:
    answer = question["answer"]
    lines = [
        (page, line)
        for page, text in enumerate(page_texts(question["source"]), 1)
        for line in text.splitlines()
        if answer in line
    ]
    assert 10 <= len(answer) <= 60
    assert [page for page, _ in lines] == [int(question["page"])]


def test_a_lesson_leads_to_the_chapter_of_the_manual(sample_site: Path) -> None:
    lesson = "".join(
        file.read_text("utf-8") for file in sample_site.glob("current/docs/routing/dual-wan-failover/0*.md")
    )
    link = "(../../hardware/vr-340-operator-manual/006-9-how-to-set-up-failover-between.md#p26)"
    assert f"[глава 9 руководства VR-340]{link}" in lesson
