"""A shelf on disk: its manifest is read once, then a request is a dictionary look-up.

A path is a key of the release or it does not exist. Files are opened below the release's folder one name
at a time without following links, so a tree that was tampered with does not lead out of itself.
"""

import hashlib
import os
import re
import stat
import threading
import weakref
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from docshelf.serve.addresses import Addresses
from docshelf.serve.errors import NotOnShelf, ShelfDamaged
from docshelf.serve.manifest import (
    FILES_FILE,
    MOVED_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    DocumentMeta,
    FileRow,
    read_files,
    read_meta,
    read_moved,
    read_shelf,
)
from docshelf.serve.media import media_type

SMALL_BYTES = 256 * 1024
"""Files up to this size are read whole, verified and kept; larger ones are for streaming."""

_CACHE_BYTES = 64 * 1024 * 1024
_METAS = 64
_RELEASES = 4
_RELEASE_ID = re.compile(r"[0-9a-f]{16}")
_HASH = re.compile(r"[0-9a-f]{64}")
_CURRENT = re.compile(r"releases/([0-9a-f]{16})")
_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe in the place of a file must not hold the server; regular files ignore it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_Identity = tuple[int, int, int, int]


class ByteCache:
    """The contents of small files by sha256, least recently used first out; safe between threads."""

    def __init__(self, limit_bytes: int = _CACHE_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, sha256: str) -> bytes | None:
        """The content with this hash, or None where it is not kept."""
        with self._lock:
            content = self._contents.get(sha256)
            if content is not None:
                self._contents.move_to_end(sha256)
            return content

    def put(self, sha256: str, content: bytes) -> None:
        """Keeps `content` and drops what was not used for longest."""
        with self._lock:
            if sha256 in self._contents:
                return
            self._contents[sha256] = content
            self._size_bytes += len(content)
            while self._size_bytes > self._limit_bytes:
                _, dropped = self._contents.popitem(last=False)
                self._size_bytes -= len(dropped)


class Release:
    """One immutable built tree.

    The folder is held open, so a release that was renamed or removed stays itself for whoever reads it;
    it is closed when nothing refers to the object any more.
    """

    def __init__(self, folder: Path, cache: ByteCache | None = None) -> None:
        """Opens the release in `folder`.

        Raises: ShelfDamaged where it is none, or not what its manifest says.
        """
        try:
            self._folder_fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as exc:
            raise ShelfDamaged(f"{folder} is no shelf: run docshelf build ({exc.strerror})") from exc
        weakref.finalize(self, os.close, self._folder_fd)
        self._cache = ByteCache() if cache is None else cache
        self._metas: OrderedDict[str, DocumentMeta] = OrderedDict()
        shelf, listing = self._manifest_bytes(folder, SHELF_FILE), self._manifest_bytes(folder, FILES_FILE)
        rows = read_files(listing)
        for row in rows.values():
            if not _is_plain(row):
                raise ShelfDamaged(f"{folder}: {FILES_FILE} holds {row!r}; build the shelf again")
        rows[SHELF_FILE] = _row(SHELF_FILE, shelf)
        rows[FILES_FILE] = _row(FILES_FILE, listing)
        script = self._unlisted(RELEASE_SCRIPT)
        if script is not None:
            rows[RELEASE_SCRIPT] = _row(RELEASE_SCRIPT, script)
        self.manifest = read_shelf(shelf)
        self.files: Mapping[str, FileRow] = MappingProxyType(rows)
        """Every file that may be served, shelf.json, files.tsv and the release script among them."""

    @cached_property
    def addresses(self) -> Addresses:
        """What the release's paths mean."""
        return Addresses(self.files, self.manifest.documents, self.moved)

    @cached_property
    def moved(self) -> Mapping[str, str]:
        """Markdown addresses that fell away, with where they lead.

        Raises: ShelfDamaged.
        """
        return read_moved(self.read(MOVED_FILE)) if MOVED_FILE in self.files else {}

    @property
    def id(self) -> str:
        """The release's name."""
        return self.manifest.release

    def row(self, path: str) -> FileRow:
        """What files.tsv says of `path`.

        Raises: NotOnShelf.
        """
        row = self.files.get(path)
        if row is None:
            raise NotOnShelf("Not on the shelf; take an address from an index, the root is index.md.")
        return row

    def read(self, path: str) -> bytes:
        """The whole file `path`; small ones from memory after the first time.

        Raises: NotOnShelf; ShelfDamaged where the file is not what files.tsv says.
        """
        row = self.row(path)
        content = self._cache.get(row.sha256)
        if content is None:
            with self.open(path) as file:
                content = file.read()
            if len(content) != row.bytes:
                raise _damaged(self.id, path)
            if row.bytes <= SMALL_BYTES:
                if hashlib.sha256(content).hexdigest() != row.sha256:
                    raise _damaged(self.id, path)
                self._cache.put(row.sha256, content)
        return content

    def open(self, path: str) -> BinaryIO:
        """The file `path`, open for reading; its size is the one in files.tsv.

        Raises: NotOnShelf; ShelfDamaged where the file is missing, no regular file or of another size.
        """
        row = self.row(path)
        try:
            descriptor = self._descriptor(path)
        except OSError as exc:
            raise _damaged(self.id, path) from exc
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size != row.bytes:
            os.close(descriptor)
            raise _damaged(self.id, path)
        return os.fdopen(descriptor, "rb")

    def meta(self, path: str) -> DocumentMeta:
        """The document's meta that stands at `path`.

        Raises: NotOnShelf; ShelfDamaged.
        """
        meta = self._metas.get(path)
        if meta is None:
            meta = read_meta(self.read(path), path)
            if len(self._metas) >= _METAS:
                self._metas.popitem(last=False)
            self._metas[path] = meta
        return meta

    def _descriptor(self, path: str) -> int:
        """`path` opened below the release's folder, no link followed on the way."""
        *folders, name = path.split("/")
        at, opened = self._folder_fd, []
        try:
            for folder in folders:
                at = os.open(folder, _DIRECTORY, dir_fd=at)
                opened.append(at)
            return os.open(name, _FILE, dir_fd=at)
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _unlisted(self, path: str) -> bytes | None:
        """A file that files.tsv leaves out; None where it is not there."""
        try:
            descriptor = self._descriptor(path)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None

    def _manifest_bytes(self, folder: Path, name: str) -> bytes:
        content = self._unlisted(name)
        if content is None:
            raise ShelfDamaged(f"{folder} is no shelf: it has no {name}; run docshelf build")
        return content


