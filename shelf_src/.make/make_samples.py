"""Makes the sample documents of the project: PDFs whose bytes are the same on every machine.

    python shelf_src/.make/make_samples.py            writes them into shelf_src/
    python shelf_src/.make/make_samples.py OUT        writes them into the folder OUT
    python shelf_src/.make/make_samples.py --check    names files of shelf_src/ that differ; exit 1

The texts stand in texts/, a file or a folder of files for each document; markup.py says how they are
marked up. Fonts and reportlab come from
the development group of pyproject.toml, where their versions are pinned: other versions give other
bytes. Sidecars and .docshelf.json of the sample shelf are written by hand.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from markup import parse_sample
from paper import make_pdf
from styles import register_fonts

_HERE = Path(__file__).resolve().parent


def make_samples() -> dict[str, bytes]:
    """Every sample PDF by its path inside the source folder."""
    register_fonts()
    made = {}
    for entry in sorted((_HERE / "texts").iterdir()):
        try:
            sample = parse_sample(_read_text(entry))
            made[sample.keys["out"]] = make_pdf(sample)
        except ValueError as exc:
            raise SystemExit(f"{entry}: {exc}") from exc
    return made


def _read_text(entry: Path) -> str:
    files = sorted(entry.glob("*.txt")) if entry.is_dir() else [entry]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def differing_paths(made: dict[str, bytes], folder: Path) -> list[str]:
    """Paths of PDFs that are missing in the folder, differ, or are there without a text."""
    present = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.pdf")}
    return sorted(path for path in made.keys() | present.keys() if made.get(path) != present.get(path))


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the sample PDFs of shelf_src.")
    parser.add_argument("out", nargs="?", type=Path, default=_HERE.parent, help="folder to write into")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if files differ")
    options = parser.parse_args()
    made = make_samples()
    if options.check:
        differing = differing_paths(made, options.out)
        for path in differing:
            print(f"{path}: differs from its text; run make_samples.py")
        return 1 if differing else 0
    for path, content in made.items():
        file = options.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        print(f"{path}: {len(content)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
