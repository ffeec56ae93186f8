"""Programs of others that read our server: clients in Python and in node, with their own dependencies.

They cannot live in the environment of the tests (an older SDK beside the newer one, npm packages), so they
are installed once from the package indexes into `.pytest_cache/clients-HASH`, named by what they are.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
CLIENTS = Path(__file__).resolve().parent / "clients"

_INSTALL_S = 600
_SYSTEM_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
_RUN_S = 600
_DONE = "done"


class Outside:
    """Programs that are installed in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv/bin"
        """Python programs, and node."""

    def python(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """What Python with the older SDK prints. Raises: AssertionError with its errors where it fails."""
        return self.run([str(self.bin / "python"), *arguments], env)

    def node(self, *arguments: str, env: Mapping[str, str] | None = None) -> str:
        """What node prints. Raises: AssertionError with its errors where it fails."""
        return self.run([str(self.bin / "node"), *arguments], env)

    def run(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> str:
        """What `command` prints; it is run in `folder`. Raises: AssertionError where it fails."""
        done = self.attempt(command, env)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def attempt(
        self, command: Sequence[str], env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """What became of `command`."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(env),
            capture_output=True,
            text=True,
            timeout=_RUN_S,
            check=False,
        )

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Variables for these programs: none of proxies, for all they ask is on this machine."""
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), **(more or {})}

    def package(self, name: str, file: str) -> str:
        """A file of an npm package."""
        return str(self.folder / "node_modules" / name / file)


@cache
def outside() -> Outside:
    """The programs of `tests/clients`; the first call may install them for minutes."""
    named = [CLIENTS / "requirements.txt", CLIENTS / "package.json"]
    digest = hashlib.sha256(b"\0".join([*(file.read_bytes() for file in named), sys.version.encode()]))
    folder = REPOSITORY / f".pytest_cache/clients-{digest.hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / _DONE).exists():
            _install(folder)
            (folder / _DONE).touch()
        for script in CLIENTS.glob("*.mjs"):
            # node looks for packages beside the script, whatever the working folder.
            shutil.copy(script, folder)
    return Outside(folder)


def _install(folder: Path) -> None:
    python = folder / "venv/bin/python"
    _step([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], folder)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    _step([*pip, "-r", str(CLIENTS / "requirements.txt")], folder)
    shutil.copy(CLIENTS / "package.json", folder)
    npm = [
        str(folder / "venv/bin/npm"),
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--no-package-lock",
        "--fetch-retries=1",
    ]
    _step(npm, folder)
    wanted = json.loads((CLIENTS / "package.json").read_text())["dependencies"]
    for name, version in wanted.items():
        found = json.loads((folder / "node_modules" / name / "package.json").read_text())["version"]
        assert found == version, f"{name} is {found}, not {version}"


def _step(command: Sequence[str], folder: Path) -> None:
    path = f"{folder / 'venv/bin'}:{os.environ['PATH']}"
    # Node brings authorities of its own; a registry behind an inner one is known to the system only.
    trusted = {"NODE_EXTRA_CA_CERTS": _SYSTEM_AUTHORITIES} if Path(_SYSTEM_AUTHORITIES).exists() else {}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**trusted, **os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=_INSTALL_S,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
