"""What a publish has to do: which objects go up, in which order, and which have fallen away.

Pure: it is made from the release, a listing of the bucket and the state. The order is what keeps every link
whole while objects change one by one. Objects at new addresses go first, for nothing leads to them yet;
then those that replace others, so that a link that comes with them finds its end. In both, what is linked
goes before what links: assets and sources, sections, subindexes, indexes, the root.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from docshelf.serve.manifest import FILES_FILE, RELEASE_SCRIPT, SHELF_FILE, FileRow
from docshelf.serve.search.shards import CATALOG, SEARCH_FOLDER, shard_path
from docshelf.serve.storage.bucket import Headers, StoredObject
from docshelf.serve.storage.state import OWN_FOLDER, State

GRACE_S = 3600
"""How long what fell away stays: readers who hold an older index go on."""
RELEASES_FOLDER = "r"
RESERVED = (OWN_FOLDER, RELEASES_FOLDER)
"""Folders of the first level that are no part of the shelf's tree."""
LAST = (FILES_FILE, RELEASE_SCRIPT, SHELF_FILE)
"""What names the release, in the order in which it is put."""

CHECK_FIRST = "no-cache"
_FOR_EVER = "public, max-age=31536000, immutable"
_SHARD = re.compile(rf"{SEARCH_FOLDER}/[a-z]+-[0-9a-f]{{8}}\.js")
_SUBINDEX = re.compile(r"(?:.*/)?subindex(?:-[0-9]+)*\.(?:md|html)")
_INDEX = re.compile(r"(?:.*/)?(?:index(?:-[0-9]+)*\.(?:md|html)|llms\.txt)")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What of a release stands in a bucket already."""

    same: frozenset[str]
    """Paths whose object is known to hold the file."""
    doubtful: frozenset[str]
    """Paths with an object of the right size that no finished publish put: its hash has to be looked at."""
    new: frozenset[str]
    """Paths without an object."""
    changed: frozenset[str]
    """Paths whose object holds something else."""


@dataclass(frozen=True, slots=True)
class Fallen:
    """What no longer belongs to the shelf."""

    waiting: Mapping[str, float]
    """By path, since when in seconds since 1970."""
    due: tuple[str, ...]
    """Those whose grace is over."""


def file_headers(row: FileRow) -> Headers:
    """What a file's object is served with.

    Only search data carries a hash of its content in its name; all else may change at its address.
    """
    return Headers(row.type, _FOR_EVER if _SHARD.fullmatch(row.path) else CHECK_FIRST)


def compare(files: Mapping[str, FileRow], listing: Mapping[str, StoredObject], state: State) -> Comparison:
    """How the files of a release stand to what a bucket holds."""
    kinds: dict[str, set[str]] = {"same": set(), "doubtful": set(), "new": set(), "changed": set()}
    for path, row in files.items():
        kinds[_kind(row, listing.get(path), state)].add(path)
    return Comparison(**{kind: frozenset(paths) for kind, paths in kinds.items()})


def upload_waves(new: Collection[str], changed: Collection[str]) -> list[tuple[str, ...]]:
    """The paths to put, in groups; a group begins when the one before is there. `LAST` is left out."""
    waves: list[tuple[str, ...]] = []
    for paths in (new, changed):
        ordered = sorted((path for path in paths if path not in LAST), key=lambda path: (_rank(path), path))
        waves += [tuple(group) for _, group in groupby(ordered, key=_rank)]
    return waves


def fallen(state: State, files: Collection[str], dropped: Iterable[str], now_s: float) -> Fallen:
    """What a publisher put that is no part of the shelf any more.

    `dropped` are kept releases that are not kept any longer, as `r/RELEASE`.
    """
    paths = [path for path in state.objects if path not in files] + list(dropped)
    since = {path: state.gone.get(path, now_s) for path in sorted(paths)}
    waiting = {path: begin_s for path, begin_s in since.items() if now_s - begin_s < GRACE_S}
    return Fallen(waiting, tuple(path for path in since if path not in waiting))


def release_folder(release: str) -> str:
    """Where a kept release stands."""
    return f"{RELEASES_FOLDER}/{release}"


def _kind(row: FileRow, there: StoredObject | None, state: State) -> str:
    if there is None:
        return "new"
    if there.size_bytes != row.bytes:
        return "changed"
    known = state.objects.get(row.path)
    if known is None or not known.etag or known.etag != there.etag:
        return "doubtful"
    headers = file_headers(row)
    same = (known.sha256, known.type, known.cache) == (row.sha256, headers.type, headers.cache)
    return "same" if same else "changed"


def _rank(path: str) -> int:
    """How far up the way from the root to a section; what is linked ranks below what links."""
    if path == shard_path(CATALOG):
        return 4
    if not path.startswith("docs/"):
        return 0 if "/" in path else 4
    if _SUBINDEX.fullmatch(path):
        return 2
    return 3 if _INDEX.fullmatch(path) else 1
