"""What a trace says: how often the shelf is read, what a question costs, what is dearest, what fails."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from docshelf.serve.errors import ShelfError
from docshelf.serve.printable import printable
from docshelf.serve.releases.addresses import is_index
from docshelf.serve.route import percentile

ROUTE_PAUSE_S = 120.0
"""A reader who pauses longer has begun another question."""

_DEAREST = 10
_DAYS = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].jsonl"
_ROUTE_TOOLS = ("list", "search", "fetch", "resource")


@dataclass(frozen=True, slots=True)
class TracedCall:
    """One line of a trace."""

    at_s: float
    """Seconds since 1970."""
    token: str
    tool: str
    path: str
    """As the trace writes paths: a path of the shelf or its hash; "" where none was found."""
    size_bytes: int
    took_ms: float
    status: int


@dataclass(slots=True)
class TraceReport:
    """The sums over a trace."""

    days: list[str] = field(default_factory=list)
    calls: list[TracedCall] = field(default_factory=list)
    damaged: int = 0
    """Lines that are no whole record."""
    lost: int = 0
    """Lines that could not be written, by the servers' own count."""


def read_trace(folder: Path) -> TraceReport:
    """Every line of the trace in `folder`.

    Raises: ShelfError where there is none.
    """
    report = TraceReport()
    for file in sorted(folder.glob(_DAYS)):
        report.days.append(file.stem)
        try:
            with file.open("rb") as lines:
                _read_day(lines, report)
        except OSError as exc:
            raise ShelfError(f"{file}: cannot be read ({exc.strerror})") from exc
    if not report.days:
        raise ShelfError(f"{folder}: holds no trace; give the folder of docshelf serve --trace")
    return report


def routes(calls: Iterable[TracedCall]) -> list[tuple[TracedCall, ...]]:
    """The calls that led to a section: of one token, without a long pause, up to the section that was read.

    Readers without a token count as one, so routes of many at once are mixed.
    """
    open_ways: dict[str, list[TracedCall]] = {}
    found = []
    for call in sorted(calls, key=lambda it: it.at_s):
        if call.tool not in _ROUTE_TOOLS or call.status >= 400:
            continue
        way = open_ways.setdefault(call.token, [])
        if way and call.at_s - way[-1].at_s > ROUTE_PAUSE_S:
            way.clear()
        way.append(call)
        if call.tool in ("fetch", "resource") and call.path and not is_index(call.path):
            found.append(tuple(way))
            way.clear()
    return found


def report_lines(report: TraceReport) -> Iterator[str]:
    """The report for people."""
    yield f"{report.days[0]} to {report.days[-1]}: calls {len(report.calls):,}"
    if report.damaged or report.lost:
        yield f"lines that are no record: {report.damaged:,}; lines that could not be written: {report.lost:,}"
    yield from _call_lines(report.calls)
    yield from _route_lines(routes(report.calls))
    yield from _dearest_lines(report.calls)
    yield from _error_lines(report.calls)


def _read_day(lines: Iterable[bytes], report: TraceReport) -> None:
    for line in lines:
        try:
            record = json.loads(line)
            if isinstance(record, dict) and record.keys() == {"lost"}:
                report.lost += int(record["lost"])
            else:
                report.calls.append(_call(record))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            report.damaged += 1


def _call(record: dict[str, object]) -> TracedCall:
    """Raises: ValueError, TypeError, KeyError or AttributeError where it is no record."""
    size_bytes, took_ms, status = record["bytes"], record["ms"], record["status"]
    if not (isinstance(size_bytes, int) and isinstance(took_ms, int | float) and isinstance(status, int)):
        raise TypeError("bytes, ms and status are numbers")
    return TracedCall(
        at_s=datetime.fromisoformat(str(record["time"])).timestamp(),
        token=str(record["token"] or ""),
        tool=str(record["tool"]),
        path=str(record["path"] or ""),
        size_bytes=size_bytes,
        took_ms=float(took_ms),
        status=status,
    )


def _call_lines(calls: Sequence[TracedCall]) -> Iterator[str]:
    by_tool: defaultdict[tuple[str, str], list[TracedCall]] = defaultdict(list)
    for call in calls:
        by_tool["tool", call.tool].append(call)
        by_tool["token", call.token or "(none)"].append(call)
    for kind in ("tool", "token"):
        yield ""
        yield f"{kind:<22}{'calls':>9}{'errors':>9}{'ms 50 %':>10}{'ms 95 %':>10}{'bytes':>16}"
        for (group, name), made in sorted(by_tool.items()):
            if group == kind:
                times_us = sorted(round(call.took_ms * 1000) for call in made)
                yield (
                    f"{printable(name):<22}{len(made):>9,}{sum(call.status >= 400 for call in made):>9,}"
                    f"{percentile(times_us, 50) / 1000:>10.2f}{percentile(times_us, 95) / 1000:>10.2f}"
                    f"{sum(call.size_bytes for call in made):>16,}"
                )


def _route_lines(ways: Sequence[Sequence[TracedCall]]) -> Iterator[str]:
    yield ""
    yield f"routes to a section: {len(ways):,}"
    if ways:
        steps = sorted(len(way) for way in ways)
        sizes = sorted(sum(call.size_bytes for call in way) for way in ways)
        yield f"{'':<22}{'50 %':>9}{'95 %':>9}"
        yield f"{'calls':<22}{percentile(steps, 50):>9,}{percentile(steps, 95):>9,}"
        yield f"{'bytes':<22}{percentile(sizes, 50):>9,}{percentile(sizes, 95):>9,}"


def _dearest_lines(calls: Iterable[TracedCall]) -> Iterator[str]:
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for call in calls:
        if call.tool in ("fetch", "resource") and call.path and call.status < 400:
            counts[call.path] += 1
            sizes[call.path] += call.size_bytes
    if sizes:
        yield ""
        yield "the dearest to read, by all bytes:"
        for path, size_bytes in sizes.most_common(_DEAREST):
            yield f"{size_bytes:>14,} bytes {counts[path]:>8,} times  {printable(path)}"


def _error_lines(calls: Iterable[TracedCall]) -> Iterator[str]:
    errors = Counter((call.status, call.tool) for call in calls if call.status >= 400)
    if errors:
        yield ""
        yield "errors:"
        for (status, tool), count in sorted(errors.items()):
            yield f"{status:>6} {printable(tool):<16}{count:>9,}"
