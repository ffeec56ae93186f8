"""A shelf in a git checkout: what `docshelf export-git` wrote, without files.tsv and the name of a release.

git vouches for the content and people may edit it, so what stands there is what the shelf holds: it is walked
and hashed when it is opened, and named by that.
"""

import hashlib
import io
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    FileRow,
    ShelfManifest,
    read_shelf,
    release_id,
    with_release,
    write_files,
    write_shelf,
)
from docshelf.serve.media import media_type
from docshelf.serve.releases.folder import Folder

INDEX_OF_GIT = ".git/index"
"""git replaces this file at the end of whatever changes a checkout."""

_SHELF_PATH = re.compile(
    r"(?:index(?:-[0-9]+)*\.(?:md|html)|search\.html|llms\.txt|shelf\.json|moved\.tsv)"
    r"|(?:docs|sources|pictures|assets)/(?:[^./][^/]*/)*[^./][^/]*"
)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Checkout:
    """The files of a checkout, as those of a release."""

    def __init__(self, folder: Path, manifest: ShelfManifest) -> None:
        """Reads every file once. Raises: ShelfDamaged where the folder is gone."""
        self._folder = Folder(folder)
        listing = write_files(checkout_rows(folder))
        named = with_release(manifest, release_id(manifest, listing))
        self._made = {SHELF_FILE: write_shelf(named), FILES_FILE: listing}

    def open(self, row: FileRow) -> BinaryIO:
        """A file of the checkout, or one that its release would have. Raises: OSError."""
        return io.BytesIO(self._made[row.path]) if row.path in self._made else self._folder.open(row)

    def unlisted(self, path: str) -> bytes | None:
        """shelf.json and files.tsv; there is nothing else that files.tsv leaves out."""
        return self._made.get(path)


def open_checkout(folder: Path) -> Checkout | None:
    """The checkout in `folder`; None where its shelf.json names a release or cannot be read.

    Raises: ShelfDamaged where shelf.json is wrong.
    """
    content = Folder(folder).unlisted(SHELF_FILE)
    manifest = None if content is None else read_shelf(content)
    return None if manifest is None or manifest.release else Checkout(folder, manifest)


def is_shelf_path(path: str) -> bool:
    """Whether a file at `path` of a repository is one of the shelf; others there are no concern of it."""
    return _SHELF_PATH.fullmatch(path) is not None


def checkout_rows(folder: Path) -> Iterator[FileRow]:
    """What files.tsv would say of each file; links are no files."""
    for at, folders, names, descriptor in os.fwalk(folder):
        below = Path(at).relative_to(folder).as_posix()
        prefix = "" if below == "." else f"{below}/"
        folders[:] = sorted(name for name in folders if is_shelf_path(f"{prefix}{name}/x"))
        for name in sorted(names):
            path = f"{prefix}{name}"
            if path in (SHELF_FILE, RELEASE_SCRIPT) or not (path.isprintable() and is_shelf_path(path)):
                continue
            row = _row(path, name, descriptor)
            if row is not None:
                yield row


def _row(path: str, name: str, folder: int) -> FileRow | None:
    """None for what is no regular file, or is gone again."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return FileRow(path, file.tell(), sha256, media_type(path))
