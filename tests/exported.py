"""Exports to real git repositories, and what git says of them."""

import os
import subprocess
from pathlib import Path

from docshelf.build.exporting.export import Exported, ExportOptions, export_git
from docshelf.serve.releases.tree import Site

AUTHOR = "Anna Keeper <anna@shelf.lan>"


def git(folder: Path, *arguments: str) -> str:
    """What git prints, with a user of its own and without settings of this machine."""
    who = {f"GIT_{role}_{key}": "t@t" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", **who},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def export(site: Path, folder: Path, **options: object) -> Exported:
    """Exports the current release of `site`; `options` are those of `ExportOptions`."""
    return export_git(Site(site).current(), folder, ExportOptions(**({"author": AUTHOR} | options)))  # type: ignore[arg-type]


def committed(folder: Path) -> set[str]:
    """The files of the last commit."""
    return set(git(folder, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")) - {""}
