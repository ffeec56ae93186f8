"""The command `docshelf bundle`."""

import argparse
import sys
from pathlib import Path

from docshelf.serve.cli import say


def add_bundle(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the root parser."""
    bundle = commands.add_parser("bundle", help="collect all that a machine without a network needs")
    bundle.add_argument("-o", "--output", required=True, type=Path, metavar="DIR",
                        help="folder to write, missing or empty")  # fmt: skip
    bundle.add_argument("--extra", action="append", default=[], type=_names, metavar="NAMES",
                        help="extras of DocShelf to bring along, such as build,high; may be repeated")  # fmt: skip
    bundle.add_argument("--site", type=Path, metavar="SITE", help="bring its current release along")
    bundle.add_argument("--docshelf", type=Path, metavar="PATH",
                        help="wheel or checkout of DocShelf (default: where the installed one came from)")  # fmt: skip
    bundle.set_defaults(run=run_bundle)


def run_bundle(arguments: argparse.Namespace) -> int:
    """Prints the hash of SHA256SUMS; says on stderr what was collected."""
    from docshelf.build.bundling.bundle import make_bundle

    extras = [name for names in arguments.extra for name in names]
    made = make_bundle(arguments.output, extras, site=arguments.site, docshelf=arguments.docshelf)
    release = f", release {made.release}" if made.release else ""
    say(sys.stderr, f"{arguments.output}: {made.wheels} wheels{release}, {made.size_bytes / 1e6:.1f} MB")
    say(sys.stdout, made.sums_sha256)
    return 0


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    if not all(name.replace("-", "").replace("_", "").isalnum() for name in names):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of names such as build,high")
    return names
