"""Finds every system call by which a program changes a folder, and fails it there, one run per call.

strace counts and fails the calls of the program's main thread. A killed program dies on entering the call, so
that each state between two calls is seen.
"""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

REPOSITORY = Path(__file__).resolve().parent.parent
Fault = Literal["KILL", "ENOSPC", "EIO"]
FAULTS: tuple[Fault, ...] = ("KILL", "ENOSPC", "EIO")

_CALLS = (
    "open,openat,creat,write,pwrite64,writev,sendfile,copy_file_range,truncate,ftruncate,fallocate,"
    "fsync,fdatasync,syncfs,sync_file_range,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat,utimensat"
)
_LINE = re.compile(r"^(?P<call>[a-z0-9_]+)\((?P<rest>.*)")
_READS = re.compile(r"O_(WRONLY|RDWR|CREAT|TRUNC)")
_REMOVING = frozenset({"unlink", "unlinkat", "rmdir"})


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """One call of a run."""

    call: str
    number: int
    """Which of the calls of this name it is, from 1."""
    text: str
    """Its arguments."""

    @property
    def is_removal(self) -> bool:
        """Whether it takes something away: a program that fails here cannot tidy up."""
        return self.call in _REMOVING


@dataclass(frozen=True, slots=True)
class Crash:
    """One run that was failed at one call."""

    point: CrashPoint
    fault: Fault
    site: Path
    status: int
    """Exit status; negative where a signal ended it."""
    stderr: str

    def __str__(self) -> str:
        return f"{self.fault} at {self.point.call} {self.point.number} ({self.point.text[:120]})"


Command = Callable[[Path], Sequence[str]]
"""The program's command line for a folder."""


def crash_points(command: Command, site: Path) -> list[CrashPoint]:
    """Every call of the program that changes something below `site`, in order."""
    trace = site.with_name(f"{site.name}.trace")
    run = _strace(command(site), trace, [f"trace={_CALLS}"])
    assert run.returncode == 0, run.stderr
    return [point for point in _points(trace, site) if _changes(point)]


def crash_everywhere(
    command: Command,
    prepare: Callable[[Path], None],
    folder: Path,
    faults: Iterable[Fault] = FAULTS,
    since: str = "",
    every: int = 1,
    takes_other_ways: bool = False,
) -> list[Crash]:
    """Runs the program once per call and fault, each time in a new folder that `prepare` fills.

    `since` names the first call to begin with, "" means all of them; `every` takes each n-th run only. A
    program that `takes_other_ways`, since it waits for workers, may be failed at a call that changes nothing
    in the folder: such a run is left out.
    """
    folder.mkdir()
    warm, traced = folder / "warm", folder / "traced"
    for site in (warm, traced):
        prepare(site)
    # The first run writes the byte code of modules: later runs make other calls.
    subprocess.run(command(warm), check=True, capture_output=True, env=environment())
    points = crash_points(command, traced)
    if since:
        points = points[[point.call for point in points].index(since) :]

    def crash(job: tuple[int, CrashPoint, Fault]) -> Crash | None:
        number, point, fault = job
        site = folder / str(number)
        prepare(site)
        return _crash(command, site, point, fault)

    jobs = [(point, fault) for fault in faults for point in points][::every]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        crashes = list(pool.map(crash, [(number, *job) for number, job in enumerate(jobs)]))
    assert takes_other_ways or None not in crashes
    return [crash for crash in crashes if crash is not None]


def _crash(command: Command, site: Path, point: CrashPoint, fault: Fault) -> Crash | None:
    """The run that was failed at the call of this name and number; None where that call was elsewhere."""
    trace = site.with_name(f"{site.name}.trace")
    what = "signal=KILL" if fault == "KILL" else f"error={fault}"
    rules = [f"trace={point.call}", f"inject={point.call}:{what}:when={point.number}"]
    run = _strace(command(site), trace, rules)
    hit = [it for it in _points(trace, site) if it.number == point.number and _changes(it)]
    trace.unlink()
    if not hit:
        return None
    # strace ends as its program did; a signal is its own end then.
    killed = run.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
    assert killed == (fault == "KILL"), (run.returncode, run.stderr)
    return Crash(hit[0], fault, site, run.returncode, run.stderr)


def _strace(command: Sequence[str], trace: Path, rules: Sequence[str]) -> subprocess.CompletedProcess[str]:
    # Without --seccomp-bpf: with it strace 6.1 injects errors, but no signals.
    expressions = [part for rule in rules for part in ("-e", rule)]
    return subprocess.run(
        ["strace", "-y", "-s", "0", "-o", str(trace), *expressions, *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(),
    )


def _points(trace: Path, site: Path) -> list[CrashPoint]:
    """The calls of a trace that touch the folder, each with its number among all of its name."""
    counts: Counter[str] = Counter()
    found = []
    for line in trace.read_text("utf-8", "replace").splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        counts[match["call"]] += 1
        if f"{site}/" in match["rest"] or f"{site}>" in match["rest"] or f'{site}"' in match["rest"]:
            found.append(CrashPoint(match["call"], counts[match["call"]], match["rest"]))
    return found


def _changes(point: CrashPoint) -> bool:
    return point.call not in ("open", "openat") or _READS.search(point.text) is not None


def environment() -> dict[str, str]:
    """What programs of a test run in: the same calls in each run."""
    path = f"{REPOSITORY / '.dev'}:{REPOSITORY / 'tests'}"
    return {"PATH": os.environ["PATH"], "PYTHONPATH": path, "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}


def python(*arguments: str) -> list[str]:
    """The command line of this interpreter."""
    return [sys.executable, *arguments]
