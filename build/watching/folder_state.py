"""What a source folder looks like from outside: two states that are equal give the same shelf."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from docshelf.build.planning.sources import SeenFolder, see_folder
from docshelf.serve.config import CONFIG_NAME
from docshelf.serve.errors import BuildError

Mark = tuple[int | str, ...]
"""What tells one version of a file from another without reading it."""

_THEME_PARTS = ("templates", "assets")


@dataclass(frozen=True, slots=True)
class FolderState:
    """Everything that a build depends on, at one moment."""

    marks: Mapping[str, Mark]
    """By path, "theme: PATH" for those of the theme; what is passed over and named counts too."""
    files: Mapping[str, Path]
    """The files among them."""
    folders: frozenset[Path]
    """Where something may happen that changes the state."""

    def differing(self, other: "FolderState | None") -> set[str]:
        """Paths that were added, changed or removed between the two."""
        before = other.marks if other else {}
        return {
            path for path in self.marks.keys() | before.keys() if self.marks.get(path) != before.get(path)
        }


def look_at(source: Path, output: Path, edits: Callable[[str], int] = lambda path: 0) -> FolderState:
    """The state of the source folder now; where it cannot be read, why is the state.

    `edits` counts the changes of a file that its size and times do not show.
    """
    try:
        seen = see_folder(source, output)
    except BuildError as exc:
        return FolderState({"": (str(exc),)}, {}, frozenset())
    files = dict(_files(seen))
    marks: dict[str, Mark] = {finding.source: (finding.code, finding.text) for finding in seen.findings}
    marks |= {f"{folder.relative_to(seen.root)}/": ("folder",) for folder in seen.folders}
    for path, file in files.items():
        mark = _mark(file)
        if mark is not None:
            marks[path] = (*mark, edits(path))
    return FolderState(MappingProxyType(marks), MappingProxyType(files), frozenset(_folders(seen)))


def _files(seen: SeenFolder) -> Iterator[tuple[str, Path]]:
    yield from seen.files.items()
    yield CONFIG_NAME, seen.root / CONFIG_NAME
    for folder in _theme_folders(seen):
        for file in sorted(folder.iterdir()):
            if file.is_file():
                yield f"theme: {file.relative_to(seen.theme or folder)}", file


def _folders(seen: SeenFolder) -> Iterator[Path]:
    yield from seen.folders
    yield from _theme_folders(seen)


def _theme_folders(seen: SeenFolder) -> Iterator[Path]:
    if seen.theme is None or not seen.theme.is_dir():
        return
    yield seen.theme
    for part in _THEME_PARTS:
        for folder, _, _ in os.walk(seen.theme / part):
            yield Path(folder)


def _mark(file: Path) -> Mark | None:
    """Size and times: of the file's text, and of its inode, so that an older file moved over it shows too."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns
