"""Documents that strain the answers, built and then read through MCP as a client would."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from asking import asking
from shelftest import ShelfTest
from starlette.testclient import TestClient

LIMIT = 16_000


@pytest.fixture(scope="module")
def client(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """Asks for a shelf of a document of 200 KB kept whole, and one with 5,000 headings."""
    shelf = ShelfTest(tmp_path_factory.mktemp("shelf"))
    shelf.config(split=False)
    shutil.copy(shared / "cases/outline/outline_5000.pdf", shelf.source)
    lines = [f"Строка {number} длинного абзаца, который продолжается" for number in range(2400)]
    shelf.pdf("long.pdf", *("\n".join(lines[start : start + 40]) for start in range(0, 2400, 40)))
    shelf.build()
    return asking(shelf.site)


def path_of(client: TestClient, source: str) -> str:
    """What a reader of the document opens first."""
    documents = client.get("/shelf.json").json()["documents"]
    return str(next(it["path"] for it in documents if it["source"] == source))


def called(client: TestClient, name: str, **arguments: object) -> str:
    """The text of a tool's answer."""
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    result: dict[str, Any] = json.loads(client.post("/mcp", json=message).content)["result"]
    assert "isError" not in result
    return str(result["content"][0]["text"])


def test_the_pieces_of_a_200_kb_text_join_to_it(client: TestClient) -> None:
    path = path_of(client, "long.pdf")
    whole = client.get(f"/{path}").text
    pieces: list[str] = []
    arguments: dict[str, object] = {"path": path}
    while arguments:
        text, _, _ = called(client, "fetch", **arguments).rpartition("\n\n[release ")
        piece, _, rest = text.rpartition("\n\n[characters ")
        pieces.append(piece or text)
        following = re.search(r'path="([^"]+)", offset=([0-9]+), release="([0-9a-f]+)"', rest)
        arguments = (
            {"path": following[1], "offset": int(following[2]), "release": following[3]} if following else {}
        )

    assert len(pieces) > 7
    assert max(map(len, pieces)) <= LIMIT
    assert "".join(pieces) == whole.replace("](../", "](").rstrip("\n")
    assert len(whole.encode()) > 200_000


def test_every_answer_about_5000_headings_stays_under_the_limit_and_goes_on(client: TestClient) -> None:
    path = path_of(client, "outline_5000.pdf")
    meta = client.get(f"/{path.removesuffix('.md').removesuffix('/subindex')}.meta.json").json()

    for name in ("list", "inspect", "fetch"):
        text = called(client, name, path=path)
        assert len(text) < LIMIT + 500, name
    assert len(meta["outline"]) > 1000
    assert "more headings in the sections" in called(client, "inspect", path=path)
