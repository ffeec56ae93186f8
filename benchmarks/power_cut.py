"""Cuts the power under a publisher and looks at what the disk holds afterwards. Linux, as root.

    PYTHONPATH=tests python benchmarks/power_cut.py [--cuts 15] [--seed 1]

Per cut: a new ext4 of 96 MB in a file, on a loop device, that commits its journal every second; a process
publishes one version after the other there; after 1 to 3 s the file system is shut down without flushing
(EXT4_IOC_SHUTDOWN), so that all is lost that was in memory only; it is mounted again and its journal
replayed. Counted are cuts after which the current release is not whole (`docshelf check`), after which it is
an older one than the last that was said to be current, and after which the next build does not repair it.
The same is done without a journal and, as a control, with fsync and syncfs that do nothing. All happens in a mount
namespace of its own, and nothing is left.
"""

import argparse
import fcntl
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from publisher import INDEX, publish_version, version_of

from docshelf.serve.check import check_release
from docshelf.serve.config import Keep
from docshelf.serve.errors import ShelfError

Mode = Literal["as it is", "without a journal", "without fsync"]
MODES: tuple[Mode, ...] = ("as it is", "without a journal", "without fsync")
KEEP = Keep(count=3, age_s=0)
SIZES = {"section_bytes": 30_000, "source_bytes": 300_000}
DISK_BYTES = 96 << 20
SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING = 2

_PUBLISH = """
import os, sys
from pathlib import Path
from publisher import Keep, publish_version
from docshelf.build.releasing import release
if sys.argv[2] == "without fsync":
    os.fsync = lambda descriptor: None
    release.sync_file_system = lambda folder: None
for number in range(1, 1_000_000):
    publish_version(Path(sys.argv[1]), number, Keep(3, 0), section_bytes=30_000, source_bytes=300_000)
    print(number, flush=True)
"""


@dataclass
class Tally:
    """What was found after the cuts of one mode."""

    mode: Mode
    cuts: int = 0
    releases: int = 0
    """Published before the cuts, all together."""
    broken: int = 0
    lost: int = 0
    unrepaired: int = 0
    example: str = ""


class LoopDisk:
    """An ext4 in a file, mounted on a folder."""

    def __init__(self, folder: Path, journal: bool) -> None:
        """Makes and mounts it."""
        self.mount, self._image = folder / "mount", folder / "image"
        self.mount.mkdir(exist_ok=True)
        self._image.unlink(missing_ok=True)
        with self._image.open("wb") as file:
            file.truncate(DISK_BYTES)
        _run("mkfs.ext4", "-q", "-O", "has_journal" if journal else "^has_journal", str(self._image))
        self._journal = journal
        self.plug_in()

    def plug_in(self) -> None:
        """Mounts it, which replays the journal; without one a check has to mend it."""
        if not self._journal:
            subprocess.run(["e2fsck", "-fy", str(self._image)], check=False, capture_output=True)
        options = "loop,commit=1" if self._journal else "loop"
        _run("mount", "-t", "ext4", "-o", options, str(self._image), str(self.mount))

    def cut_power(self) -> None:
        """From now on nothing reaches the disk, and what has not is lost."""
        folder = os.open(self.mount, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING))
        finally:
            os.close(folder)

    def pull_out(self) -> None:
        """Unmounts it, once nobody has a file open there."""
        for _ in range(100):
            if subprocess.run(["umount", str(self.mount)], check=False, capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise OSError(f"{self.mount} is busy")


def cut_once(folder: Path, tally: Tally, after_s: float) -> None:
    """One cut, counted."""
    disk = LoopDisk(folder, journal=tally.mode != "without a journal")
    site = disk.mount / "site"
    publish_version(site, 0, KEEP, **SIZES)
    with subprocess.Popen(
        [sys.executable, "-c", _PUBLISH, str(site), tally.mode],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as publisher:
        assert publisher.stdout
        publisher.stdout.readline()
        time.sleep(after_s)
        disk.cut_power()
        said = [1, *map(int, publisher.stdout.read().split())]
    disk.pull_out()
    disk.plug_in()
    tally.cuts += 1
    tally.releases += len(said)
    faults = _faults(site)
    if faults:
        tally.broken += 1
        tally.example = tally.example or faults[0]
    elif (version_of((site / "current" / INDEX).read_bytes()) or 0) < said[-1]:
        tally.lost += 1
        tally.example = tally.example or f"version {said[-1]} was said to be current"
    try:
        publish_version(site, said[-1] + 2, KEEP, **SIZES)
        tally.unrepaired += bool(_faults(site))
    except (ShelfError, OSError) as exc:
        tally.unrepaired += 1
        tally.example = tally.example or str(exc)
    disk.pull_out()


def _faults(site: Path) -> list[str]:
    try:
        return [str(fault) for fault in check_release((site / "current").resolve())]
    except (ShelfError, OSError, ValueError) as exc:
        return [repr(exc)]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    """Prints one line per mode; exit status 1 where the promise does not hold, or the control holds too."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cuts", type=int, default=15, help="per mode (default: 15)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the cuts (default: 1)")
    arguments = parser.parse_args()
    tallies = []
    with tempfile.TemporaryDirectory() as folder:
        for mode in MODES:
            moments = random.Random(arguments.seed)
            tally = Tally(mode)
            for _ in range(arguments.cuts):
                cut_once(Path(folder), tally, moments.uniform(0.5, 2.5))
            print(tally, flush=True)
            tallies.append(tally)
    bad = {it.mode: it.broken + it.lost + it.unrepaired for it in tallies}
    sys.exit(bad["as it is"] > 0 or bad["without fsync"] == 0)


if __name__ == "__main__":
    if "DOCSHELF_OWN_MOUNTS" not in os.environ:
        os.environ["DOCSHELF_OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    main()
