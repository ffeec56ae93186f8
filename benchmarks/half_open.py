"""Connections that hang: what a good client notices while thousands of half-sent requests are held.

    python benchmarks/half_open.py [--connections N] [--tls CERT KEY]

A good client asks one request after another, first alone, then while N connections (default 10,000) are
opened, each with half a request head, and held until the server closes them. Printed for a connection that
is kept and for one opened anew each time: p50 and p99 alone and beside them, their ratio, when the last
half-open connection was closed, and the server's memory. Needs a limit of open files above N (`ulimit -n`).
"""

import argparse
import contextlib
import resource
import select
import socket
import ssl
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY / ".dev"), str(REPOSITORY), str(REPOSITORY / "tests")]

from benchmarks.serving import ask
from benchmarks.serving_servers import RunningServer, docshelf_server, get_request
from benchmarks.serving_shelf import SECTION, write_serving_shelf

_ALONE_S = 5.0
_PAUSE_S = 0.002
_GIVE_UP_S = 60.0
_LOOK_S = 7.0
"""After this, when all were opened, the memory is looked at."""
_HEAD = b"GET / HTTP/1.1\r\nHos"
_HELLO = b"\x16\x03\x01"


@dataclass
class GoodClient:
    """Asks until it is told to stop."""

    port: int
    keeps: bool
    context: ssl.SSLContext | None
    stop: threading.Event = field(default_factory=threading.Event)
    times_s: list[float] = field(default_factory=list)
    refused: int = 0

    def run(self) -> None:
        """Notes the time of every request; one that is refused is counted and asked again."""
        connection: socket.socket | None = None
        while not self.stop.is_set():
            began_s = time.perf_counter()
            try:
                connection = connection or self._connected()
                ask(connection, get_request(SECTION))
            except OSError:
                self.refused += 1
                connection = None
                continue
            self.times_s.append(time.perf_counter() - began_s)
            if not self.keeps:
                connection.close()
                connection = None
            time.sleep(_PAUSE_S)

    def _connected(self) -> socket.socket:
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return plain if self.context is None else self.context.wrap_socket(plain, server_hostname="localhost")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument(
        "--tls", nargs=2, metavar=("CERT", "KEY"), help="PEM files for localhost: ask over TLS"
    )
    arguments = parser.parse_args()
    context = ssl.create_default_context(cafile=arguments.tls[0]) if arguments.tls else None
    options = ["--tls-cert", arguments.tls[0], "--tls-key", arguments.tls[1]] if arguments.tls else []
    with tempfile.TemporaryDirectory() as name:
        write_serving_shelf(Path(name))
        with docshelf_server(Path(name), *options) as server:
            for keeps in (True, False):
                print("one connection, kept:" if keeps else "a new connection for each request:")
                measure(server, arguments.connections, keeps, context)


def measure(server: RunningServer, count: int, keeps: bool, context: ssl.SSLContext | None) -> None:
    """Prints how a good client fares alone and beside `count` half-open connections."""
    alone = GoodClient(server.port, keeps, context)
    threading.Timer(_ALONE_S, alone.stop.set).start()
    alone.run()
    before_mb = server.memory_mb()
    beside = GoodClient(server.port, keeps, context)
    asking = threading.Thread(target=beside.run)
    asking.start()
    # In a process of its own: it would take the good client's time else.
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        held = other.submit(hold_open, server.port, count, _HELLO if context else _HEAD)
        time.sleep(_LOOK_S)
        memory_mb = server.memory_mb()
        opening_s, closing_s, left = held.result()
    beside.stop.set()
    asking.join()
    for title, client in (("alone", alone), ("beside", beside)):
        print(
            f"  {title:<8}p50 {_rank_ms(client, 50):.2f} ms, p99 {_rank_ms(client, 99):.2f} ms, "
            f"requests {len(client.times_s):,}, refused {client.refused}"
        )
    print(f"  p99 beside / alone: {_rank_ms(beside, 99) / _rank_ms(alone, 99):.2f}")
    print(f"  opened in {opening_s:.1f} s; the last was closed {closing_s:.1f} s later; left {left}")
    print(f"  memory {before_mb:.0f} MB before, {memory_mb:.0f} MB after {_LOOK_S:.0f} s")


def hold_open(port: int, count: int, sent: bytes) -> tuple[float, float, int]:
    """Opens `count` connections that send `sent` and no more: s to open them, s until the last one was
    closed by the server, and how many never were."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    began_s = time.perf_counter()
    held = [_half_open(port, sent) for _ in range(count)]
    opened_s = time.perf_counter()
    left, last_s = _wait_until_closed(held)
    return opened_s - began_s, last_s - opened_s, left


def _half_open(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    # Closed already, where there were too many.
    with contextlib.suppress(OSError):
        connection.sendall(sent)
    return connection


def _wait_until_closed(held: list[socket.socket]) -> tuple[int, float]:
    """How many are open at the end, and when the last one was closed."""
    waiting = {connection.fileno(): connection for connection in held}
    poll = select.poll()
    for number in waiting:
        poll.register(number, select.POLLIN | select.POLLHUP)
    last_s, give_up_s = time.perf_counter(), time.perf_counter() + _GIVE_UP_S
    while waiting and time.perf_counter() < give_up_s:
        for number, _ in poll.poll(200):
            try:
                ended = not waiting[number].recv(4096)
            except OSError:
                ended = True
            if ended:
                poll.unregister(number)
                waiting.pop(number).close()
                last_s = time.perf_counter()
    return len(waiting), last_s


def _rank_ms(client: GoodClient, percent: int) -> float:
    ordered = sorted(client.times_s)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


if __name__ == "__main__":
    main()
