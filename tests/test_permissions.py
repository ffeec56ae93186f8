"""The disk refuses: no right, read-only, full. Each is said clearly, and the old release is served on."""

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pymupdf
import pytest
from crash_points import REPOSITORY
from publisher import UNCHANGED

from docshelf.serve.check import check_release
from docshelf.serve.releases.kept import current_id

NOBODY = 65534
TIDY = {".cache", ".lock", "current", "index.html", "releases"}
# What root may do whatever the rights say. The workers are started by the build and have no more than it.
POWERS = "--bounding-set=-dac_override,-dac_read_search,-fowner"
AS_NOBODY = f"""
import os, sys
from pathlib import Path
from publisher import Keep, main
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid({NOBODY}, {NOBODY}, {NOBODY})
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
sys.exit(main("release", Path(sys.argv[1]), [int(sys.argv[2])], Keep(2, 0)))
"""


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int
    stderr: str


def run(command: Sequence[str], prefix: Sequence[str] = ()) -> Run:
    path = f"{REPOSITORY / '.dev'}:{REPOSITORY / 'tests'}"
    done = subprocess.run(
        [*prefix, sys.executable, *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, "LC_ALL": "C.UTF-8"},
    )
    return Run(done.returncode, done.stderr)


def build(source: Path, site: Path) -> Run:
    """A whole build by the command, without the powers of root."""
    prefix = ["setpriv", POWERS] if os.geteuid() == 0 else []
    return run(["-m", "docshelf.build.cli", "build", str(source), "-o", str(site), "--jobs", "1"], prefix)


def write_source(folder: Path, *texts: str) -> None:
    """One PDF per text."""
    folder.mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        with pymupdf.open() as document:
            page = document.new_page()
            page.insert_text((72, 80), text)
            (folder / f"{number}.pdf").write_bytes(document.tobytes(no_new_id=True))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_source(tmp_path / "source", "The first text of this document.")
    return tmp_path / "source"


@pytest.fixture(scope="module")
def first_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with one release of the first text, to be copied."""
    folder = tmp_path_factory.mktemp("first")
    write_source(folder / "source", "The first text of this document.")
    assert build(folder / "source", folder / "site").status == 0
    return folder / "site"


@pytest.fixture
def site(first_release: Path, source: Path, tmp_path: Path) -> Iterator[Path]:
    """A site with one release of the first text, while the source holds the second by now."""
    site = tmp_path / "site"
    shutil.copytree(first_release, site, symlinks=True)
    write_source(source, "The second text of this document.")
    yield site
    for folder in (site, site / "releases"):
        folder.chmod(0o755)


def is_whole(site: Path, release: str | None) -> bool:
    """Whether this release is current and whole, and nothing lies about."""
    names = {file.name for file in site.iterdir()} - TIDY
    names |= {file.name for file in (site / "releases").iterdir() if len(file.name) != 16}
    return (current_id(site), list(check_release((site / "current").resolve())), names) == (
        release,
        [],
        set(),
    )


def close_output(site: Path) -> None:
    site.chmod(0o555)


def close_releases(site: Path) -> None:
    (site / "releases").chmod(0o555)


def close_cache(site: Path) -> None:
    shutil.rmtree(site / ".cache")
    (site / ".cache").mkdir(mode=0o555)


def close_lock(site: Path) -> None:
    (site / ".lock").chmod(0o400)


@pytest.mark.parametrize(
    ("close", "where"),
    [
        (close_output, ".work"),
        (close_releases, "releases/.tmp-"),
        (close_cache, ".cache/"),
        (close_lock, ".lock"),
    ],
)
def test_a_folder_that_may_not_be_written_is_named_and_the_old_release_stays(
    close: Callable[[Path], None], where: str, source: Path, site: Path
) -> None:
    old = current_id(site)
    close(site)
    ended = build(source, site)
    assert ended.status == 2, ended.stderr
    expected = f"docshelf build: {site}/{where}"
    (line,) = [line for line in ended.stderr.splitlines() if line.startswith("docshelf build: ")]
    assert line.startswith(expected)
    assert line.endswith(
        f"Permission denied; nothing was published: give the user {os.geteuid()} the right to write there, "
        "or name another folder with -o"
    )
    assert is_whole(site, old)
    for file in (site, site / "releases", site / ".cache", site / ".lock"):
        file.chmod(0o755)
    assert build(source, site).status == 0
    assert is_whole(site, current_id(site))
    assert current_id(site) != old


def test_a_folder_of_another_user_is_named_and_nothing_is_made_in_it(source: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(theirs, NOBODY, NOBODY)
    else:
        theirs.chmod(0o500)
    ended = build(source, theirs / "site")
    assert (ended.status, f"{theirs}/site" in ended.stderr) == (2, True), ended.stderr
    assert "Permission denied; nothing was published" in ended.stderr
    assert list(theirs.iterdir()) == []


def test_a_source_that_may_not_be_read_is_a_finding_and_the_others_are_published(
    source: Path, tmp_path: Path
) -> None:
    write_source(source, "The first text.", "The second text.")
    (source / "1.pdf").chmod(0)
    ended = build(source, tmp_path / "site")
    assert ended.status == 0
    assert "1.pdf: cannot be read (Permission denied); mend its rights or remove it" in ended.stderr
    shelf = json.loads((tmp_path / "site/current/shelf.json").read_text("utf-8"))
    assert [it["source"] for it in shelf["documents"]] == ["0.pdf"]


def test_another_user_can_go_on_with_a_site_that_its_group_may_write(tmp_path: Path) -> None:
    # Files of another user can be linked by those only who may write them: here they are copied.
    folder = Path(os.path.realpath("/tmp")) / f"docshelf-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        site = folder / "site"
        assert run(["-c", AS_NOBODY, str(site), "1"]).status == 2 or os.geteuid() != 0
        folder.chmod(0o777)
        publisher = str(REPOSITORY / "tests/publisher.py")
        assert run([publisher, "release", str(site), "1"]).status == 0
        for file in (site, site / "releases", site / ".lock"):
            file.chmod(0o777)
        ended = run(["-c", AS_NOBODY, str(site), "2"])
        assert (ended.status, ended.stderr) == (0, "")
        assert list(check_release((site / "current").resolve())) == []
        # What could not be linked is unchanged all the same: it keeps its time.
        copies = [folder / UNCHANGED for folder in (site / "releases").iterdir()]
        assert len({copy.stat().st_mtime_ns for copy in copies}) == 1
        guarded = Path("/proc/sys/fs/protected_hardlinks").read_text() == "1\n"
        assert {copy.stat().st_nlink for copy in copies} == ({1} if os.geteuid() == 0 and guarded else {2})
        owner = (site / "current/index.md").stat().st_uid
        assert owner == (NOBODY if os.geteuid() == 0 else os.geteuid())
        mode = (site / "current/index.md").stat().st_mode
        assert stat.S_IMODE(mode) & 0o044 == 0o044
    finally:
        shutil.rmtree(folder)
