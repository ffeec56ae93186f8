"""Puts files of a release into a bucket, each one verified, many at once."""

import hashlib
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import TypeVar

from docshelf.serve.errors import ShelfDamaged, StorageError
from docshelf.serve.manifest import FileRow
from docshelf.serve.releases.tree import Release
from docshelf.serve.storage.bucket import Bucket
from docshelf.serve.storage.etags import PART_BYTES, file_digests
from docshelf.serve.storage.plan import file_headers
from docshelf.serve.storage.state import Known

_AT_ONCE = 16

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def at_once(
    items: Collection[_Item], work: Callable[[_Item], _Result], check: Callable[[], None]
) -> dict[_Item, _Result]:
    """What `work` gives for each item, many at a time; `check` is called before each, and may raise.

    Raises: the first error; what was not begun is left, what was begun is waited for.
    """

    def turn(item: _Item) -> _Result:
        check()
        return work(item)

    if not items:
        return {}
    with ThreadPoolExecutor(min(_AT_ONCE, len(items))) as pool:
        futures: dict[Future[_Result], _Item] = {pool.submit(turn, item): item for item in items}
        try:
            return {futures[future]: future.result() for future in as_completed(futures)}
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def upload_file(bucket: Bucket, release: Release, path: str) -> Known:
    """Puts one file and makes sure that what is there is what the release says.

    Raises: ShelfDamaged where the file on disk is not; StorageError.
    """
    row = release.row(path)
    with release.open(path) as file:
        digests = file_digests(file)
        if digests.sha256 != row.sha256:
            raise ShelfDamaged(
                f"release {release.id}: {path} is not what it should be; build the shelf again"
            )
        file.seek(0)
        etag = bucket.put(path, file.read() if row.bytes <= PART_BYTES else file, file_headers(row))
    if etag != digests.etag:
        _read_back(bucket, row)
    return _known(row, etag)


def adopted(
    bucket: Bucket, release: Release, etags: Mapping[str, str], check: Callable[[], None]
) -> dict[str, Known]:
    """Those of the paths whose object, put by a publish that was cut short, is what it should be.

    `etags` are those of the objects, by path.
    """

    def look(path: str) -> Known | None:
        row = release.row(path)
        with release.open(path) as file:
            expected = file_digests(file).etag
        if etags[path] != expected or bucket.headers(path) != file_headers(row):
            return None
        return _known(row, expected)

    found = at_once(etags.keys(), look, check)
    return {path: known for path, known in found.items() if known is not None}


def _known(row: FileRow, etag: str) -> Known:
    headers = file_headers(row)
    return Known(etag, row.sha256, headers.type, headers.cache)


def _read_back(bucket: Bucket, row: FileRow) -> None:
    """For storages whose ETags are no MD5.

    Raises: StorageError where what is there is not what was sent.
    """
    digest = hashlib.sha256()
    for chunk in bucket.chunks(row.path):
        digest.update(chunk)
    if digest.hexdigest() != row.sha256:
        raise StorageError(f"{bucket.location}: {row.path} does not hold what was sent; publish again")
