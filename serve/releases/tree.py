"""A shelf: its manifest is read once, then a request is a dictionary look-up.

A path is a key of the release or it does not exist.
"""

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Protocol

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
from docshelf.serve.releases.addresses import Addresses
from docshelf.serve.releases.byte_cache import ByteCache
from docshelf.serve.releases.checkout import INDEX_OF_GIT, open_checkout
from docshelf.serve.releases.folder import Folder
from docshelf.serve.releases.packed import twin_paths

SMALL_BYTES = 256 * 1024
"""Files up to this size are read whole, verified and kept; larger ones are for streaming."""

_METAS = 64
_RELEASES = 4
_RELEASE_ID = re.compile(r"[0-9a-f]{16}")
_HASH = re.compile(r"[0-9a-f]{64}")
_CURRENT = re.compile(r"releases/([0-9a-f]{16})")

_Identity = tuple[int, ...]


class Files(Protocol):
    """Where the files of a release lie: a folder, or an object storage."""

    def open(self, row: FileRow) -> BinaryIO:
        """The file of a row of files.tsv, for reading from its begin.

        Raises: OSError where it is missing, no regular file or of another size; ShelfDamaged.
        """
        ...

    def unlisted(self, path: str) -> bytes | None:
        """A file that files.tsv leaves out; None where it is not there."""
        ...


class Release:
    """One immutable built tree."""

    def __init__(self, folder: Path | Files, cache: ByteCache | None = None) -> None:
        """Opens the release in `folder`.

        Raises: ShelfDamaged where it is none, or not what its manifest says.
        """
        self._files = Folder(folder) if isinstance(folder, Path) else folder
        self._cache = ByteCache() if cache is None else cache
        self._metas: OrderedDict[str, DocumentMeta] = OrderedDict()
        shelf, listing = self._named(folder, SHELF_FILE), self._named(folder, FILES_FILE)
        rows = read_files(listing)
        for row in rows.values():
            if not _is_plain(row):
                raise ShelfDamaged(f"{folder}: {FILES_FILE} holds {row!r}; build the shelf again")
        rows[SHELF_FILE] = _row(SHELF_FILE, shelf)
        rows[FILES_FILE] = _row(FILES_FILE, listing)
        script = self._files.unlisted(RELEASE_SCRIPT)
        if script is not None:
            rows[RELEASE_SCRIPT] = _row(RELEASE_SCRIPT, script)
        self.manifest = read_shelf(shelf)
        self.files: Mapping[str, FileRow] = MappingProxyType(rows)
        """Every file that the release holds, shelf.json, files.tsv, the release script and packed twins among them."""

    @cached_property
    def addresses(self) -> Addresses:
        """What the release's paths mean."""
        return Addresses(self.files.keys() - self.twins, self.manifest.documents, self.moved)

    @cached_property
    def twins(self) -> frozenset[str]:
        """The packed twins among its files: no reader asks for one by its path."""
        return twin_paths(self.files)

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
            return self._files.open(row)
        except OSError as exc:
            raise _damaged(self.id, path) from exc

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

    def _named(self, folder: Path | Files, name: str) -> bytes:
        content = self._files.unlisted(name)
        if content is None:
            raise ShelfDamaged(f"{folder} is no shelf: it has no {name}; run docshelf build")
        return content


class Releases(Protocol):
    """Where readers find releases: a folder that is built to, or an object storage."""

    waits: bool
    """Whether reading may wait for another machine: then it is not done where all requests would wait."""

    def current(self) -> Release:
        """The release that is current now.

        Raises: ShelfDamaged.
        """
        ...

    def release(self, release_id: str) -> Release:
        """A release that is still kept.

        Raises: NotOnShelf; ShelfDamaged.
        """
        ...


class Site:
    """A folder that `docshelf build` writes to, one release by itself, or a git checkout of one."""

    waits = False

    def __init__(self, folder: Path) -> None:
        """Nothing is read before a release is asked for."""
        # Text, not paths: this is done for every request, and pathlib took 13 of its 17 µs (2026-11).
        self._folder = str(folder)
        self._current = f"{folder}/current"
        self._current_shelf = f"{folder}/current/{SHELF_FILE}"
        self._latest: tuple[_Identity, Release] | None = None
        self._cache = ByteCache()
        self._releases: OrderedDict[str, tuple[_Identity, Release]] = OrderedDict()
        self._lock = threading.Lock()

    def current(self) -> Release:
        """The release that is current now; a new one is seen on the next call.

        Raises: ShelfDamaged where the folder holds none.
        """
        latest = self._latest
        try:
            # One look at the file behind the link says whether both are what they were.
            if latest and _identity(os.stat(self._current_shelf)) == latest[0]:  # noqa: PTH116  see __init__
                return latest[1]
            target = os.readlink(self._current)  # noqa: PTH115  see __init__
        except OSError:
            return self._open(self._folder)[1]
        match = _CURRENT.fullmatch(target)
        if match is None:
            raise ShelfDamaged(f"{self._folder}/current leads to {target!r}; run docshelf build")
        self._latest = self._open(f"{self._folder}/releases/{match[1]}")
        return self._latest[1]

    def release(self, release_id: str) -> Release:
        """A release that is still kept.

        Raises: NotOnShelf; leave the release out to read the current one.
        """
        current = self.current()
        if release_id == current.id:
            return current
        if _RELEASE_ID.fullmatch(release_id):
            try:
                return self._open(f"{self._folder}/releases/{release_id}")[1]
            except ShelfDamaged:
                pass
        raise NotOnShelf(
            f"This release is not kept (any more); leave it out to read the current one, {current.id}."
        )

    def _open(self, folder: str) -> tuple[_Identity, Release]:
        """The release in `folder`, from memory while its shelf.json is the same file, and that file."""
        try:
            identity = _identity(os.stat(f"{folder}/{SHELF_FILE}"))  # noqa: PTH116  see __init__
        except OSError as exc:
            raise ShelfDamaged(f"{folder} is no shelf: it has no {SHELF_FILE}; run docshelf build") from exc
        alone = folder == self._folder
        if alone:
            identity += _git_identity(folder)
        with self._lock:
            known = self._releases.get(folder)
            if known is None or known[0] != identity:
                files = open_checkout(Path(folder)) if alone else None
                known = (identity, Release(files or Path(folder), self._cache))
                self._releases[folder] = known
            self._releases.move_to_end(folder)
            if len(self._releases) > _RELEASES:
                self._releases.popitem(last=False)
            return known


def _identity(facts: os.stat_result) -> _Identity:
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _git_identity(folder: str) -> _Identity:
    """What changes whenever git changes a checkout; () for a folder that is none."""
    try:
        return _identity(os.stat(f"{folder}/{INDEX_OF_GIT}"))  # noqa: PTH116  see Site
    except OSError:
        return ()


def _is_plain(row: FileRow) -> bool:
    """Whether the path is made of ordinary names, and the rest may stand in a header."""
    # As text, not name by name: a large shelf has 200,000 paths.
    steps = f"/{row.path}/"
    names = "//" not in steps and "/./" not in steps and "/../" not in steps and steps.isprintable()
    return names and _HASH.fullmatch(row.sha256) is not None and row.type.isascii() and row.type.isprintable()


def _row(path: str, content: bytes) -> FileRow:
    return FileRow(path, len(content), hashlib.sha256(content).hexdigest(), media_type(path))


def _damaged(release_id: str, path: str) -> ShelfDamaged:
    return ShelfDamaged(f"release {release_id}: {path} is not what {FILES_FILE} says; build the shelf again")
