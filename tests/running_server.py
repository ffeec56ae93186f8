"""A real server on loopback, in a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

_PROGRAM = """
import sys
from pathlib import Path
from docshelf.serve.run import HeaderTimeoutProtocol, serve_site
HeaderTimeoutProtocol.head_timeout_s = float(sys.argv[4])
serve_site(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), lambda url: print(url, flush=True))
"""


def start_server(site: Path, host: str = "127.0.0.1", head_timeout_s: float = 20) -> subprocess.Popen[str]:
    """A process that serves `site` on a free port and prints its address as its first line."""
    command = [sys.executable, "-W", "error", "-c", _PROGRAM, str(site), host, "0", str(head_timeout_s)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
    )


@contextmanager
def running_server(site: Path, head_timeout_s: float = 20) -> Iterator[str]:
    """The address of a server of `site`; it is stopped at the end."""
    with start_server(site, head_timeout_s=head_timeout_s) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.communicate(timeout=20)
