"""What `docshelf watch` promises, at full size: a save on the screen, kills, an hour of saving, odd saves.

    python benchmarks/watch.py [save] [kills] [saving] [scenarios] [--documents 100] [--pages 10] [--runs 5]

Without names all four run; each is a real watch in a process of its own, on PDFs drawn from a fixed seed.

save       seconds from the rename of a saved PDF of --pages pages on a shelf of --documents documents to the
           event that an open page gets, and to its new text in a real Chromium, and CPU seconds spent; medians
           of --runs. Beside it in the same run `docshelf build` of one changed document, a process of its own
kills      the watch is killed (SIGKILL) 50 times during the build it begins with, at moments spread over it.
           Counted: starts that did not serve a whole release at once, and processes left behind
saving     100 saves of one document; the most releases there were at any time
scenarios  moves, 100 files at once, three ways to save, a PDF in ten pieces over 5 s: builds and seconds
"""

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY / "tests")]

import pymupdf
import watchfiles
from chromium import open_chromium
from watching import running_watch, small_pdf, until

from docshelf.serve.check import check_release
from docshelf.serve.manifest import ShelfManifest, read_shelf

KILLS = 50
FIRST_BUILD_S = 600.0
SAVES = 100
SETTLED_S = 3.0
"""Between two saves: files younger than two seconds are hashed once more."""
QUIET_S = 6.0
"""After this long without a build there will be none: an idle folder is looked at every 5 s."""
WORDS = ("router", "cable", "filter", "switch", "voltage", "tunnel", "address", "packet", "frame", "memory")


def main() -> None:
    parts: dict[str, Callable[[Path, argparse.Namespace], Iterator[str]]] = {
        "save": measure_save,
        "kills": measure_kills,
        "saving": measure_saving,
        "scenarios": measure_scenarios,
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(parts))
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print(
        f"Python {platform.python_version()}, pymupdf {pymupdf.__version__}, watchfiles {watchfiles.VERSION}"
    )
    for name in arguments.parts or parts:
        with tempfile.TemporaryDirectory(prefix="docshelf-") as folder:
            for line in parts[name](Path(folder), arguments):
                print(f"{name}: {line}", flush=True)


def measure_save(folder: Path, arguments: argparse.Namespace) -> Iterator[str]:
    """Seconds from a save to the open page."""
    shelf = Shelf(folder, arguments.documents, arguments.pages)
    told, seen, builds, spent = [], [], [], []
    with running_watch(shelf.source, shelf.site) as watch, open_chromium(folder) as page:
        watch.says("published: ", patience_s=FIRST_BUILD_S)
        shown = shelf.page()
        page.go(f"{watch.url}/{shown}")
        time.sleep(SETTLED_S)
        for _ in range(arguments.runs):
            with watch.listening(shown) as ear:
                before = ear.next()["version"]
                spent_s = cpu_s(watch.processes())
                begun_s = shelf.save()
                while ear.next()["version"] == before:
                    pass
                told.append(time.perf_counter() - begun_s)
            page.until(f"document.body.textContent.includes({shelf.marker!r})")
            seen.append(time.perf_counter() - begun_s)
            spent.append(cpu_s(watch.processes()) - spent_s)
            time.sleep(SETTLED_S)
    for _ in range(arguments.runs):
        begun_s = shelf.save()
        shelf.build()
        builds.append(time.perf_counter() - begun_s)
    yield f"documents {arguments.documents}, pages {arguments.pages}, medians of {arguments.runs}"
    kinds = {
        "event": told,
        "on the screen": seen,
        "CPU of watch and workers": spent,
        "docshelf build": builds,
    }
    for what, figures in kinds.items():
        yield f"{what}: {statistics.median(figures):.2f} s ({min(figures):.2f} to {max(figures):.2f})"
    yield f"on the screen / docshelf build: {statistics.median(seen) / statistics.median(builds):.2f}"


def measure_kills(folder: Path, arguments: argparse.Namespace) -> Iterator[str]:
    """Kills spread over a build, each followed by a start."""
    shelf = Shelf(folder, 10, 5)
    shelf.build()
    shelf.save()
    with running_watch(shelf.source, shelf.site) as watch:
        until(lambda: bool(watch.said), "its first line")
        began_s = time.perf_counter()
        watch.says("published: ", patience_s=FIRST_BUILD_S)
        build_s = time.perf_counter() - began_s
    late = torn = cut_short = 0
    for kill in range(KILLS):
        shelf.save()
        # The block itself fails where a process is left behind.
        with running_watch(shelf.source, shelf.site) as watch:
            late += '"status": "ok"' not in watch.get("healthz")
            torn += bool(shelf.faults())
            time.sleep(build_s * kill / KILLS)
            watch.kill()
            cut_short += shelf.marker not in shelf.text()
    yield f"kills {KILLS}, spread over {build_s:.2f} s; before the switch: {cut_short}"
    yield f"did not serve at once {late}, not whole {torn}, processes left 0"
    shelf.build()
    litter = [entry.name for entry in (shelf.site / "releases").iterdir() if entry.name.startswith(".")]
    yield f"after one more build: faults {len(shelf.faults())}, litter {len(litter)}"


def measure_saving(folder: Path, arguments: argparse.Namespace) -> Iterator[str]:
    """Saves one after another, all within the age that releases are kept for."""
    shelf, most = Shelf(folder, 3, 2), 0
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("published: ", patience_s=FIRST_BUILD_S)
        for number in range(SAVES):
            shelf.save()
            watch.says("new release", number + 2)
            most = max(most, len(list((shelf.site / "releases").glob("[0-9a-f]*"))))
    yield f"saves {SAVES}, each a release; at most {most} releases at a time"


