"""Publishes a release to an object storage, where nothing can be switched in one step.

Readers meet no dead link and no torn object, wherever a publish is killed: an object is put whole or not at
all, what is linked is there before what links, and what fell away stays for an hour. They may meet sections
of two releases while a publish runs; `r/RELEASE/`, where it is asked for, never mixes.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from docshelf.serve.errors import ShelfDamaged, StorageError
from docshelf.serve.manifest import FILES_FILE, SHELF_FILE, read_files
from docshelf.serve.releases.tree import Release
from docshelf.serve.storage.bucket import Bucket, Headers, StoredObject
from docshelf.serve.storage.keeping import copy_release, delete_release, is_release_folder, stored_releases
from docshelf.serve.storage.lease import Lease, publish_lock
from docshelf.serve.storage.plan import (
    LAST,
    RESERVED,
    Comparison,
    Fallen,
    compare,
    fallen,
    release_folder,
    upload_waves,
)
from docshelf.serve.storage.state import STATE_FILE, Known, State, read_state, write_state
from docshelf.serve.storage.uploading import adopted, at_once, upload_file

_STATE_HEADERS = Headers("application/gzip", "no-store")


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be published, and how."""

    release: Release
    kept: frozenset[str] | None = None
    """Names of the releases that stay below `r/`, this one among them; None leaves `r/` alone."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a publish would do now."""

    release: str
    comparison: Comparison
    waves: tuple[tuple[str, ...], ...]
    fallen: Fallen
    adds_release: bool
    """Whether `r/RELEASE/` is made."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a publish did."""

    release: str
    uploaded: tuple[str, ...]
    """Paths, sorted."""
    uploaded_bytes: int
    same: int
    """Objects that were there already."""
    deleted: tuple[str, ...]
    waiting: int
    """Objects that fell away and are deleted by a later publish."""
    copied: int
    """Objects below `r/RELEASE/` that are new."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands in the bucket."""

    listing: Mapping[str, StoredObject]
    state: State


def plan_publish(bucket: Bucket, order: Order, clock: Callable[[], float] = time.time) -> Plan:
    """What `publish` would do; nothing is changed, and no lock is taken.

    Raises: StorageError, also where the place holds what no publish put there.
    """
    found = _look(bucket)
    comparison = compare(order.release.files, found.listing, found.state)
    adds_release = order.kept is not None and order.release.id not in stored_releases(bucket)
    return Plan(
        order.release.id,
        comparison,
        tuple(upload_waves(comparison.new, comparison.changed | comparison.doubtful)),
        fallen(found.state, order.release.files.keys(), _dropped(bucket, order), clock()),
        adds_release,
    )


def publish(bucket: Bucket, order: Order, clock: Callable[[], float] = time.time) -> Outcome:
    """Makes the release the one that readers of the bucket see.

    Raises: StorageError where the storage refuses, another publish holds the lock, or the place holds what
        no publish put there; ShelfDamaged where the release is not whole. Run again, it goes on from there.
    """
    if bucket.get(STATE_FILE) is None:
        _look(bucket)  # before anything is put there
    with publish_lock(bucket, clock) as lease:
        return _Publish(bucket, order, lease, clock).run()