class Site:
    """A folder that `docshelf build` writes to, or one release by itself."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read before a release is asked for."""
        self._folder = folder
        self._cache = ByteCache()
        self._releases: OrderedDict[Path, tuple[_Identity, Release]] = OrderedDict()
        self._lock = threading.Lock()

    def current(self) -> Release:
        """The release that is current now; a new one is seen on the next call.

        Raises: ShelfDamaged where the folder holds none.
        """
        try:
            target = str((self._folder / "current").readlink())
        except OSError:
            return self._open(self._folder)
        match = _CURRENT.fullmatch(target)
        if match is None:
            raise ShelfDamaged(f"{self._folder}/current leads to {target!r}; run docshelf build")
        return self._open(self._folder / "releases" / match[1])

    def release(self, release_id: str) -> Release:
        """A release that is still kept.

        Raises: NotOnShelf; leave the release out to read the current one.
        """
        current = self.current()
        if release_id == current.id:
            return current
        if _RELEASE_ID.fullmatch(release_id):
            try:
                return self._open(self._folder / "releases" / release_id)
            except ShelfDamaged:
                pass
        raise NotOnShelf(
            f"This release is not kept (any more); leave it out to read the current one, {current.id}."
        )

    def _open(self, folder: Path) -> Release:
        """The release in `folder`, from memory while its shelf.json is the same file."""
        try:
            facts = (folder / SHELF_FILE).stat()
        except OSError as exc:
            raise ShelfDamaged(f"{folder} is no shelf: it has no {SHELF_FILE}; run docshelf build") from exc
        identity = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
        with self._lock:
            known = self._releases.get(folder)
            if known is None or known[0] != identity:
                known = (identity, Release(folder, self._cache))
                self._releases[folder] = known
            self._releases.move_to_end(folder)
            if len(self._releases) > _RELEASES:
                self._releases.popitem(last=False)
            return known[1]


def _is_plain(row: FileRow) -> bool:
    """Whether the path is made of ordinary names, and the rest may stand in a header."""
    names = all(name not in ("", ".", "..") for name in row.path.split("/")) and row.path.isprintable()
    return names and _HASH.fullmatch(row.sha256) is not None and row.type.isascii() and row.type.isprintable()


def _row(path: str, content: bytes) -> FileRow:
    return FileRow(path, len(content), hashlib.sha256(content).hexdigest(), media_type(path))


def _damaged(release_id: str, path: str) -> ShelfDamaged:
    return ShelfDamaged(f"release {release_id}: {path} is not what {FILES_FILE} says; build the shelf again")
