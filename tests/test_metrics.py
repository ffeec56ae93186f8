"""What `docshelf serve --metrics-port` tells Prometheus."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from raw_http import RawReply, ask, get
from running_server import start_server
from small_shelf import BEGIN, BEGIN_TEXT, CABLE, write_small_shelf

from docshelf.serve.http.metrics import Counts, Metrics, ReleaseFacts, metrics_text
from docshelf.serve.releases.tree import Site

ANNA = "anna-token-6f1d2c3b4a596877"
SECRET = "what-people-ask"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    """Every sample by name and labels, as the official parser reads them."""
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation and family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in found
            found[key] = sample.value
    return found


def test_what_was_counted_is_written_as_prometheus_reads_it() -> None:
    metrics = Metrics()
    for status, took_s, size_bytes in ((200, 0.0005, 100), (200, 0.001, 50), (404, 0.3, 7), (200, 60.0, 1)):
        metrics.add("fetch", status, took_s, size_bytes)
    metrics.add("file", 304, 0.002, 0)
    facts = ReleaseFacts("0123456789abcdef", 7, 41, 2_182_030, {"info": 3, "warning": 0, "error": 1})

    read = samples(metrics_text(metrics.counts(), facts, 1_764_540_000.5, 52_000_000))

    fetch, file = ("route", "fetch"), ("route", "file")
    seconds = "docshelf_request_duration_seconds"
    assert read["docshelf_requests_total", (fetch, ("status", "200"))] == 3
    assert read["docshelf_requests_total", (fetch, ("status", "404"))] == 1
    assert read["docshelf_requests_total", (file, ("status", "304"))] == 1
    assert read["docshelf_response_bytes_total", (fetch,)] == 158
    buckets = {bound: read[f"{seconds}_bucket", (("le", bound), fetch)]
               for bound in ("0.001", "0.0025", "0.25", "0.5", "10.0", "+Inf")}  # fmt: skip
    assert buckets == {"0.001": 2, "0.0025": 2, "0.25": 2, "0.5": 3, "10.0": 3, "+Inf": 4}
    assert read[f"{seconds}_count", (fetch,)] == 4
    assert read[f"{seconds}_sum", (fetch,)] == pytest.approx(60.3015)
    assert read["docshelf_ready", ()] == 1
    assert read["docshelf_release_info", (("release", "0123456789abcdef"),)] == 1
    assert [read[f"docshelf_release_{word}", ()] for word in ("documents", "files", "bytes")] == [
        7,
        41,
        2_182_030,
    ]
    assert [read["docshelf_findings", (("severity", word),)] for word in facts.findings] == [3, 0, 1]
    assert read["process_start_time_seconds", ()] == 1_764_540_000.5
    assert read["process_resident_memory_bytes", ()] == 52_000_000


def test_a_shelf_that_cannot_be_read_is_not_ready() -> None:
    read = samples(metrics_text(Counts({}, {}, {}, {}), None, 0.0, 0))

    assert read["docshelf_ready", ()] == 0
    assert not [name for name, _ in read if name.startswith(("docshelf_release", "docshelf_findings"))]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    write_small_shelf(tmp_path / "site")
    return tmp_path / "site"


@contextmanager
def measured_server(site: Path, **options: object) -> Iterator[tuple[str, str]]:
    """The addresses of the shelf and of its metrics."""
    with start_server(site, metrics_port=0, **options) as process:
        assert process.stdout is not None and process.stderr is not None
        words = process.stderr.readline().split()
        assert words[:3] == ["docshelf:", "metrics", "at"]
        try:
            yield process.stdout.readline().strip(), words[3].removesuffix("/metrics")
        finally:
            process.terminate()
            process.communicate(timeout=60)


def test_a_server_counts_what_it_answers_and_not_what_was_asked(site: Path) -> None:
    with measured_server(site) as (url, metrics):
        get(url, f"/{BEGIN}")
        get(url, f"/{CABLE}", "If-None-Match: *")
        get(url, f"/fetch?path={SECRET}")
        get(url, f"/{SECRET}")
        get(url, "/", host=f"{SECRET}.example")
        body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
        head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ask(url, head.encode() + body)
        reply = get(metrics, "/metrics")
        read = samples(reply.body.decode())

    assert reply.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
    assert reply.header("cache-control") == "no-store"
    counted = {labels: value for (name, labels), value in read.items() if name == "docshelf_requests_total"}
    assert counted == {
        (("route", "fetch"), ("status", "404")): 1,
        (("route", "file"), ("status", "200")): 1,
        (("route", "file"), ("status", "304")): 1,
        (("route", "file"), ("status", "403")): 1,
        (("route", "file"), ("status", "404")): 1,
        (("route", "mcp"), ("status", "200")): 1,
    }
    assert read["docshelf_response_bytes_total", (("route", "file"),)] > len(BEGIN_TEXT.encode())
    assert read["docshelf_findings", (("severity", "warning"),)] == 1
    assert read["process_resident_memory_bytes", ()] > 10_000_000
    assert SECRET.encode() not in reply.body


def test_the_release_that_is_told_is_the_current_one(site: Path) -> None:
    with measured_server(site) as (_, metrics):
        for description in ("One.", "Two."):
            release = write_small_shelf(site, description=description)
            read = samples(get(metrics, "/metrics").body.decode())
            assert read["docshelf_release_info", (("release", release),)] == 1
            files = Site(site).current().files.values()
            assert read["docshelf_release_bytes", ()] == sum(row.bytes for row in files)
        (site / "current").unlink()
        assert samples(get(metrics, "/metrics").body.decode())["docshelf_ready", ()] == 0


def code_of(reply: RawReply) -> str:
    return str(json.loads(reply.body)["error"]["code"])


def test_the_shelf_and_its_metrics_stand_at_different_ports(site: Path) -> None:
    with measured_server(site) as (url, metrics):
        assert code_of(get(url, "/metrics")) == "not-on-shelf"
        for target in ("/", f"/{CABLE}", "/list", "/metrics/", "//metrics"):
            assert code_of(get(metrics, target)) == "not-on-shelf"
        assert code_of(get(metrics, "/metrics", method="POST")) == "method-not-allowed"
        head = get(metrics, "/metrics", method="HEAD")
        assert (head.status, head.body) == (200, b"")


def test_metrics_are_held_to_the_rules_of_the_shelf(site: Path, tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.touch(0o600)
    tokens.write_text(f"anna {ANNA}\n")
    with measured_server(site, token_file=tokens, public_pages=True) as (_, metrics):
        assert code_of(get(metrics, "/metrics")) == "token-needed"
        assert code_of(get(metrics, "/metrics", host="evil.example")) == "host-not-allowed"
        assert get(metrics, "/metrics", f"Authorization: Bearer {ANNA}").status == 200
