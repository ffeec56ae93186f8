"""Readers over HTTP who count what goes wrong while releases are switched under them."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from crash_points import REPOSITORY
from publisher import CHAIN, INDEX, LARGE, SECTION, SOURCE, SUBINDEX, UNCHANGED, version_files, version_of

from docshelf.serve.manifest import SHELF_FILE, read_shelf

How = Literal["release", "in-place"]
READERS = 8
_ALONE = (INDEX, SECTION, SOURCE, UNCHANGED, SUBINDEX)


@dataclass
class Counts:
    """What the readers met."""

    switches: int = 0
    reads: int = 0
    torn: int = 0
    """Bodies that no version holds, or that ended early."""
    missing: int = 0
    """Answers other than 200."""
    chains: int = 0
    """Ways from index to section under /r/RELEASE/."""
    mixed: int = 0
    """Those of them that met two versions."""
    loose_chains: int = 0
    """The same ways at addresses that follow the current release."""
    loose_mixed: int = 0
    examples: list[str] = field(default_factory=list)
    """The first of each kind of fault."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, what: str, example: str = "") -> None:
        """Counts one more."""
        with self.lock:
            setattr(self, what, getattr(self, what) + 1)
            if example and len(self.examples) < 10:
                self.examples.append(f"{what}: {example}")


class Reader:
    """One client with one connection."""

    def __init__(self, url: str, counts: Counts) -> None:
        """Connects with the first request."""
        self._address = urlsplit(url).netloc
        self._connection = HTTPConnection(self._address, timeout=60)
        self._counts = counts

    def read(self, path: str) -> bytes | None:
        """The whole body at `path`, counted; None where it cannot be had."""
        self._counts.add("reads")
        try:
            self._connection.request("GET", f"/{path}")
            answer = self._connection.getresponse()
            body = answer.read()
        except (HTTPException, OSError) as exc:
            self._counts.add("torn", f"{path}: {exc!r}")
            self._connection.close()
            return None
        if answer.status != 200:
            self._counts.add("missing", f"{path}: {answer.status}")
            return None
        return body

    def read_version(self, path: str, prefix: str = "") -> int | None:
        """The version of the file at `path`, whose every byte is compared."""
        body = self.read(f"{prefix}{path}")
        if body is None:
            return None
        version = version_of(body)
        if body != _expected(version or 0)[path]:
            self._counts.add("torn", f"{path}: {len(body)} bytes of version {version}")
        return version

    def read_chain(self, kept: bool) -> None:
        """Goes from the index to a section, in one release where `kept`."""
        prefix, kind = "", "loose_"
        if kept:
            shelf = self.read(SHELF_FILE)
            if shelf is None:
                return
            prefix, kind = f"r/{read_shelf(shelf).release}/", ""
        versions = {self.read_version(path, prefix) for path in CHAIN}
        self._counts.add(f"{kind}chains")
        if len(versions) > 1:
            self._counts.add(f"{kind}mixed", f"{prefix}: {versions}" if kept else "")

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def read_while_switching(url: str, site: Path, how: How, *, reads: int, switches: int) -> Counts:
    """What `READERS` clients of `url` meet in at least `reads` reads over `switches` switches of `site`.

    The switches are spread evenly over the reads. Version 1 has to be there already.
    """
    counts, done = Counts(), threading.Event()
    with publishing(how, site) as publish, ThreadPoolExecutor(READERS) as pool:
        try:
            readers = [
                pool.submit(_read_on, url, counts, done, how == "release", number)
                for number in range(READERS)
            ]
            for switch in range(1, switches + 1):
                publish(switch + 1)
                counts.switches += 1
                while counts.reads < reads * switch // switches and not any(it.done() for it in readers):
                    done.wait(0.001)
        finally:
            done.set()
        for reader in readers:
            reader.result()
    return counts


class Publishing:
    """A process that publishes the versions it is asked for."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Speaks with the process over its pipes."""
        self._process = process

    def __call__(self, number: int) -> str:
        """Publishes one version and gives its release once it is current."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        release = self._process.stdout.readline().strip()
        assert release, "the publisher ended"
        return release


@contextmanager
def publishing(how: How, site: Path) -> Iterator[Publishing]:
    """A publisher in a process of its own."""
    program = str(REPOSITORY / "tests/publisher.py")
    with subprocess.Popen(
        [sys.executable, program, how, str(site)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
    ) as process:
        yield Publishing(process)


def _read_on(url: str, counts: Counts, done: threading.Event, kept: bool, begin: int) -> None:
    reader = Reader(url, counts)
    for turn in count(begin):
        if done.is_set():
            break
        if turn % 3 == 0:
            reader.read_version(_ALONE[turn // 3 % len(_ALONE)])
        else:
            reader.read_chain(kept and turn % 3 == 1)
    reader.close()


@lru_cache(maxsize=16)
def _expected(number: int) -> dict[str, bytes]:
    return version_files(number, **LARGE)
