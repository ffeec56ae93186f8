"""Releases that stay readable in a bucket below `r/RELEASE/`, made by copies inside the storage."""

import re
from collections.abc import Callable, Mapping

from docshelf.serve.manifest import SHELF_FILE
from docshelf.serve.media import media_type
from docshelf.serve.releases.tree import Release
from docshelf.serve.storage.bucket import Bucket, Headers
from docshelf.serve.storage.plan import CHECK_FIRST, LAST, RELEASES_FOLDER, release_folder
from docshelf.serve.storage.state import Known
from docshelf.serve.storage.uploading import at_once

_RELEASE_ID = re.compile(r"[0-9a-f]{16}")
_FOLDER = re.compile(rf"{RELEASES_FOLDER}/[0-9a-f]{{16}}")


def stored_releases(bucket: Bucket) -> frozenset[str]:
    """The names of all releases below `r/`, whole or not.

    Raises: StorageError.
    """
    return frozenset(name for name in bucket.folders(RELEASES_FOLDER) if _RELEASE_ID.fullmatch(name))


def copy_release(
    bucket: Bucket, release: Release, known: Mapping[str, Known], check: Callable[[], None]
) -> int:
    """Copies the tree, as far as it stands there, to `r/RELEASE/`, and gives how many objects are new.

    Its shelf.json is the last one: without it there is no such release. `known` are the objects of the tree.

    Raises: StorageError.
    """
    folder = release_folder(release.id)
    there = bucket.below(folder)
    if f"{folder}/{SHELF_FILE}" in there:
        return 0
    missing = [
        path
        for path, it in sorted(known.items())
        if path not in LAST and (f"{folder}/{path}" not in there or there[f"{folder}/{path}"].etag != it.etag)
    ]
    at_once(missing, lambda path: bucket.copy(path, f"{folder}/{path}"), check)
    named = [path for path in LAST if path in release.files]
    for path in named:
        check()
        bucket.put(f"{folder}/{path}", release.read(path), Headers(media_type(path), CHECK_FIRST))
    return len(missing) + len(named)


def delete_release(bucket: Bucket, folder: str) -> None:
    """Deletes the release in `folder`; its shelf.json first, so that no part of it passes for the whole.

    Raises: StorageError.
    """
    bucket.delete([f"{folder}/{SHELF_FILE}"])
    bucket.delete(sorted(bucket.below(folder)))


def is_release_folder(path: str) -> bool:
    """Whether `path` is where a kept release stands."""
    return _FOLDER.fullmatch(path) is not None
