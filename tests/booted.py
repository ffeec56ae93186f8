"""Runs commands where systemd is the first process: in namespaces of their own, on this machine's files under an overlay.

`python tests/booted.py COMMAND…` boots systemd (of Debian: the package `systemd`, nothing else), runs the command
beside it as root and gives its exit status. It needs root. What the command and its services write is thrown
away at the end; processes, mounts, network and control groups are not those of the machine.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from closed_network import turn_network_off

_SYSTEMD = "/lib/systemd/systemd"
_WANTED = Path("/lib/systemd/system/sysinit.target.wants")
_JOURNAL = "systemd-journald.service"
_BOOT_S = 30
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_GROUPS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))
"""Where version 2 of the control groups is mounted, alone or beside version 1."""


def make_root(folder: Path) -> Path:
    """A root file system over this machine's, in memory. It needs a mount namespace of its own."""
    subprocess.run(["mount", "-t", "tmpfs", "booted", str(folder)], check=True)
    for name in ("upper", "work", "root"):
        (folder / name).mkdir()
    root = folder / "root"
    options = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
    subprocess.run(["mount", "-t", "overlay", "root", "-o", options, str(root)], check=True)
    for name in ("run", "tmp"):
        subprocess.run(["mount", "-t", "tmpfs", name, str(root / name)], check=True)
    subprocess.run(["mount", "--rbind", "/dev", str(root / "dev")], check=True)
    subprocess.run(["mount", "-t", "sysfs", "-o", "ro", "sys", str(root / "sys")], check=True)
    subprocess.run(["mount", "-t", "cgroup2", "groups", str(root / "sys/fs/cgroup")], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=True)
    # What sets up a machine (devices, modules, settings of the kernel) is not for this one.
    masks = root / "etc/systemd/system"
    for wanted in masks.glob("*.wants"):
        shutil.rmtree(wanted)
    for unit in os.listdir(_WANTED):  # noqa: PTH208  names
        if unit != _JOURNAL and not (masks / unit).exists():
            (masks / unit).symlink_to("/dev/null")
    return root


def boot(folder: Path) -> None:
    """Becomes systemd. The process must be the first of its PID namespace."""
    turn_network_off()
    root = make_root(folder)
    # Not chroot: the kernel makes no user namespaces in one, and units ask for them.
    os.chdir(root)
    subprocess.run(["pivot_root", ".", "tmp"], check=True)
    os.chroot(".")
    subprocess.run(["umount", "--lazy", "/tmp"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmp", "/tmp"], check=True)
    words = ["--system", "--unit=basic.target", "--log-target=journal", "--show-status=no"]
    os.execve(_SYSTEMD, [_SYSTEMD, *words], {"container": "docshelf", "PATH": _PATH})


@contextmanager
def control_group() -> Iterator[Path]:
    """A control group of its own, which is removed with all below it."""
    group = next(it for it in _GROUPS if (it / "cgroup.procs").exists()) / f"docshelf-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        (group / "cgroup.kill").write_text("1")
        while "populated 1" in (group / "cgroup.events").read_text():
            time.sleep(0.05)
        for below in sorted(group.glob("**/"), reverse=True):
            below.rmdir()


@contextmanager
def booted(folder: Path, group: Path) -> Iterator[list[str]]:
    """What to put before a command that shall run beside systemd.

    Raises: RuntimeError where it does not come up.
    """
    spaces = ["unshare", "--mount", "--pid", "--fork", "--ipc", "--uts", "--cgroup", "--kill-child"]
    inside = [sys.executable, __file__, "--inside", str(folder)]
    join = f'echo 0 >{group}/cgroup.procs; exec "$@"'
    with subprocess.Popen(["/bin/sh", "-c", join, "sh", *spaces, *inside]) as process:
        try:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            until = time.monotonic() + _BOOT_S
            while time.monotonic() < until and process.poll() is None:
                first = children.read_text().strip()
                enter = ["nsenter", f"--target={first}", "--all", f"--root=/proc/{first}/root"]
                enter += ["/usr/bin/env", "-i", "--chdir=/", f"PATH={_PATH}"]
                asked = [*enter, "systemctl", "is-system-running"]
                if first and _words(asked) in ("running", "degraded"):
                    break
                time.sleep(0.2)
            else:
                raise RuntimeError("systemd did not come up")
            yield enter
        finally:
            process.kill()  # and systemd with it: --kill-child


def _words(command: Sequence[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def main(arguments: Sequence[str]) -> None:
    """Runs a command beside systemd and exits with its status."""
    if arguments[0] == "--inside":
        boot(Path(arguments[1]))
    with (
        tempfile.TemporaryDirectory() as folder,
        control_group() as group,
        booted(Path(folder), group) as enter,
    ):
        done = subprocess.run([*enter, *arguments], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
