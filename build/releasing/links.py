"""Hard links by the thousand: what a new release shares with the one before."""

import os
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folders(root: Path, paths: Iterable[str]) -> None:
    """Makes the folders that files at these `paths` below `root`, which is there, stand in.

    Raises: OSError.
    """
    made = {""}

    def make(folder: str) -> None:
        if folder not in made:
            make(_folder(folder))
            made.add(folder)
            (root / folder).mkdir()

    for folder, _ in groupby(paths, key=_folder):
        make(folder)


def link_files(source: Path, target: Path, paths: Iterable[str]) -> set[str]:
    """Links each of `paths` below `source` to the same place below `target`; gives those that were linked.

    The folders must be there. What cannot be linked is left to the caller, who has the bytes: a file system
    without hard links, a file that has as many as it may.
    """
    linked: set[str] = set()
    for folder, inside in groupby(paths, key=_folder):
        linked.update(_link_folder(f"{source}/{folder}", f"{target}/{folder}", list(inside)))
    return linked


def _link_folder(source: str, target: str, paths: list[str]) -> list[str]:
    """The kernel walks the way to a folder once, not once a file (40,000 links: 0.9 s instead of 1.2)."""
    linked: list[str] = []
    try:
        old = os.open(source, _DIRECTORY)
    except OSError:
        return linked
    try:
        new = os.open(target, _DIRECTORY)
        try:
            for path in paths:
                name = path.rpartition("/")[2]
                try:
                    os.link(name, name, src_dir_fd=old, dst_dir_fd=new, follow_symlinks=False)
                except OSError:
                    continue
                linked.append(path)
        finally:
            os.close(new)
    finally:
        os.close(old)
    return linked


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
