"""Speed and quality of engine `fast` against raw MuPDF text and both modes of pymupdf4llm, in one run.

    python benchmarks/conversion.py [FOLDER] [--debian] [--quick] [--only WORD] [--cache FOLDER]

FOLDER holds PDFs (default: ../shared/corpus/pdfs beside the repository); `--debian` takes free manuals from the
Debian archive instead, downloaded once into the cache folder. Documents that truth/documents.tsv names are known
by their sha256. Prints tables; all figures go to conversion.json in the cache folder. Takes about 10 minutes,
with `--quick` under two. CPU seconds are compared, never wall time but for the workers.
"""

import argparse
import json
import platform
import sys
import tempfile
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY)]

from benchmarks.conversion_bench import Bench, Figures, choose_sample, find_documents
from benchmarks.conversion_debian import fetch_manuals
from benchmarks.conversion_quality import measure_all, sum_up
from benchmarks.conversion_report import report
from benchmarks.conversion_speed import ROUNDS, measure_speed

PEER_PAGES, QUICK_PEER_PAGES = 290, 45
QUICK_MOST_PAGES = 40


def main() -> int:
    arguments = _arguments()
    folder = fetch_manuals(arguments.cache) if arguments.debian else arguments.folder
    figures = Figures(_machine())
    with Bench() as bench, tempfile.TemporaryDirectory(prefix="docshelf-bench-") as workplace:
        documents = find_documents(bench, folder, QUICK_MOST_PAGES if arguments.quick else None)
        if arguments.only:
            documents = [it for it in documents if arguments.only in it.name]
        if arguments.quick:
            documents = [it for it in documents if it.pages <= 2 * QUICK_MOST_PAGES]
        if not documents:
            print(f"{folder}: no PDF with text", file=sys.stderr)
            return 2
        sample = choose_sample(documents, QUICK_PEER_PAGES if arguments.quick else PEER_PAGES)
        told = measure_all(bench, documents, sample, Path(workplace), _say)
        figures.quality = {"documents": told, "sums": sum_up(told)}
        if not arguments.no_speed:
            tables = {name: one["tables"] for name, one in told.items()}
            figures.speed = measure_speed(bench, documents, tables, _say, 1 if arguments.quick else ROUNDS)
        figures.failures = bench.failures
    print(report(figures))
    arguments.cache.mkdir(parents=True, exist_ok=True)
    out = arguments.cache / "conversion.json"
    out.write_text(json.dumps(asdict(figures), ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"all figures: {out}")
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _machine() -> dict[str, str]:
    told = {"python": platform.python_version(), "system": platform.platform()}
    return told | {name: version(name) for name in ("pymupdf", "pymupdf4llm", "pymupdf-layout")}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    cache = Path.home() / ".cache" / "docshelf-benchmarks"
    parser.add_argument("folder", type=Path, nargs="?", default=default, help="folder of PDFs")
    parser.add_argument("--debian", action="store_true", help="fetch free manuals instead")
    parser.add_argument("--quick", action="store_true", help="short documents and few pages")
    parser.add_argument("--only", default="", help="documents whose name holds this")
    parser.add_argument("--no-speed", action="store_true", help="leave out tables of speed")
    parser.add_argument(
        "--cache", type=Path, default=cache, help=f"folder for downloads and figures ({cache})"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
