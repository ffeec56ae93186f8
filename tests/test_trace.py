"""The trace: one whole line for each call, which says what was read and never what was asked."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from raw_http import ask, get
from running_server import running_server, start_server
from small_shelf import BEGIN, CABLE, LONG, RUSSIAN_SECTION, write_small_shelf

from docshelf.serve.errors import ConfigError
from docshelf.serve.http.calls import Call, gathered_calls, is_gathering, note_call
from docshelf.serve.http.trace import Visit, check_trace_folder, trace_line
from docshelf.serve.releases.tree import Site

REPOSITORY = Path(__file__).resolve().parent.parent
# At 22:00 UTC on 2026-11-30.
VISIT = Visit("ab00000001", 1_796_076_000.25, 1.234, "anna", "fetch", 200, 512)
CANARY = "CANARY7f3a"


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(folder.iterdir()) for line in file.read_text().splitlines()]


def test_a_line_says_what_was_read() -> None:
    call = Call("fetch", BEGIN, "0123456789abcdef", size_bytes=99)

    line = trace_line(VISIT, call, "f" * 64, "plain", alone=True)

    assert line.endswith(b"}\n")
    assert json.loads(line) == {
        "time": "2026-11-30T22:00:00.250Z",
        "id": "ab00000001",
        "token": "anna",
        "tool": "fetch",
        "path": BEGIN,
        "sha256": "f" * 64,
        "bytes": 512,
        "ms": 1.23,
        "status": 200,
        "release": "0123456789abcdef",
    }


def test_one_of_several_calls_has_its_own_bytes_and_status() -> None:
    line = trace_line(VISIT, Call("list", status=404, size_bytes=7), None, "plain", alone=False)

    record = json.loads(line)
    assert (record["bytes"], record["status"], record["path"], record["release"]) == (7, 404, None, None)


def test_a_path_may_be_written_as_its_hash() -> None:
    record = json.loads(trace_line(VISIT, Call("fetch", BEGIN), None, "hash", alone=True))

    assert record["path"] == hashlib.sha256(BEGIN.encode()).hexdigest()[:16]


def test_calls_are_gathered_only_where_somebody_wants_them() -> None:
    note_call(Call("list"))
    assert not is_gathering()
    with gathered_calls() as calls:
        assert is_gathering()
        note_call(Call("list"))
    assert calls == [Call("list")]
    assert not is_gathering()


def test_a_folder_of_a_shelf_is_no_place_for_a_trace(tmp_path: Path) -> None:
    site, source = tmp_path / "site", tmp_path / "source"
    write_small_shelf(site)
    (source / "deep").mkdir(parents=True)
    (source / ".docshelf.json").write_text("{}")
    (tmp_path / "link").symlink_to(site)

    for folder in (site, site / "trace", site / "current" / "docs", tmp_path / "link" / "x"):
        with pytest.raises(ConfigError, match=r"lies in the site .*, which is published"):
            check_trace_folder(folder, site)
    for folder in (source, source / "deep" / "x"):
        with pytest.raises(ConfigError, match="lies in the source folder"):
            check_trace_folder(folder, site)
    other = tmp_path / "other"
    write_small_shelf(other)
    with pytest.raises(ConfigError, match="lies in the site"):
        check_trace_folder(other / "trace", site)
    check_trace_folder(tmp_path / "new" / "trace", site)
    assert (tmp_path / "new" / "trace").stat().st_mode & 0o777 == 0o750


def test_a_folder_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    write_small_shelf(tmp_path / "site")
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be written \(Not a directory\)"):
        check_trace_folder(tmp_path / "file" / "trace", tmp_path / "site")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    write_small_shelf(tmp_path / "site")
    return tmp_path / "site"


def post(url: str, message: object, *headers: str) -> Any:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        f"Content-Length: {len(body)}",
        *headers,
        "Connection: close",
    ]
    reply = ask(url, ("\r\n".join(lines) + "\r\n\r\n").encode() + body)
    return json.loads(reply.body) if reply.body else None


def tool_call(name: str, arguments: dict[str, object], request_id: int = 1) -> dict[str, object]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def test_every_way_of_reading_leaves_one_line(site: Path, tmp_path: Path) -> None:
    folder, release = tmp_path / "trace", Site(site).current()
    with running_server(site, trace_folder=folder) as url:
        post(url, tool_call("fetch", {"path": BEGIN}))
        post(url, tool_call("list", {"path": "docs/net"}))
        post(url, tool_call("fetch", {"path": "docs/nowhere.md"}))
        read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"shelf:///{LONG}"}}
        post(url, read)
        post(url, read | {"params": {"uri": "shelf:///docs/nowhere.md"}})
        post(url, {"jsonrpc": "2.0", "id": 1, "method": "ping"})
        reply = get(url, f"/fetch?path={RUSSIAN_SECTION}")
        get(url, "/inspect?path=docs/nowhere.md")
        get(url, f"/{BEGIN}")
        get(url, "/docs/nowhere.md")
        get(url, "/list", host="evil.example")

    lines = lines_of(folder)
    found = [(line["tool"], line["path"], line["status"], line["release"]) for line in lines]
    assert found == [
        ("fetch", BEGIN, 200, release.id),
        ("list", "docs/net/index.md", 200, release.id),
        ("fetch", None, 404, None),
        ("resource", LONG, 200, release.id),
        ("resource", None, 404, None),
        ("mcp", None, 200, None),
        ("fetch", RUSSIAN_SECTION, 200, release.id),
        ("inspect", None, 404, None),
        ("file", BEGIN, 200, release.id),
        ("file", None, 404, None),
        ("list", None, 403, None),
    ]
    for line in lines:
        assert line["sha256"] == (release.files[line["path"]].sha256 if line["path"] else None)
        assert line["token"] is None
    assert lines[6]["bytes"] == len(reply.body)
    assert lines[6]["id"] == reply.header("x-request-id")
    assert len({line["id"] for line in lines}) == len(lines)


def test_a_batch_leaves_a_line_for_each_call_under_one_id(site: Path, tmp_path: Path) -> None:
    with running_server(site, trace_folder=tmp_path / "trace") as url:
        post(url, [tool_call("fetch", {"path": BEGIN}, 1), tool_call("fetch", {"path": "x"}, 2)])

    first, second = lines_of(tmp_path / "trace")
    assert first["id"] == second["id"]
    assert (first["path"], first["status"]) == (BEGIN, 200)
    assert (second["path"], second["status"]) == (None, 404)
    assert 0 < first["bytes"] < 1000


def canary_requests(token: str) -> list[bytes]:
    """Requests that carry the canary in every place that a reader fills."""
    good = f"Host: localhost\r\nAuthorization: Bearer {token}\r\n"
    targets = [
        f"/{CANARY}", f"/docs/{CANARY}.md", f"/{BEGIN}?{CANARY}", f"/fetch?path={CANARY}", f"/search?query={CANARY}",
        f"/fetch?path={BEGIN}&release={CANARY}", f"/fetch?{CANARY}=1", f"/list?path={CANARY}%23{CANARY}",
        f"/inspect?path=docs/net/{CANARY}", f"/r/{CANARY}/index.md", f"/fetch?path={BEGIN}%23{CANARY}",
        f"/fetch?path={BEGIN}&offset={CANARY}", f"/{CANARY}%00", f"/{CANARY}%zz", f"/{CANARY}/../..",
        f"http://{CANARY}/x", f"/%2e%2e/{CANARY}", f"/{'x' * 9000}{CANARY}", f"/list?{'x' * 9000}{CANARY}",
    ]  # fmt: skip
    heads = [f"GET {target} HTTP/1.1\r\n{good}" for target in targets]
    heads += [
        f"GET / HTTP/1.1\r\nHost: {CANARY}.example\r\n",
        f"GET / HTTP/1.1\r\n{good}Origin: http://{CANARY}.example\r\n",
        f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {CANARY}{CANARY}\r\n",
        f"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {CANARY}\r\n",
        f"GET / HTTP/1.1\r\n{good}User-Agent: {CANARY}\r\nReferer: http://x/{CANARY}\r\nCookie: {CANARY}={CANARY}\r\n",
        f"GET /healthz HTTP/1.1\r\n{good}X-Request-Id: {CANARY}\r\ntraceparent: {CANARY}\r\nX-Forwarded-For: {CANARY}\r\n",
        f"GET / HTTP/1.1\r\n{good}If-None-Match: {CANARY}\r\nRange: {CANARY}\r\nAccept: {CANARY}/{CANARY}\r\n",
        f"{CANARY} / HTTP/1.1\r\n{good}",
        f"GET / {CANARY}/1.1\r\n{good}",
        f"GET / HTTP/1.1\r\n{CANARY} : x\r\n{good}",
        f"BREW /{CANARY} HTTP/1.1\r\n{good}",
    ]
    bodies: list[object] = [
        tool_call("search", {"query": CANARY}),
        tool_call("fetch", {"path": CANARY}),
        tool_call("fetch", {"path": BEGIN, "release": CANARY}),
        tool_call("fetch", {CANARY: CANARY}),
        tool_call("fetch", {"path": f"{LONG}#{CANARY}"}),
        tool_call(CANARY, {}),
        {"jsonrpc": "2.0", "id": CANARY, "method": CANARY, "params": {CANARY: CANARY}},
        {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"shelf:///{CANARY}"}},
        {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {"cursor": CANARY}},
        {"jsonrpc": "2.0", "id": 1, "method": "prompts/get",
         "params": {"name": "answer_from_shelf", "arguments": {"question": CANARY}}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"clientInfo": {"name": CANARY}, "protocolVersion": CANARY}},
        [tool_call("search", {"query": CANARY}), CANARY],
        CANARY,
    ]  # fmt: skip
    contents = [json.dumps(body).encode() for body in bodies] + [CANARY.encode(), b"\xff" + CANARY.encode()]
    for version in ("2025-11-25", "2026-07-28", CANARY):
        heads += []
        for content in contents:
            extra = f"MCP-Protocol-Version: {version}\r\nMcp-Method: {CANARY}\r\nMcp-Name: {CANARY}\r\n"
            head = f"POST /mcp HTTP/1.1\r\n{good}{extra}Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
            heads.append(head + content.decode("latin-1"))
    return [
        (head if "\r\n\r\n" in head else head + "Connection: close\r\n\r\n").encode("latin-1")
        for head in heads
    ]


@pytest.mark.parametrize("style", ["plain", "hash"])
def test_no_canary_reaches_a_trace_or_a_log(site: Path, tmp_path: Path, style: str) -> None:
    token = f"{CANARY}-token-that-is-long"
    keys = tmp_path / "keys"
    keys.touch(0o600)
    keys.write_text(f"anna {token}\n")
    requests = canary_requests(token)
    with start_server(site, trace_folder=tmp_path / "trace", trace_paths=style, token_file=keys) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        for request in requests:
            ask(url, request)
        (site / "current" / CABLE).write_text(CANARY)
        damaged = get(url, f"/{CABLE}?{CANARY}", f"Authorization: Bearer {token}")
        server.terminate()
        out, errors = server.communicate(timeout=60)

    assert damaged.status == 503
    assert CABLE in errors
    trace = b"".join(file.read_bytes() for file in (tmp_path / "trace").iterdir())
    assert len(trace.splitlines()) > 60
    for text in (trace, out.encode(), errors.encode()):
        assert CANARY.encode() not in text
        assert CANARY.lower().encode() not in text
    assert {line["token"] for line in lines_of(tmp_path / "trace")} == {"anna", None}


def test_several_processes_write_whole_lines(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    program = (
        "import sys; from pathlib import Path; from docshelf.serve.http.calls import Call\n"
        "from docshelf.serve.http.trace import TraceLog, Visit; from docshelf.serve.releases.tree import Site\n"
        "log = TraceLog(Path(sys.argv[1]), Site(Path(sys.argv[2])), clock=lambda: 1_796_076_000)\n"
        "for n in range(2000): log.add(Visit(f'{sys.argv[3]}-{n}', 0, 1, 'x' * 900, 'fetch', 200, n), [Call('fetch')])\n"
        "log.close()\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), str(site), name],
            env={"PYTHONPATH": str(REPOSITORY / ".dev")},
        )
        for name in "abc"
    ]
    assert [process.wait(timeout=180) for process in running] == [0, 0, 0]

    assert [file.name for file in folder.iterdir()] == ["2026-11-30.jsonl"]
    ids = [line["id"] for line in lines_of(folder)]
    assert sorted(ids) == sorted(f"{name}-{number}" for name in "abc" for number in range(2000))


FILLING = """
import logging, resource, sys, time
from pathlib import Path
from docshelf.serve.http.trace import TraceLog, Visit
from docshelf.serve.releases.tree import Site
logging.basicConfig(format="%(levelname)s %(message)s")
visit = Visit("ab00000001", 0, 1, "anna", "list", 200, 5)
log = TraceLog(Path(sys.argv[1]), Site(Path(sys.argv[2])), clock=lambda: 1_796_076_000)
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (30, most))
for _ in range(3):
    log.add(visit, [])
