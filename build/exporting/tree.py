"""What of a release stands in a git repository: its Markdown and what that leads to, in files that change little.

Nothing in it names the release, so that two releases differ by what differs on the shelf. shelf.json says ""
for it, by which `docshelf serve` knows a checkout.
"""

import io
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import BinaryIO

from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    ShelfManifest,
    canonical_json,
    write_shelf,
)
from docshelf.serve.releases.checkout import is_shelf_path
from docshelf.serve.releases.tree import Release

SETTINGS_FILE = ".docshelf.json"
ATTRIBUTES_FILE = ".gitattributes"
ATTRIBUTES = b"# The bytes are the same on every machine.\n* -text\n"

_SEARCH_DATA = "assets/search/"
_LINE = re.compile(r"^(- \[[^\[\]\n]+\]\()([^()\s]+)(\).*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ExportedTree:
    """The files of one export."""

    release: Release
    written: Mapping[str, bytes]
    """Files that the release does not hold in this form."""
    copied: frozenset[str]
    """Files of the release that stay as they are."""

    @property
    def paths(self) -> list[str]:
        """All files, sorted."""
        return sorted(self.written.keys() | self.copied)

    def size_bytes(self, path: str) -> int:
        """Size of a file."""
        return len(self.written[path]) if path in self.written else self.release.row(path).bytes

    def sha256(self, path: str) -> str | None:
        """What the release says of a file that stays as it is."""
        return self.release.row(path).sha256 if path in self.copied else None

    def with_file(self, path: str, content: bytes) -> "ExportedTree":
        """The tree with one more file."""
        return replace(self, written=MappingProxyType({**self.written, path: content}))

    def open(self, path: str) -> BinaryIO:
        """A file, open for reading. Raises: ShelfDamaged where the release does not hold it."""
        if path in self.written:
            return io.BytesIO(self.written[path])
        return self.release.open(path)


def exported_tree(
    release: Release, *, base_url: str | None = None, html: bool = False, search: bool = False
) -> ExportedTree:
    """The files of `release` for a repository whose raw files are read below `base_url`.

    None takes the `base_url` of the shelf, if any. `html` adds pages with all they need, `search` the data
    that `docshelf serve` answers searches from.

    Raises: ShelfDamaged.
    """
    manifest = replace(release.manifest, release="", source_commit=None)
    # git packs by itself.
    plain = release.files.keys() - release.twins
    copied = {path for path in plain if _is_exported(path, html=html, search=search)}
    written: dict[str, bytes] = {}
    if base_url is not None and base_url != manifest.base_url:
        manifest = replace(manifest, base_url=base_url)
        for path in copied:
            index = f"{path.removesuffix('llms.txt')}index.md"
            if posixpath.basename(path) == "llms.txt" and index in release.files:
                written[path] = _absolute(release.read(index).decode(), path, base_url).encode()
    written |= {SHELF_FILE: write_shelf(manifest), SETTINGS_FILE: _settings(manifest)}
    return ExportedTree(release, MappingProxyType(written), frozenset(copied - written.keys()))


def _is_exported(path: str, *, html: bool, search: bool) -> bool:
    if path in (FILES_FILE, SHELF_FILE) or not is_shelf_path(path):
        return False
    if html:
        return True
    if path.startswith("assets/"):
        return search and path.startswith(_SEARCH_DATA) and path != RELEASE_SCRIPT
    return not path.endswith(".html")


def _absolute(index: str, path: str, base_url: str) -> str:
    """An index whose links begin with `base_url`, as its llms.txt has them."""
    folder = posixpath.dirname(path)

    def whole(line: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, line[2]))
        return f"{line[1]}{base_url}{target}{line[3]}"

    return _LINE.sub(whole, index)


def _settings(manifest: ShelfManifest) -> bytes:
    """What names the shelf to programs that look for settings at the root of a repository."""
    settings: dict[str, str] = {"name": manifest.name}
    if manifest.description:
        settings["description"] = manifest.description
    if manifest.base_url is not None:
        settings["base_url"] = manifest.base_url
    settings["default_language"] = manifest.language
    return canonical_json(settings)
