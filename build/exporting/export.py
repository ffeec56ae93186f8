"""`docshelf export-git`: the current release as one commit of a git repository."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.exporting.message import DocumentChanges, commit_message
from docshelf.build.exporting.repository import Change, Entry, Repository, path_list
from docshelf.build.exporting.tree import (
    ATTRIBUTES,
    ATTRIBUTES_FILE,
    SETTINGS_FILE,
    ExportedTree,
    exported_tree,
)
from docshelf.serve.errors import BuildError, ShelfDamaged
from docshelf.serve.manifest import SHELF_FILE, ShelfManifest, read_shelf
from docshelf.serve.releases.checkout import is_shelf_path
from docshelf.serve.releases.tree import Release

_FILES = ("100644", "100755")
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What of a release is exported, and for whom."""

    base_url: str | None = None
    """Where raw files of the repository are read, ending in "/"; None takes that of the shelf."""
    author: str | None = None
    """Who commits, `NAME <MAIL>`; None takes who git's settings name."""
    html: bool = False
    """Pages, too, with all they need."""
    search: bool = False
    """The data of the search, too."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What came of an export."""

    commit: str
    """The last commit of the branch: a new one, or the one that held all this already."""
    written: int
    """Files that are new or changed; 0 with `removed` 0 means that nothing was committed."""
    removed: int


def export_git(release: Release, folder: Path, options: ExportOptions) -> Exported:
    """Commits `release` to the repository in `folder` where it differs from what stands there.

    Raises: BuildError where the repository cannot take it; ShelfDamaged where the release is not whole.
    """
    tree = exported_tree(release, base_url=options.base_url, html=options.html, search=options.search)
    repository = Repository(folder, options.author)
    entries = repository.entries()
    before = _last_export(repository, entries)
    _refuse_changes(repository)
    new = {path: blob_id(tree, path, repository.hash_name) for path in tree.paths}
    if ATTRIBUTES_FILE not in entries:
        tree = tree.with_file(ATTRIBUTES_FILE, ATTRIBUTES)
        new[ATTRIBUTES_FILE] = blob_id(tree, ATTRIBUTES_FILE, repository.hash_name)
    written = [path for path in sorted(new) if path not in entries or entries[path].id != new[path]]
    removed = sorted(path for path in entries if _is_ours(path) and path not in new)
    if repository.head is not None and not written and not removed:
        return Exported(repository.head, 0, 0)
    message = commit_message(release.manifest, _changes(before, release.manifest, frozenset(written)))
    commit = repository.commit(message, _contents(tree, written), removed, f"{release.id}-{os.getpid()}")
    return Exported(commit, len(written), len(removed))


def blob_id(tree: ExportedTree, path: str, hash_name: str) -> str:
    """The name that git gives to the content of a file (gitformat-pack: the hash of `blob SIZE\\0` and it).

    Raises: ShelfDamaged where the release does not hold what its manifest says.
    """
    size_bytes = tree.size_bytes(path)
    named, whole = hashlib.new(hash_name, b"blob %d\0" % size_bytes), hashlib.sha256()
    with tree.open(path) as file:
        while piece := file.read(_PIECE_BYTES):
            named.update(piece)
            whole.update(piece)
    if tree.sha256(path) not in (None, whole.hexdigest()):
        raise ShelfDamaged(f"release {tree.release.id}: {path} is not what files.tsv says; build again")
    return named.hexdigest()


def _contents(tree: ExportedTree, paths: list[str]) -> Iterator[Change]:
    return (Change(path, tree.size_bytes(path), tree.open(path)) for path in paths)


def _is_ours(path: str) -> bool:
    return path == SETTINGS_FILE or is_shelf_path(path)


def _last_export(repository: Repository, entries: Mapping[str, Entry]) -> ShelfManifest | None:
    """The shelf that was exported last; None for the first time.

    Raises: BuildError where files of somebody else stand in the places of a shelf.
    """
    ours = {path: entry for path, entry in entries.items() if _is_ours(path)}
    if not ours:
        return None
    manifest = None
    if SHELF_FILE in ours and ours[SHELF_FILE].mode in _FILES:
        try:
            manifest = read_shelf(repository.read(ours[SHELF_FILE]))
        except ShelfDamaged:
            manifest = None
    if manifest is None or manifest.release:
        raise BuildError(
            f"{repository.folder} holds files that docshelf export-git did not write: {path_list(ours)}; "
            "name an empty folder, or a repository that is for this shelf alone"
        )
    odd = [path for path, entry in ours.items() if entry.mode not in _FILES]
    if odd:
        raise BuildError(
            f"{repository.folder}: links and other repositories stand in the places of a shelf: "
            f"{path_list(odd)}; remove them with git rm, commit, and export again"
        )
    return manifest


def _refuse_changes(repository: Repository) -> None:
    changes = repository.changes()
    if changes:
        raise BuildError(
            f"{repository.folder} has changes that are not committed: {path_list(changes)}; "
            "commit, stash or remove them, and export again"
        )


def _changes(before: ShelfManifest | None, now: ShelfManifest, written: frozenset[str]) -> DocumentChanges:
    old = {entry.source for entry in before.documents} if before else set()
    new = {entry.source: entry.meta for entry in now.documents}
    changed = [meta for source, meta in new.items() if source in old and meta in written]
    return DocumentChanges(len(new.keys() - old), len(changed), len(old - new.keys()))
