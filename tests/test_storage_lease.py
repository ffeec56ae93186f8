"""The lock of a bucket: one publisher at a time, also where one was killed."""

import json
import os
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from killing_proxy import WriteCounter, counting_proxy
from s3_server import KEYS, S3Server
from storage_shelf import write_version

from docshelf.serve.errors import StorageError
from docshelf.serve.storage.bucket import Bucket, Headers
from docshelf.serve.storage.lease import LEASE_S, LOCK_FILE, publish_lock
from docshelf.serve.storage.publishing import Order, publish


def change_lock(bucket: Bucket, **facts: object) -> None:
    """Writes other facts into the lock that is there."""
    found = bucket.get(LOCK_FILE)
    assert found
    changed = json.dumps(json.loads(found[0]) | facts).encode()
    bucket.put(LOCK_FILE, changed, Headers("application/json", "no-store"))


def test_a_second_publish_is_told_who_holds_the_lock(s3: S3Server, tmp_path: Path) -> None:
    place = s3.place()
    bucket, release = s3.bucket(place), write_version(tmp_path / "site", 1)

    with publish_lock(bucket, lambda: 1000.0):
        change_lock(bucket, who="process 7 on shelf-builder")
        with pytest.raises(StorageError) as caught:
            publish(s3.bucket(place), Order(release), lambda: 1010.0)

    expected = (
        "another publish (process 7 on shelf-builder) holds it until 1970-01-01 00:21:40 UTC; wait for it"
    )
    assert expected in str(caught.value)
    assert bucket.listing("").keys() == {LOCK_FILE}


def test_a_lock_that_was_given_back_is_free_at_once(s3: S3Server) -> None:
    bucket = s3.bucket(s3.place())

    with publish_lock(bucket, lambda: 0.0):
        pass
    with publish_lock(bucket, lambda: 0.0) as lease:
        lease.check()


def test_a_lock_of_another_machine_is_stale_when_its_end_has_passed(s3: S3Server) -> None:
    bucket = s3.bucket(s3.place())
    with publish_lock(bucket, lambda: 0.0):
        change_lock(bucket, machine="another machine", nonce="other")
        with (
            pytest.raises(StorageError, match="another publish"),
            publish_lock(bucket, lambda: LEASE_S - 1.0),
        ):
            pass
        with publish_lock(bucket, lambda: float(LEASE_S)) as lease:
            lease.check()


def test_a_lock_of_a_process_of_this_machine_that_is_no_more_is_stale_at_once(s3: S3Server) -> None:
    bucket = s3.bucket(s3.place())
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(child, 0)
    with publish_lock(bucket, lambda: 0.0):
        change_lock(bucket, process=child, nonce="other", ends_s=LEASE_S)
        with publish_lock(bucket, lambda: 1.0) as lease:
            lease.check()


def test_a_process_that_got_the_number_of_one_that_ended_does_not_hold_its_lock(s3: S3Server) -> None:
    bucket = s3.bucket(s3.place())
    with publish_lock(bucket, lambda: 0.0):
        change_lock(bucket, started="1", nonce="other")
        with publish_lock(bucket, lambda: 1.0) as lease:
            lease.check()


def test_who_lost_the_lock_stops(s3: S3Server) -> None:
    bucket = s3.bucket(s3.place())
    with publish_lock(bucket, lambda: 0.0) as lease:
        change_lock(bucket, nonce="other")
        lease.check()
        lease.put_off()
        with pytest.raises(StorageError, match="the lock was lost to another publish; publish again"):
            lease.check()


def test_a_lock_that_was_not_put_off_in_time_is_lost(s3: S3Server) -> None:
    bucket, now_s = s3.bucket(s3.place()), 0.0
    with publish_lock(bucket, lambda: now_s) as lease:
        now_s = LEASE_S - 1
        lease.check()
        lease.put_off()
        now_s = 2 * LEASE_S - 2
        lease.check()
        now_s = 2 * LEASE_S
        with pytest.raises(StorageError, match="the lock was lost; publish again"):
            lease.check()


@pytest.mark.parametrize("at", [1, 3])
def test_a_lock_is_held_where_only_the_answer_to_its_request_was_lost(s3: S3Server, at: int) -> None:
    """The client asks again, and its own first request stands in the way of the second."""
    place, counter, times = s3.place(), WriteCounter(at, "after"), count(1)
    clock = partial(next, times)
    with counting_proxy(s3.url, counter) as proxy, publish_lock(s3.bucket(place, proxy), clock) as lease:
        lease.put_off()
        lease.put_off()
        lease.check()

    assert len(counter.writes) > at
    with publish_lock(s3.bucket(place), lambda: 1.0):
        pass


def test_a_storage_that_knows_no_conditions_is_refused(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")  # a signature would tell that a header is missing
    place = s3.open_place()
    with (
        counting_proxy(s3.url, WriteCounter(left_out=b"if-none-match")) as proxy,
        pytest.raises(StorageError, match="puts an object where one is, though told not to"),
        publish_lock(s3.bucket(place, proxy), lambda: 0.0),
    ):
        pass
    with publish_lock(s3.bucket(place), lambda: 0.0) as lease:
        lease.check()


@pytest.mark.parametrize("ends_s", [float("nan"), float("inf"), 1e300, 200_000.0])
def test_a_lock_that_ends_in_a_far_future_is_held_by_nobody(s3: S3Server, ends_s: float) -> None:
    bucket = s3.bucket(s3.place())
    with publish_lock(bucket, lambda: 0.0):
        change_lock(bucket, machine="another machine", nonce="other", ends_s=ends_s)
        with publish_lock(bucket, lambda: 1.0) as lease:
            lease.check()


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"nonce": 1}', b"[" * 100_000])
def test_a_lock_that_cannot_be_read_is_held_by_nobody(s3: S3Server, content: bytes) -> None:
    bucket = s3.bucket(s3.place())
    bucket.put(LOCK_FILE, content, Headers("application/json", "no-store"))

    with publish_lock(bucket, lambda: 0.0) as lease:
        lease.check()
