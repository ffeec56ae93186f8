"""Packed twins: `index.md.gz` and `index.md.br` beside `index.md`, the same bytes packed once, at build time.

A twin is a file of the release like any other, with a line in files.tsv. To readers it is no page of its own:
it is what a page is sent as, to who can unpack it (RFC 9110, 8.4 and 12.5.3).
"""

import functools
from collections.abc import Container, Iterable, Mapping

from docshelf.serve.config import PACKINGS, Packing
from docshelf.serve.manifest import FileRow

_CODINGS: Mapping[Packing, str] = {"gz": "gzip", "br": "br"}
_SMALLEST_FIRST: tuple[Packing, ...] = ("br", "gz")
_ENDINGS = tuple(f".{packing}" for packing in PACKINGS)
_ANY = "*"


def twin_path(path: str, packing: Packing) -> str:
    """Where the twin of the file at `path` stands; nginx looks there, too."""
    return f"{path}.{packing}"


def is_twin(path: str, files: Container[str]) -> bool:
    """Whether `path` is the twin of one of `files`."""
    return path.endswith(_ENDINGS) and path.rpartition(".")[0] in files


def twin_paths(files: Mapping[str, FileRow]) -> frozenset[str]:
    """All twins among these files."""
    return frozenset(path for path in files if is_twin(path, files))


def has_twin(files: Container[str], path: str) -> bool:
    """Whether the file at `path` may be sent packed."""
    return any(twin_path(path, packing) in files for packing in PACKINGS)


def packed_row(files: Mapping[str, FileRow], path: str, accept_encoding: str) -> tuple[str, FileRow] | None:
    """Content coding and row of the twin that this reader likes best; None where the file is sent as it is."""
    for packing in accepted_packings(accept_encoding):
        row = files.get(twin_path(path, packing))
        if row is not None:
            return _CODINGS[packing], row
    return None


@functools.lru_cache(maxsize=32)
def accepted_packings(accept_encoding: str) -> tuple[Packing, ...]:
    """What may be sent, by the reader's weights, of equal ones the smaller twin first; nothing before plain."""
    weights = dict(map(_weighed, accept_encoding.lower().split(",")))
    plain = weights.get("identity", 0.0)

    def weight(packing: Packing) -> float:
        return weights.get(_CODINGS[packing], weights.get(_ANY, 0.0))

    accepted: Iterable[Packing] = (it for it in _SMALLEST_FIRST if weight(it) > 0 and weight(it) >= plain)
    return tuple(sorted(accepted, key=weight, reverse=True))


def _weighed(part: str) -> tuple[str, float]:
    """A coding and its weight; one that cannot be read counts as refused."""
    name, *parameters = (piece.strip() for piece in part.split(";"))
    text = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
    try:
        return name, float(text)
    except ValueError:
        return name, 0.0
