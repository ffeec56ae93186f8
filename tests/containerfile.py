"""Runs the steps of a Containerfile where no engine is there to build images: each stage in a chroot.

The base image is this machine, as Debian 12, under an overlay, so what a step writes is thrown away at the end.
It needs root. `python tests/containerfile.py FILE [--mount FROM:TO[:ro]]…` runs every stage from the
repository, then the image as an engine would: as its user, the root read-only, here with the network off. An
image with a health check is waited for until it is healthy and asked by `docshelf smoke`; another one is run to
its end.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from closed_network import turn_network_off

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass
class Stage:
    """One FROM with what follows it."""

    name: str
    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    """Instruction and the rest of its line, in order."""

    def last(self, instruction: str) -> str:
        """The last of its kind; "" where there is none."""
        return next((rest for name, rest in reversed(self.steps) if name == instruction), "")

    @property
    def variables(self) -> dict[str, str]:
        """What its ENV instructions set."""
        return {key: value for name, rest in self.steps if name == "ENV" for key, value in _assigned(rest)}

    @property
    def packages(self) -> list[str]:
        """What its steps install with pip, as written."""
        return [
            word
            for name, rest in self.steps
            if name == "RUN"
            for command in rest.split("&&")
            if "pip install" in command
            for word in shlex.split(command)[2:]
            if not word.startswith("-")
        ]


def _assigned(rest: str) -> list[tuple[str, str]]:
    return [(key, value) for key, _, value in (word.partition("=") for word in shlex.split(rest))]


def read_containerfile(text: str) -> list[Stage]:
    """The stages of a Containerfile, the last is the image."""
    stages: list[Stage] = []
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in filter(None, (it.strip() for it in re.sub(r"\\\n\s*", "", lines).splitlines())):
        instruction, _, rest = line.partition(" ")
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(name, base))
        else:
            stages[-1].steps.append((instruction, rest.strip()))
    return stages


class Chroots:
    """The stages that were run, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """`folder` becomes a file system in memory. It needs a mount namespace of its own."""
        subprocess.run(["mount", "-t", "tmpfs", "stages", str(folder)], check=True)
        self._folder = folder
        self._roots: dict[str, Path] = {}

    def run(self, stage: Stage) -> Path:
        """Every step of a stage; gives its root."""
        root = self._begin(stage)
        at, variables = "/", dict[str, str]()
        for instruction, rest in stage.steps:
            sys.stderr.write(f"{instruction} {rest[:150]}\n")
            if instruction == "RUN":
                self._in(root, ["/bin/sh", "-ec", rest], at, variables, user="0:0")
            elif instruction == "COPY":
                self._copy(root, rest)
            elif instruction == "ENV":
                variables |= _assigned(rest)
            elif instruction == "WORKDIR":
                at = rest
                (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        return root

    def close(self, root: Path, mounts: Sequence[str]) -> None:
        """Makes a root read-only but for /tmp and what is mounted, `FROM:TO` or `FROM:TO:ro`."""
        subprocess.run(["mount", "-t", "tmpfs", "tmp", str(root / "tmp")], check=True)
        places = [[*mount.split(":"), "rw"][:3] for mount in mounts]
        for _, to, _ in places:
            (root / to.lstrip("/")).mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(root)], check=True)
        for start, to, mode in places:
            place = str(root / to.lstrip("/"))
            subprocess.run(["mount", "--bind", start, place], check=True)
            subprocess.run(["mount", "-o", f"remount,bind,{mode}", place], check=True)

    def command(self, stage: Stage, root: Path, command: Sequence[str]) -> list[str]:
        """A command in a stage that was run, as its user, with its variables alone."""
        variables = [f"{key}={value}" for key, value in stage.variables.items()]
        at = stage.last("WORKDIR") or "/"
        inside = ["/usr/bin/env", "-i", f"--chdir={at}", *variables, *command]
        return [_chroot(), f"--userspec={stage.last('USER')}", str(root), *inside]

    def _begin(self, stage: Stage) -> Path:
        place = self._folder / (stage.name or "image")
        for name in ("upper", "work", "root"):
            (place / name).mkdir(parents=True)
        options = f"lowerdir=/,upperdir={place}/upper,workdir={place}/work"
        root = place / "root"
        subprocess.run(["mount", "-t", "overlay", "stage", "-o", options, str(root)], check=True)
        for name in ("dev", "proc"):
            subprocess.run(["mount", "--rbind", f"/{name}", str(root / name)], check=True)
        # Of this machine, not of the image: what is installed for its developers.
        for name in ("opt/docshelf", "src"):
            shutil.rmtree(root / name, ignore_errors=True)
        self._roots[stage.name] = root
        return root

    def _copy(self, root: Path, rest: str) -> None:
        words = shlex.split(rest)
        base = REPOSITORY
        if words[0].startswith("--from="):
            base = self._roots[words.pop(0).removeprefix("--from=")]
        *sources, target = words
        for source in sources:
            found = base / source.lstrip("/")
            to = root / target.lstrip("/")
            if target.endswith("/"):
                to.mkdir(parents=True, exist_ok=True)
                to = to / found.name
            to.parent.mkdir(parents=True, exist_ok=True)
            if found.is_dir():
                shutil.copytree(found, to, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy2(found, to)

    def _in(self, root: Path, command: Sequence[str], at: str, variables: dict[str, str], user: str) -> None:
        proxies = {
            key: value for key, value in os.environ.items() if key.startswith(("PIP_", "http", "HTTP"))
        }
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive"}
        inside = [_chroot(), f"--userspec={user}", str(root), "/usr/bin/env", f"--chdir={at}", *command]
        subprocess.run(inside, env=env | proxies | variables, check=True)


def _chroot() -> str:
    program = shutil.which("chroot", path="/usr/sbin:/usr/bin")
    assert program is not None
    return program


def refuse_packages(root: Path, without: Sequence[str]) -> None:
    """Names the Python packages of an image and ends the program where one of `without` is among them."""
    found = {
        it.name.partition("-")[0].lower() for it in root.glob("opt/docshelf/lib/*/site-packages/*.dist-info")
    }
    sys.stderr.write(f"packages: {', '.join(sorted(found))}\n")
    if not found or found.intersection(without):
        sys.exit(f"the image must hold packages, but none of {', '.join(without)}")


def run_image(chroots: Chroots, stage: Stage, root: Path) -> None:
    """Runs the image; with a health check until that was well and smoke found nothing."""
    entry = json.loads(stage.last("ENTRYPOINT") or "[]")
    check = stage.last("HEALTHCHECK").partition(" CMD ")[2]
    if not check:
        done = subprocess.run(
            chroots.command(stage, root, [*entry, *json.loads(stage.last("CMD"))]), check=False
        )
        sys.exit(done.returncode)
    with subprocess.Popen(chroots.command(stage, root, [*entry, "--allow-anonymous"])) as server:
        try:
            for _ in range(100):
                healthy = subprocess.run(
                    chroots.command(stage, root, json.loads(check)), stderr=subprocess.DEVNULL, check=False
                )
                if not healthy.returncode:
                    break
                time.sleep(0.2)
            else:
                sys.exit("the image was not healthy after 20 s")
            subprocess.run(chroots.command(stage, root, ["docshelf", "smoke"]), check=True)
        finally:
            server.terminate()


def main(arguments: Sequence[str]) -> None:
    """Runs the file that `arguments` name, in namespaces of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--mount", action="append", default=[])
    parser.add_argument("--without", action="append", default=[], help="a package that must not be there")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if not given.inside:
        again = [sys.executable, __file__, *arguments, "--inside"]
        sys.exit(subprocess.run(["unshare", "--mount", *again], check=False).returncode)
    stages = read_containerfile(given.file.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        chroots = Chroots(Path(folder))
        try:
            roots = [chroots.run(stage) for stage in stages]
            refuse_packages(roots[-1], given.without)
            chroots.close(roots[-1], given.mount)
            turn_network_off()
            run_image(chroots, stages[-1], roots[-1])
        finally:
            subprocess.run(["umount", "--recursive", "--lazy", folder], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
