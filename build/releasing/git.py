"""How git is called, and which commit of the user's repository a shelf was built from."""

import subprocess
from pathlib import Path

_TIME_S = 10

# What git tells the programs it starts, such as a hook, of the repository they stand in: `git rev-parse
# --local-env-vars`. Here another repository is meant.
_LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)


def git_command(folder: Path, *arguments: str, variables: tuple[str, ...] = ()) -> list[str]:
    """A git command on `folder`; `variables` are `NAME=VALUE` for it alone.

    It starts no program that the settings of the folder name (hooks, a monitor of files), and hears nothing
    of the repository that DocShelf itself was started from.
    """
    forgotten = [part for name in _LOCAL_VARIABLES for part in ("-u", name)]
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]
    return ["env", *forgotten, "LC_ALL=C", *variables, "git", *quiet, "-C", str(folder), *arguments]


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
    try:
        done = subprocess.run(
            git_command(folder, *arguments), capture_output=True, text=True, timeout=_TIME_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
