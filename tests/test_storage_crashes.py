"""A publish that is killed at any request that writes: no dead link, no torn object; the next one repairs."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from killing_proxy import Moment, WriteCounter, counting_proxy
from s3_server import KEYS, S3Server
from storage_shelf import all_files, crawl, write_version

from docshelf.serve.storage.bucket import Bucket
from docshelf.serve.storage.plan import RESERVED
from docshelf.serve.storage.publishing import Order, publish

TESTS = Path(__file__).resolve().parent


class Publishers:
    """Publishes in processes that start at once, for a process that has imported all there is starts them."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        """Speaks with that process over its pipes."""
        self._process = process

    def killed(
        self, s3: S3Server, place: str, site: Path, at: int, moment: Moment, keep: str = "", now_s: float = 0
    ) -> bool:
        """Kills a publish at its write number `at`; False where it ended before. It believes it is `now_s`."""
        counter, child = WriteCounter(at, moment), 0
        started = threading.Event()

        def kill() -> None:
            started.wait()
            os.kill(child, signal.SIGKILL)

        counter.act = kill
        with counting_proxy(s3.url, counter) as proxy:
            child = self._started(f"{place}\t{proxy}\t{site}\t{keep}\t{now_s}")
            started.set()
            status = self._number()
        assert status == (signal.SIGKILL if len(counter.writes) >= at else 0)
        return status != 0

    def killed_after(self, s3: S3Server, place: str, site: Path, delay_s: float, now_s: float) -> bool:
        """Kills a publish some time after its start; False where it ended before."""
        child = self._started(f"{place}\t{s3.url}\t{site}\t\t{now_s}")
        time.sleep(delay_s)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return self._number() != 0

    def _started(self, line: str) -> int:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._number()

    def _number(self) -> int:
        assert self._process.stdout
        return int(self._process.stdout.readline())


@pytest.fixture(scope="module")
def publishers() -> Iterator[Publishers]:
    """What starts publishes."""
    with subprocess.Popen(
        [sys.executable, "-W", "error", str(TESTS / "storage_shelf.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(TESTS.parent / ".dev"), **KEYS},
    ) as process:
        yield Publishers(process)
        assert process.stdin
        process.stdin.close()


def reader(bucket: Bucket) -> Callable[[str], bytes | None]:
    """Reads what stands at a path."""

    def read(path: str) -> bytes | None:
        found = bucket.get(path)
        return found[0] if found else None

    return read


def test_wherever_a_publish_is_killed_readers_meet_whole_objects_and_no_dead_link(
    s3: S3Server, publishers: Publishers, tmp_path: Path
) -> None:
    place, site = s3.place(), tmp_path / "site"
    bucket, number = s3.bucket(place), 1
    publish(bucket, Order(write_version(site, number)), lambda: 0)
    for at in range(1, 100):
        number += 1
        release, now_s = write_version(site, number), 2000.0 * at
        if not publishers.killed(s3, place, site, at, "within", now_s=now_s):
            break
        read = reader(bucket)
        found, dead = crawl(read)
        assert dead == [], f"killed within write {at}"
        for path in bucket.listing(*RESERVED):
            content = read(path)
            versions = range(number, 0, -1)
            assert any(content == all_files(it).get(path) for it in versions), f"{path} is torn"
        assert {"index.md", "index.html"} <= found.keys()
        if at % 3 == 0:
            continue  # the next one is killed, too
        if at % 3 == 1:
            number += 1  # the next one publishes something else
            release = write_version(site, number)

        publish(bucket, Order(release), partial(float, now_s))

        found, dead = crawl(read)
        assert dead == []
        assert all(read(path) == content for path, content in all_files(number).items())
    assert at > 20, "a publish of 18 objects writes more"


def test_after_twenty_kills_at_random_moments_readers_are_well_and_the_next_publish_repairs(
    s3: S3Server, publishers: Publishers, tmp_path: Path
) -> None:
    place, site = s3.place(), tmp_path / "site"
    bucket, pick, killed, number = s3.bucket(place), random.Random(), 0, 1
    release = write_version(site, number)
    began_s = time.monotonic()
    publish(bucket, Order(release), lambda: 0)
    whole_s = time.monotonic() - began_s
    while killed < 20 and number < 300:
        number += 1
        release, now_s = write_version(site, number), 2000.0 * number
        was_killed = publishers.killed_after(s3, place, site, pick.uniform(0, whole_s), now_s)
        killed += was_killed
        found, dead = crawl(reader(bucket))
        assert dead == []
        assert {"index.md", "index.html"} <= found.keys()
        for path, content in found.items():
            assert any(content == all_files(it).get(path) for it in range(number, 0, -1)), f"{path} is torn"
        if was_killed and pick.random() < 0.5:
            publish(bucket, Order(release), partial(float, now_s))
            read = reader(bucket)
            assert all(read(path) == content for path, content in all_files(number).items())
    assert killed == 20


def test_a_first_publish_that_is_killed_shows_nothing_that_leads_astray(
    s3: S3Server, publishers: Publishers, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    release = write_version(site, 1)
    for at in (1, 2, 3, 9, 15, 18, 19, 20):
        place = s3.place()
        bucket = s3.bucket(place)
        assert publishers.killed(s3, place, site, at, "before")
        read = reader(bucket)
        assert crawl(read)[1] == []

        publish(bucket, Order(release), lambda: 0)

        assert all(read(path) == content for path, content in all_files(1).items())


def test_a_kept_release_is_there_whole_or_not_at_all(
    s3: S3Server, publishers: Publishers, tmp_path: Path
) -> None:
    place, site = s3.place(), tmp_path / "site"
    bucket = s3.bucket(place)
    publish(bucket, Order(write_version(site, 1)), lambda: 0)
    for number, at in enumerate((16, 20, 24, 28, 29, 30, 31, 32, 33), 2):
        release = write_version(site, number)
        folder = f"r/{release.id}"
        assert publishers.killed(s3, place, site, at, "within", release.id)

        there = bucket.below(folder).keys()
        assert f"{folder}/shelf.json" not in there or len(there) == len(release.files)
        publish(bucket, Order(release, frozenset({release.id})), lambda: 0)

        read = reader(bucket)
        assert all(read(f"{folder}/{path}") == content for path, content in all_files(number).items())
