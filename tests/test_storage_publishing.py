"""Publishing to a real S3 server: what goes up, what stays, what is deleted, and when."""

import threading
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from s3_server import KEY, SECRET, S3Server
from small_shelf import BEGIN, LONG, ROUTER, TUNNELS, write_small_shelf
from storage_shelf import INDEX, SOURCE, SUBINDEX, UNCHANGED, all_files, crawl, section_path, write_version

from docshelf.build.cli import main
from docshelf.serve.check import check_release
from docshelf.serve.errors import ShelfDamaged, StorageError
from docshelf.serve.manifest import FILES_FILE, RELEASE_SCRIPT, SHELF_FILE
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.storage.bucket import Bucket, Headers
from docshelf.serve.storage.etags import PART_BYTES
from docshelf.serve.storage.plan import RESERVED
from docshelf.serve.storage.publishing import Order, publish
from docshelf.serve.storage.state import STATE_FILE

NAMED = (FILES_FILE, RELEASE_SCRIPT, SHELF_FILE)


def content(bucket: Bucket, path: str) -> bytes | None:
    """What stands at a path."""
    found = bucket.get(path)
    return found[0] if found else None


def copy_to(bucket: Bucket, folder: Path) -> Path:
    """The tree of a bucket as a folder."""
    for path in bucket.listing(*RESERVED):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content(bucket, path) or b"")
    return folder


def small_release(site: Path, renumbered: bool = False, nested: bool = False) -> Release:
    """The hand-written shelf."""
    write_small_shelf(site, renumbered=renumbered, nested=nested)
    return Site(site).current()


