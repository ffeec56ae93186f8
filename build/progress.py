"""How a build tells what it is doing: a bar on a terminal, plain lines elsewhere; always on stderr."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar


class Progress(Protocol):
    """Hears of every document that is done."""

    def begin(self, documents: int) -> None:
        """So many documents will be made."""

    def document(self, source: str, pages: int) -> None:
        """One document is done; 0 pages means that it was refused."""

    def say(self, text: str) -> None:
        """A step of the build that is no document."""


class Lines:
    """One plain line per document, for logs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._rate = _Rate()
        self._documents = 0
        self._done = 0

    def begin(self, documents: int) -> None:
        """Names the number of documents."""
        self._documents = documents
        self._write(f"documents: {documents}")

    def document(self, source: str, pages: int) -> None:
        """Names the document, its pages and the rate so far."""
        self._done += 1
        self._rate.add(pages)
        outcome = f"pages {pages}" if pages else "refused"
        self._write(f"[{self._done}/{self._documents}] {source}: {outcome} ({self._rate})")

    def say(self, text: str) -> None:
        """The text."""
        self._write(text)

    def _write(self, text: str) -> None:
        # A log may be of any encoding and a name may hold line ends: each document stays one line.
        line = text.replace("\n", "\\n").replace("\r", "\\r")
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        self._stream.flush()


class _Bar:
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, rate="")
        self._rate = _Rate()

    def begin(self, documents: int) -> None:
        self._bar.update(self._task, total=documents)

    def document(self, source: str, pages: int) -> None:
        self._rate.add(pages)
        self._bar.update(self._task, advance=1, description=_shown(source), rate=str(self._rate))

    def say(self, text: str) -> None:
        self._bar.update(self._task, description=text)


@contextmanager
def show_progress(stream: TextIO) -> Iterator[Progress]:
    """A bar where `stream` is a terminal, else plain lines."""
    console = Console(file=stream, highlight=False)
    if not console.is_terminal:
        yield Lines(stream)
        return
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        yield _Bar(bar)


class _Rate:
    """Pages a second since the first document began."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._pages = 0

    def add(self, pages: int) -> None:
        self._pages += pages

    def __str__(self) -> str:
        seconds = max(0.001, time.monotonic() - self._begun)
        return f"{self._pages / seconds:.0f} pages/s"


def _shown(source: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in source)[-60:]
