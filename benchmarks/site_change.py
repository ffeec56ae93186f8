"""How long a changed section takes until it is served, beside the live servers of other generators.

    python benchmarks/site_change.py [--sections 1000] [--runs 5] [--peers DIR] [--folder DIR]

Each program serves a site of `--sections` sections, ten to a document, and stays warm. One source is replaced by
a rename, and its page is asked for every 5 ms until the new text is there. `docshelf watch` serves PDFs of ten
pages with a bookmark each, drawn from a fixed seed: it converts the whole document, cuts, renders, merges the
search and publishes a release that a crash cannot tear. "Without reading the PDF" is less by what the conversion
of that document takes alone, in a process that is warm. Peers (`--peers`: see site.py) have the Markdown of site.py
and write no release. Medians of `--runs`, with the least and the most.
"""

import argparse
import http.client
import os
import platform
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

import pymupdf
from watching import running_watch

from benchmarks.site import IN_DOCUMENT, commands, place, section_text, write_sources
from docshelf.build.converting.convert import convert
from docshelf.build.converting.converted import EngineOptions

FIRST_BUILD_S = 1800.0
SETTLED_S = 3.0
"""Between two saves: files younger than two seconds are hashed once more."""
ASK_EVERY_S = 0.005
LINES = 44
WORDS = ("router", "cable", "filter", "switch", "voltage", "tunnel", "address", "packet", "frame", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sections", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {arguments.sections} sections")
    with tempfile.TemporaryDirectory(prefix="docshelf-") as scratch:
        folder = arguments.folder or Path(scratch)
        measure_ours(folder, arguments.sections, arguments.runs)
        measure_peers(folder, arguments)


def measure_ours(folder: Path, sections: int, runs: int) -> None:
    """Prints the figures of `docshelf watch`; a shelf that stands in `folder` already is served on."""
    source, site = folder / "pdf", folder / "shelf"
    for number in range(sections // IN_DOCUMENT):
        if not document_file(source, number).exists():
            replaced(document_file(source, number), document_pdf(number, ""))
    file = document_file(source, 0)
    seen = []
    with running_watch(source, site) as watch:
        watch.says("published: ", patience_s=FIRST_BUILD_S)
        page = next((site / "current/docs").glob("group-000/doc-00000/001-*.html"))
        address = watch.url.removeprefix("http://")
        path = "/" + page.relative_to(site / "current").as_posix()
        for run in range(runs):
            time.sleep(SETTLED_S)
            marker = f"marker{time.time_ns()}x{run}"
            save = partial(replaced, file, document_pdf(0, marker))
            seen.append(seconds_until(address, path, marker, save))
    reading = [conversion_s(file, folder / "converted") for _ in range(runs + 1)][1:]
    print(f"docshelf watch: {figures(seen)}", flush=True)
    least = statistics.median(seen) - statistics.median(reading)
    print(f"docshelf watch, without reading the PDF ({figures(reading)}): {least:.2f} s", flush=True)


def measure_peers(folder: Path, arguments: argparse.Namespace) -> None:
    """Prints a line for each peer that is there."""
    write_sources(folder / "source", arguments.sections)
    for name, command, _ in commands(folder, arguments):
        if name == "docshelf":
            continue
        index = "hugo-source" if name == "hugo" else "source"
        category, document, at = place(0)
        file = folder / index / category / document / f"{at:03d}-section.md"
        path = f"/{category}/{document}/{at:03d}-section/"
        port = free_port()
        server = serving_command(name, command, port)
        with running(server, folder, f"127.0.0.1:{port}", path) as address:
            seen = []
            for run in range(arguments.runs):
                time.sleep(SETTLED_S)
                marker = f"marker{time.time_ns()}x{run}"
                title, body = section_text(0)
                save = partial(replaced, file, f"# {title}\n\n{marker} {body}".encode())
                seen.append(seconds_until(address, path, marker, save))
        print(f"{name}: {figures(seen)}", flush=True)


def serving_command(name: str, build: list[str], port: int) -> list[str]:
    """The command of the peer's own live server, from that of its build."""
    if name == "hugo":
        return [build[0], "server", "--bind", "127.0.0.1", "--port", str(port)]
    return [build[0], "serve", *build[2:], "-a", f"127.0.0.1:{port}"]


@contextmanager
def running(command: list[str], folder: Path, address: str, path: str) -> Iterator[str]:
    """The address of a server that has made its site; it is ended at the end."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        seconds_until(address, path, "</html>", lambda: None)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def seconds_until(address: str, path: str, marker: str, change: Callable[[], object]) -> float:
    """Seconds from the end of `change` to an answer that holds the marker.

    Raises: TimeoutError.
    """
    change()
    begun_s = time.perf_counter()
    while time.perf_counter() - begun_s < FIRST_BUILD_S:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(address, timeout=FIRST_BUILD_S)
            try:
                connection.request("GET", path, headers={"Accept": "text/html"})
                if marker.encode() in connection.getresponse().read():
                    return time.perf_counter() - begun_s
            finally:
                connection.close()
        time.sleep(ASK_EVERY_S)
    raise TimeoutError(f"{address}{path} never held {marker}")


def document_file(source: Path, number: int) -> Path:
    """Where the PDF of a document stands."""
    category, name, _ = place(number * IN_DOCUMENT)
    return source / category / f"{name}.pdf"


def document_pdf(number: int, marker: str) -> bytes:
    """A PDF of ten pages with a bookmark and `LINES` lines each; the first page holds the marker."""
    chance = random.Random(number)
    document = pymupdf.open()
    contents = []
    for chapter in range(1, IN_DOCUMENT + 1):
        title = f"{chapter} " + " ".join(chance.choices(WORDS, k=4)).capitalize()
        contents.append([1, title, chapter])
        page = document.new_page()
        page.insert_text((60, 70), title, fontsize=16)
        lines = [" ".join(chance.choices(WORDS, k=9)) for _ in range(LINES)]
        if chapter == 1:
            lines[0] = f"{marker} {lines[0]}"
        page.insert_text((60, 100), lines, fontsize=10)
    document.set_toc(contents)
    return bytes(document.tobytes(no_new_id=True))


def replaced(file: Path, content: bytes) -> None:
    """Saves as editors do: a new file, renamed over the old one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(".aside")
    aside.write_bytes(content)
    aside.replace(file)


def conversion_s(file: Path, out: Path) -> float:
    """Seconds that the engine `fast` takes for the document in this process."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    job = {"source": str(file), "out": str(out), "engine": "fast", "options": asdict(EngineOptions())}
    begun_s = time.perf_counter()
    convert({**job, "password": None})
    return time.perf_counter() - begun_s


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def figures(seconds: list[float]) -> str:
    """Median, least and most."""
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


if __name__ == "__main__":
    main()
