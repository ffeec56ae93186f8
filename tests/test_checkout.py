"""A git checkout of a shelf: what serve and check make of it, and its raw files behind nginx."""

import os
import posixpath
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from exported import committed, export, git
from running_server import running_server
from small_shelf import CABLE, ROUTER, write_small_shelf

from docshelf.serve.answering.reading import fetch
from docshelf.serve.check import check_release
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.smoke import smoke

RAW = "https://gitlab.lan/docs/shelf/-/raw/main/"
_LINK = re.compile(r"\]\(([^()\s]+)\)")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    write_small_shelf(site)
    return site


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return tmp_path / "repository"


def test_a_checkout_is_read_as_the_release_is(site: Path, repository: Path) -> None:
    export(site, repository)
    built, checkout = Site(site).current(), Site(repository).current()

    assert isinstance(checkout, Release)
    assert checkout.manifest.documents == built.manifest.documents
    assert re.fullmatch("[0-9a-f]{16}", checkout.id)
    for path in (CABLE, f"{ROUTER}/002-tunnels.md", "index.md"):
        assert checkout.read(path) == built.read(path)
        assert checkout.row(path) == built.row(path)
    assert ".git/config" not in checkout.files
    assert ".docshelf.json" not in checkout.files


def test_a_checkout_that_git_changed_is_read_anew(site: Path, repository: Path, tmp_path: Path) -> None:
    export(site, repository)
    git(tmp_path, "clone", "-q", str(repository), "clone")
    reader = Site(tmp_path / "clone")
    first = reader.current()
    assert reader.current() is first
    write_small_shelf(site, renumbered=True)
    export(site, repository)
    git(tmp_path / "clone", "pull", "-q")

    assert reader.current().id != first.id
    assert "Mind the mains." in fetch(reader.current(), f"{ROUTER}/002-safety.md").text


def test_an_edited_section_is_what_the_shelf_holds_and_links_are_no_files(
    site: Path, repository: Path
) -> None:
    export(site, repository)
    (repository / CABLE).write_text("# Cable\n\nIt is three metres long.\n")
    (repository / "docs/secret.md").symlink_to("/etc/passwd")
    os.mkfifo(repository / "docs/pipe.md")
    (repository / "docs/.hidden.md").write_text("hidden")

    release = Site(repository).current()
    assert "three metres" in fetch(release, CABLE).text
    assert not {"docs/secret.md", "docs/pipe.md", "docs/.hidden.md"} & release.files.keys()


def test_a_served_checkout_keeps_every_contract(sample_site: Path, tmp_path: Path) -> None:
    export(sample_site, tmp_path / "repository")
    with running_server(tmp_path / "repository") as url:
        broken = [(name, problem) for name, problem in smoke(url) if problem is not None]
        with urlopen(f"{url}/") as reply:
            assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    assert broken == []


def test_check_names_what_a_merge_broke(sample_site: Path, repository: Path) -> None:
    export(sample_site, repository)
    assert list(check_release(repository)) == []
    (repository / "docs/wireless/wifi-standards.md").unlink()

    assert {(fault.source, fault.code) for fault in check_release(repository)} == {
        ("docs/wireless/wifi-standards.md", "missing"),
        ("docs/wireless/index.md", "link"),
        ("docs/wireless/llms.txt", "link"),
        ("index.md", "link"),
        ("llms.txt", "link"),
    }


@contextmanager
def raw_files(checkout: Path, folder: Path, listener: socket.socket) -> Iterator[None]:
    """A real nginx that gives out a checkout as docs/git.md says."""
    folder.mkdir()
    port = listener.getsockname()[1]
    user = "user root;\n" if os.geteuid() == 0 else ""
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"{user}daemon off; pid {folder}/pid; error_log stderr warn; events {{}}\n"
        f"http {{ {paths} access_log off; server {{ listen 127.0.0.1:{port}; root {checkout};"
        r" location ~ /\. { deny all; } } }"
    )
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "nginx is not installed; run: apt-get install nginx-light"
    listener.setblocking(False)
    process = subprocess.Popen(
        [program, "-c", str(folder / "nginx.conf")],
        env={"NGINX": f"{listener.fileno()};"},
        pass_fds=[listener.fileno()],
        stderr=subprocess.PIPE,
    )
    try:
        yield
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_every_raw_link_of_a_checkout_resolves(sample_site: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        export(sample_site, repository, base_url=base)
        with raw_files(repository, tmp_path / "nginx", listener):
            seen, queue = set(), ["llms.txt", "index.md"]
            while queue:
                path = queue.pop()
                with urlopen(base + path) as reply:
                    text = reply.read().decode("utf-8") if path.endswith((".md", ".txt")) else ""
                seen.add(path)
                for url in _LINK.findall(text):
                    whole = url.partition("#")[0]
                    if path.endswith("llms.txt"):
                        assert whole.startswith(base), f"{path} links to {url}"
                    if "://" in whole and not whole.startswith(base):
                        continue
                    below = (
                        whole.removeprefix(base)
                        if "://" in whole
                        else posixpath.join(posixpath.dirname(path), whole)
                    )
                    target = posixpath.normpath(below)
                    if whole and target not in seen and target not in queue:
                        queue.append(target)
    # Sections and subindexes of all seven documents, and their sources.
    assert len([path for path in seen if path.startswith("sources/")]) == 7
    texts = {path for path in committed(repository) if path.endswith(".md")}
    # Indexes of categories with one document are on no way from the root.
    assert {posixpath.basename(path) for path in texts - seen} <= {"index.md"}


def test_citations_of_a_checkout_lead_to_its_raw_files(site: Path, repository: Path) -> None:
    export(site, repository, base_url=RAW)
    assert RAW + CABLE in fetch(Site(repository).current(), CABLE).text
