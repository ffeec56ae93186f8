"""Packs text files for servers that send them so: `.gz` and `.br` twins beside them, those of unchanged files kept.

The same bytes and versions give the same twin: gzip without time and name (RFC 1952), brotli at quality 5, which
packs at the speed of gzip (November 2026: 2.8 MB of pages and Markdown, gzip 33 % in 0.06 s, brotli 30 % in 0.07 s).
"""

import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from docshelf.build.caching.cache import cache_key
from docshelf.build.caching.notes import NotedFile, kept_file
from docshelf.build.caching.sealed import read_sealed, write_sealed
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content, Known, measure, read_content
from docshelf.build.releasing.release import Published
from docshelf.serve.config import Packing
from docshelf.serve.errors import MissingExtra
from docshelf.serve.media import text_endings
from docshelf.serve.releases.packed import twin_path

LEAST_BYTES = 1024
"""Smaller files fit into one packet of the network as they are."""
MOST_SHARE = 0.9
"""A twin that is larger, measured by its file, is not worth its place."""

_GZIP_LEVEL, _BROTLI_QUALITY = 9, 5
_GZIP = 16 + zlib.MAX_WBITS
"""A gzip stream of zlib itself: its header holds no time and no name."""


@dataclass(frozen=True, slots=True)
class Twin:
    """What came of packing one file in one way."""

    of_sha256: str
    """Of the file that was packed."""
    file: NotedFile
    """Its place; with a size of 0 where packing was not worth it."""


@dataclass(frozen=True, slots=True)
class PackedMemo:
    """What the last build packed, in one file."""

    file: Path

    def read(self, keys: Mapping[str, str]) -> dict[str, Twin]:
        """Twins by path, of packings whose key is still the same."""
        values = read_sealed(self.file)
        try:
            same = {packing for packing, key in values["keys"].items() if keys.get(packing) == key}
            twins = (Twin(of, NotedFile(*facts)) for of, *facts in values["twins"])
            return {it.file.path: it for it in twins if it.file.path.rpartition(".")[2] in same}
        except (AttributeError, KeyError, TypeError, ValueError):
            return {}

    def write(
        self, keys: Mapping[str, str], tried: Mapping[str, str], published: Published, release: Path
    ) -> None:
        """Keeps what was packed and published in the folder `release`; where nothing is packed, nothing.

        `tried` is what `Packer.tried` holds. Raises: OSError.
        """
        if keys:
            rows = [(of, *_facts(path, published, release)) for path, of in sorted(tried.items())]
            write_sealed(self.file, {"keys": dict(keys), "twins": rows})
        else:
            self.file.unlink(missing_ok=True)


class Packer:
    """Packs the files of one build; what the current release holds packed already is linked from there."""

    def __init__(
        self, packings: Sequence[Packing], memo: PackedMemo, current: CurrentRelease | None, folder: Path
    ) -> None:
        """New twins are written below `folder`.

        Raises: MissingExtra where brotli is wanted and not installed.
        """
        self._packings = packings
        self._memo = memo
        self._current = current
        self._folder = folder
        self._keys = _packing_keys(packings)
        self._tried: dict[str, str] = {}
        """Path of each twin that was thought of → sha256 of the file it is of."""

    def twins(self, files: Mapping[str, Content]) -> dict[str, Content]:
        """The twins of all text files among `files`, by shelf path.

        Threads pack, one for each processor: zlib and brotli let go of Python meanwhile. Raises: OSError.
        """
        if not self._packings:
            return {}
        known = self._memo.read(self._keys)
        twins: dict[str, Content] = {}
        new: list[tuple[str, Packing]] = []
        for path, sha256 in _texts(files):
            for packing in self._packings:
                place = twin_path(path, packing)
                self._tried[place] = sha256
                twin = known.get(place)
                kept = _kept(twin, sha256, self._current)
                if kept is not None:
                    twins[place] = kept
                elif twin is None or twin.of_sha256 != sha256 or twin.file.size_bytes:
                    new.append((path, packing))
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
            made = threads.map(lambda it: _write_twin(it[0], it[1], files[it[0]], self._folder), new)
            return twins | {it.path: it for it in made if it is not None}

    def remember(self, published: Published, release: Path) -> None:
        """Notes for the next build what was published in the folder `release`.

        Raises: OSError.
        """
        self._memo.write(self._keys, self._tried, published, release)


def _packing_keys(packings: Sequence[Packing]) -> dict[str, str]:
    """Packing → key of the versions and settings that decide its bytes.

    Raises: MissingExtra where brotli is wanted and not installed.
    """
    packers: dict[Packing, tuple[str, int]] = {"gz": (zlib.ZLIB_RUNTIME_VERSION, _GZIP_LEVEL)}
    if "br" in packings:
        try:
            import brotli
        except ImportError as exc:
            raise MissingExtra("build", "brotli") from exc
        packers["br"] = (brotli.version, _BROTLI_QUALITY)
    bounds = {"least": LEAST_BYTES, "most": MOST_SHARE}
    return {it: cache_key({"packer": packers[it], **bounds}) for it in packings}


def pack(content: bytes, packing: Packing) -> bytes:
    """The content, packed."""
    if packing == "gz":
        return zlib.compress(content, _GZIP_LEVEL, _GZIP)
    import brotli

    packed: bytes = brotli.compress(content, quality=_BROTLI_QUALITY)
    return packed


def _texts(files: Mapping[str, Content]) -> Iterator[tuple[str, str]]:
    """Path and sha256 of each text file that is worth a look."""
    endings = text_endings()
    for path, content in files.items():
        if path.rpartition(".")[2] in endings:
            size_bytes, sha256 = measure(content)
            if size_bytes >= LEAST_BYTES:
                yield path, sha256


def _kept(twin: Twin | None, of_sha256: str, current: CurrentRelease | None) -> Known | None:
    """The twin that the current release holds; None where there is none of this very file."""
    if twin is None or twin.of_sha256 != of_sha256 or current is None:
        return None
    return kept_file(twin.file, current)


def _write_twin(path: str, packing: Packing, content: Content, folder: Path) -> Known | None:
    """The twin, written to where it will stand below `folder`; None where it is not worth it."""
    plain = read_content(content)
    packed = pack(plain, packing)
    if len(packed) > MOST_SHARE * len(plain):
        return None
    twin = Known(folder, twin_path(path, packing), len(packed), hashlib.sha256(packed).hexdigest())
    twin.file.parent.mkdir(parents=True, exist_ok=True)
    twin.file.write_bytes(packed)
    return twin


def _facts(path: str, published: Published, release: Path) -> tuple[str, int, str, int]:
    """What `NotedFile` holds; dataclasses.astuple takes longer than the look at the disk."""
    row = published.rows.get(path)
    if row is None:
        return path, 0, "", 0
    return path, row.bytes, row.sha256, os.lstat(f"{release}/{path}").st_mtime_ns
