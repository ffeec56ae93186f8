"""`docshelf bundle`: one folder with all that a machine without a network needs."""

import platform
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from string import Template

from docshelf.build.bundling.wheels import NAME, Wheel, fetch_wheels, requirement, requirements
from docshelf.build.releasing.digests import measure
from docshelf.serve.check import check_release
from docshelf.serve.errors import BuildError, ShelfDamaged
from docshelf.serve.manifest import canonical_json
from docshelf.serve.releases.kept import CURRENT, find_release

SUMS_FILE = "SHA256SUMS"
MANIFEST_FILE = "bundle.json"
FORMAT = 1

_SCRIPTS = ("verify.sh", "install.sh")
_READMES = ("README.md", "README.ru.md")


@dataclass(frozen=True, slots=True)
class Bundle:
    """What was put on the medium."""

    wheels: int
    size_bytes: int
    release: str | None
    sums_sha256: str
    """Of SHA256SUMS: who carries the medium gives it to who installs by another way."""


def make_bundle(
    output: Path, extras: Sequence[str] = (), *, site: Path | None = None, docshelf: Path | None = None
) -> Bundle:
    """Writes the folder `output`, which is missing or empty before, and whole or missing afterwards.

    `site` puts its current release in. `docshelf` is a wheel or a checkout of DocShelf; None takes what is
    installed.

    Raises: BuildError; ShelfDamaged where the release is not whole.
    """
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise BuildError(f"{output} is there already and not empty; name another folder")
    extras = sorted(set(extras))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}.") as temporary:
            private = Path(temporary, "medium")
            private.mkdir()
            bundle = _fill(private, extras, site, docshelf)
            # A rename takes an empty folder's place.
            private.rename(output)
    except OSError as exc:
        raise BuildError(f"{exc.filename or output}: {exc.strerror}; nothing was bundled") from exc
    return bundle


def _fill(folder: Path, extras: Sequence[str], site: Path | None, docshelf: Path | None) -> Bundle:
    release = None if site is None else _pack_release(site, folder)
    wheels = fetch_wheels(requirement(extras, docshelf, distribution(NAME)), folder / "wheels")
    (folder / "requirements.txt").write_text(requirements(wheels, extras), "utf-8")
    facts = _facts(wheels, extras, release)
    (folder / MANIFEST_FILE).write_bytes(canonical_json(facts))
    words = {key: ", ".join(value) if isinstance(value, list) else value for key, value in facts.items()}
    for name in _SCRIPTS:
        (folder / name).write_bytes(Path(__file__).with_name(name).read_bytes())
        (folder / name).chmod(0o755)
    for name in _READMES:
        text = Template(Path(__file__).with_name(name).read_text("utf-8"))
        (folder / name).write_text(text.substitute({key: it or "–" for key, it in words.items()}), "utf-8")
    sums, size_bytes = _sums(folder)
    (folder / SUMS_FILE).write_text(sums, "utf-8")
    for place in (folder, folder / "wheels"):
        place.chmod(0o755)
    return Bundle(len(wheels), size_bytes, release, measure(folder / SUMS_FILE)[1])


def _facts(wheels: Sequence[Wheel], extras: Sequence[str], release: str | None) -> dict[str, object]:
    [version] = [wheel.version for wheel in wheels if wheel.name == NAME]
    return {
        "format": FORMAT,
        "version": version,
        "extras": list(extras),
        "python": "{}.{}".format(*sys.version_info[:2]),
        "machine": platform.machine(),
        "system": platform.system(),
        "packages": {wheel.name: wheel.version for wheel in wheels},
        "release": release,
    }


def _pack_release(site: Path, folder: Path) -> str:
    """Writes the current release of `site` as one archive, and gives its name."""
    release = find_release(site, CURRENT)
    tree = site / "releases" / release
    fault = next(check_release(tree), None)
    if fault is not None:
        raise ShelfDamaged(f"release {release}: {fault}; build the shelf again")
    with tarfile.open(folder / f"release-{release}.tar", "w", dereference=True) as archive:
        for file in sorted(tree.rglob("*")):
            archive.add(file, file.relative_to(tree).as_posix(), recursive=False, filter=_nobody)
    return release


def _nobody(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Hard links between releases are files here, and nobody of this machine owns them."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o755 if member.isdir() else 0o644
    return member


def _sums(folder: Path) -> tuple[str, int]:
    """Lines for `sha256sum -c`, and how many bytes the files have."""
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    lines = [f"{measure(file)[1]}  {file.relative_to(folder).as_posix()}\n" for file in found]
    return "".join(lines), sum(file.stat().st_size for file in found)
