"""Writes the tree of a release: what did not change is linked, all else written, verified and synced."""

import errno
import os
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content, Known, measure
from docshelf.build.releasing.disk import fsync_file, sync_file_system, write_file
from docshelf.build.releasing.links import link_files, make_folders
from docshelf.serve.manifest import (
    FILES_FILE,
    RELEASE_SCRIPT,
    SHELF_FILE,
    FileRow,
    ShelfManifest,
    write_shelf,
)


@dataclass(frozen=True, slots=True)
class Tree:
    """A release while it is written."""

    folder: Path
    previous: CurrentRelease | None
    staying: frozenset[str]
    """Paths where the release before holds the same bytes."""
    kept: Collection[Path]
    """The folders of all releases that readers may know."""
    written: list[str] = field(default_factory=list)
    """Paths of the files that are new."""

    def write(self, files: Mapping[str, Content], rows: list[FileRow]) -> None:
        """Links what stays to the release before, and writes the rest."""
        make_folders(self.folder, [row.path for row in rows] + [RELEASE_SCRIPT])
        linked = self._link([row.path for row in rows if row.path in self.staying])
        for row in rows:
            if row.path not in linked:
                self._write(row, files[row.path])
                self.written.append(row.path)

    def write_manifest(self, named: ShelfManifest, listing: bytes) -> None:
        """Writes the three files that files.tsv leaves out."""
        script = f'window.docshelfRelease = "{named.release}";\n'.encode()
        for path, content in (
            (FILES_FILE, listing),
            (SHELF_FILE, write_shelf(named)),
            (RELEASE_SCRIPT, script),
        ):
            write_file(self.folder / path, content, time_ns=self._time_ns(path))
            self.written.append(path)

    def flush(self) -> None:
        """Waits until the whole tree is on the disk.

        The files are synced with all else, in one go: to wait for each writes the journal as often, with
        thousands of links in it (26 files: 14 ms instead of 4). To ask for each afterwards costs 0.04 ms and
        names the file that the disk refused; before Linux 5.8 nothing else would tell of it.
        """
        sync_file_system(self.folder)
        for path in self.written:
            fsync_file(self.folder / path)

    def _link(self, paths: list[str]) -> set[str]:
        """Links these files of the release before, in order of their folders; gives those that were linked."""
        return link_files(self.previous.folder, self.folder, paths) if self.previous is not None else set()

    def _write(self, row: FileRow, content: Content) -> None:
        """Writes one file; a copy that the build made for itself is linked instead."""
        target, time_ns = self.folder / row.path, self._time_ns(row.path)
        if self._link_known(target, content):
            if time_ns is not None:
                os.utime(target, ns=(time_ns, time_ns))
            return
        write_file(target, content.file if isinstance(content, Known) else content, time_ns=time_ns)
        if measure(target) != (row.bytes, row.sha256):
            raise OSError(errno.EIO, "what was written is not what the disk holds", str(target))

    def _link_known(self, target: Path, content: Content) -> bool:
        """Whether a known file was linked to `target`; never one of a release, whose time may not change."""
        if not isinstance(content, Known) or (self.previous and content.folder == self.previous.folder):
            return False
        try:
            os.link(content.file, target)
        except OSError:
            return False
        return True

    def _time_ns(self, path: str) -> int | None:
        """The time that the file has to have, since 1970; None where any will do.

        Servers that compare size and time would answer 304 for a quick rebuild (measured: 37 of 40). So a
        changed file is later, by whole seconds, than all that kept releases hold at its path: readers know
        them too. What stays, where it could not be linked, keeps its time.
        """
        if self.previous is not None and path in self.staying:
            return (self.previous.folder / path).stat().st_mtime_ns
        times = []
        for folder in self.kept:
            with suppress(OSError):
                # Text: asked of each file in each kept release, and pathlib takes as long as the kernel.
                times.append(int(os.stat(f"{folder}/{path}").st_mtime))  # noqa: PTH116
        return max(int(time.time()), max(times) + 1) * 10**9 if times else None
