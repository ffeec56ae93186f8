"""Readiness as it is asked of a real server."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_http import RawReply, get
from running_server import running_server
from small_shelf import write_small_shelf


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site folder with one release."""
    write_small_shelf(tmp_path)
    return tmp_path


@pytest.fixture
def url(site: Path) -> Iterator[str]:
    """A server of it that has answered already, so that it holds the index in memory."""
    with running_server(site) as address:
        assert get(address, "/index.md").status == get(address, "/list").status == 200
        yield address


def is_ready(reply: RawReply) -> bool:
    value = json.loads(reply.body)
    assert value == {"status": "ready"} or value["error"]["code"] == "not-ready"
    assert reply.status == (200 if "status" in value else 503)
    assert reply.header("cache-control") == "no-store"
    return "status" in value


def test_a_server_is_ready_while_the_current_release_can_be_read(url: str, site: Path) -> None:
    assert is_ready(get(url, "/readyz"))
    assert get(url, "/readyz", method="HEAD").body == b""
    assert is_ready(get(url, "/readyz"))
    write_small_shelf(site, description="Newer words.")
    assert is_ready(get(url, "/readyz"))


def test_a_server_without_a_current_release_is_not_ready(url: str, site: Path) -> None:
    (site / "current").unlink()

    assert not is_ready(get(url, "/readyz"))


@pytest.mark.parametrize("content", [None, "", "# Small shelf, but of the same length?"])
def test_a_server_whose_root_index_is_gone_or_changed_is_not_ready(
    url: str, site: Path, content: str | None
) -> None:
    index = site / "current" / "index.md"
    whole = index.read_text()
    index.unlink()
    if content is not None:
        index.write_text(content.ljust(len(whole)) if content else "")

    assert not is_ready(get(url, "/readyz"))
    index.unlink(missing_ok=True)
    index.write_text(whole)
    assert is_ready(get(url, "/readyz"))
