"""Proves the engine `high` with the real marker-pdf where no weights are: the way through, not the quality.

    python benchmarks/high_without_weights.py [PDF ...]

Needs marker-pdf (`pip install 'docshelf[high]'`) and strace. marker takes each page for one block of text
(`force_layout_block`), so no model is asked; everything else is what a build calls: each PDF page must come
back under its own number with its words, no connection may leave this machine, and no process may stay.
Exit status 1 where one of that fails.
"""

import argparse
import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / ".dev"))

from docshelf.build.converting.converted import Block, ConversionEnd, EngineOptions, Page
from docshelf.build.engines import fast, high
from docshelf.build.engines.marker_blocks import marker_page_blocks
from docshelf.build.engines.marker_merging import merge
from docshelf.serve.errors import SourceError

SAMPLES = (
    "hardware/vr-340-operator-manual.pdf",
    "power/ups-sosna-3000.pdf",
    "operations/Памятка дежурного инженера.pdf",
)
CONFIG = {
    "extract_images": False,
    "pdftext_workers": 1,
    "disable_tqdm": True,
    "mode": "fast",
    "disable_ocr": True,
    "force_layout_block": "Text",
}
LEAST_KEPT = 0.97
"""Share of a document's words that must be there after the way through."""
STARTUP_S = 5
"""How long a model server without weights may try to start."""
_WORD = re.compile(r"[^\W_]+")
_INTERNET = re.compile(r"sa_family=AF_INET6?\b")
_LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "(::1|::ffff:127\.)')


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the checks and prints them; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "pdf", nargs="*", type=Path, default=[REPOSITORY / "shelf_src" / it for it in SAMPLES]
    )
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if importlib.util.find_spec("marker") is None or shutil.which("strace") is None:
        parser.error("marker-pdf and strace are needed; install them first")
    return check_documents(given.pdf) if given.inner else watch(given.pdf)


def watch(files: Sequence[Path]) -> int:
    """Runs the checks in a process whose connections are traced, in a home folder of its own."""
    with tempfile.TemporaryDirectory(prefix="docshelf-") as home:
        trace, weights = Path(home) / "connections", Path(home) / "no-weights"
        weights.mkdir()
        command = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", str(trace), sys.executable, __file__]
        environment = {
            **os.environ,
            "HOME": home,
            "FAST_LAYOUT_SERVER_STARTUP_TIMEOUT": str(STARTUP_S),
            "NO_WEIGHTS": str(weights),
        }
        done = subprocess.run(
            [*command, "--inner", *map(str, files)], check=False, stderr=subprocess.DEVNULL, env=environment
        )
        calls = trace.read_text("utf-8", "replace").splitlines()
        left = processes_of(home)
    internet = [call for call in calls if _INTERNET.search(call)]
    outside = [call for call in internet if not _LOOPBACK.search(call)]
    faults = [
        say(done.returncode == 0, f"the checks ended with status {done.returncode}"),
        say(not outside, f"{len(calls)} connections: {len(internet)} by IP, {len(outside)} off this machine"),
        say(not left, f"processes left: {len(left)}"),
    ]
    for call in outside:
        print(f"     {call}")
    return int(not all(faults))


def check_documents(files: Sequence[Path]) -> int:
    """Prints what was found of each file, and how a machine without weights is told of them."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    results = [check_document(file) for file in files]
    results.append(check_missing("missing-weights", None))
    results.append(check_missing("engine-failed", os.environ["NO_WEIGHTS"]))
    return int(not all(results))


def check_document(file: Path) -> bool:
    """Whether every page came back under its number with its words."""
    begun = time.monotonic()
    output = high.convert_with_marker(file, CONFIG)
    took_s = time.monotonic() - begun
    raw = raw_words(file)
    alone = {number: words_of(marker_page_blocks(page, ())) for number, page in output.items()}
    pages, end = read_merged(file, output)
    merged = {page.number: words_of(page.blocks) for page in pages}
    mapped = sum(kept(alone.get(number, Counter()), words) >= 0.9 for number, words in raw.items())
    both = kept(sum(merged.values(), Counter()), sum(raw.values(), Counter()))
    own = kept(sum(alone.values(), Counter()), sum(raw.values(), Counter()))
    good = output.keys() == raw.keys() == merged.keys() and mapped == len(raw) and both >= LEAST_KEPT
    codes = ", ".join(sorted({remark.code for remark in end.remarks})) or "none"
    return say(
        good,
        f"{file.name}: {mapped} of {len(raw)} pages mapped, words kept {own:.3f} by marker, {both:.3f} merged,"
        f" remarks: {codes}, {took_s:.1f} s",
    )


def check_missing(code: str, checkpoint: str | None) -> bool:
    """Whether a machine without weights, or with an empty folder for them, gets the fault `code`."""
    if checkpoint:
        importlib.import_module("surya.settings").settings.FAST_LAYOUT_MODEL_CHECKPOINT = checkpoint
    try:
        high.start_models()
    except SourceError as exc:
        return say(exc.code == code, f"{(checkpoint and 'an empty folder') or 'no weights'}: {exc.code}")
    return say(False, "the models were loaded: this machine has weights")


def read_merged(file: Path, output: dict[int, high.MarkerPage]) -> tuple[list[Page], ConversionEnd]:
    """What a build would store of the document."""
    with tempfile.TemporaryDirectory(prefix="docshelf-") as pictures:
        reading = merge(
            fast.read(file, EngineOptions(pictures="none"), pictures=Path(pictures), password=None),
            output,
            with_ocr=False,
        )
        pages = []
        while True:
            try:
                pages.append(next(reading))
            except StopIteration as stop:
                return pages, stop.value


def raw_words(file: Path) -> dict[int, Counter[str]]:
    """The words of each PDF page as MuPDF reads them, words divided at a line's end put together."""
    import pymupdf

    with pymupdf.open(file) as document:
        return {page.number + 1: count_words([re.sub(r"-\n", "", page.get_text())]) for page in document}


def words_of(blocks: Iterable[Block]) -> Counter[str]:
    """The words of blocks, with the markers of lists."""
    return count_words(
        text
        for block in blocks
        for text in (
            block.marker,
            re.sub(r"-\n", "", block.text),
            *(cell for row in block.rows for cell in row),
        )
    )


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Each word in small letters and how often it stands there."""
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", "\n".join(texts)).casefold()))


def kept(words: Counter[str], of: Counter[str]) -> float:
    """Share of the words `of` that are among `words`, 0 to 1."""
    return (of & words).total() / of.total() if of else 1.0


def processes_of(home: str) -> list[int]:
    """Processes whose home folder is `home`."""
    mark, found = f"HOME={home}".encode(), []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def say(good: bool, text: str) -> bool:
    """Prints a check and gives it back."""
    print(f"{'ok  ' if good else 'FAIL'} {text}", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main())
