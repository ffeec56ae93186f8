"""Where a shelf lies in an object storage: `s3://bucket/prefix`."""

import re
from dataclasses import dataclass

from docshelf.serve.errors import ConfigError

SCHEME = "s3://"

KEYS_ELSEWHERE = "an address holds no keys; they belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_NAME = re.compile(r"[^\s/\\?#%*]+")


@dataclass(frozen=True, slots=True)
class Location:
    """A bucket and a place in it."""

    bucket: str
    prefix: str
    """Names joined by "/", without one at either end; "" is the whole bucket."""

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.prefix}".rstrip("/")


def is_location(text: str) -> bool:
    """Whether `text` means an object storage and no folder."""
    return text.startswith(SCHEME)


def parse_location(text: str) -> Location:
    """What `s3://bucket/prefix` means.

    Raises: ConfigError saying what is wrong with it.
    """
    if "@" in text:
        raise ConfigError([KEYS_ELSEWHERE])
    bucket, _, prefix = text.removeprefix(SCHEME).partition("/")
    names = prefix.strip("/").split("/") if prefix.strip("/") else []
    if not is_location(text) or not _BUCKET.fullmatch(bucket):
        raise ConfigError([f"{text}: is no s3://BUCKET/PREFIX; a bucket has 3 to 63 of a-z, 0-9, - and ."])
    for name in names:
        if name in (".", "..") or not name.isprintable() or not _NAME.fullmatch(name):
            raise ConfigError([f"{text}: {name!r} cannot stand in a prefix; use letters, digits, - and _"])
    return Location(bucket, "/".join(names))
