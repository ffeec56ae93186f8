"""A network of this test alone: loopback, and nothing else."""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence

_CLONE_NEWNET = 0x40000000
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1


def turn_network_off() -> None:
    """Takes this process and those it starts into a network of their own. It needs root.

    Loopback is up there, as by `ip link set lo up` (netdevice(7)).
    """
    if ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare(CLONE_NEWNET)")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))


def closed(command: Sequence[str]) -> list[str]:
    """`command` where no other machine can be reached."""
    space = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]
    return [*space, sys.executable, __file__, *command]


def run_closed(*command: str, timeout_s: float = 180) -> str:
    """What a command prints on both streams. Raises: AssertionError with that where it fails."""
    done = subprocess.run(
        closed(command),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


if __name__ == "__main__":
    turn_network_off()
    os.execvp(sys.argv[1], sys.argv[1:])
