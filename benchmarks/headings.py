"""Scores the tiers of the search for headings against the bookmarks of real PDFs.

    python benchmarks/headings.py [FOLDER] [--least N] [--cache FOLDER]

Every PDF of FOLDER with at least N bookmarks counts once (macro averages). The bookmarks are the truth: for
the tiers `contents` and `fonts` they are hidden, for the tier `bookmarks` the share that is found printed is
given. A heading is right when a bookmark of the same title, its number aside, leads to its page or the one
next to it.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / ".dev"))

from docshelf.build.converting.converted import (
    Bookmark,
    ConvertedDocument,
    EngineOptions,
    dump_conversion,
    load_conversion,
)
from docshelf.build.cutting.furniture import drop_furniture
from docshelf.build.engines.fast import read
from docshelf.build.headings.find import HeadingTier, find_headings
from docshelf.build.headings.titles import bare_key, fold
from docshelf.serve.errors import SourceError


@dataclass(frozen=True, slots=True)
class Heading:
    """A title as a tier or an outline gives it."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Score:
    """How well one tier did on one document."""

    name: str
    tier: str
    headings: int
    recall: float
    precision: float
    levels: float
    """Share of consecutive right headings whose level goes up, down or stays as the bookmarks' does."""
    cpu_ms_a_page: float

    @property
    def f1(self) -> float:
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0


def main() -> int:
    arguments = _arguments()
    scores: list[Score] = []
    located: list[float] = []
    for file in sorted(arguments.folder.glob("*.pdf")):
        document = _convert(file, arguments.cache)
        if document is None or len(document.end.bookmarks) < arguments.least:
            continue
        located.append(located_share(document))
        row = [f"{file.stem:22}", f"bookmarks {len(document.end.bookmarks):4}", f"located {located[-1]:.3f}"]
        for tier in ("contents", "fonts"):
            score = score_tier(file.stem, document, tier)
            if score is not None:
                scores.append(score)
                row.append(f"{tier} F1 {score.f1:.2f} R {score.recall:.2f} P {score.precision:.2f}")
                row.append(f"levels {score.levels:.2f} {score.cpu_ms_a_page:.2f} ms/page")
        print("  ".join(row))
    _print_totals(scores, located)
    return 0


def score_tier(name: str, document: ConvertedDocument, tier: HeadingTier) -> Score | None:
    """The tier's score with the bookmarks hidden; None where there is no contents page to read."""
    hidden = replace(document, end=replace(document.end, bookmarks=()))
    begin = time.process_time()
    headed = find_headings(hidden, (tier,))
    cpu_s = time.process_time() - begin
    if tier == "contents" and headed.tier == "none":
        return None
    found = list(headings_of(headed.document))
    pairs = list(match(document.end.bookmarks, found))
    return Score(
        name,
        tier,
        len(found),
        recall=len(pairs) / len(document.end.bookmarks),
        precision=len(pairs) / len(found) if found else 0.0,
        levels=_level_agreement(pairs),
        cpu_ms_a_page=1000 * cpu_s / len(document.pages),
    )


def located_share(document: ConvertedDocument) -> float:
    """Share of the bookmarks whose titles were found printed where they lead."""
    headed = find_headings(document, ("bookmarks",))
    blocks = [block for page in headed.document.pages for block in page.blocks if block.kind == "heading"]
    return sum(block.lines[0].size > 0 for block in blocks) / max(1, len(blocks))


def headings_of(document: ConvertedDocument) -> Iterator[Heading]:
    for page in document.pages:
        for block in page.blocks:
            if block.kind == "heading":
                yield Heading(block.level, block.text, page.number)


def match(bookmarks: Sequence[Bookmark], found: Sequence[Heading]) -> Iterator[tuple[Bookmark, Heading]]:
    """Each bookmark with the heading that is the same, each heading used once."""
    used: set[int] = set()
    by_page: dict[int, list[int]] = {}
    for index, heading in enumerate(found):
        by_page.setdefault(heading.page, []).append(index)
    for bookmark in bookmarks:
        near = [
            index
            for step in (0, 1, -1)
            for index in by_page.get(bookmark.page + step, ())
            if index not in used
        ]
        hit = next((index for index in near if _same(bookmark.title, found[index].title)), None)
        if hit is not None:
            used.add(hit)
            yield bookmark, found[hit]


def _same(title: str, other: str) -> bool:
    keys = {fold(title), bare_key(title)} - {""}
    others = {fold(other), bare_key(other)} - {""}
    if keys & others:
        return True
    return any(_near(first, second) for first in keys for second in others)


def _near(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) >= 6 and longer.startswith(shorter) and len(shorter) > 0.6 * len(longer):
        return True
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return len(shorter) >= 8 and matcher.quick_ratio() > 0.88 and matcher.ratio() > 0.88


def _level_agreement(pairs: Sequence[tuple[Bookmark, Heading]]) -> float:
    steps = [
        _sign(second[0].level - first[0].level) == _sign(second[1].level - first[1].level)
        for first, second in pairwise(pairs)
    ]
    return fmean(steps) if steps else 1.0


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _convert(file: Path, cache: Path | None) -> ConvertedDocument | None:
    """The document without its running headers; None where the engine cannot read it."""
    stored = cache / f"{file.stem}.jsonl" if cache else None
    if stored is not None and stored.is_file():
        with stored.open(encoding="utf-8") as lines:
            return drop_furniture(load_conversion(lines))
    with tempfile.TemporaryDirectory() as pictures:
        reading = read(file, EngineOptions(pictures="none"), pictures=Path(pictures), password=None)
        try:
            dumped = list(dump_conversion(reading))
        except SourceError as exc:
            print(f"{file.stem:22}  {exc}", file=sys.stderr)
            return None
    if stored is not None:
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_text("".join(dumped), encoding="utf-8")
    return drop_furniture(load_conversion(dumped))


def _print_totals(scores: Sequence[Score], located: Sequence[float]) -> None:
    if located:
        print(f"bookmarks located: mean {fmean(located):.3f}, lowest {min(located):.3f}")
    for tier in ("contents", "fonts"):
        chosen = [score for score in scores if score.tier == tier]
        if chosen:
            print(
                f"{tier}: {len(chosen)} documents, F1 mean {fmean(s.f1 for s in chosen):.3f}"
                f" median {median(s.f1 for s in chosen):.3f}, recall {fmean(s.recall for s in chosen):.3f},"
                f" precision {fmean(s.precision for s in chosen):.3f},"
                f" levels {fmean(s.levels for s in chosen):.3f},"
                f" {fmean(s.cpu_ms_a_page for s in chosen):.2f} CPU ms a page"
            )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = REPOSITORY.parent / "shared" / "corpus" / "pdfs"
    parser.add_argument("folder", type=Path, nargs="?", default=default, help="folder of PDFs")
    parser.add_argument("--least", type=int, default=5, help="bookmarks a PDF must have (default: 5)")
    parser.add_argument("--cache", type=Path, help="folder that keeps what the engine read, for the next run")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
