"""Readers of `docshelf serve` and of a real nginx while releases are switched under them."""

from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from nginx_server import running_nginx
from publisher import COMES_AND_GOES, INDEX, LARGE, SECTION, UNCHANGED, publish_in_place, publish_version
from running_server import running_server
from switching import Counts, How, read_while_switching

from docshelf.build.releasing.keeping import roll_back
from docshelf.serve.config import Keep
from docshelf.serve.manifest import FILES_FILE, RELEASE_SCRIPT, SHELF_FILE

KEEP = Keep(count=5, age_s=3600)
CHANGING = (INDEX, SECTION, SHELF_FILE, FILES_FILE, RELEASE_SCRIPT)
REBUILDS = 20


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with version 1."""
    publish_version(tmp_path / "site", 1, KEEP)
    return tmp_path / "site"


@pytest.fixture(params=["docshelf", "nginx"])
def url(request: pytest.FixtureRequest, site: Path, tmp_path: Path) -> Iterator[str]:
    """The address of a server of the site."""
    server = running_server(site) if request.param == "docshelf" else running_nginx(site, tmp_path / "nginx")
    with server as address:
        yield address


def validators(url: str, path: str) -> dict[str, str]:
    """What a browser keeps of an answer to ask for it again."""
    status, headers = get(url, path, {})
    assert status == 200
    assert "etag" in headers
    names = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
    return {names[name]: headers[name] for name in names if name in headers}


def get(url: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    try:
        connection.request("GET", f"/{path}", headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}
    finally:
        connection.close()


def remember(url: str) -> dict[str, dict[str, str]]:
    """The validators of every file that changes with each version."""
    return {path: validators(url, path) for path in CHANGING}


def statuses(url: str, known: dict[str, dict[str, str]]) -> set[int]:
    """What a reader who has these validators is told: by all of them, and by each alone."""
    return {
        get(url, path, headers)[0]
        for path, all_of_them in known.items()
        for headers in (all_of_them, *({name: value} for name, value in all_of_them.items()))
    }


def switched(folder: Path, server: str, how: How) -> Counts:
    site = folder / "site"
    if how == "release":
        publish_version(site, 1, KEEP, **LARGE)
    else:
        publish_in_place(site, 1, **LARGE)
    running = running_server(site) if server == "docshelf" else running_nginx(site, folder / "nginx")
    with running as address:
        return read_while_switching(address, site, how, reads=2000, switches=20)


@pytest.mark.parametrize("server", ["docshelf", "nginx"])
def test_no_read_is_torn_or_missing_and_no_way_under_a_release_is_mixed(server: str, tmp_path: Path) -> None:
    counts = switched(tmp_path, server, "release")
    assert (counts.torn, counts.missing, counts.mixed) == (0, 0, 0), counts.examples
    assert (counts.switches, counts.reads >= 2000, counts.chains > 0) == (20, True, True)


@pytest.mark.parametrize("server", ["docshelf", "nginx"])
def test_writing_in_place_would_not_pass(server: str, tmp_path: Path) -> None:
    counts = switched(tmp_path, server, "in-place")
    assert counts.torn + counts.missing > 0


def test_a_quick_rebuild_of_equal_size_is_never_answered_304(url: str, site: Path) -> None:
    for number in range(2, 2 + REBUILDS):
        known = remember(url)
        publish_version(site, number, KEEP)
        assert statuses(url, known) == {200}


def test_an_unchanged_file_is_always_answered_304(url: str, site: Path) -> None:
    known = {UNCHANGED: validators(url, UNCHANGED)}
    for number in range(2, 2 + REBUILDS):
        publish_version(site, number, KEEP)
        assert statuses(url, known) == {304}


def test_an_unchanged_shelf_is_answered_304_after_a_build(url: str, site: Path) -> None:
    known = remember(url)
    publish_version(site, 1, KEEP)
    assert statuses(url, known) == {304}


def back_by_rollback(site: Path, first: str) -> None:
    roll_back(site, first)


def back_by_build(site: Path, first: str) -> None:
    assert publish_version(site, 1, KEEP) == first


@pytest.mark.parametrize("go_back", [back_by_rollback, back_by_build])
def test_what_comes_back_is_no_304_for_who_knows_another_release(
    url: str, site: Path, go_back: Callable[[Path, str], None]
) -> None:
    first = publish_version(site, 1, KEEP)
    publish_version(site, 2, KEEP)
    second = remember(url)
    go_back(site, first)
    assert statuses(url, second) == {200}
    # What is built next is new also to readers who have not asked since the second release.
    publish_version(site, 3, KEEP)
    assert statuses(url, second) == {200}


def test_a_file_that_was_away_is_no_304_when_it_comes_back_changed(url: str, site: Path) -> None:
    publish_version(site, 2, KEEP)
    known = {COMES_AND_GOES: validators(url, COMES_AND_GOES)}
    publish_version(site, 3, KEEP)
    assert get(url, COMES_AND_GOES, {})[0] == 404
    publish_version(site, 4, KEEP)
    assert statuses(url, known) == {200}
