"""The report of a trace: a trace written by hand, and what it comes to."""

import json
from pathlib import Path

import pytest

from docshelf.build.cli import main
from docshelf.serve.errors import ShelfError
from docshelf.serve.http.trace_report import read_trace, report_lines, routes

SECTION, OTHER = "docs/net/router/001-begin.md", "docs/net/router/002-tunnels.md"


def line(
    at: str, tool: str, path: str | None, size_bytes: int, status: int = 200, token: str | None = "anna"
) -> str:
    record = {"time": f"2026-11-30T{at}.000Z", "id": at, "token": token, "tool": tool, "path": path, "sha256": None,
              "bytes": size_bytes, "ms": 1.5, "status": status, "release": None}  # fmt: skip
    return json.dumps(record) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two days: three routes, errors, a torn line, and lines that were lost."""
    (tmp_path / "2026-11-29.jsonl").write_text('{"time": "2026-11-2\n{"lost": 7}\n[]\n', "utf-8")
    (tmp_path / "2026-11-30.jsonl").write_text(
        line("10:00:00", "list", "index.md", 1000)
        + line("10:00:01", "list", "docs/net/router/subindex.md", 2000, token=None)
        + line("10:00:02", "list", "docs/net/router/subindex.md", 2000)
        + line("10:00:03", "fetch", SECTION, 5000)
        + line("10:00:04", "fetch", OTHER, 4000)
        + line("10:00:05", "list", "index.md", 1000)
        + line("10:09:00", "search", None, 300)
        + line("10:09:01", "fetch", None, 90, status=404)
        + line("10:09:02", "fetch", SECTION, 5000)
        + line("10:09:03", "file", "index.html", 700, token=None)
        + line("10:09:04", "mcp", None, 90, status=401, token=None),
        "utf-8",
    )
    (tmp_path / "notes.txt").write_text("not a trace")
    return tmp_path


def test_a_route_ends_at_a_section_and_does_not_outlast_a_pause(folder: Path) -> None:
    ways = routes(read_trace(folder).calls)

    assert [[call.size_bytes for call in way] for way in ways] == [[1000, 2000, 5000], [4000], [300, 5000]]


def test_the_report_tells_calls_routes_dearest_and_errors(folder: Path) -> None:
    text = "\n".join(report_lines(read_trace(folder)))

    assert (
        text
        == """\
2026-11-29 to 2026-11-30: calls 11
lines that are no record: 2; lines that could not be written: 7

tool                      calls   errors   ms 50 %   ms 95 %           bytes
fetch                         4        1      1.50      1.50          14,090
file                          1        0      1.50      1.50             700
list                          4        0      1.50      1.50           6,000
mcp                           1        1      1.50      1.50              90
search                        1        0      1.50      1.50             300

token                     calls   errors   ms 50 %   ms 95 %           bytes
(none)                        3        1      1.50      1.50           2,790
anna                          8        1      1.50      1.50          18,390

routes to a section: 3
                           50 %     95 %
calls                         2        3
bytes                     5,300    8,000

the dearest to read, by all bytes:
        10,000 bytes        2 times  docs/net/router/001-begin.md
         4,000 bytes        1 times  docs/net/router/002-tunnels.md

errors:
   401 mcp                     1
   404 fetch                   1"""
    )


@pytest.mark.parametrize(
    "spoiled",
    [
        {"bytes": "many"},
        {"time": "yesterday"},
        {"ms": None},
        {"status": True, "bytes": []},
    ],
)
def test_a_line_of_another_shape_is_counted_not_believed(tmp_path: Path, spoiled: dict[str, object]) -> None:
    record = json.loads(line("10:00:00", "list", None, 1)) | spoiled
    (tmp_path / "2026-11-30.jsonl").write_text(json.dumps(record) + "\n")

    report = read_trace(tmp_path)

    assert (len(report.calls), report.damaged) == (0, 1)
    assert next(report_lines(report)) == "2026-11-30 to 2026-11-30: calls 0"


def test_a_trace_cannot_command_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "2026-11-30.jsonl").write_text(line("10:00:00", "fetch", "docs/\x1b[2J.md", 5))

    assert "\x1b" not in "\n".join(report_lines(read_trace(tmp_path)))


def test_a_folder_without_a_trace_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ShelfError, match="holds no trace; give the folder of docshelf serve --trace"):
        read_trace(tmp_path)
    assert main(["trace", str(tmp_path)]) == 2
    assert "holds no trace" in capsys.readouterr().err


def test_the_command_prints_the_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("2026-11-29 to 2026-11-30: calls 11\n")
