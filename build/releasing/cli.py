"""The commands `docshelf releases` and `docshelf rollback`."""

import argparse
import sys
from pathlib import Path

from docshelf.serve.cli import DEFAULT_SITE, say

_SITE_HELP = f"folder that docshelf build wrote (default: {DEFAULT_SITE})"


def add_releases(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the root parser."""
    releases = commands.add_parser("releases", help="list the releases that are kept; pin some")
    releases.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE", help=_SITE_HELP)
    pinning = releases.add_mutually_exclusive_group()
    pinning.add_argument("--pin", metavar="ID", help="keep this release whatever is built later")
    pinning.add_argument("--unpin", metavar="ID", help="let later builds remove this release")
    releases.set_defaults(run=run_releases)


def add_rollback(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the root parser."""
    rollback = commands.add_parser("rollback", help="make a kept release current again")
    rollback.add_argument("id", metavar="ID", help="a release, or how its name begins")
    rollback.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE", help=_SITE_HELP)
    rollback.set_defaults(run=run_rollback)


def run_releases(arguments: argparse.Namespace) -> int:
    """Pins or unpins where asked to, then prints the kept releases."""
    from docshelf.build.releasing.keeping import pin_release, unpin_release
    from docshelf.serve.releases.kept import kept_releases, release_lines

    if arguments.pin is not None:
        pin_release(arguments.site, arguments.pin)
    elif arguments.unpin is not None:
        unpin_release(arguments.site, arguments.unpin)
    for line in release_lines(kept_releases(arguments.site)):
        say(sys.stdout, line)
    return 0


def run_rollback(arguments: argparse.Namespace) -> int:
    """Prints the release that is current from now on."""
    from docshelf.build.releasing.keeping import roll_back

    say(sys.stdout, roll_back(arguments.site, arguments.id))
    return 0
