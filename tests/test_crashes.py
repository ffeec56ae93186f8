"""A release is killed, and told that the disk is full or broken, at every call that writes."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from crash_points import FAULTS, Command, Crash, Fault, crash_everywhere, environment, python
from publisher import publish_in_place, publish_version
from shelftest import ShelfTest

from docshelf.build.cli import main
from docshelf.serve.check import check_release
from docshelf.serve.config import Keep
from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.releases.kept import current_id

TWO = Keep(count=2, age_s=0)
PUBLISHER = str(Path(__file__).with_name("publisher.py"))
TIDY = {".cache", ".lock", "current", "index.html", "releases"}


@pytest.fixture(scope="module", autouse=True)
def strace() -> None:
    """strace has to be there: nothing is skipped where it is not."""
    assert shutil.which("strace"), "strace is not installed; run: apt-get install strace"


def publishing(number: int) -> Command:
    return lambda site: python(PUBLISHER, "release", str(site), str(number))


def two_releases(site: Path) -> None:
    """Versions 0 and 1, which is current; the next build removes 0, unless it is 0 itself."""
    for number in (0, 1):
        publish_version(site, number, TWO)


def faults_of(site: Path) -> list[str]:
    """What is wrong with the release that readers see."""
    try:
        return [str(fault) for fault in check_release((site / "current").resolve())]
    except ShelfDamaged as exc:
        return [str(exc)]


def litter(site: Path) -> set[str]:
    """Names that no finished build leaves."""
    names = {file.name for file in site.iterdir()} - TIDY
    names |= {file.name for file in (site / ".cache").rglob(".*")}
    return names | {file.name for file in (site / "releases").iterdir() if len(file.name) != 16}


def after_the_crash(crash: Crash, old: str, new: str) -> list[str]:
    """What is wrong right after the crash."""
    wrong = faults_of(crash.site)
    current = current_id(crash.site)
    if current not in (old, new):
        wrong.append(f"{current} is current")
    if crash.status == 0 and current != new:
        wrong.append("it said that the new release is current")
    if crash.fault == "KILL":
        return wrong
    if crash.status not in (0, 2) or "Traceback" in crash.stderr:
        wrong.append(f"exit status {crash.status}: {crash.stderr}")
    says_old = "nothing was published" in crash.stderr
    if crash.status == 2 and says_old != (current == old):
        wrong.append(f"{current} is current, and it says: {crash.stderr}")
    if not crash.point.is_removal and (left := litter(crash.site)):
        wrong.append(f"it left {left}")
    return wrong


def after_the_next_build(crash: Crash, number: int, new: str) -> list[str]:
    """What is wrong once the same release was built again."""
    release = publish_version(crash.site, number, TWO)
    wrong = faults_of(crash.site)
    if not current_id(crash.site) == release == new:
        wrong.append(f"{release} was built")
    kept = {folder.name for folder in (crash.site / "releases").iterdir()}
    if len(kept) != 2:
        wrong.append(f"{kept} are kept")
    if left := litter(crash.site):
        wrong.append(f"the next build left {left}")
    return wrong


def small_pdf(text: str) -> bytes:
    """A PDF of 800 bytes."""
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 80), text)
        return bytes(document.tobytes(no_new_id=True))


def release_of(prepare: Callable[[Path], None], number: int, folder: Path) -> tuple[str, str]:
    """The release before and the one of version `number`."""
    prepare(folder)
    old = current_id(folder)
    assert old is not None
    return old, publish_version(folder, number, TWO)


def publish_under_faults(folder: Path, number: int, since: str = "") -> tuple[list[Crash], list[str]]:
    """All crashes of publishing version `number`, and what was wrong after them."""
    old, new = release_of(two_releases, number, folder / "expected")
    crashes = crash_everywhere(publishing(number), two_releases, folder / "crashes", since=since)
    wrong = [
        f"{crash}: {it}"
        for crash in crashes
        for it in after_the_crash(crash, old, new) + after_the_next_build(crash, number, new)
    ]
    return crashes, wrong


@pytest.mark.timeout(240)
def test_at_every_call_the_old_or_the_new_release_is_whole_and_the_next_build_repairs(tmp_path: Path) -> None:
    crashes, wrong = publish_under_faults(tmp_path, 2)
    assert wrong == []
    assert {crash.fault for crash in crashes} == set(FAULTS)
    # Every kind of step of a release was hit: the test has not lost sight of one.
    assert {"openat", "write", "fsync", "mkdir", "linkat", "rename", "symlink", "unlinkat", "utimensat"} <= {
        crash.point.call for crash in crashes
    }
    assert len(crashes) > 150


@pytest.mark.timeout(120)
def test_it_is_so_where_a_release_takes_the_place_of_an_older_one_of_the_same_content(tmp_path: Path) -> None:
    crashes, wrong = publish_under_faults(tmp_path, 0, since="renameat2")
    assert wrong == []
    assert {"renameat2", "fsync", "symlink", "rename"} <= {crash.point.call for crash in crashes}


@pytest.mark.timeout(240)
def test_a_whole_build_passes_a_sample_of_its_calls(shelf: ShelfTest, tmp_path: Path) -> None:
    base, clean = tmp_path / "base", tmp_path / "clean"

    def build(site: Path) -> list[str]:
        return python("-m", "docshelf.build.cli", "build", str(shelf.source), "-o", str(site), "--jobs", "1")

    def built(site: Path) -> str:
        subprocess.run(build(site), check=True, capture_output=True, env=environment())
        return str(current_id(site))

    def copy(site: Path) -> None:
        shutil.copytree(base, site, symlinks=True)

    for name in ("a.pdf", "b.pdf"):
        shelf.file(name, small_pdf("The first text."))
    old = built(base)
    shelf.file("b.pdf", small_pdf("The second text."))
    copy(clean)
    new = built(clean)
    crashes = crash_everywhere(build, copy, tmp_path / "crashes", every=41, takes_other_ways=True)
    wrong = [f"{crash}: {it}" for crash in crashes for it in after_the_crash(crash, old, new)]
    assert wrong == []
    assert len(crashes) > 3  # of a sample of ten
    for crash in crashes:
        assert (built(crash.site), faults_of(crash.site), litter(crash.site)) == (new, [], set()), str(crash)


@pytest.mark.parametrize("fault", FAULTS)
def test_writing_in_place_would_not_pass(fault: Fault, tmp_path: Path) -> None:
    crashes = crash_everywhere(
        lambda site: python(PUBLISHER, "in-place", str(site), "2"),
        lambda site: (publish_in_place(site, 1), None)[1],
        tmp_path / "crashes",
        [fault],
    )
    assert len([crash for crash in crashes if faults_of(crash.site)]) > len(crashes) / 3


def test_a_rollback_at_every_call_leaves_one_of_the_two_releases(tmp_path: Path) -> None:
    two_releases(tmp_path / "expected")
    new = current_id(tmp_path / "expected")
    (old,) = {file.name for file in (tmp_path / "expected/releases").iterdir()} - {new}
    crashes = crash_everywhere(
        lambda site: python("-m", "docshelf.build.cli", "rollback", old, str(site)),
        two_releases,
        tmp_path / "crashes",
    )
    wrong = [f"{crash}: {found}" for crash in crashes for found in after_the_crash(crash, str(new), old)]
    assert wrong == []
    assert {"rename", "symlink", "fsync"} <= {crash.point.call for crash in crashes}
    for crash in crashes:
        assert main(["rollback", old, str(crash.site)]) == 0
        assert (current_id(crash.site), faults_of(crash.site), litter(crash.site)) == (old, [], set())
