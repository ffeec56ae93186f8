"""What identifies a file's content in an object storage and on a shelf."""

import hashlib
from dataclasses import dataclass
from typing import BinaryIO

PART_BYTES = 8 * 1024 * 1024
"""Larger files are uploaded in parts of this size; at most 10,000 of them make an object (S3)."""


@dataclass(frozen=True, slots=True)
class Digests:
    """Two hashes of one content."""

    sha256: str
    etag: str
    """As S3 makes it: MD5 of the content, or of the MD5s of its parts, in quotes. Storages that encrypt may
    make others."""


def file_digests(file: BinaryIO) -> Digests:
    """The hashes of what is left to read of `file`."""
    whole = hashlib.sha256()
    parts: list[bytes] = []
    size_bytes = 0
    while part := file.read(PART_BYTES):
        whole.update(part)
        parts.append(hashlib.md5(part, usedforsecurity=False).digest())
        size_bytes += len(part)
    if size_bytes <= PART_BYTES:
        single = parts[0] if parts else hashlib.md5(b"", usedforsecurity=False).digest()
        return Digests(whole.hexdigest(), f'"{single.hex()}"')
    joined = hashlib.md5(b"".join(parts), usedforsecurity=False).hexdigest()
    return Digests(whole.hexdigest(), f'"{joined}-{len(parts)}"')
