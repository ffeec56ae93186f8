"""What a request costs: DocShelf beside nginx, Starlette and the official MCP SDK, in one run.

    python benchmarks/serving.py [--requests N] [--rounds N]

Each round asks every server in turn, one request after another on one connection, for the same 12 KB section
in Russian. Printed: medians of the rounds. CPU is that of the server's process (user and system, from
/proc/PID/task/*/schedstat); "wire" is the whole answer with its head against the section's bytes.
Needs nginx and the package mcp of the group `dev`. benchmarks/half_open.py measures connections that hang.
"""

import argparse
import platform
import socket
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

from benchmarks.serving_servers import (
    RunningServer,
    docshelf_server,
    get_request,
    mcp_request,
    mcp_sdk,
    nginx,
    starlette_from_memory,
)
from benchmarks.serving_shelf import SECTION, write_serving_shelf

_WARM_UP = 100
_STARTS = 5


@dataclass
class Case:
    """One kind of request to one server, and what was measured of it."""

    name: str
    server: RunningServer
    request: bytes
    cpu_us: list[float] = field(default_factory=list)
    p50_us: list[float] = field(default_factory=list)
    answer_bytes: int = 0

    @property
    def cpu(self) -> float:
        """Median of the rounds, µs a request."""
        return statistics.median(self.cpu_us)

    @property
    def p50(self) -> float:
        """Median of the rounds' medians, µs from the first byte sent to the last received."""
        return statistics.median(self.p50_us)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=2000, help="in each round (default: 2000)")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        site = folder / "site"
        release = site / "releases" / write_serving_shelf(site)
        file = release / SECTION
        starts_s = sorted(_start_s(site) for _ in range(_STARTS))
        docshelf = stack.enter_context(docshelf_server(site))
        fetch = mcp_request("fetch", {"path": SECTION})
        cases = [
            Case("nginx, GET", stack.enter_context(nginx(release, folder)), get_request(SECTION)),
            Case("Starlette, GET", stack.enter_context(starlette_from_memory(file)), get_request(SECTION)),
            Case("DocShelf, GET", docshelf, get_request(SECTION)),
            Case("DocShelf, MCP fetch", docshelf, fetch),
            Case("DocShelf, MCP list", docshelf, mcp_request("list", {})),
            Case("MCP SDK, fetch", stack.enter_context(mcp_sdk(file)), fetch),
        ]
        for _ in range(arguments.rounds):
            for case in cases:
                measure(case, arguments.requests)
        print("\n".join(report(cases, file.stat().st_size, starts_s, docshelf.memory_mb())))


def measure(case: Case, requests: int) -> None:
    """One round: adds CPU and latency of `requests` requests on one connection."""
    with socket.create_connection(("127.0.0.1", case.server.port), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(_WARM_UP):
            case.answer_bytes = len(ask(connection, case.request))
        cpu_ns, times = case.server.cpu_ns(), []
        for _ in range(requests):
            began_s = time.perf_counter()
            ask(connection, case.request)
            times.append(time.perf_counter() - began_s)
        case.cpu_us.append((case.server.cpu_ns() - cpu_ns) / requests / 1000)
        case.p50_us.append(statistics.median(times) * 1e6)


def ask(connection: socket.socket, request: bytes) -> bytes:
    """The whole answer, head and body. Raises: RuntimeError where it is no 200 with a length."""
    connection.sendall(request)
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    length = head.lower().partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0]
    if not head.startswith(b"HTTP/1.1 200 ") or not length:
        raise RuntimeError(answer[:300])
    missing = int(length) - len(body)
    while missing > 0:
        data = connection.recv(65536)
        missing -= len(data)
        answer += data
    return answer


def report(cases: list[Case], file_bytes: int, starts_s: list[float], memory_mb: float) -> list[str]:
    """The figures and the ratios that are held."""
    by_name = {case.name: case for case in cases}
    plain, memory, get = (by_name[name] for name in ("nginx, GET", "Starlette, GET", "DocShelf, GET"))
    fetch, listed, sdk = (
        by_name[name] for name in ("DocShelf, MCP fetch", "DocShelf, MCP list", "MCP SDK, fetch")
    )
    lines = [_versions(), f"section: {file_bytes:,} bytes", ""]
    lines += [f"{'':<22}{'CPU µs':>8}{'p50 µs':>8}{'bytes':>9}{'wire':>7}"]
    lines += [
        f"{case.name:<22}{case.cpu:>8.0f}{case.p50:>8.0f}{case.answer_bytes:>9,}{case.answer_bytes / file_bytes:>7.3f}"
        for case in cases
    ]
    held = [
        ("GET / nginx's GET, CPU", get.cpu / plain.cpu, 5),
        ("MCP fetch / Starlette's GET from memory, CPU", fetch.cpu / memory.cpu, 3),
        ("MCP fetch / our GET from memory, CPU", fetch.cpu / get.cpu, 3),
        ("MCP fetch / the SDK's, CPU", fetch.cpu / sdk.cpu, 0.35),
        ("MCP fetch on the wire / the file", fetch.answer_bytes / file_bytes, 1.06),
        ("p50 of fetch, ms", fetch.p50 / 1000, 1),
        ("p50 of list, ms", listed.p50 / 1000, 1),
        ("import to listening, s, median of five", statistics.median(starts_s), 0.6),
    ]
    lines += ["", *(f"{name:<48}{value:>7.3f}  at most {most}" for name, value, most in held)]
    return [*lines, f"{'memory of docshelf serve, MB':<48}{memory_mb:>7.1f}"]


def _start_s(site: Path) -> float:
    with docshelf_server(site) as server:
        return server.ready_s


def _versions() -> str:
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("uvicorn", "starlette", "httptools", "uvloop", "mcp")
    )
    return f"Python {platform.python_version()}, {packages}"


if __name__ == "__main__":
    main()
