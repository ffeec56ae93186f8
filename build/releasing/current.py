"""The release that readers see while the next one is built."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from docshelf.build.releasing.digests import measure
from docshelf.serve.errors import ShelfDamaged
from docshelf.serve.manifest import DocumentMeta, FileRow
from docshelf.serve.releases.kept import current_id
from docshelf.serve.releases.tree import Release


@dataclass(frozen=True, slots=True)
class CurrentRelease:
    """The release before the one that is being built."""

    folder: Path
    release: Release
    metas: dict[str, DocumentMeta] = field(default_factory=dict)
    """Those that were read, by sha256; they are the same in other releases that hold these bytes."""

    def meta(self, path: str) -> DocumentMeta:
        """The document's meta that stands at `path`; one that was read before is not read again.

        Raises: NotOnShelf; ShelfDamaged.
        """
        sha256 = self.release.row(path).sha256
        meta = self.metas.get(sha256)
        if meta is None:
            meta = self.metas[sha256] = self.release.meta(path)
        return meta

    def same_file(self, path: str, size_bytes: int, sha256: str) -> Path | None:
        """The release's own file at `path` where it is listed and still holds just these bytes."""
        row = self.release.files.get(path)
        if row is None or (row.bytes, row.sha256) != (size_bytes, sha256):
            return None
        file = self.folder / path
        return file if _is_whole(file, row) else None


def current_release(output: Path) -> CurrentRelease | None:
    """The release that readers see, or None where there is none or its manifest is damaged or unreadable."""
    name = current_id(output)
    if name is None:
        return None
    folder = (output / "releases" / name).resolve()
    with suppress(ShelfDamaged, OSError):
        return CurrentRelease(folder, Release(folder))
    return None


def _is_whole(file: Path, row: FileRow) -> bool:
    try:
        return not file.is_symlink() and measure(file) == (row.bytes, row.sha256)
    except OSError:
        return False
