"""The command `docshelf cache`."""

import argparse
import sys
from pathlib import Path

from docshelf.serve.cli import DEFAULT_SITE, say
from docshelf.serve.errors import ShelfError


def add_cache(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the root parser."""
    cache = commands.add_parser("cache", help="show what builds keep to be faster; prune it")
    cache.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE",
                       help=f"folder that docshelf build wrote (default: {DEFAULT_SITE})")  # fmt: skip
    cache.add_argument("--prune", action="store_true",
                       help="remove what was not used for longest, and try refused documents again")  # fmt: skip
    cache.add_argument("--max-size", type=_size, metavar="SIZE",
                       help="with --prune: how much may stay, such as 500M (default: 2G)")  # fmt: skip
    cache.set_defaults(run=run_cache)


def run_cache(arguments: argparse.Namespace) -> int:
    """Prunes where asked to, then prints what is kept."""
    from docshelf.build.caching.cache import DEFAULT_LIMIT_BYTES
    from docshelf.build.caching.cache_report import cache_lines, prune_cache

    if arguments.max_size is not None and not arguments.prune:
        raise ShelfError("--max-size says how much may stay; give it together with --prune")
    if arguments.prune:
        limit = DEFAULT_LIMIT_BYTES if arguments.max_size is None else arguments.max_size
        say(sys.stderr, prune_cache(arguments.site, limit))
    for line in cache_lines(arguments.site):
        say(sys.stdout, line)
    return 0


def _size(text: str) -> int:
    from docshelf.build.caching.cache_report import size_in_bytes

    try:
        return size_in_bytes(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc
