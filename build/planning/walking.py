"""A walk through the source folder: every file that may be meant, and what is passed over and why."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from docshelf.serve.errors import BuildError
from docshelf.serve.manifest import Finding, Severity

_LITTER_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
_LITTER_SUFFIXES = ("~", ".crdownload", ".part", ".partial", ".tmp", ".swp", ".download", ".bak")


@dataclass(slots=True)
class Walk:
    """One walk through the folder; notes what it will not read."""

    root: Path
    left_out: list[Path]
    """Folders that hold no sources although they lie inside."""
    findings: list[Finding] = field(default_factory=list)
    """What was passed over so far, and why."""
    folders: list[Path] = field(default_factory=list)
    """Those that were walked through so far, the root among them."""

    def files(self) -> Iterator[tuple[str, Path]]:
        """Every file that may be meant: its path with "/", and where it lies.

        Raises: BuildError where the root cannot be read.
        """
        yield from self._walk(self.root, "")

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as exc:
            if not prefix:
                raise BuildError(f"{folder}: cannot be read as the source folder: {exc.strerror}") from exc
            self._note(prefix.rstrip("/"), "error", "unreadable", f"folder cannot be read: {exc.strerror}")
            return
        self.folders.append(folder)
        for entry in entries:
            if not _is_litter(entry.name):
                yield from self._visit(entry, prefix)

    def _visit(self, entry: "os.DirEntry[str]", prefix: str) -> Iterator[tuple[str, Path]]:
        file = Path(entry.path)
        name = os.fsencode(entry.name)
        path = prefix + name.decode("utf-8", "backslashreplace")
        if not _is_utf8(name):
            self._note(path, "error", "name", "the name is no UTF-8; rename the file")
        elif entry.is_symlink():
            yield from self._follow(file, path)
        elif entry.is_dir():
            if file not in self.left_out:
                yield from self._walk(file, f"{path}/")
        elif entry.is_file():
            yield path, file
        else:
            kind = _special_kind(entry.stat(follow_symlinks=False).st_mode)
            self._note(path, "error", "special-file", f"is a {kind}, no file; remove it or hide it")

    def _follow(self, file: Path, path: str) -> Iterator[tuple[str, Path]]:
        try:
            target = file.resolve(strict=True)
        except (OSError, RuntimeError):
            self._note(path, "error", "link", "is a link that leads nowhere; remove it or mend it")
            return
        if not target.is_relative_to(self.root):
            self._note(path, "error", "link", "is a link out of the source folder; copy the file here")
        elif not target.is_file():
            self._note(path, "warning", "link", "is a link to a folder and is not followed")
        else:
            yield path, target

    def _note(self, path: str, severity: Severity, code: str, text: str) -> None:
        self.findings.append(Finding(path, 0, severity, code, text))


def refuse_wide_folder(folder: Path) -> None:
    """Raises: BuildError where `folder` is none, or too much to be a source folder."""
    resolved = folder.resolve()
    if not resolved.is_dir():
        problem = "is no folder" if resolved.exists() else "does not exist"
        raise BuildError(f"{folder}: the source folder {problem}; name a folder with documents")
    if resolved == Path("/") or resolved == _home():
        raise BuildError(f"{folder}: a whole home folder or / is no source folder; name a folder inside it")


def _home() -> Path | None:
    """The user's home folder; None for a user without one, as in containers."""
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None


def _is_litter(name: str) -> bool:
    lower = name.lower()
    return (
        name.startswith((".", "~$"))
        or lower in _LITTER_NAMES
        or lower.endswith(_LITTER_SUFFIXES)
        or (name.startswith("#") and name.endswith("#"))
    )


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _special_kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
    return kinds.get(stat.S_IFMT(mode), "special file")
