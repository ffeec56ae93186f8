"""What a publisher notes in the bucket, and where a bucket is."""

import gzip

import pytest

from docshelf.serve.errors import ConfigError, StorageError
from docshelf.serve.storage.environment import StorageEnvironment, storage_environment
from docshelf.serve.storage.location import Location, parse_location
from docshelf.serve.storage.state import Known, State, read_state, write_state

STATE = State(
    {"docs/й.md": Known('"1"', "ab", "text/markdown; charset=utf-8", "no-cache"), "begun.md": Known()},
    {"old.md": 12.5, "r/0123456789abcdef": 1.0},
)


def test_what_is_written_is_read_and_the_same_bytes_each_time() -> None:
    assert read_state(write_state(STATE), "x") == STATE
    turned = State(dict(sorted(STATE.objects.items())[::-1]), dict(sorted(STATE.gone.items())[::-1]))
    assert write_state(turned) == write_state(STATE)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        write_state(STATE)[:-9],
        *map(gzip.compress, (b"", b"[]", b"{}", b"[" * 100_000, b'{"format": 2, "objects": {}, "gone": {}}')),
        gzip.compress(b'{"format": 1, "objects": {"a": [1, 2, 3, 4, 5]}, "gone": {}}'),
        gzip.compress(b'{"format": 1, "objects": [], "gone": {}}'),
        gzip.compress(b'{"format": 1, "objects": {}, "gone": {"a": "soon"}}'),
        gzip.compress(b'{"format": 1, "objects": {"docs//a": []}, "gone": {}}'),
        gzip.compress(b'{"format": 1, "objects": {"../a": []}, "gone": {}}'),
        gzip.compress(b'{"format": 1, "objects": {}, "gone": {"r/..": 1}}'),
        gzip.compress(b'{"format": 1, "objects": {}, "gone": {"a": NaN}}'),
    ],
)
def test_a_damaged_state_is_said_with_what_to_do(content: bytes) -> None:
    with pytest.raises(StorageError, match=r"s3://b/state: is damaged .*; delete it"):
        read_state(content, "s3://b/state")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://shelves", Location("shelves", "")),
        ("s3://shelves/", Location("shelves", "")),
        ("s3://my.shelves-1/team/docs/", Location("my.shelves-1", "team/docs")),
        ("s3://shelves/полка", Location("shelves", "полка")),
    ],
)
def test_a_location_is_a_bucket_and_a_prefix(text: str, expected: Location) -> None:
    assert parse_location(text) == expected
    assert str(expected) == text.rstrip("/")


@pytest.mark.parametrize(
    "text",
    [
        *("", "s3://", "s3:/shelves", "https://shelves/x", "s3://Sh", "s3://ab", "s3://a_b_c", "s3://-abc"),
        *("s3://abc/a//b", "s3://abc/./b", "s3://abc/../b", "s3://abc/a b", "s3://abc/a?b", "s3://abc/a\x00"),
        *("s3://abc/a%2fb", "s3://abc/a\\b", "s3://abc/a#b", "s3://key:secret@host/x", "s3://abc/\u202ea"),
    ],
)
def test_what_is_no_location_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_location(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, StorageEnvironment(False, None)),
        ({"AWS_ACCESS_KEY_ID": "a"}, StorageEnvironment(False, None)),
        ({"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": ""}, StorageEnvironment(False, None)),
        ({"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, StorageEnvironment(True, None)),
        ({"AWS_SKIP_SIGNATURE": "true"}, StorageEnvironment(True, None)),
        (
            {"AWS_ENDPOINT_URL": "http://general", "AWS_ENDPOINT_URL_S3": "http://s3"},
            StorageEnvironment(False, "http://s3"),
        ),
    ],
)
def test_the_environment_says_whether_there_are_keys_and_which_server(
    variables: dict[str, str], expected: StorageEnvironment
) -> None:
    assert storage_environment(variables) == expected