class _Publish:
    """One publish under the lock."""

    def __init__(self, bucket: Bucket, order: Order, lease: Lease, clock: Callable[[], float]) -> None:
        self._bucket = bucket
        self._order = order
        self._release = order.release
        self._lease = lease
        self._clock = clock
        self._found = _look(bucket)
        self._known: dict[str, Known] = {}
        """What is sure to be there, by path of the release."""
        self._uploaded: list[str] = []

    def run(self) -> Outcome:
        """Everything, in order."""
        files, state, listing = self._release.files, self._found.state, self._found.listing
        comparison = compare(files, listing, state)
        self._known = {path: state.objects[path] for path in comparison.same}
        etags = {path: listing[path].etag for path in comparison.doubtful}
        self._known |= adopted(self._bucket, self._release, etags, self._lease.check)
        changed = (comparison.changed | comparison.doubtful) - self._known.keys()
        if comparison.new or changed:
            self._save(
                State({path: Known() for path in comparison.new | changed} | dict(state.objects), state.gone)
            )
        for wave in upload_waves(comparison.new, changed):
            self._upload(wave)
        self._verify()
        copied = self._keep_release()
        for path in LAST:
            if path in files and path not in self._known:
                self._upload((path,))
        left = self._forget()
        return Outcome(
            self._release.id,
            tuple(sorted(self._uploaded)),
            sum(files[path].bytes for path in self._uploaded),
            len(files) - len(self._uploaded),
            left.due,
            len(left.waiting),
            copied,
        )

    def _upload(self, paths: Collection[str]) -> None:
        self._known |= at_once(
            paths, lambda path: upload_file(self._bucket, self._release, path), self._lease.check
        )
        self._uploaded += paths

    def _verify(self) -> None:
        """Holds the bucket against what was put and what was taken to be there.

        Raises: StorageError.
        """
        if not self._uploaded:
            return
        listing = self._bucket.listing(*RESERVED)
        wrong = [
            path
            for path, known in self._known.items()
            if path not in listing or listing[path].etag != known.etag
        ]
        if wrong:
            raise StorageError(
                f"{self._bucket.location}: somebody else changed {len(wrong)} objects meanwhile, such as "
                f"{min(wrong)}; publish again"
            )

    def _keep_release(self) -> int:
        if self._order.kept is None:
            return 0
        return copy_release(self._bucket, self._release, self._known, self._lease.check)

    def _forget(self) -> Fallen:
        """Deletes what fell away an hour ago, and notes what is there now."""
        state, dropped = self._found.state, _dropped(self._bucket, self._order)
        left = fallen(state, self._release.files.keys(), dropped, self._clock())
        self._lease.check()
        self._bucket.delete([path for path in left.due if path in state.objects])
        for folder in set(dropped).intersection(left.due):
            delete_release(self._bucket, folder)
        waiting = {path: it for path, it in state.objects.items() if path in left.waiting}
        # Where r/ is left alone, its releases wait on.
        alone = {it: since_s for it, since_s in state.gone.items() if is_release_folder(it)}
        gone = left.waiting if self._order.kept is not None else alone | dict(left.waiting)
        after = State(waiting | self._known, gone)
        if after != state:
            self._save(after)
        return left

    def _save(self, state: State) -> None:
        self._bucket.put(STATE_FILE, write_state(state), _STATE_HEADERS)


def _look(bucket: Bucket) -> _Found:
    """Raises: StorageError where objects stand there that no publish put."""
    listing = bucket.listing(*RESERVED)
    stored = bucket.get(STATE_FILE)
    if stored is not None:
        return _Found(listing, read_state(stored[0], f"{bucket.location}/{STATE_FILE}"))
    if not listing:
        return _Found(listing, State())
    copied = bucket.get(FILES_FILE) if SHELF_FILE in listing else None
    if copied is None:
        raise StorageError(
            f"{bucket.location}: holds objects that no publish put there, such as {min(listing)}; "
            "name an empty prefix, or delete them"
        )
    try:
        paths = {*read_files(copied[0]), *LAST} & listing.keys()
    except ShelfDamaged as exc:
        raise StorageError(f"{bucket.location}: {exc}; or delete what is there") from exc
    return _Found(listing, State({path: Known() for path in paths}))


def _dropped(bucket: Bucket, order: Order) -> list[str]:
    """The folders of releases below `r/` that are kept no longer; none where `r/` is left alone."""
    if order.kept is None:
        return []
    others = stored_releases(bucket) - order.kept - {order.release.id}
    return [folder for folder in map(release_folder, sorted(others)) if bucket.holds(folder)]
