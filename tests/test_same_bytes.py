"""Same sources, settings and versions give the same bytes: each build here is a process of its own."""

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from shelftest import make_pdf

REPOSITORY = Path(__file__).resolve().parent.parent
FAKED_CLOCK = """
import datetime, time

AHEAD_S = 400_000_000
real_time, real_time_ns, real_gmtime, real_localtime = time.time, time.time_ns, time.gmtime, time.localtime
time.time = lambda: real_time() + AHEAD_S
time.time_ns = lambda: real_time_ns() + AHEAD_S * 10**9
time.gmtime = lambda seconds=None: real_gmtime(time.time() if seconds is None else seconds)
time.localtime = lambda seconds=None: real_localtime(time.time() if seconds is None else seconds)


class Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)


datetime.datetime = Later
"""
"""A sitecustomize module: every Python that starts, workers among them, believes to be in the year 2039."""


@dataclass(frozen=True)
class Circumstances:
    """What a build must not depend on."""

    jobs: int = 2
    folder: str = "here"
    environment: dict[str, str] = field(default_factory=dict)
    clock: str = ""


PLAIN = Circumstances(environment={"PYTHONHASHSEED": "0", "TZ": "UTC"})
OTHERS = {
    "hash seed 1": Circumstances(environment={"PYTHONHASHSEED": "1"}),
    "hash seed 2": Circumstances(environment={"PYTHONHASHSEED": "4294967295"}),
    "time zone": Circumstances(environment={"TZ": "Pacific/Chatham"}),
    "locale C": Circumstances(environment={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}),
    "faked clock": Circumstances(clock=FAKED_CLOCK),
    "one worker": Circumstances(jobs=1),
    "another folder": Circumstances(folder="there below/папка #1"),
}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Long and short documents of both languages, names that meet, a sample with tables, and a broken file."""
    folder = tmp_path_factory.mktemp("sources")
    pages = [
        f"# Глава {n}\n" + "\n".join(["Слова о сети и о том, как она устроена."] * 40) for n in range(1, 9)
    ]
    outline = [(1, f"Глава {n}", n) for n in range(1, 9)]
    for name, content in {
        ".docshelf.json": b'{"name": "Shelf", "default_language": "ru"}',
        "сеть/план.pdf": make_pdf(*pages, outline=outline),
        "a b.pdf": make_pdf("# Notes\nfirst"),
        "a-b.pdf": make_pdf("# Notes\nsecond"),
        "broken.pdf": b"%PDF-1.7 broken",
        "readme.txt": b"no source",
        "vs/datasheet.pdf": (REPOSITORY / "shelf_src/hardware/vs-1210p-datasheet.pdf").read_bytes(),
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def plain(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The release of a build under plain circumstances."""
    return built(sources, tmp_path_factory.mktemp("plain"), PLAIN)


def built(sources: Path, place: Path, circumstances: Circumstances) -> dict[str, str]:
    """The sha256 of every file of the release that a build makes, from an empty output; its name is under ""."""
    source, site, clock = (
        place / circumstances.folder / "src",
        place / circumstances.folder / "site",
        place / "clock",
    )
    shutil.copytree(sources, source)
    clock.mkdir()
    (clock / "sitecustomize.py").write_text(circumstances.clock, "utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "docshelf.build.cli",
            "build",
            source,
            "-o",
            site,
            "--jobs",
            str(circumstances.jobs),
        ],
        env=os.environ | {"PYTHONPATH": f"{clock}:{REPOSITORY / '.dev'}"} | circumstances.environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (release,) = (site / "releases").iterdir()
    tree = {
        file.relative_to(release).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in release.rglob("*")
        if file.is_file()
    }
    return {**tree, "": release.name}


def test_the_sources_make_a_shelf_worth_comparing(plain: dict[str, str]) -> None:
    assert {
        "docs/a-b.md",
        "docs/a-b-2.md",
        "docs/set/plan/subindex.html",
        "docs/vs/datasheet.md",
    } <= plain.keys()


def test_the_clock_that_is_faked_is_another(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(FAKED_CLOCK)
    code = "import time, datetime; print(time.gmtime().tm_year, datetime.datetime.now().year)"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    years = {int(year) for year in done.stdout.split()}
    assert min(years) >= 2038


@pytest.mark.parametrize("circumstances", OTHERS.values(), ids=OTHERS.keys())
def test_a_release_from_an_empty_output_is_the_same(
    sources: Path, plain: dict[str, str], tmp_path: Path, circumstances: Circumstances
) -> None:
    assert built(sources, tmp_path, circumstances) == plain
