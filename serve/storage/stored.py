"""A shelf that is read from an object storage: files are fetched when first asked for, then kept on disk.

What is fetched counts only where it is what files.tsv says. While another release is put over the one that
is being read, a file may be gone already: then it is looked for below `r/RELEASE/`, else it cannot be read
until the new release is known, some seconds later.
"""

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import BinaryIO

from docshelf.serve.errors import NotOnShelf, ShelfDamaged, StorageError
from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    FileRow,
    read_shelf,
    release_id,
)
from docshelf.serve.releases.byte_cache import ByteCache
from docshelf.serve.releases.tree import Release
from docshelf.serve.storage.bucket import Bucket
from docshelf.serve.storage.disk_cache import DiskCache
from docshelf.serve.storage.plan import release_folder

LOOK_EVERY_S = 2.0
"""How often a new release is looked for."""
_RELEASES = 4
_RELEASE_ID = re.compile(r"[0-9a-f]{16}")
_NAMES = (SHELF_FILE, FILES_FILE, RELEASE_SCRIPT)

_logger = logging.getLogger(__name__)


class StoredFiles:
    """The files of one release in a bucket."""

    def __init__(
        self,
        bucket: Bucket,
        cache: DiskCache,
        folders: tuple[str, ...],
        named: Mapping[str, bytes],
        is_out: Callable[[], bool],
    ) -> None:
        """`folders` are where the release may stand, "" is the location itself.

        `named` is what files.tsv leaves out. `is_out` tells that the storage does not answer: then nothing is
        asked of it, for every reader would wait.
        """
        self._bucket = bucket
        self._cache = cache
        self._folders = folders
        self._named = named
        self._is_out = is_out

    def __str__(self) -> str:
        return str(self._bucket.location)

    def open(self, row: FileRow) -> BinaryIO:
        """The file of a row of files.tsv, fetched where it is not kept yet.

        Raises: ShelfDamaged where the storage does not have it or the disk refuses.
        """
        file = self._cache.open(row.sha256, row.bytes)
        if file is not None:
            return file
        with self._cache.filling(row.sha256):
            file = self._cache.open(row.sha256, row.bytes)
            return file if file is not None else self._fetched(row)

    def unlisted(self, path: str) -> bytes | None:
        """A file that files.tsv leaves out; None where it is not there."""
        return self._named.get(path)

    def _fetched(self, row: FileRow) -> BinaryIO:
        if self._is_out():
            raise ShelfDamaged(f"{self._bucket.location}: does not answer; {row.path} was not fetched before")
        for folder in self._folders:
            chunks = self._bucket.chunks(f"{folder}/{row.path}".lstrip("/"))
            try:
                file = self._cache.add(row.sha256, row.bytes, chunks)
            except StorageError as exc:
                raise ShelfDamaged(str(exc)) from exc
            except OSError as exc:
                raise ShelfDamaged(f"the cache cannot hold {row.path}: {exc.strerror}") from exc
            if file is not None:
                return file
        raise ShelfDamaged(
            f"{self._bucket.location}: {row.path} is not what {FILES_FILE} says; a publish runs or was cut "
            "short: publish again"
        )


class StoredSite:
    """What stands at a location of an object storage."""

    waits = True

    def __init__(self, bucket: Bucket, cache: DiskCache, look_every_s: float = LOOK_EVERY_S) -> None:
        """Reads the current release.

        Raises: ShelfDamaged where there is none; StorageError.
        """
        self._bucket = bucket
        self._cache = cache
        self._look_every_s = look_every_s
        self._memory = ByteCache()
        self._kept: OrderedDict[str, Release] = OrderedDict()
        self._lock = threading.Lock()
        self._is_out = False
        self._failures = 0
        self._etag = bucket.etag(SHELF_FILE)
        self._current = self._read("")

    @contextmanager
    def looking(self) -> Iterator["StoredSite"]:
        """Looks for new releases in a thread of its own."""
        done = threading.Event()

        def look_on() -> None:
            while not done.wait(self._look_every_s):
                self.look()

        looker = threading.Thread(target=look_on, daemon=True)
        looker.start()
        try:
            yield self
        finally:
            done.set()
            looker.join()

    def current(self) -> Release:
        """The release that was current when last looked."""
        return self._current

    def release(self, release_id: str) -> Release:
        """The current release, or one below `r/`.

        Raises: NotOnShelf; ShelfDamaged.
        """
        current = self._current
        if release_id == current.id:
            return current
        with self._lock:
            known = self._kept.get(release_id)
        if known is not None:
            return known
        if _RELEASE_ID.fullmatch(release_id) and not self._is_out:
            folder = release_folder(release_id)
            try:
                if self._bucket.etag(f"{folder}/{SHELF_FILE}") is not None:
                    release = self._read(folder)
                    if release.id != release_id:
                        raise ShelfDamaged(f"{self._bucket.location}/{folder} holds the release {release.id}")
                    return self._remember(release)
            except StorageError as exc:
                raise ShelfDamaged(str(exc)) from exc
        raise NotOnShelf(
            f"This release is not kept (any more); leave it out to read the current one, {current.id}."
        )

    def look(self) -> None:
        """Sees whether another release is current; what is known stays where the storage does not answer."""
        try:
            etag = self._bucket.etag(SHELF_FILE)
            self._is_out = False
            if etag is not None and etag != self._etag:
                self._current = self._read("")
                self._etag = etag
        except (StorageError, ShelfDamaged) as exc:
            self._is_out = isinstance(exc, StorageError)
            self._failures += 1
            if self._failures == 2:  # once may be a publish that is just at its end
                _logger.error("%s; release %s is served meanwhile", exc, self._current.id)
            return
        if self._failures > 1:
            _logger.warning("%s: can be read again; release %s", self._bucket.location, self._current.id)
        self._failures = 0

    def _read(self, folder: str) -> Release:
        """The release that stands in `folder`; "" is the location itself.

        Raises: ShelfDamaged; StorageError.
        """
        found = {name: self._bucket.get(f"{folder}/{name}".lstrip("/")) for name in _NAMES}
        named = {name: answer[0] for name, answer in found.items() if answer is not None}
        where = f"{self._bucket.location}/{folder}".rstrip("/")
        if SHELF_FILE not in named:
            raise ShelfDamaged(f"{where} is no shelf: it has no {SHELF_FILE}; run docshelf publish")
        manifest = read_shelf(named[SHELF_FILE])
        if manifest.release != release_id(
            manifest, named.get(FILES_FILE, b"")
        ) or manifest.release.encode() not in named.get(RELEASE_SCRIPT, b""):
            raise ShelfDamaged(f"{where}: a publish runs or was cut short; wait, or run docshelf publish")
        kept = release_folder(manifest.release)
        folders = tuple(dict.fromkeys((folder, kept)))
        files = StoredFiles(self._bucket, self._cache, folders, named, lambda: self._is_out)
        return Release(files, self._memory)

    def _remember(self, release: Release) -> Release:
        with self._lock:
            self._kept[release.id] = release
            if len(self._kept) > _RELEASES:
                self._kept.popitem(last=False)
        return release
