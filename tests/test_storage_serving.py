"""A shelf read from a real S3 server: the same answers as from a folder, also while it changes or is gone."""

import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from killing_proxy import WriteCounter, counting_proxy
from s3_server import BUCKET, KEYS, S3Server, running_s3
from small_shelf import (
    BEGIN,
    BEGIN_TEXT,
    CABLE,
    ROUTER,
    SOURCE_BYTES,
    TUNNELS,
    TUNNELS_TEXT,
    write_small_shelf,
)
from starlette.testclient import TestClient

from docshelf.build.cli import main
from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.http.app import create_app
from docshelf.serve.manifest import FILES_FILE, SHELF_FILE
from docshelf.serve.releases.tree import Site
from docshelf.serve.storage.bucket import READING, Bucket, Headers
from docshelf.serve.storage.disk_cache import DiskCache
from docshelf.serve.storage.publishing import Order, publish
from docshelf.serve.storage.stored import StoredSite

REPOSITORY = Path(__file__).resolve().parent.parent
ENDPOINTS = (
    *("/list", f"/list?path={ROUTER}", f"/fetch?path={BEGIN}", f"/fetch?path={BEGIN}&offset=5&limit=9"),
    *(
        "/inspect",
        f"/inspect?path={CABLE}",
        "/search?query=tunnel",
        "/healthz",
        "/",
        "/nothing",
        "/openapi.json",
    ),
    *(f"/r/{'0' * 16}/index.md", "/r/..%2f..%2f/index.md", f"/{ROUTER}/009-begin.md", "/../shelf.json"),
)


def put_small(bucket: Bucket, site: Path, keep: bool = False, **options: bool) -> str:
    """Publishes the hand-written shelf and gives its release."""
    release = write_small_shelf(site, renumbered=options.get("renumbered", False))
    publish(bucket, Order(Site(site).current(), frozenset({release}) if keep else None))
    return release


def stored(bucket: Bucket, cache: Path) -> StoredSite:
    """What stands in the bucket, with a cache of its own."""
    return StoredSite(bucket, DiskCache(cache))


