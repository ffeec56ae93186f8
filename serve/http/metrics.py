"""What a server counts, as text for Prometheus (exposition format 0.0.4).

Labels come from small fixed sets: no path, no query, no name of a token. What stands here says how much is
read, never what.
"""

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.http.responses import error_response
from docshelf.serve.releases.tree import Release, Releases

METRICS_PATH = "/metrics"
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_SEVERITIES = ("info", "warning", "error")
_Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What was answered since the start, at one moment."""

    answers: Mapping[tuple[str, str], int]
    """By route and status."""
    sent_bytes: Mapping[str, int]
    """Of bodies, by route."""
    took_s: Mapping[str, float]
    """From the head of a request to the end of its answer, all together, by route."""
    within: Mapping[str, tuple[int, ...]]
    """How many answers took as long as each of BUCKETS_S allows, and longer than all, by route."""


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What is told of the current release."""

    id: str
    documents: int
    files: int
    size_bytes: int
    findings: Mapping[str, int]
    """By severity."""


class Metrics:
    """Counts answers; belongs to the thread of its event loop."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, str]] = Counter()
        self._sent_bytes: Counter[str] = Counter()
        self._took_s: dict[str, float] = {}
        self._within: dict[str, list[int]] = {}

    def add(self, route: str, status: int, took_s: float, size_bytes: int) -> None:
        """Counts one answer; status 0 is one that the client did not wait for."""
        self._answers[route, str(status)] += 1
        self._sent_bytes[route] += size_bytes
        self._took_s[route] = self._took_s.get(route, 0.0) + took_s
        within = self._within.get(route)
        if within is None:
            within = self._within[route] = [0] * (len(BUCKETS_S) + 1)
        within[bisect_left(BUCKETS_S, took_s)] += 1

    def counts(self) -> Counts:
        """What was counted until now."""
        within = {route: tuple(numbers) for route, numbers in self._within.items()}
        return Counts(dict(self._answers), dict(self._sent_bytes), dict(self._took_s), within)


def release_facts(release: Release) -> ReleaseFacts:
    """What is told of `release`; adds up its files."""
    found: Counter[str] = Counter(finding.severity for finding in release.manifest.findings)
    return ReleaseFacts(
        release.id,
        len(release.manifest.documents),
        len(release.files),
        sum(row.bytes for row in release.files.values()),
        {severity: found[severity] for severity in _SEVERITIES},
    )


def metrics_text(counts: Counts, facts: ReleaseFacts | None, began_s: float, memory_bytes: int) -> str:
    """The page that Prometheus reads; `facts` None says that no release can be read.

    `began_s` is in seconds since 1970.
    """
    lines = [
        *_family("docshelf_requests_total", "counter", "Answers by what the address stands for and status.",
                 (((("route", route), ("status", status)), number)
                  for (route, status), number in sorted(counts.answers.items()))),
        *_family("docshelf_response_bytes_total", "counter", "Bytes of bodies that were sent.",
                 (((("route", route),), number) for route, number in sorted(counts.sent_bytes.items()))),
        *_histogram(counts),
        *_family("docshelf_ready", "gauge", "Whether a release is current and can be read.",
                 [((), int(facts is not None))]),
        *([] if facts is None else _release(facts)),
        *_family("process_start_time_seconds", "gauge", "When the server started, since 1970.", [((), began_s)]),
        *_family("process_resident_memory_bytes", "gauge", "Memory that the server holds.", [((), memory_bytes)]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


class MetricsPage:
    """The application behind `docshelf serve --metrics`: one page."""

    def __init__(self, metrics: Metrics, site: Releases) -> None:
        self._metrics = metrics
        self._site = site
        self._began_s = time.time()
        self._known: tuple[Release, ReleaseFacts] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers GET and HEAD of the page."""
        await (await self._answer(Request(scope)))(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.url.path != METRICS_PATH:
            return error_response(404, "not-on-shelf", f"Here is {METRICS_PATH} only.")
        if request.method not in ("GET", "HEAD"):
            return error_response(405, "method-not-allowed", "Only GET is allowed.", {"Allow": "GET, HEAD"})
        counts = self._metrics.counts()
        # A release may have to be fetched from another machine, and its files to be added up.
        facts = await run_in_threadpool(self._facts)
        text = metrics_text(counts, facts, self._began_s, _memory_bytes())
        headers = {"Content-Type": METRICS_TYPE, "Cache-Control": "no-store"}
        content = text.encode()
        if request.method == "HEAD":
            return Response(b"", headers=headers | {"Content-Length": str(len(content))})
        return Response(content, headers=headers)

    def _facts(self) -> ReleaseFacts | None:
        try:
            release = self._site.current()
        except ShelfDamaged:
            return None
        if self._known is None or self._known[0] is not release:
            self._known = release, release_facts(release)
        return self._known[1]


def _release(facts: ReleaseFacts) -> Iterator[str]:
    yield from _family("docshelf_release_info", "gauge", "The release that is current.",
                       [((("release", facts.id),), 1)])  # fmt: skip
    yield from _family("docshelf_release_documents", "gauge", "Documents of it.", [((), facts.documents)])
    yield from _family("docshelf_release_files", "gauge", "Files of it.", [((), facts.files)])
    yield from _family("docshelf_release_bytes", "gauge", "Bytes of its files.", [((), facts.size_bytes)])
    found = (((("severity", severity),), number) for severity, number in facts.findings.items())
    yield from _family("docshelf_findings", "gauge", "What its build noticed, by severity.", found)


def _histogram(counts: Counts) -> Iterator[str]:
    name = "docshelf_request_duration_seconds"
    yield from _family(name, "histogram", "From the head of a request to the end of its answer.", ())
    for route, numbers in sorted(counts.within.items()):
        total = 0
        for bound, number in zip((*map(repr, BUCKETS_S), "+Inf"), numbers, strict=True):
            total += number
            yield _sample(f"{name}_bucket", (("route", route), ("le", bound)), total)
        yield _sample(f"{name}_sum", (("route", route),), counts.took_s[route])
        yield _sample(f"{name}_count", (("route", route),), total)


def _family(name: str, kind: str, meaning: str, samples: Iterable[tuple[_Labels, float]]) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"
    yield from (_sample(name, labels, value) for labels, value in samples)


def _sample(name: str, labels: _Labels, value: float) -> str:
    """One line; values of labels come from fixed sets and need no escape."""
    shown = ",".join(f'{label}="{text}"' for label, text in labels)
    return f"{name}{{{shown}}} {value!r}" if shown else f"{name} {value!r}"


def _memory_bytes() -> int:
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