def test_a_published_tree_is_the_release_with_right_types(s3: S3Server, tmp_path: Path) -> None:
    place = s3.place()
    bucket, release = s3.bucket(place), small_release(tmp_path / "site")

    outcome = publish(bucket, Order(release))

    assert outcome.uploaded == tuple(sorted(release.files))
    assert bucket.listing(*RESERVED).keys() == release.files.keys()
    copied = Release(copy_to(bucket, tmp_path / "copy"))
    assert copied.id == release.id
    assert {fault.code for fault in check_release(tmp_path / "copy")} == {
        fault.code for fault in check_release(tmp_path / "site" / "current")
    }
    for path, kind in (
        (BEGIN, "text/markdown; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("llms.txt", "text/plain; charset=utf-8"),
        (SHELF_FILE, "application/json; charset=utf-8"),
        ("sources/net/router.pdf", "application/pdf"),
    ):
        with urlopen(f"{s3.public_url(place)}/{path}", timeout=60) as answer:
            assert answer.headers["Content-Type"] == kind
            assert answer.headers["Cache-Control"] == "no-cache"
            assert answer.headers["ETag"]


def test_search_data_is_named_by_its_content_and_may_be_kept_for_ever(s3: S3Server, tmp_path: Path) -> None:
    shard = "assets/search/words-0123abcd.js"
    write_small_shelf(tmp_path / "site", extra={shard: b"1", "assets/search/index.js": b"2"})
    bucket = s3.bucket(s3.place())

    publish(bucket, Order(Site(tmp_path / "site").current()))

    assert bucket.headers(shard).cache == "public, max-age=31536000, immutable"
    assert bucket.headers("assets/search/index.js").cache == "no-cache"


def test_only_what_changed_goes_up(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    publish(bucket, Order(small_release(site)))

    outcome = publish(bucket, Order(small_release(site, nested=True)))

    new = f"{ROUTER}/subindex-2.md"
    assert outcome.uploaded == tuple(sorted((f"{ROUTER}/subindex.md", new, *NAMED)))
    assert publish(bucket, Order(Site(site).current())).uploaded == ()


def test_what_falls_away_stays_for_an_hour(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    publish(bucket, Order(small_release(site)), clock=lambda: 1000)
    order = Order(small_release(site, renumbered=True))

    assert publish(bucket, order, clock=lambda: 2000).waiting == 4
    assert publish(bucket, order, clock=lambda: 5599).deleted == ()
    assert content(bucket, TUNNELS)
    outcome = publish(bucket, order, clock=lambda: 5600)

    fallen = {path.replace(".md", ending) for path in (TUNNELS, LONG) for ending in (".md", ".html")}
    assert set(outcome.deleted) == fallen
    assert bucket.listing(*RESERVED).keys() == order.release.files.keys()
    assert publish(bucket, order, clock=lambda: 9999) == publish(bucket, order, clock=lambda: 9999)


def test_what_comes_back_within_the_hour_is_not_deleted(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    first = small_release(site)
    publish(bucket, Order(first), clock=lambda: 0)
    publish(bucket, Order(small_release(site, renumbered=True)), clock=lambda: 1000)

    outcome = publish(bucket, Order(first), clock=lambda: 2000)

    assert TUNNELS not in outcome.uploaded
    publish(bucket, Order(first), clock=lambda: 9000)
    assert bucket.listing(*RESERVED).keys() == first.files.keys()


def test_what_others_put_there_is_never_touched(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    publish(bucket, Order(write_version(site, 1)), clock=lambda: 0)
    bucket.put("notes/mine.txt", b"mine", Headers("text/plain", "no-cache"))

    publish(bucket, Order(write_version(site, 2)), clock=lambda: 0)
    publish(bucket, Order(write_version(site, 2)), clock=lambda: 9999)

    assert content(bucket, "notes/mine.txt") == b"mine"


def test_a_place_that_holds_something_else_is_refused(s3: S3Server, tmp_path: Path) -> None:
    bucket = s3.bucket(s3.place())
    bucket.put("index.html", b"a site of somebody else", Headers("text/html", "no-cache"))

    with pytest.raises(StorageError, match=r"holds objects that no publish put there, such as index\.html"):
        publish(bucket, Order(write_version(tmp_path / "site", 1)))

    assert bucket.listing().keys() == {"index.html"}


def test_a_shelf_that_was_copied_there_by_hand_is_taken_over(s3: S3Server, tmp_path: Path) -> None:
    bucket = s3.bucket(s3.place())
    for path, text in all_files(1).items():
        bucket.put(path, text, Headers("binary/octet-stream", "no-cache"))
    release = write_version(tmp_path / "site", 2)

    publish(bucket, Order(release), clock=lambda: 0)
    publish(bucket, Order(release), clock=lambda: 3600)

    assert bucket.listing(*RESERVED).keys() == release.files.keys()
    assert bucket.headers(UNCHANGED).type == "text/markdown; charset=utf-8"


def test_an_object_that_somebody_changed_is_mended(s3: S3Server, tmp_path: Path) -> None:
    bucket, release = s3.bucket(s3.place()), write_version(tmp_path / "site", 1)
    publish(bucket, Order(release))
    spoiled = (content(bucket, UNCHANGED) or b"").replace(b"grey", b"pink")
    bucket.put(UNCHANGED, spoiled, Headers("text/markdown", "no-cache"))
    bucket.delete([SUBINDEX])

    outcome = publish(bucket, Order(release))

    assert outcome.uploaded == (UNCHANGED, SUBINDEX)
    assert content(bucket, UNCHANGED) == all_files(1)[UNCHANGED]


def test_a_publish_goes_on_where_one_was_cut_short(s3: S3Server, tmp_path: Path) -> None:
    """Without the state of the end, an object counts only where its hash and its headers are right."""
    bucket, release = s3.bucket(s3.place()), write_version(tmp_path / "site", 1)
    publish(bucket, Order(release))
    bucket.delete([STATE_FILE, SHELF_FILE])
    bucket.put(SHELF_FILE, all_files(1)[SHELF_FILE], Headers("text/plain", "no-cache"))

    outcome = publish(bucket, Order(release))

    assert outcome.uploaded == (SHELF_FILE,)


def test_a_file_that_goes_up_in_parts_is_known_again(s3: S3Server, tmp_path: Path) -> None:
    large = {f"sources/{size}.pdf": bytes(size) for size in (PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES)}
    write_small_shelf(tmp_path / "site", extra=large)
    bucket, order = s3.bucket(s3.place()), Order(Site(tmp_path / "site").current())
    publish(bucket, order)

    assert content(bucket, f"sources/{PART_BYTES + 1}.pdf") == bytes(PART_BYTES + 1)
    assert publish(bucket, order).uploaded == ()
    bucket.delete([STATE_FILE])
    assert publish(bucket, order).uploaded == ()


def test_more_objects_than_a_listing_or_a_deletion_takes_at_once(s3: S3Server, tmp_path: Path) -> None:
    many = {f"pictures/Ящик {number}+1/p%2{number}.png": b"x" for number in range(1100)}
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    write_small_shelf(site, extra=many)
    first = Site(site).current()
    publish(bucket, Order(first), clock=lambda: 0)
    assert bucket.listing(*RESERVED).keys() == first.files.keys()
    assert publish(bucket, Order(first), clock=lambda: 1).uploaded == ()
    order = Order(small_release(site))

    publish(bucket, order, clock=lambda: 2)
    assert set(publish(bucket, order, clock=lambda: 3602).deleted) == many.keys()

    assert bucket.listing(*RESERVED).keys() == order.release.files.keys()


def test_a_shelf_may_fill_a_whole_bucket(s3: S3Server, tmp_path: Path) -> None:
    s3.make_bucket("whole")
    bucket, site = s3.bucket("s3://whole"), tmp_path / "site"
    first, second = write_version(site, 1), write_version(site, 2)
    kept = frozenset({first.id, second.id})

    publish(bucket, Order(first, kept), clock=lambda: 0)
    publish(bucket, Order(second, kept), clock=lambda: 0)
    publish(bucket, Order(second, kept), clock=lambda: 3600)

    assert bucket.listing(*RESERVED).keys() == second.files.keys()
    assert bucket.folders("r") == sorted(kept)
    assert content(bucket, INDEX) == all_files(2)[INDEX]


def test_a_release_that_is_damaged_on_disk_is_not_published(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    publish(bucket, Order(write_version(site, 1)))
    release = write_version(site, 2)
    damaged = site / "current" / SOURCE
    damaged.write_bytes(damaged.read_bytes().replace(b"version", b"vermin "))

    with pytest.raises(ShelfDamaged, match=SOURCE):
        publish(bucket, Order(release))

    assert content(bucket, SHELF_FILE) == all_files(1)[SHELF_FILE]
    assert content(bucket, INDEX) == all_files(1)[INDEX]


def test_kept_releases_stand_below_r_as_long_as_the_site_keeps_them(s3: S3Server, tmp_path: Path) -> None:
    bucket, site = s3.bucket(s3.place()), tmp_path / "site"
    first = write_version(site, 1)
    publish(bucket, Order(first, frozenset({first.id})), clock=lambda: 0)
    second = write_version(site, 2)
    both, one = frozenset({first.id, second.id}), frozenset({second.id})

    outcome = publish(bucket, Order(second, both), clock=lambda: 10_000)

    assert outcome.copied == len(second.files)
    for number, release in ((1, first), (2, second)):
        assert all(content(bucket, f"r/{release.id}/{it}") == text for it, text in all_files(number).items())
    assert bucket.headers(f"r/{second.id}/{INDEX}").type == "text/markdown; charset=utf-8"

    assert publish(bucket, Order(second, one), clock=lambda: 10_001).copied == 0
    assert f"r/{first.id}/{INDEX}" in bucket.listing()
    publish(bucket, Order(second), clock=lambda: 20_000)
    assert f"r/{first.id}/{INDEX}" in bucket.listing()
    assert publish(bucket, Order(second, one), clock=lambda: 20_001).deleted == (f"r/{first.id}",)
    assert bucket.below("r").keys() == {f"r/{second.id}/{it}" for it in second.files}
    assert publish(bucket, Order(second, one), clock=lambda: 90_000).deleted == ()


def test_a_dry_run_tells_the_plan_and_changes_nothing(
    s3: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, site = s3.place(), tmp_path / "site"
    bucket = s3.bucket(place)
    publish(bucket, Order(write_version(site, 1)), clock=lambda: 0)
    write_version(site, 2)
    before = bucket.listing()

    assert main(["publish", place, "--endpoint", s3.url, "--site", str(site), "--dry-run"]) == 0

    assert bucket.listing() == before
    lines = capsys.readouterr().out.splitlines()
    paths = [line.split()[-1] for line in lines if line.startswith(("new", "changed"))]
    assert paths[-3:] == [*NAMED]
    assert paths.index(section_path(2, 1)) < paths.index("docs/router/overview.md") < paths.index(SUBINDEX)
    assert paths.index(SUBINDEX) < paths.index(INDEX) < len(paths) - 3
    assert not any(UNCHANGED in line for line in lines)
    later = [line.split()[2] for line in lines if line.startswith("delete later")]
    assert later == sorted(section_path(1, it, end) for it in (1, 2, 3) for end in ("md", "html"))


def test_the_command_prints_the_release_and_no_key(
    s3: S3Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    release = write_version(tmp_path / "site", 1)
    arguments = ["--site", str(tmp_path / "site"), "--keep-releases"]
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3.url)

    assert main(["publish", s3.place(), *arguments]) == 0

    out, err = capsys.readouterr()
    assert out == f"{release.id}\n"
    assert err.startswith(f"{len(release.files)} objects put (0.3 MB)")
    assert KEY not in out + err
    assert SECRET not in out + err


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        (
            "AWS_SECRET_ACCESS_KEY",
            "wrong-and-secret",
            "403 Forbidden, SignatureDoesNotMatch; see that the keys",
        ),
        ("AWS_ACCESS_KEY_ID", "wrong-and-secret", "403 Forbidden, InvalidAccessKeyId; see that the keys"),
        ("AWS_ACCESS_KEY_ID", "", "the environment holds no keys; set AWS_ACCESS_KEY_ID"),
        ("AWS_SKIP_SIGNATURE", "true", "403 Forbidden, AccessDenied"),
    ],
)
def test_wrong_keys_are_said_and_never_printed(
    s3: S3Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    expected: str,
) -> None:
    write_version(tmp_path / "site", 1)
    monkeypatch.setenv(variable, value)

    assert main(["publish", s3.place(), "--endpoint", s3.url, "--site", str(tmp_path / "site")]) == 2

    out, err = capsys.readouterr()
    assert expected in err
    assert out == ""
    assert not any(word in err for word in ("wrong-and-secret", KEY, SECRET))


@pytest.mark.parametrize(
    ("place", "endpoint", "expected"),
    [
        ("s3://no-such-bucket/x", "", "404 Not Found, NoSuchBucket; make the bucket first"),
        ("s3://shelves/x", "http://127.0.0.1:9", "no answer; see that --endpoint is right"),
        ("s3://shelves/x", "127.0.0.1:9", "is no address of a server; it begins with https:// or http://"),
        ("s3://shelves/x", "http://me:mine@127.0.0.1:9", "an address holds no keys"),
        ("s3://shelves/../x", "", "'..' cannot stand in a prefix"),
        ("s3://Shelves", "", "is no s3://BUCKET/PREFIX"),
        ("shelves/x", "", "is no s3://BUCKET/PREFIX"),
    ],
)
def test_a_wrong_place_is_said_with_what_to_do(
    s3: S3Server,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    place: str,
    endpoint: str,
    expected: str,
) -> None:
    write_version(tmp_path / "site", 1)
    site = ["--site", str(tmp_path / "site")]

    assert main(["publish", place, "--endpoint", endpoint or s3.url, *site, "--dry-run"]) == 2

    assert expected in capsys.readouterr().err


def test_fifty_publishes_under_eight_readers_show_no_dead_link(s3: S3Server, tmp_path: Path) -> None:
    place, site, publishes = s3.place(), tmp_path / "site", 50
    bucket, now_s = s3.bucket(place), [0.0]
    url = urlsplit(s3.public_url(place))
    publish(bucket, Order(write_version(site, 1)), lambda: now_s[0])
    done, dead, torn, deleted = threading.Event(), [], [], 0
    crawls = [0] * 8

    def read_from(connection: HTTPConnection, path: str) -> bytes | None:
        connection.request("GET", f"{url.path}/{path}")
        answer = connection.getresponse()
        text = answer.read()
        if path == SUBINDEX:
            done.wait(0.2)  # who reads an index does not follow it at once
        if answer.status == 404:
            return None
        if answer.status != 200 or not any(text == all_files(it).get(path) for it in range(1, publishes + 2)):
            torn.append(path)
        return text

    def read_on(reader: int) -> None:
        with closing(HTTPConnection(url.netloc, timeout=60)) as connection:
            while not done.wait(0.01):
                dead.extend(crawl(partial(read_from, connection))[1])
                crawls[reader] += 1

    readers = [threading.Thread(target=read_on, args=(number,)) for number in range(8)]
    for it in readers:
        it.start()
    try:
        for number in range(2, publishes + 2):
            now_s[0] += 120
            outcome = publish(bucket, Order(write_version(site, number)), lambda: now_s[0])
            deleted += len(outcome.deleted)
    finally:
        done.set()
        for it in readers:
            it.join()
    assert (dead, torn) == ([], [])
    assert min(crawls) > 0
    assert deleted == 6 * (publishes - 30)