while log._lost < 3:
    time.sleep(0.01)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
log.add(visit, [])
log.close()
"""


def test_a_full_disk_loses_lines_and_counts_them(site: Path, tmp_path: Path) -> None:
    """The largest size of a file ends writes as a full disk does: the first in the middle, the next at once."""
    folder = tmp_path / "trace"
    folder.mkdir()
    run = subprocess.run(
        [sys.executable, "-c", FILLING, str(folder), str(site)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
    )

    lines = (folder / "2026-11-30.jsonl").read_text().split("\n")
    assert len(lines[0]) == 30
    assert json.loads(lines[1]) == {"lost": 3}
    assert json.loads(lines[2])["id"] == "ab00000001"
    assert lines[3:] == [""]
    assert run.stderr.splitlines() == [
        f"ERROR {folder}: trace lines are lost (the disk is full); answers go on",
        "WARNING the trace is written again; lines lost: 3",
    ]


def test_a_server_whose_trace_cannot_be_written_answers_on_and_says_so(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    with start_server(site, trace_folder=folder) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        assert server.stderr is not None
        statuses = [get(url, f"/{BEGIN}").status]
        said = server.stderr.readline()
        folder.mkdir()
        statuses.append(get(url, f"/{BEGIN}").status)
        server.terminate()
        _, errors = server.communicate(timeout=60)

    assert statuses == [200, 200]
    assert "trace lines are lost (No such file or directory); answers go on" in said
    assert "the trace is written again; lines lost: 1" in errors
    assert lines_of(folder)[-1]["path"] == BEGIN
