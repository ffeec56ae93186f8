"""Readers over HTTP while releases are switched: what is torn, missing or mixed, and how fast they read.

    PYTHONPATH=tests python benchmarks/switching_readers.py [--reads 30000] [--switches 200]

Eight clients read from `docshelf serve` and from nginx with the configuration of docs/hosting.md, first while
releases are published as a build does it, then, as a control, while the same versions are written in place.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import get_args

from nginx_server import running_nginx
from publisher import LARGE, publish_in_place, publish_version
from running_server import running_server
from switching import How, read_while_switching

from docshelf.serve.config import Keep


def main() -> None:
    """Prints one row per server and way of publishing; exit status 1 where the promise does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--reads", type=int, default=30_000, help="at least (default: 30000)")
    parser.add_argument("--switches", type=int, default=200, help="default: 200")
    arguments = parser.parse_args()
    print(
        "| server | published | switches | reads | torn | missing | mixed ways under /r/ | mixed elsewhere | reads/s |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    wrong = 0
    for server in ("docshelf serve", "nginx"):
        for how in get_args(How):
            with tempfile.TemporaryDirectory() as folder:
                wrong += _measure(server, how, Path(folder), arguments.reads, arguments.switches)
    sys.exit(wrong > 0)


def _measure(server: str, how: How, folder: Path, reads: int, switches: int) -> bool:
    """Prints a row; gives whether it is not as it has to be."""
    site = folder / "site"
    if how == "release":
        publish_version(site, 1, Keep(), **LARGE)
    else:
        publish_in_place(site, 1, **LARGE)
    running = running_nginx(site, folder / "nginx") if server == "nginx" else running_server(site)
    with running as url:
        begun = time.perf_counter()
        counts = read_while_switching(url, site, how, reads=reads, switches=switches)
        spent_s = time.perf_counter() - begun
    ways = f"{counts.mixed} of {counts.chains:,}" if how == "release" else "-"
    loose = f"{counts.loose_mixed:,} of {counts.loose_chains:,}"
    print(
        f"| {server} | {how} | {counts.switches} | {counts.reads:,} | {counts.torn:,} | {counts.missing:,} "
        f"| {ways} | {loose} | {counts.reads / spent_s:,.0f} |",
        flush=True,
    )
    faults = counts.torn + counts.missing + counts.mixed
    return faults > 0 if how == "release" else faults == 0


if __name__ == "__main__":
    main()
