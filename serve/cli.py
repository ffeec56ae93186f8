"""The commands that need nothing but a built shelf: serve, check, diff, route, smoke."""

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import TextIO

DEFAULT_SITE = "site"
DEFAULT_URL = "http://127.0.0.1:8080"


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the commands to the root parser; each sets `run`, which takes the arguments."""
    serve = commands.add_parser("serve", help="serve a built shelf over HTTP and MCP")
    serve.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE", help=_SITE_HELP)
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument(
        "--port", default=8080, type=_port, help="port to listen on, 0 picks one (default: 8080)"
    )
    serve.add_argument("--allow-origin", action="append", default=[], metavar="ORIGIN",
                       help="web page that may ask /mcp, such as http://chat.lan:8080; may be repeated")  # fmt: skip
    serve.add_argument("--root-path", default="", metavar="PREFIX",
                       help="path prefix that a proxy leaves in the address, such as /docs")  # fmt: skip
    serve.set_defaults(run=run_serve)

    check = commands.add_parser("check", help="hold a built shelf against its manifest")
    check.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE", help=_SITE_HELP)
    check.set_defaults(run=run_check)

    diff = commands.add_parser("diff", help="tell which documents and sections differ between two releases")
    diff.add_argument("before", metavar="A", help="a kept release: current, or how its name begins")
    diff.add_argument("after", metavar="B", help="the later one")
    diff.add_argument("--site", default=DEFAULT_SITE, type=Path, metavar="SITE",
                      help=f"folder that docshelf build wrote (default: {DEFAULT_SITE})")  # fmt: skip
    diff.set_defaults(run=run_diff)

    route = commands.add_parser("route", help="tell what a question costs: indexes and section, in bytes")
    route.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE", help=_SITE_HELP)
    route.add_argument("--json", action="store_true", help="print the report as JSON")
    route.set_defaults(run=run_route)

    smoke = commands.add_parser("smoke", help="walk every contract of a running server")
    smoke.add_argument("url", nargs="?", default=DEFAULT_URL, metavar="URL", help=f"default: {DEFAULT_URL}")
    smoke.set_defaults(run=run_smoke)


_SITE_HELP = f"folder that docshelf build wrote, or one release in it (default: {DEFAULT_SITE})"


def run_serve(arguments: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    from docshelf.serve.run import serve_site

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="docshelf: %(message)s")

    def listening(url: str) -> None:
        say(sys.stderr, f"serving {arguments.site} at {url}/ (for models: {url}/mcp); Ctrl-C ends it")

    serve_site(
        arguments.site,
        arguments.host,
        arguments.port,
        listening,
        allowed_origins=arguments.allow_origin,
        root_path=arguments.root_path,
    )
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """Prints every fault of the current release; 1 where there are any."""
    from docshelf.serve.check import check_release
    from docshelf.serve.errors import ShelfDamaged

    faults = 0
    current = arguments.site / "current"
    folder = current.resolve() if current.is_symlink() else arguments.site
    if not (folder / "shelf.json").exists():
        raise ShelfDamaged(f"{arguments.site} is no shelf: run docshelf build, or name another folder")
    try:
        for fault in check_release(folder):
            say(sys.stdout, f"{fault.code} {fault}")
            faults += 1
    except ShelfDamaged as exc:
        say(sys.stdout, str(exc))
        faults += 1
    say(sys.stdout, f"{folder.name}: whole" if not faults else f"{folder.name}: faults: {faults}")
    return 1 if faults else 0


def run_diff(arguments: argparse.Namespace) -> int:
    """Prints what differs between the documents of two releases; 1 where anything does."""
    from docshelf.serve.differences import diff_releases, difference_lines
    from docshelf.serve.kept_releases import open_release

    before, after = (open_release(arguments.site, text) for text in (arguments.before, arguments.after))
    difference = diff_releases(before, after)
    for line in difference_lines(difference):
        say(sys.stdout, line)
    return 1 if difference.documents else 0


def run_route(arguments: argparse.Namespace) -> int:
    """Prints what the way to each section costs; 1 where no index leads to some."""
    from docshelf.serve.route import measure_routes, route_json, route_lines
    from docshelf.serve.tree import Site

    report = measure_routes(Site(arguments.site).current())
    if arguments.json:
        say(sys.stdout, json.dumps(route_json(report), ensure_ascii=False, indent=1))
    else:
        for line in route_lines(report):
            say(sys.stdout, line)
    return 1 if report.faults else 0


def run_smoke(arguments: argparse.Namespace) -> int:
    """Prints PASS, or each broken contract; 1 where there are any."""
    from docshelf.serve.smoke import smoke

    broken = 0
    for contract, problem in smoke(arguments.url):
        if problem is not None:
            say(sys.stdout, f"BROKEN {contract}: {problem}")
            broken += 1
    if not broken:
        say(sys.stdout, "PASS")
    return 1 if broken else 0


def say(stream: TextIO, text: str) -> None:
    """One line on `stream`, whatever its encoding can hold."""
    encoding = stream.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port; use 0 to 65535")
    return port
