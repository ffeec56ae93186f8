"""Where each document and category stands on the shelf, decided by the names in the source folder alone."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from docshelf.build.planning.slugs import slug, unique_slugs

ROOT = PurePosixPath(".")
"""The source folder itself."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where one document stands; all are shelf paths without "/" at either end."""

    category: str
    """Slugs of the folders above it, "" for a document of the source folder itself."""
    slug: str

    @property
    def home(self) -> str:
        """Folder of the category's index: `docs/<category>`, "" for the root of the shelf."""
        return f"docs/{self.category}" if self.category else ""

    @property
    def base(self) -> str:
        """The document's place without extension: `docs/<category>/<slug>`."""
        return "/".join(part for part in ("docs", self.category, self.slug) if part)

    @property
    def short(self) -> str:
        """The one file of a short document."""
        return f"{self.base}.md"

    @property
    def subindex(self) -> str:
        """The index of a long document."""
        return f"{self.base}/subindex.md"

    @property
    def meta(self) -> str:
        """The document's meta."""
        return f"{self.base}.meta.json"

    def source(self, suffix: str) -> str:
        """The copy of the source; `suffix` as in ".pdf"."""
        return "/".join(part for part in ("sources", self.category, f"{self.slug}{suffix}") if part)

    @property
    def pictures(self) -> str:
        """Folder of the document's pictures."""
        return "/".join(part for part in ("pictures", self.category, self.slug) if part)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of everything in a source folder."""

    documents: dict[str, Address]
    """By the source's path."""
    categories: dict[PurePosixPath, str]
    """Slugs of each folder that holds sources, below or above; "" for the source folder itself."""
    met: tuple[str, ...]
    """Paths of the sources whose plain address another one shares, sorted."""


def assign_addresses(paths: Iterable[str]) -> Addresses:
    """Addresses for the sources at `paths`, the same on every build.

    Documents and categories of a folder share one namespace. Names that meet take the folder's slug,
    then -2, in the order of their paths; all that met are named.
    """
    documents_in: dict[PurePosixPath, list[str]] = defaultdict(list)
    folders_in: dict[PurePosixPath, set[PurePosixPath]] = defaultdict(set)
    for path in sorted(paths):
        folder = PurePosixPath(path).parent
        documents_in[folder].append(path)
        while folder != ROOT:
            folders_in[folder.parent].add(folder)
            folder = folder.parent
    documents: dict[str, Address] = {}
    categories = {ROOT: ""}
    met: list[str] = []
    waiting = [ROOT]
    while waiting:
        folder = waiting.pop()
        category = categories[folder]
        subfolders = sorted(folders_in[folder])
        names = [str(subfolder) for subfolder in subfolders] + documents_in[folder]
        plain = [slug(subfolder.name, "folder") for subfolder in subfolders]
        plain += [slug(PurePosixPath(path).stem, "document") for path in documents_in[folder]]
        parent = category.rpartition("/")[2]
        final = unique_slugs([(name, parent) for name in plain])
        met += [name for name, want in zip(names, plain, strict=True) if plain.count(want) > 1]
        for subfolder, name in zip(subfolders, final[: len(subfolders)], strict=True):
            categories[subfolder] = f"{category}/{name}".strip("/")
        for path, name in zip(documents_in[folder], final[len(subfolders) :], strict=True):
            documents[path] = Address(category, name)
        waiting += subfolders
    return Addresses(documents, categories, tuple(sorted(met)))
