"""Free manuals from the Debian archive, so that anyone can repeat a benchmark: `apt-get download`, unpacked."""

import gzip
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.conversion_truth import TruthDocument, load_documents

PREFIX = "deb:"


def packages(documents: Sequence[TruthDocument]) -> list[str]:
    """The packages that hold the documents, each once, by name."""
    return sorted({it.source.removeprefix(PREFIX) for it in documents if it.source.startswith(PREFIX)})


def fetch_manuals(cache: Path) -> Path:
    """The folder with the manuals of truth/documents.tsv, downloaded (80 MB) where they are not there yet.

    Other versions of Debian hold other pages: truth counts only for files whose sha256 is the same.

    Raises: FileNotFoundError without apt-get and dpkg-deb; CalledProcessError where the archive does not answer.
    """
    manuals, archives, unpacked = cache / "manuals", cache / "packages", cache / "unpacked"
    for folder in (manuals, archives, unpacked):
        folder.mkdir(parents=True, exist_ok=True)
    documents = load_documents()
    missing = [it for it in documents if it.path and not (manuals / f"{it.name}.pdf").is_file()]
    for package in packages(missing):
        if not list(archives.glob(f"{package}_*.deb")):
            subprocess.run(["apt-get", "download", package], cwd=archives, check=True)
        subprocess.run(["dpkg-deb", "-x", *archives.glob(f"{package}_*.deb"), unpacked / package], check=True)
    for document in missing:
        _place(
            unpacked / document.source.removeprefix(PREFIX) / document.path, manuals / f"{document.name}.pdf"
        )
    return manuals


def _place(file: Path, target: Path) -> None:
    if not file.is_file():
        print(f"{target.stem}: not in this version of its package")
    elif file.suffix == ".gz":
        with gzip.open(file) as packed, target.open("wb") as out:
            shutil.copyfileobj(packed, out)
    else:
        shutil.copyfile(file, target)
