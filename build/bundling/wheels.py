"""Wheels of DocShelf and all it needs, for the Python and the machine that run now."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from docshelf.build.releasing.digests import measure
from docshelf.serve.errors import BuildError

NAME = "docshelf"


@dataclass(frozen=True, slots=True)
class Wheel:
    """One package as a file."""

    file: Path
    name: str
    version: str
    extras: frozenset[str]
    """What it offers to be installed with."""
    sha256: str


def requirement(extras: Sequence[str], place: Path | None, installed: Distribution) -> str:
    """What pip has to be asked for to get this DocShelf with `extras`.

    `place` is a wheel or a checkout of DocShelf; None is where the installed one came from: a folder or file
    that is still there, a repository, or a package index.

    Raises: BuildError where that is gone.
    """
    with_extras = f"{NAME}[{','.join(extras)}]" if extras else NAME
    if place is not None:
        if not place.exists():
            raise BuildError(f"{place}: no such file or folder; name a wheel or a checkout of DocShelf")
        return f"{with_extras} @ {place.resolve().as_uri()}"
    origin = installed.read_text("direct_url.json")
    if origin is None:
        return f"{with_extras}=={installed.version}"
    return f"{with_extras} @ {_address(json.loads(origin))}"


def fetch_wheels(wanted: str, folder: Path) -> list[Wheel]:
    """Puts the wheels for the requirement `wanted` into `folder`: built or fetched by pip, with its settings.

    Raises: BuildError with the command where pip fails; its words are on stderr.
    """
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    command += ["wheel", "--quiet", "--wheel-dir", str(folder), wanted]
    # stdout is for the answer of the command alone.
    done = subprocess.run(command, stdout=sys.stderr, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise BuildError(
            f"pip gave no wheels for {wanted!r}; it says why above. It must be in this environment "
            "(python -m ensurepip) and reach a package index; --docshelf names a wheel or a checkout"
        )
    return [read_wheel(file) for file in sorted(folder.glob("*.whl"))]


def read_wheel(file: Path) -> Wheel:
    """What a wheel says of itself. Raises: BuildError where it is none."""
    try:
        with zipfile.ZipFile(file) as archive:
            [name] = [it for it in archive.namelist() if _is_metadata(it)]
            facts: Message = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    except (OSError, ValueError, zipfile.BadZipFile) as exc:
        raise BuildError(f"{file}: no wheel ({exc})") from exc
    extras = frozenset(str(it) for it in facts.get_all("Provides-Extra", ()))
    return Wheel(file, str(facts["Name"]), str(facts["Version"]), extras, measure(file)[1])


def requirements(wheels: Sequence[Wheel], extras: Sequence[str]) -> str:
    """Lines for `pip install --require-hashes`: these wheels, and no others.

    Raises: BuildError where DocShelf is not among them, or lacks an extra.
    """
    lines = []
    own = [wheel for wheel in wheels if wheel.name.lower() == NAME]
    if not own:
        raise BuildError(f"pip brought no wheel of {NAME}; --docshelf names a wheel or a checkout of it")
    unknown = sorted(set(extras) - own[0].extras)
    if unknown:
        raise BuildError(
            f"--extra {', '.join(unknown)}: {own[0].file.name} has only {', '.join(sorted(own[0].extras))}"
        )
    for wheel in wheels:
        chosen = f"[{','.join(extras)}]" if wheel in own and extras else ""
        lines.append(f"{wheel.name}{chosen}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
    return "".join(lines)


def _address(origin: dict[str, Any]) -> str:
    """Where a distribution came from (PEP 610)."""
    url = str(origin["url"])
    if "vcs_info" in origin:
        return f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    parts = urlsplit(url)
    if parts.scheme == "file" and not Path(unquote(parts.path)).exists():
        raise BuildError(
            f"DocShelf was installed from {unquote(parts.path)}, which is gone; "
            "--docshelf names a wheel or a checkout of it"
        )
    return url


def _is_metadata(name: str) -> bool:
    folder, _, rest = name.partition("/")
    return folder.endswith(".dist-info") and rest == "METADATA"
