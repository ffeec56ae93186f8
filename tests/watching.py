"""A real `docshelf watch` in a process of its own, and the ear of an open page."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import pymupdf

REPOSITORY = Path(__file__).resolve().parent.parent
PATIENCE_S = 60.0
"""How long anything may take; not a performance limit: machines that run tests are busy."""


def until(holds: Callable[[], bool], what: object, patience_s: float = PATIENCE_S) -> None:
    """Returns as soon as it holds; `what` is shown where it never does."""
    end_s = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end_s, f"did not come: {what}"
        time.sleep(0.02)


@dataclass
class Watching:
    """A watch that runs."""

    process: subprocess.Popen[str]
    mark: str
    """Stands in the environment of every process that it started."""
    said: list[str] = field(default_factory=list)
    """Lines of stderr so far."""
    _printed: list[str] = field(default_factory=list)
    """Lines of stdout so far."""

    def __post_init__(self) -> None:
        assert self.process.stdout and self.process.stderr
        self._readers = [
            Thread(target=_read, args=(self.process.stderr, self.said)),
            Thread(target=_read, args=(self.process.stdout, self._printed)),
        ]
        for reader in self._readers:
            reader.start()

    @property
    def releases(self) -> list[str]:
        """The identifiers on stdout; waits until each new release that stderr tells of stands there too."""
        until(lambda: len(self._printed) >= self.count("new release"), (self._printed, self.said))
        return list(self._printed)

    @property
    def url(self) -> str:
        """Where it serves; waits until it does."""
        until(lambda: any(" at http://" in line for line in self.said), "the address")
        line = next(line for line in self.said if " at http://" in line)
        return line.partition(" at ")[2].partition("/ ")[0]

    def says(self, text: str, times: int = 1, patience_s: float = PATIENCE_S) -> None:
        """Waits until `text` stands in so many lines of stderr."""
        until(lambda: self.count(text) >= times, (text, times, self.said), patience_s)

    def count(self, text: str) -> int:
        """How many lines of stderr hold `text`."""
        return sum(text in line for line in self.said)

    def get(self, path: str) -> str:
        """A file as a browser gets it."""
        with self._asked(path) as response:
            return response.read().decode()

    @contextmanager
    def listening(self, page: str) -> Iterator["Ear"]:
        """The events that the open page at this shelf path gets."""
        with self._asked(f"live?page={quote(page)}") as response:
            yield Ear(response)

    def stop(self, number: int = signal.SIGINT) -> int:
        """Its exit status after the signal."""
        self.process.send_signal(number)
        self._ended()
        return self.process.returncode

    def kill(self) -> None:
        """Ends it without a word, as the kernel does where memory is short."""
        self.process.kill()
        self._ended()

    def processes(self) -> list[int]:
        """Every process that belongs to it."""
        found = []
        for file in Path("/proc").glob("[0-9]*/environ"):
            try:
                environment = file.read_bytes().split(b"\0")
            except OSError:
                continue
            if self.mark.encode() in environment:
                found.append(int(file.parent.name))
        return found

    def _ended(self) -> None:
        self.process.wait(PATIENCE_S)
        for reader in self._readers:
            reader.join()

    @contextmanager
    def _asked(self, path: str) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=PATIENCE_S)
        try:
            connection.request("GET", f"/{path}", headers={"Accept": "text/html"})
            yield connection.getresponse()
        finally:
            connection.close()


@dataclass
class Ear:
    """Server-sent events as they come."""

    response: http.client.HTTPResponse

    def next(self) -> dict[str, Any]:
        """The next state; comments are passed over, but not for ever."""
        end_s = time.monotonic() + PATIENCE_S
        while line := self.response.readline():
            assert time.monotonic() < end_s, "nothing but comments"
            if line.startswith(b"data: "):
                state: dict[str, Any] = json.loads(line[6:])
                return state
        raise AssertionError("the stream has ended")

    def until(self, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state that it holds for."""
        while not holds(state := self.next()):
            pass
        return state


def small_pdf(*pages: str) -> bytes:
    """A PDF of a few hundred bytes a page in a font that is not embedded; a first line "# x" is a heading."""
    document = pymupdf.open()
    for text in pages:
        page = document.new_page()
        head, _, body = text.partition("\n")
        page.insert_text((72, 80), head.removeprefix("# "), fontsize=18 if head.startswith("# ") else 11)
        page.insert_text((72, 120), body, fontsize=11)
    return bytes(document.tobytes(no_new_id=True))


@contextmanager
def running_watch(source: Path, site: Path, options: Sequence[str] = ()) -> Iterator[Watching]:
    """`docshelf watch` on a free port; it is ended at the end, and nothing of it may be left."""
    mark = f"DOCSHELF_TEST={uuid4()}"
    command = [sys.executable, "-W", "error", "-m", "docshelf.build.cli", "watch", str(source)]
    process = subprocess.Popen(
        [*command, "-o", str(site), "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / ".dev")} | dict([mark.split("=")]),
    )
    watching = Watching(process, mark)
    try:
        yield watching
        if process.poll() is None:
            assert watching.stop() == 0, watching.said
    finally:
        if process.poll() is None:
            watching.kill()
        until(lambda: watching.processes() == [], "the end of all its processes")


def _read(stream: IO[str], lines: list[str]) -> None:
    with stream:
        for line in stream:
            lines.append(line.rstrip("\n"))
