"""Paths that try to leave the shelf, over HTTP and MCP: nothing outside of it is ever answered."""

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_http import ask, connect
from running_server import running_server
from small_shelf import BEGIN, CABLE, TUNNELS, write_small_shelf

SECRET = b"SECRET-that-is-on-no-shelf"

UPS = ["..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%00", "%c0%ae%c0%ae", "%uff0e%uff0e", "．．", "..;", "...", "..%20",
       "%e2%80%ae..", "..%0a", "..%09", "%f0%80%80%ae."]  # fmt: skip
SLASHES = ["/", "%2f", "%2F", "%252f", "\\", "%5c", "%255c", "%c0%af", "／", "//", "/./", "%e2%88%95"]
STARTS = [
    "/",
    "//",
    "/docs/",
    "/docs/net/router/",
    "/sources/",
    "/r/{release}/",
    "/r/{release}/docs/",
    "/assets/",
]
TARGETS = ["secret.txt", "releases-evil/secret.md", ".cache/secret.md", ".lock"]
WHOLE = [
    "//{folder}/secret.txt", "/%2f%2f{folder}/secret.txt", "/{folder}/secret.txt", "/file:%2f%2f{folder}/secret.txt",
    "/linked.md", "/linked/secret.txt", f"/{CABLE}", f"/{TUNNELS}", "/docs/pipe.md", "/current/secret.txt",
    "/r/{release}/linked.md", "/r/{release}/../{release}/../../secret.txt", "/r/../secret.txt", "/r/..%2f/secret.txt",
    "/r/0000000000000000/secret.md", "/r/releases-evil/secret.md", "/r/{release}%00/index.md", "/releases/{release}/index.md",
    "/.git/config", "/%2egit/config", "/.GIT/config", "/.cache/secret.md", "/.pins/secret", "/.lock",
    "/index.md%00.txt", "/%00", "/docs/%", "/docs/%zz", "/docs/%e0%a4%a", "/index.md/", "/index.md/..", "/index.md/../../secret.txt",
    "/index.md::$DATA", "/index.md.", "/index.md%20", "/INDEX.MD", "/con", "/docs/NUL.md", "/assets../secret.txt",
    "/" + "a/" * 4000, "/" + "x" * 7000, "/" + "../" * 2000 + "secret.txt", "/docs/й.md", "/docs/%D0%B8%CC%86.md",
    "/etc/passwd", "//etc/passwd", "/%2fetc%2fpasswd", "/proc/self/environ", "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with secrets beside it and in it, and a tree with links that somebody put there."""
    folder = tmp_path_factory.mktemp("around")
    site = folder / "site"
    release = site / "releases" / write_small_shelf(site)
    for place in (
        folder,
        site,
        site / "releases",
        site / ".cache",
        site / "releases-evil",
        site / ".git",
        site / ".pins",
    ):
        place.mkdir(exist_ok=True)
        for name in ("secret.txt", "secret.md", "secret", "config"):
            (place / name).write_bytes(SECRET)
    (site / ".lock").write_bytes(SECRET)
    (site / "releases" / "0000000000000000").mkdir()
    (site / "releases" / "0000000000000000" / "secret.md").write_bytes(SECRET)
    (release / "linked.md").symlink_to(folder / "secret.txt")
    (release / "linked").symlink_to(folder)
    (release / CABLE).unlink()
    (release / CABLE).symlink_to(folder / "secret.txt")
    (release / TUNNELS).unlink()
    os.link(folder / "secret.txt", release / TUNNELS)
    os.mkfifo(release / "docs" / "pipe.md")
    return site


@pytest.fixture(scope="module")
def url(site: Path) -> Iterator[str]:
    """A server of that site."""
    with running_server(site) as address:
        yield address


@pytest.fixture(scope="module")
def probes(site: Path) -> list[str]:
    """About 3,500 targets of requests."""
    return make_probes(site.parent, (site / "current").readlink().name)


def make_probes(folder: Path, release: str) -> list[str]:
    """Targets that try to leave a site in `folder`, which holds secrets."""
    made = [
        start + (up + slash) * depth + target
        for start, up, slash, target in itertools.product(STARTS, UPS, SLASHES, TARGETS[:1])
        for depth in (1, 3)
    ]
    made += [
        start + (up + slash) * 2 + target
        for start, up, slash, target in itertools.product(STARTS[:1], UPS, SLASHES, TARGETS[1:])
    ]
    outside = folder.as_posix().lstrip("/")
    return [probe.replace("{folder}", outside).replace("{release}", release) for probe in (*made, *WHOLE)]


def holds_secret(answer: bytes) -> bool:
    return SECRET in answer or b"root:x:" in answer or b"PATH=" in answer


def statuses_on_one_connection(url: str, requests: list[bytes]) -> tuple[list[str], set[bytes]]:
    """Requests that gave a secret or an answer that may not be, and every status."""
    wrong, statuses = [], set()
    for request in requests:
        reply = ask(url, request)
        statuses.add(b"%d" % reply.status)
        if holds_secret(reply.body) or reply.status == 500 or reply.status == 0:
            wrong.append(f"{reply.status} {request[:120]!r}")
    return wrong, statuses


def test_no_target_of_a_request_leads_out(url: str, probes: list[str]) -> None:
    requests = [
        f"GET {probe} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode() for probe in probes
    ]

    wrong, statuses = statuses_on_one_connection(url, requests)

    assert len(requests) > 3000
    assert wrong == []
    assert statuses <= {b"400", b"404", b"414", b"308", b"503", b"200"}


def test_no_path_of_a_tool_leads_out(url: str, probes: list[str]) -> None:
    paths = [
        probe.replace("&", "").replace("#", "").replace(" ", "%20").replace("\\", "%5c")
        for probe in probes[::9]
    ]
    requests = [
        f"GET /{tool}?path={path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        for tool in ("fetch", "list", "inspect")
        for path in (*paths, *WHOLE)
    ]

    wrong, _ = statuses_on_one_connection(url, requests)

    assert wrong == []


def test_no_path_over_mcp_leads_out(url: str, probes: list[str]) -> None:
    wrong = []
    with connect(url) as connection:
        for number, probe in enumerate([*probes[::5], *WHOLE]):
            for method, params in (
                ("tools/call", {"name": "fetch", "arguments": {"path": probe}}),
                ("tools/call", {"name": "fetch", "arguments": {"path": "index.md", "release": probe[:90]}}),
                ("resources/read", {"uri": f"shelf://{probe}"}),
            ):
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                body = json.dumps(message).encode()
                head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)
                answer = json_answer(connection.recv)
                if holds_secret(answer) or json.loads(answer)["id"] != number:
                    wrong.append(f"{method} {probe[:120]}")
    assert wrong == []


def json_answer(receive: object) -> bytes:
    """The body of the next answer on a connection that stays open."""
    assert callable(receive)
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
    while len(body) < length:
        body += receive(65536)
    return bytes(body)


def test_a_file_that_was_put_in_the_place_of_another_is_named_damaged(url: str) -> None:
    for path in (CABLE, TUNNELS):
        reply = ask(url, f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert reply.status == 503
    reply = ask(url, f"GET /{BEGIN} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert reply.status == 200
