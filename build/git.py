"""Which commit of the user's repository a shelf was built from."""

import subprocess
from pathlib import Path

_TIME_S = 10


def source_commit(folder: Path) -> str | None:
    """Hash of the last commit that touched `folder`, "+changes" after it where the folder is not clean.

    None outside of a git repository, without git, and before the first commit.
    """
    commit = _git(folder, "log", "-1", "--format=%H", "--", ".")
    if not commit:
        return None
    changes = _git(folder, "status", "--porcelain", "--untracked-files=all", "--", ".")
    return f"{commit}+changes" if changes else commit


def _git(folder: Path, *arguments: str) -> str | None:
    # The folder's own settings must start no program here.
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    try:
        done = subprocess.run(
            ["git", *quiet, "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=_TIME_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
