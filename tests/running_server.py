"""A real server on loopback, in a process of its own."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

_PROGRAM = """
import logging, sys
from pathlib import Path
from docshelf.serve.http.connections import ConnectionLimits
from docshelf.serve.run import ServeOptions, serve_site
logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="docshelf: %(message)s")
options = eval(sys.argv[2])
serve_site(Path(sys.argv[1]), options, lambda url: print(url, flush=True))
"""


def start_server(site: Path, **options: object) -> subprocess.Popen[str]:
    """A process that serves `site` on a free port and prints its address as its first line.

    `options` are those of `ServeOptions`; what it logs goes to stderr.
    """
    given = ", ".join(f"{name}={_source(value)}" for name, value in ({"port": 0} | options).items())
    command = [sys.executable, "-W", "error", "-c", _PROGRAM, str(site), f"ServeOptions({given})"]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
    )


def _source(value: object) -> str:
    return f"Path({str(value)!r})" if isinstance(value, Path) else repr(value)


@contextmanager
def running_server(site: Path, **options: object) -> Iterator[str]:
    """The address of a server of `site`; it is stopped at the end."""
    with start_server(site, **options) as process:
        assert process.stdout is not None and process.stderr is not None
        # A server that logs much would wait for ever for somebody to read it.
        log = threading.Thread(target=process.stderr.read)
        log.start()
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(timeout=60)
            log.join()
