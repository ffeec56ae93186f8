"""The command `docshelf export-git`."""

import argparse
import sys
from pathlib import Path

from docshelf.serve.cli import DEFAULT_SITE, say
from docshelf.serve.config import folder_url


def add_export_git(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to the root parser."""
    export = commands.add_parser(
        "export-git", help="commit the current release's Markdown to a git repository"
    )
    export.add_argument("folder", type=Path, metavar="DIR",
                        help="root of a repository; made where it is missing or empty")  # fmt: skip
    export.add_argument("--site", default=DEFAULT_SITE, type=Path, metavar="SITE",
                        help=f"folder that docshelf build wrote (default: {DEFAULT_SITE})")  # fmt: skip
    export.add_argument("--base-url", type=_folder_url, metavar="URL",
                        help="where raw files of the repository are read (default: base_url of the shelf)")  # fmt: skip
    export.add_argument("--author", metavar="'NAME <MAIL>'",
                        help="who commits (default: who git's settings name)")  # fmt: skip
    export.add_argument("--html", action="store_true", help="commit the pages, too, with all they need")
    export.add_argument("--search", action="store_true", help="commit the data of the search, too")
    export.set_defaults(run=run_export_git)


def run_export_git(arguments: argparse.Namespace) -> int:
    """Prints the commit that holds the release; says on stderr whether it is new."""
    from docshelf.build.exporting.export import ExportOptions, export_git
    from docshelf.serve.releases.tree import Site

    release = Site(arguments.site).current()
    options = ExportOptions(arguments.base_url, arguments.author, arguments.html, arguments.search)
    exported = export_git(release, arguments.folder, options)
    if exported.written or exported.removed:
        counts = f"files written: {exported.written}, removed: {exported.removed}"
        say(sys.stderr, f"new commit for release {release.id}: {counts}; nothing is pushed")
    else:
        say(sys.stderr, f"release {release.id} stands there already; no commit")
    say(sys.stdout, exported.commit)
    return 0


def _folder_url(text: str) -> str:
    try:
        return folder_url(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc
