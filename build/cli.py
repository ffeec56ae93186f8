"""The command `docshelf`: its root, and the commands that build a shelf."""

import argparse
import json
import logging
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from docshelf.build.bundling.cli import add_bundle
from docshelf.build.caching.cli import add_cache
from docshelf.build.exporting.cli import add_export_git
from docshelf.build.releasing.cli import add_releases, add_rollback
from docshelf.serve.cli import DEFAULT_SITE, add_commands, port_number, say
from docshelf.serve.config import QUALITIES
from docshelf.serve.errors import MissingExtra, ShelfError
from docshelf.serve.printable import printable

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

DEFAULT_SOURCE = "shelf_src"

OK, FAULTS, NOTHING_PUBLISHED = 0, 1, 2
"""Exit statuses: a valid release is current; --strict, check or smoke found faults; nothing was published."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    arguments = root_parser().parse_args(argv)
    try:
        if sys.platform != "linux":
            raise ShelfError("DocShelf runs on Linux: it needs flock, symbolic links and prctl")
        status: int = arguments.run(arguments)
        return status
    except ShelfError as exc:
        say(sys.stderr, f"docshelf {arguments.command}: {exc}")
        return NOTHING_PUBLISHED
    except KeyboardInterrupt:
        say(sys.stderr, f"docshelf {arguments.command}: stopped")
        return 130
    except BrokenPipeError:
        # The reader of our output has gone: nothing more to say, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def root_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    from importlib.metadata import version

    parser = argparse.ArgumentParser(
        prog="docshelf", description="Turns a folder of PDFs into a shelf that people browse and models read."
    )
    parser.add_argument("--version", action="version", version=f"docshelf {version('docshelf')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    for add in (
        _add_build,
        _add_watch,
        _add_inspect,
        _add_meta,
        add_releases,
        add_rollback,
        add_cache,
        add_export_git,
        add_bundle,
        add_commands,
    ):
        add(commands)
    return parser


def _add_build(commands: _Commands) -> None:
    build = commands.add_parser("build", help="build a shelf from a folder of documents")
    _add_places(build)
    build.add_argument("--report", type=Path, metavar="FILE", help="write what was done as JSON")
    build.add_argument("--strict", action="store_true", help="exit with 1 if any finding is an error")
    build.set_defaults(run=run_build)


def _add_watch(commands: _Commands) -> None:
    watch = commands.add_parser("watch", help="build and serve a shelf, and build again on every change")
    _add_places(watch)
    watch.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    watch.add_argument("--port", default=8080, type=port_number,
                       help="port to listen on, 0 picks one (default: 8080)")  # fmt: skip
    watch.add_argument("--allow-host", action="append", default=[], metavar="HOST",
                       help="name the server answers to, such as shelf.lan; may be repeated")  # fmt: skip
    watch.add_argument("--token-file", type=Path, metavar="FILE", help="who may read: a line is NAME TOKEN")
    watch.add_argument("--allow-anonymous", action="store_true",
                       help="let other machines read without a token")  # fmt: skip
    watch.add_argument("--poll", action="store_true", help="look every second: for network mounts")
    watch.set_defaults(run=run_watch)


def _add_places(parser: argparse.ArgumentParser) -> None:
    """What every command that builds is told: from where, to where, and how."""
    parser.add_argument("source", nargs="?", default=DEFAULT_SOURCE, type=Path, metavar="SOURCE",
                        help=f"folder with documents and .docshelf.json (default: {DEFAULT_SOURCE})")  # fmt: skip
    parser.add_argument("-o", "--output", default=DEFAULT_SITE, type=Path, metavar="SITE",
                        help=f"folder to write the shelf to (default: {DEFAULT_SITE})")  # fmt: skip
    parser.add_argument("--quality", choices=QUALITIES, help="engine for documents that name none")
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="workers (default: one per core)")


def _add_inspect(commands: _Commands) -> None:
    inspect = commands.add_parser("inspect", help="show what a build would make of one document")
    inspect.add_argument("file", type=Path, metavar="FILE")
    inspect.add_argument("--quality", choices=QUALITIES, default="auto", help="engine (default: auto)")
    inspect.set_defaults(run=run_inspect)


def _add_meta(commands: _Commands) -> None:
    meta = commands.add_parser("meta", help="write a sidecar to edit for each document that has none")
    meta.add_argument("source", type=Path, metavar="SOURCE", help="folder of documents, or one document")
    meta.add_argument("-o", "--output", default=DEFAULT_SITE, type=Path, metavar="SITE",
                      help=f"folder of the built shelf, which holds no sources (default: {DEFAULT_SITE})")  # fmt: skip
    meta.add_argument("--quality", choices=QUALITIES, help="engine (default: what the settings say)")
    meta.add_argument("--all", action="store_true", dest="all_keys", help="write every key, not only three")
    meta.set_defaults(run=run_meta)


def run_build(arguments: argparse.Namespace) -> int:
    """Builds, then prints the release and the counts."""
    _need_extra("rich", "pymupdf", "jinja2", "markdown_it", "anyascii")
    from docshelf.build.pipeline import build_shelf
    from docshelf.build.progress import show_progress
    from docshelf.build.report import report_json, summary_lines
    from docshelf.build.workers.pool import WorkerPool

    jobs = _workers(arguments.jobs)
    with show_progress(sys.stderr) as progress:
        result = build_shelf(
            arguments.source,
            arguments.output,
            quality=arguments.quality,
            executor=lambda: WorkerPool(jobs),
            progress=progress,
        )
    if arguments.report:
        text = json.dumps(report_json(result), ensure_ascii=False, indent=1)
        try:
            arguments.report.write_text(f"{text}\n", encoding="utf-8")
        except OSError as exc:
            raise ShelfError(f"{arguments.report}: the report cannot be written: {exc.strerror}") from exc
    for line in summary_lines(result):
        say(sys.stderr, line)
    say(sys.stdout, result.published.manifest.release)
    faulty = any(finding.severity == "error" for finding in result.findings)
    return FAULTS if arguments.strict and faulty else OK


def run_watch(arguments: argparse.Namespace) -> int:
    """Builds and serves until it is told to stop; prints the name of each new release."""
    _need_extra("rich", "pymupdf", "jinja2", "markdown_it", "anyascii", "watchfiles")
    from docshelf.build.watching.builder import Order
    from docshelf.build.watching.watch import watch_shelf
    from docshelf.serve.run import ServeOptions

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="docshelf: %(message)s")
    watch_shelf(
        Order(arguments.source, arguments.output, arguments.quality, _workers(arguments.jobs)),
        ServeOptions(
            host=arguments.host,
            port=arguments.port,
            allow_hosts=tuple(arguments.allow_host),
            token_file=arguments.token_file,
            allow_anonymous=arguments.allow_anonymous,
        ),
        poll=arguments.poll,
        say=lambda text: say(sys.stderr, text),
        done=lambda release: say(sys.stdout, release),
    )
    return OK


def run_inspect(arguments: argparse.Namespace) -> int:
    """Prints what the engine and the heading tiers find in one document."""
    _need_extra("pymupdf", "jinja2", "markdown_it", "anyascii")
    from docshelf.build.inspection import inspect_file
    from docshelf.build.workers.pool import WorkerPool

    with WorkerPool(1) as pool:
        for line in inspect_file(arguments.file, arguments.quality, pool):
            say(sys.stdout, line)
    return OK


def run_meta(arguments: argparse.Namespace) -> int:
    """Prints the path of each sidecar that it wrote; names on stderr what got none."""
    _need_extra("pymupdf", "jinja2", "markdown_it", "anyascii")
    from docshelf.build.planning.sidecars import write_sidecars
    from docshelf.build.workers.pool import WorkerPool

    outcomes: Counter[str] = Counter()
    with WorkerPool(_workers(None)) as pool:
        for outcome in write_sidecars(
            arguments.source,
            arguments.output,
            pool,
            quality=arguments.quality,
            all_keys=arguments.all_keys,
        ):
            outcomes[outcome.outcome] += 1
            if outcome.outcome == "written":
                say(sys.stdout, printable(str(outcome.file)))
            elif outcome.outcome == "unreadable":
                say(sys.stderr, printable(f"{outcome.source}: {outcome.reason}"))
    counts = (outcomes[it] for it in ("written", "there", "unreadable"))
    say(sys.stderr, "sidecars written: {}, there already: {}, not read: {}".format(*counts))
    return NOTHING_PUBLISHED if outcomes.keys() == {"unreadable"} else OK


def _need_extra(*modules: str) -> None:
    from importlib.util import find_spec

    for module in modules:
        if find_spec(module) is None:
            raise MissingExtra("build", module)


def _workers(jobs: int | None) -> int:
    return jobs or len(os.sched_getaffinity(0))


def _jobs(text: str) -> int:
    jobs = int(text)
    if not 1 <= jobs <= 512:
        raise argparse.ArgumentTypeError(f"{jobs} workers; use 1 to 512")
    return jobs


if __name__ == "__main__":
    sys.exit(main())
