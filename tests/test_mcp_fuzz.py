"""A real server under 10,000 broken requests, and under many clients that use the same ids."""

import http.client
import json
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from running_server import start_server
from small_shelf import BEGIN, CABLE, RUSSIAN_SECTION, TUNNELS, write_small_shelf
from test_mcp_broken import HEADERS, mutated

REQUESTS = 10_000
WARM_UP = 2_000
GROWTH_KB = 4_096
"""What allocators and caches may take after the warm-up; a leak of one body per request would take 20 MB."""

JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Host with port, and process, of a server of the small shelf."""
    write_small_shelf(tmp_path)
    with start_server(tmp_path) as process:
        assert process.stdout is not None
        try:
            yield urlsplit(process.stdout.readline().strip()).netloc, process.pid
        finally:
            process.terminate()
            process.communicate(timeout=60)


def resident_kb(pid: int) -> int:
    """Memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


@pytest.mark.timeout(180)
def test_ten_thousand_broken_requests_leave_the_server_as_it_was(server: tuple[str, int]) -> None:
    address, pid = server
    chance = random.Random(20261130)
    statuses: Counter[int] = Counter()
    settled_kb = 0
    with closing(http.client.HTTPConnection(address, timeout=60)) as client:
        for number in range(REQUESTS):
            if number == WARM_UP:
                settled_kb = resident_kb(pid)
            headers = {} if chance.random() < 0.5 else chance.choice(HEADERS)
            body = mutated(chance)
            client.request("POST", "/mcp", body, JSON | headers)
            reply = client.getresponse()
            content = reply.read()
            statuses[reply.status] += 1
            assert reply.status < 500, (body, content)
            assert b"Traceback" not in content and b"root:" not in content
        client.request("GET", "/healthz")
        assert json.loads(client.getresponse().read())["status"] == "ok"
    grown_kb = resident_kb(pid) - settled_kb

    assert statuses[200] > REQUESTS // 4
    assert min(statuses[202], statuses[400]) > 100
    assert grown_kb < GROWTH_KB


def read_often(address: str, path: str, wanted: bytes) -> list[bytes]:
    """The answers to 50 fetches of `path` that are not about it; every request has the id 1."""
    params = {"name": "fetch", "arguments": {"path": path}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    crossed = []
    with closing(http.client.HTTPConnection(address, timeout=60)) as client:
        for _ in range(50):
            client.request("POST", "/mcp", message, JSON)
            content = client.getresponse().read()
            if wanted not in content or json.loads(content)["id"] != 1:
                crossed.append(content)
    return crossed


@pytest.mark.timeout(180)
def test_32_clients_with_equal_ids_get_their_own_answers(server: tuple[str, int]) -> None:
    sections = {
        BEGIN: b"Plug in the router.",
        TUNNELS: b"A tunnel joins two networks.",
        CABLE: b"two metres long",
        RUSSIAN_SECTION: "Подключите маршрутизатор".encode(),
    }
    asked = list(sections.items()) * 8
    with ThreadPoolExecutor(len(asked)) as clients:
        crossed = list(clients.map(lambda it: read_often(server[0], *it), asked))

    assert len(asked) == 32
    assert crossed == [[]] * 32
