"""What a question costs: for every section the indexes a reader follows from the root, and the section."""

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.llms import parse_index
from docshelf.serve.printable import printable
from docshelf.serve.releases.addresses import ROOT_INDEX, is_index, linked_path
from docshelf.serve.releases.tree import Release

ASCII_BYTES_PER_TOKEN = 3.5
OTHER_BYTES_PER_TOKEN = 5.0
"""Measured 2026-11 on 2.2 MB of shelves in Russian and English with the vocabularies of DeepSeek V4, Qwen 3.6
and o200k (gpt-oss): sections come out 9 to 19 % too high, indexes 10 to 27 % too low for their addresses."""

PERCENTILES = (50, 75, 95, 100)

_DEAREST = 10
_ASCII = bytes(range(128))


@dataclass(frozen=True, slots=True)
class Stop:
    """One file that a reader reads on the way."""

    path: str
    size_bytes: int
    tokens: int
    """Estimated, see `estimate_tokens`."""


@dataclass(frozen=True, slots=True)
class Way:
    """All that a reader reads to come to one section."""

    source: str
    """The document's source."""
    title: str
    """The section's title."""
    stops: tuple[Stop, ...]
    """The root index first, the section last."""

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole way."""
        return sum(stop.size_bytes for stop in self.stops)

    @property
    def index_bytes(self) -> int:
        """Bytes of the indexes alone."""
        return self.size_bytes - self.stops[-1].size_bytes

    @property
    def tokens(self) -> int:
        """Estimated tokens of the whole way."""
        return sum(stop.tokens for stop in self.stops)

    @property
    def links(self) -> int:
        """Links that the reader follows."""
        return len(self.stops) - 1


@dataclass(frozen=True, slots=True)
class RouteReport:
    """What every question that one section answers costs on a shelf."""

    release: str
    documents: int
    ways: tuple[Way, ...]
    """Of every section that an index leads to, in the order of the manifest."""
    faults: tuple[str, ...]
    """Sections that no index leads to, and indexes that cannot be followed."""


def measure_routes(release: Release) -> RouteReport:
    """The shortest way to every section; each file is read once.

    Raises: ShelfDamaged where a file is not what the manifest says.
    """
    before, faults = _follow_indexes(release)
    ways: list[Way] = []
    for entry in release.manifest.documents:
        meta = release.meta(_listed(release, entry.meta))
        for section in meta.sections:
            above = before.get(section.path)
            if above is None:
                faults.append(f"{section.path}: no index leads to it; build the shelf again")
                continue
            stop = _stop(section.path, release.read(_listed(release, section.path)))
            ways.append(Way(entry.source, section.title, (*above, stop)))
    if not ways:
        faults.append("no section can be reached from index.md; build the shelf again")
    return RouteReport(release.id, len(release.manifest.documents), tuple(ways), tuple(faults))


def estimate_tokens(content: bytes) -> int:
    """About how many tokens a model reads in UTF-8 text, rounded up."""
    other = len(content.translate(None, _ASCII))
    return math.ceil((len(content) - other) / ASCII_BYTES_PER_TOKEN + other / OTHER_BYTES_PER_TOKEN)


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The least of some ordered values that `percent` of them do not exceed (nearest rank)."""
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def dearest(report: RouteReport) -> list[Way]:
    """The ten ways of most bytes, the dearest first."""
    return heapq.nsmallest(_DEAREST, report.ways, key=lambda way: (-way.size_bytes, way.stops[-1].path))


def route_lines(report: RouteReport) -> Iterator[str]:
    """The report for people."""
    yield f"release {report.release}: sections {len(report.ways)}, documents {report.documents}"
    if report.ways:
        yield " " * 24 + "".join(f"{f'{percent} %':>10}" for percent in PERCENTILES)
        for figure in _FIGURES:
            ordered = sorted(map(figure.value, report.ways))
            yield f"{figure.name:<24}" + "".join(f"{percentile(ordered, it):>10,}" for it in PERCENTILES)
        yield (
            f"tokens are estimated: one per {ASCII_BYTES_PER_TOKEN:g} bytes of ASCII "
            f"and per {OTHER_BYTES_PER_TOKEN:g} bytes of other UTF-8"
        )
        yield "the dearest:"
        yield from (f"  {_way_line(way)}" for way in dearest(report))
    yield from (f"fault: {printable(fault)}" for fault in report.faults)


def route_json(report: RouteReport) -> dict[str, object]:
    """The report as JSON values."""
    ordered = {figure.key: sorted(map(figure.value, report.ways)) for figure in _FIGURES}
    return {
        "release": report.release,
        "documents": report.documents,
        "sections": len(report.ways),
        "bytes_per_token": {"ascii": ASCII_BYTES_PER_TOKEN, "other": OTHER_BYTES_PER_TOKEN},
        "percentiles": {
            str(percent): {key: percentile(values, percent) for key, values in ordered.items() if values}
            for percent in PERCENTILES
        },
        "dearest": [_way_json(way) for way in dearest(report)],
        "faults": list(report.faults),
    }


@dataclass(frozen=True, slots=True)
class _Figure:
    """One row of the table."""

    key: str
    name: str
    value: Callable[[Way], int]


_FIGURES = (
    _Figure("bytes", "the way, bytes", lambda way: way.size_bytes),
    _Figure("tokens", "the way, tokens (about)", lambda way: way.tokens),
    _Figure("index_bytes", "indexes alone, bytes", lambda way: way.index_bytes),
    _Figure("section_bytes", "section alone, bytes", lambda way: way.stops[-1].size_bytes),
    _Figure("links", "links followed", lambda way: way.links),
)


def _follow_indexes(release: Release) -> tuple[dict[str, tuple[Stop, ...]], list[str]]:
    """For each path that indexes lead to, the indexes on the shortest way there; and what went wrong.

    Breadth first, so the first way found has the fewest links; each index is read once.
    """
    before: dict[str, tuple[Stop, ...]] = {_listed(release, ROOT_INDEX): ()}
    faults: list[str] = []
    waiting = deque([ROOT_INDEX])
    while waiting:
        path = waiting.popleft()
        content = release.read(path)
        above = (*before[path], _stop(path, content))
        try:
            links = parse_index(content.decode()).links
        except ValueError as exc:
            faults.append(f"{path}: is no index that readers can follow: {exc}")
            continue
        for link in links:
            target = linked_path(path, link.url)
            if target is not None and target in release.files and target not in before:
                before[target] = above
                if is_index(target):
                    waiting.append(target)
    return before, faults


def _listed(release: Release, path: str) -> str:
    if path not in release.files:
        raise ShelfDamaged(f"release {release.id}: {path} is not there; run docshelf check")
    return path


def _stop(path: str, content: bytes) -> Stop:
    return Stop(path, len(content), estimate_tokens(content))


def _way_line(way: Way) -> str:
    largest = max(way.stops, key=lambda stop: stop.size_bytes)
    what = "the section" if largest is way.stops[-1] else largest.path
    return (
        f"{way.size_bytes:,} bytes, about {way.tokens:,} tokens, links {way.links}: {way.stops[-1].path}"
        f" ({what} is {100 * largest.size_bytes // way.size_bytes} % of it: {largest.size_bytes:,} bytes)"
    )


def _way_json(way: Way) -> dict[str, object]:
    return {
        "source": way.source,
        "title": way.title,
        "bytes": way.size_bytes,
        "tokens": way.tokens,
        "links": way.links,
        "stops": [asdict(stop) for stop in way.stops],
    }