@contextmanager
def served(place: str, endpoint: str, *options: str) -> Iterator[str]:
    """The address of `docshelf serve PLACE` as a user starts it."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "docshelf.build.cli",
        "serve",
        place,
        "--endpoint",
        endpoint,
    ]
    with subprocess.Popen(
        [*command, "--port", "0", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev"), **KEYS},
    ) as process:
        assert process.stderr
        line = process.stderr.readline()
        assert line.startswith(f"serving {place} at http://127.0.0.1:"), line
        try:
            yield line.split(" at ")[1].split("/ ")[0]
        finally:
            process.terminate()
            assert process.wait(timeout=60) == 0


def test_every_path_is_answered_as_from_the_folder(s3: S3Server, tmp_path: Path) -> None:
    place, site = s3.place(), tmp_path / "site"
    put_small(s3.bucket(place), site, keep=True)
    release = Site(site).current()
    folder = TestClient(create_app(Site(site)), follow_redirects=False)
    storage = TestClient(
        create_app(stored(s3.bucket(place, wait=READING), tmp_path / "cache")), follow_redirects=False
    )
    paths = [f"/{path}" for path in release.files]
    for path in (*paths, *ENDPOINTS, f"/r/{release.id}/{BEGIN}"):
        for headers in ({}, {"Accept": "text/markdown"}, {"Range": "bytes=3-7"}, {"If-None-Match": "*"}):
            expected, found = (it.get(path, headers=headers) for it in (folder, storage))
            assert (found.status_code, found.content) == (expected.status_code, expected.content), path
            assert dict(found.headers) == dict(expected.headers), path


def test_every_path_of_a_built_shelf_is_answered_as_from_the_folder(
    s3: S3Server, sample_site: Path, tmp_path: Path
) -> None:
    place, release = s3.place(), Site(sample_site).current()
    publish(s3.bucket(place), Order(release))
    folder = TestClient(create_app(Site(sample_site)), follow_redirects=False)
    storage = TestClient(
        create_app(stored(s3.bucket(place, wait=READING), tmp_path / "cache")), follow_redirects=False
    )
    tools = [
        f"/{tool}?path={quote(it.path)}"
        for it in release.manifest.documents
        for tool in ("list", "inspect", "fetch")
    ]
    for path in (
        *(f"/{path}" for path in release.files),
        *tools,
        "/search?query=vlan",
        "/search?query=резервный",
    ):
        expected, found = (it.get(path, headers={"Accept-Encoding": "br, gzip"}) for it in (folder, storage))
        assert (found.status_code, found.content) == (expected.status_code, expected.content), path
        assert dict(found.headers) == dict(expected.headers), path
    assert len(release.files) > 150


def test_a_release_of_another_name_below_r_is_not_served(s3: S3Server, tmp_path: Path) -> None:
    bucket, folder = s3.bucket(s3.place()), tmp_path / "site"
    release, other = put_small(bucket, folder, keep=True), "0" * 16
    for path in bucket.below(f"r/{release}"):
        bucket.copy(path, path.replace(release, other))

    with pytest.raises(ShelfDamaged, match=f"r/{other} holds the release {release}"):
        stored(bucket, tmp_path / "cache").release(other)


def test_the_command_serves_files_tools_and_mcp_and_sees_a_new_release(s3: S3Server, tmp_path: Path) -> None:
    place, site = s3.place(), tmp_path / "site"
    bucket = s3.bucket(place)
    put_small(bucket, site)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    fetch = call | {"params": {"name": "fetch", "arguments": {"path": TUNNELS}}}
    with (
        served(place, s3.url, "--cache", str(tmp_path / "cache")) as url,
        httpx.Client(base_url=url) as client,
    ):
        assert client.get(f"/{BEGIN}").text == BEGIN_TEXT
        assert client.get("/sources/net/router.pdf").content == SOURCE_BYTES
        answer = client.post("/mcp", json=fetch, headers={"Accept": "application/json, text/event-stream"})
        assert "A tunnel joins two networks." in answer.json()["result"]["content"][0]["text"]

        release = put_small(bucket, site, renumbered=True)

        until = time.monotonic() + 20
        while client.get("/healthz").json()["release"] != release:
            assert time.monotonic() < until, "the new release was not seen"
            time.sleep(0.1)
        assert client.get(f"/{ROUTER}/002-safety.md").status_code == 200
        assert client.get(f"/{TUNNELS}").status_code == 308


def test_what_was_fetched_is_answered_while_the_storage_is_gone(
    s3: S3Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = s3.place()
    put_small(s3.bucket(place), tmp_path / "site")
    caplog.set_level(logging.WARNING)
    with counting_proxy(s3.url, WriteCounter()) as proxy:
        site = stored(s3.bucket(place, proxy, READING), tmp_path / "cache")
        assert site.current().read(BEGIN) == BEGIN_TEXT.encode()
    client = TestClient(create_app(site))

    site.look()
    site.look()

    assert client.get(f"/{BEGIN}").text == BEGIN_TEXT
    answer = client.get(f"/{CABLE}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "shelf-damaged")
    outages = [it.message for it in caplog.records if "is served meanwhile" in it.message]
    assert len(outages) == 1
    assert outages[0].startswith(f"{place}: cannot ask for shelf.json: no answer")
    assert f"{place}: does not answer; {CABLE} was not fetched before" in caplog.messages


def test_files_are_kept_on_disk_for_the_next_server(s3: S3Server, tmp_path: Path) -> None:
    place = s3.place()
    bucket = s3.bucket(place)
    put_small(bucket, tmp_path / "site")
    stored(bucket, tmp_path / "cache").current().read(BEGIN)
    bucket.delete([BEGIN])

    site = stored(bucket, tmp_path / "cache")

    assert site.current().read(BEGIN) == BEGIN_TEXT.encode()
    with pytest.raises(ShelfDamaged, match="is not what files"):
        stored(bucket, tmp_path / "empty").current().read(BEGIN)


def test_an_object_that_is_not_what_the_release_says_is_not_served(s3: S3Server, tmp_path: Path) -> None:
    place = s3.place()
    bucket = s3.bucket(place)
    put_small(bucket, tmp_path / "site")
    for path, spoiled in (
        (BEGIN, BEGIN_TEXT.replace("router", "kettle").encode()),
        (TUNNELS, TUNNELS_TEXT.encode() + b"more"),
        ("sources/net/router.pdf", SOURCE_BYTES[::-1]),
    ):
        bucket.put(path, spoiled, Headers("text/markdown", "no-cache"))
        with pytest.raises(ShelfDamaged, match=f"{path} is not what files.tsv says"):
            stored(bucket, tmp_path / "cache").current().read(path)
    assert not [it for it in (tmp_path / "cache").iterdir() if it.name.startswith(".part")]


def test_a_kept_release_is_read_whole_while_another_one_is_put_over_it(s3: S3Server, tmp_path: Path) -> None:
    bucket, folder = s3.bucket(s3.place()), tmp_path / "site"
    first = put_small(bucket, folder, keep=True)
    site = stored(bucket, tmp_path / "cache")
    before = site.current()
    second = write_small_shelf(folder, renumbered=True)
    publish(bucket, Order(Site(folder).current(), frozenset({first, second})))
    bucket.delete([BEGIN])

    assert before.read(TUNNELS) == TUNNELS_TEXT.encode()
    assert before.read(BEGIN) == BEGIN_TEXT.encode()
    site.look()
    assert site.current().id == second
    assert site.release(second) is site.current()
    assert site.release(first).read(TUNNELS) == TUNNELS_TEXT.encode()
    assert site.release(first) is site.release(first)


@pytest.mark.parametrize("release", ["0" * 16, "", "..", "../../x", "r", "A" * 16, "0" * 15 + "/"])
def test_a_release_that_is_not_kept_is_not_on_the_shelf(s3: S3Server, tmp_path: Path, release: str) -> None:
    bucket = s3.bucket(s3.place())
    put_small(bucket, tmp_path / "site")

    with pytest.raises(NotOnShelf, match="not kept"):
        stored(bucket, tmp_path / "cache").release(release)


def test_a_manifest_that_is_half_replaced_is_not_taken_for_a_release(s3: S3Server, tmp_path: Path) -> None:
    bucket, folder = s3.bucket(s3.place()), tmp_path / "site"
    first = put_small(bucket, folder)
    site = stored(bucket, tmp_path / "cache")
    second = write_small_shelf(folder, renumbered=True)
    release = Site(folder).current()
    for path in (FILES_FILE, SHELF_FILE):
        bucket.put(path, release.read(path), Headers("text/plain", "no-cache"))
        site.look()
        assert site.current().id == first
        with pytest.raises(ShelfDamaged, match="a publish runs or was cut short"):
            stored(bucket, tmp_path / "cache")

    publish(bucket, Order(release))
    site.look()

    assert site.current().id == second


def test_a_place_without_a_shelf_is_said(
    s3: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", s3.place(), "--endpoint", s3.url, "--port", "0"]) == 2
    assert "is no shelf: it has no shelf.json; run docshelf publish" in capsys.readouterr().err


def test_options_of_a_storage_are_refused_for_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_small_shelf(tmp_path)

    assert main(["serve", str(tmp_path), "--cache", str(tmp_path / "cache"), "--port", "0"]) == 2

    assert "--cache is for a shelf at s3://BUCKET/PREFIX" in capsys.readouterr().err


def test_everybody_reads_a_public_bucket_without_keys(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = s3.place()
    put_small(s3.bucket(place), tmp_path / "site")
    for name in KEYS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")

    site = stored(s3.bucket(place, wait=READING), tmp_path / "cache")

    assert site.current().read(BEGIN) == BEGIN_TEXT.encode()


def test_https_is_spoken_with_a_server_of_an_internal_authority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    authority, certificate, key = (tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem"))
    usual: list[str | Path] = [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    names: list[str | Path] = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ]
    signed: list[str | Path] = ["-CA", authority, "-CAkey", tmp_path / "ca.key"]
    commands: tuple[list[str | Path], ...] = (
        [*usual, "-subj", "/CN=authority", "-out", authority, "-keyout", tmp_path / "ca.key"],
        [*usual, "-subj", "/CN=server", "-out", certificate, "-keyout", key, *names, *signed],
    )
    for arguments in commands:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    write_small_shelf(tmp_path / "site")
    with running_s3(tmp_path / "s3", {"cert": certificate, "key": key}) as server:
        asked = ["publish", server.place(), "--endpoint", server.url, "--site", str(tmp_path / "site")]
        assert server.url.startswith("https://")
        assert main([*asked, "--ca", str(authority)]) == 0
        assert main([*asked, "--ca", str(tmp_path / "ca.key")]) == 2
        assert main([*asked, "--ca", str(tmp_path / "nothing")]) == 2
        capsys.readouterr()
        assert main(asked) == 2
    assert "the server's certificate is not trusted; name its authority with --ca" in capsys.readouterr().err


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['obstore'] = None\n"
        "from docshelf.build.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    for arguments in (["serve", f"s3://{BUCKET}/x"], ["publish", f"s3://{BUCKET}/x"]):
        run = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(REPOSITORY / ".dev"), **KEYS},
        )
        assert run.returncode == 2
        assert "the package 'obstore' is not installed; run: pip install 'docshelf[s3]'" in run.stderr