def measure_scenarios(folder: Path, arguments: argparse.Namespace) -> Iterator[str]:
    """What people and programs do to files."""
    shelf = Shelf(folder, 3, 2, site="source/site")
    with running_watch(shelf.source, shelf.site) as watch:
        watch.says("published: ", patience_s=FIRST_BUILD_S)
        begun_s = time.perf_counter()
        (shelf.source / "1.pdf").unlink()
        (shelf.source / "2.pdf").rename(shelf.source / "renamed.pdf")
        (shelf.source / "other").mkdir()
        (shelf.source / "0.pdf").rename(shelf.source / "other/0.pdf")
        until(lambda: shelf.sources() == {"renamed.pdf", "other/0.pdf"}, "the moves")
        yield f"deleted, renamed, moved: {time.perf_counter() - begun_s:.1f} s"

        builds = len(watch.releases)
        for number in range(100):
            (shelf.source / f"many-{number}.pdf").write_bytes(small_pdf(f"# Number {number}\nText"))
        until(lambda: len(shelf.sources()) == 102, "a hundred files")
        time.sleep(QUIET_S)
        yield f"100 files at once, the output inside the source: builds {len(watch.releases) - builds}"

        for how, write in WAYS_TO_SAVE.items():
            releases, builds = len(watch.releases), watch.count("changed: ")
            write(shelf.source / "renamed.pdf", small_pdf(f"# Saved\nby {how}"))
            time.sleep(QUIET_S)
            made = len(watch.releases) - releases
            yield f"saved by {how}: builds {watch.count('changed: ') - builds}, releases {made}"

        whole = make_document(9, 10, 1)
        size, releases = len(whole) // 10 + 1, len(watch.releases)
        with (shelf.source / "slow.pdf").open("wb", buffering=0) as file:
            for start in range(0, len(whole), size):
                file.write(whole[start : start + size])
                time.sleep(0.5)
        until(lambda: "slow.pdf" in shelf.sources(), "the slow one")
        time.sleep(QUIET_S)
        yield f"ten pieces over 5 s: releases {len(watch.releases) - releases}, findings {shelf.codes('slow.pdf')}"


def cpu_s(processes: Iterable[int]) -> float:
    """CPU seconds that these processes have taken, with those of their children that ended."""
    ticks = 0
    for number in processes:
        # The name, in brackets, may hold anything; the times are fields 14 to 17 (proc(5)).
        fields = Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _replace(file: Path, content: bytes) -> None:
    aside = file.with_name(".aside")
    aside.write_bytes(content)
    aside.replace(file)


WAYS_TO_SAVE: dict[str, Callable[[Path, bytes], object]] = {
    "temporary file and rename": _replace,
    "truncate and write": Path.write_bytes,
    "touch": lambda file, content: file.touch(),
}


class Shelf:
    """A source folder of drawn PDFs and its site."""

    def __init__(self, folder: Path, documents: int, pages: int, site: str = "site") -> None:
        self.source = folder / "source"
        self.site = folder / site
        self._pages = pages
        self._saves = 0
        self.source.mkdir()
        for number in range(documents):
            (self.source / f"{number}.pdf").write_bytes(make_document(number, pages, 0))

    @property
    def marker(self) -> str:
        """A word that only the last save of document 0 holds, on each of its pages."""
        return f"marker{self._saves}x"

    def page(self) -> str:
        """A page of text of document 0."""
        found = sorted((self.site / "current").glob("docs/0/0*.html")) or [self.site / "current/docs/0.html"]
        return found[0].relative_to(self.site / "current").as_posix()

    def text(self) -> str:
        """That page."""
        return (self.site / "current" / self.page()).read_text("utf-8")

    def save(self) -> float:
        """Puts another version of document 0 in its place; when that was done."""
        self._saves += 1
        content = make_document(0, self._pages, self._saves)
        begun_s = time.perf_counter()
        _replace(self.source / "0.pdf", content)
        return begun_s

    def build(self) -> None:
        """`docshelf build`."""
        command = [
            sys.executable,
            "-m",
            "docshelf.build.cli",
            "build",
            str(self.source),
            "-o",
            str(self.site),
        ]
        environment = os.environ | {"PYTHONPATH": str(REPOSITORY / ".dev")}
        subprocess.run(command, check=True, capture_output=True, env=environment)

    def faults(self) -> list[str]:
        """What `docshelf check` finds."""
        return [str(fault) for fault in check_release((self.site / "current").resolve())]

    def sources(self) -> set[str]:
        """What is on the shelf."""
        return {entry.source for entry in self._manifest().documents}

    def codes(self, source: str) -> list[str]:
        """Findings of a source."""
        return [finding.code for finding in self._manifest().findings if finding.source == source]

    def _manifest(self) -> ShelfManifest:
        return read_shelf((self.site / "current/shelf.json").read_bytes())


def make_document(number: int, pages: int, version: int) -> bytes:
    """A PDF with a chapter of 40 lines on each page."""
    chance = random.Random(f"{number} {version}")
    return small_pdf(
        *(
            "\n".join([f"# Chapter {page}", f"marker{version}x", *(_line(chance) for _ in range(40))])
            for page in range(1, pages + 1)
        )
    )


def _line(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=9))


if __name__ == "__main__":
    main()
