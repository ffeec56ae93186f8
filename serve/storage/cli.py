"""The command `publish`, and the options of `serve` for a shelf in an object storage."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from docshelf.serve.errors import ShelfError
from docshelf.serve.storage.location import parse_location

if TYPE_CHECKING:
    from docshelf.serve.storage.bucket import Bucket, Patience


def add_publish(commands: "argparse._SubParsersAction[argparse.ArgumentParser]", default_site: str) -> None:
    """Adds the command `publish` to the root parser."""
    publish = commands.add_parser("publish", help="put the current release into an S3-compatible storage")
    publish.add_argument(
        "target", metavar="s3://BUCKET/PREFIX", help="where it goes; the bucket must be there"
    )
    publish.add_argument("--site", default=default_site, type=Path, metavar="SITE",
                         help=f"folder that docshelf build wrote, or one release (default: {default_site})")  # fmt: skip
    publish.add_argument("--dry-run", action="store_true", help="print what would be done; change nothing")
    publish.add_argument("--keep-releases", action="store_true",
                         help="add r/RELEASE/, and delete there what SITE does not keep any more")  # fmt: skip
    add_storage(publish)
    publish.set_defaults(run=run_publish)


def add_storage(command: argparse.ArgumentParser) -> None:
    """How a storage is reached."""
    command.add_argument("--endpoint", metavar="URL", help="address of the S3 server, if it is not Amazon's")
    command.add_argument("--ca", type=Path, metavar="FILE", help="certificates (PEM) to trust for https")


def add_cache(serve: argparse.ArgumentParser) -> None:
    """How `serve` reads a storage."""
    add_storage(serve)
    serve.add_argument("--cache", type=Path, metavar="DIR",
                       help="keep what was fetched from a storage here (default: a folder until the end)")  # fmt: skip


def storage_bucket(arguments: argparse.Namespace, target: str, wait: "Patience") -> "Bucket":
    """The bucket that `target` and the options mean.

    Raises: ConfigError; MissingExtra.
    """
    from docshelf.serve.storage.bucket import open_bucket
    from docshelf.serve.storage.environment import storage_environment

    return open_bucket(parse_location(target), storage_environment(), arguments.endpoint, arguments.ca, wait)


def reject_storage_options(arguments: argparse.Namespace) -> None:
    """Raises: ShelfError where options of a storage are given for a folder."""
    for option in ("endpoint", "ca", "cache"):
        if getattr(arguments, option) is not None:
            raise ShelfError(f"--{option} is for a shelf at s3://BUCKET/PREFIX; {arguments.site} is a folder")


def run_publish(arguments: argparse.Namespace) -> int:
    """Prints the release that was published, or the plan."""
    from docshelf.serve.cli import say
    from docshelf.serve.releases.kept import kept_ids
    from docshelf.serve.releases.tree import Site
    from docshelf.serve.storage.bucket import PUBLISHING
    from docshelf.serve.storage.publishing import Order, plan_publish, publish
    from docshelf.serve.storage.report import outcome_line, plan_lines

    bucket = storage_bucket(arguments, arguments.target, PUBLISHING)
    release = Site(arguments.site).current()
    kept = None
    if arguments.keep_releases:
        has_others = (arguments.site / "releases").is_dir()
        kept = frozenset(kept_ids(arguments.site) if has_others else (release.id,))
    order = Order(release, kept)
    if arguments.dry_run:
        for line in plan_lines(plan_publish(bucket, order), release.files):
            say(sys.stdout, line)
        return 0
    outcome = publish(bucket, order)
    say(sys.stderr, outcome_line(outcome))
    say(sys.stdout, outcome.release)
    return 0
