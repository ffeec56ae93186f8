"""The commands that need nothing but a built shelf: serve, check, diff, route, trace, nginx, smoke."""

import argparse
import json
import logging
import sys
from pathlib import Path
from typing import Literal, TextIO

from docshelf.serve.errors import ShelfDamaged, ShelfError
from docshelf.serve.storage.cli import add_cache, add_publish, reject_storage_options, storage_bucket
from docshelf.serve.storage.location import is_location

DEFAULT_SITE = "site"
DEFAULT_URL = "http://127.0.0.1:8080"
PROFILES: tuple[Literal["shelf", "openai"], ...] = ("shelf", "openai")


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the commands to the root parser; each sets `run`, which takes the arguments."""
    serve = commands.add_parser("serve", help="serve a built shelf over HTTP and MCP")
    serve.add_argument("site", nargs="?", default=DEFAULT_SITE, metavar="SITE",
                       help=f"folder that docshelf build wrote, or s3://BUCKET/PREFIX (default: {DEFAULT_SITE})")  # fmt: skip
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument(
        "--port", default=8080, type=port_number, help="port to listen on, 0 picks one (default: 8080)"
    )
    _add_access(serve)
    serve.add_argument("--profile", choices=PROFILES, default=PROFILES[0],
                       help="the tools that /mcp offers (default: shelf)")  # fmt: skip
    add_cache(serve)
    serve.set_defaults(run=run_serve)

    add_publish(commands, DEFAULT_SITE)

    mcp = commands.add_parser("mcp", help="speak MCP over stdin and stdout, for hosts that start programs")
    mcp.add_argument("target", nargs="?", default=str(DEFAULT_SITE), metavar="SITE|URL",
                     help=f"folder that docshelf build wrote, or a running server (default: {DEFAULT_SITE})")  # fmt: skip
    mcp.add_argument("--profile", choices=PROFILES, help="the tools that a SITE offers (default: shelf)")
    mcp.set_defaults(run=run_mcp)

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

    trace = commands.add_parser("trace", help="tell from a trace what is read and what it costs")
    trace.add_argument("folder", type=Path, metavar="DIR", help="folder of docshelf serve --trace")
    trace.set_defaults(run=run_trace)

    _add_nginx(commands)

    smoke = commands.add_parser("smoke", help="walk every contract of a running server")
    smoke.add_argument("url", nargs="?", default=DEFAULT_URL, metavar="URL", help=f"default: {DEFAULT_URL}")
    smoke.add_argument("--ca", type=Path, metavar="FILE",
                       help="certificates (PEM) to trust instead of those of the system")  # fmt: skip
    smoke.set_defaults(run=run_smoke)


def _add_access(serve: argparse.ArgumentParser) -> None:
    """Who may read, and what is noted of it."""
    serve.add_argument("--token-file", type=Path, metavar="FILE",
                       help="who may read: a line is NAME TOKEN; read again when it changes")  # fmt: skip
    serve.add_argument("--public-pages", action="store_true",
                       help="files of the shelf need no token, only tools and MCP do")  # fmt: skip
    serve.add_argument("--allow-anonymous", action="store_true",
                       help="let other machines read without a token")  # fmt: skip
    serve.add_argument("--allow-host", action="append", default=[], metavar="HOST",
                       help="name this server answers to, such as shelf.lan; may be repeated")  # fmt: skip
    serve.add_argument("--allow-origin", action="append", default=[], metavar="ORIGIN",
                       help="web page that may ask, such as http://chat.lan:8080; may be repeated")  # fmt: skip
    serve.add_argument("--root-path", default="", metavar="PREFIX",
                       help="path prefix that a proxy leaves in the address, such as /docs")  # fmt: skip
    serve.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain (PEM): serve https")
    serve.add_argument(
        "--tls-key", type=Path, metavar="FILE", help="its key, where it is not in the same file"
    )
    serve.add_argument("--trace", type=Path, metavar="DIR", help="note each call in DIR/YYYY-MM-DD.jsonl")
    serve.add_argument("--trace-paths", choices=("plain", "hash"), default="plain",
                       help="how the trace writes what was read (default: plain)")  # fmt: skip
    serve.add_argument("--metrics-port", type=port_number, metavar="PORT",
                       help="answer /metrics for Prometheus at this port, 0 picks one")  # fmt: skip
    serve.add_argument("--grace", type=seconds, default=30, metavar="SECONDS",
                       help="time for answers under way after SIGTERM, 0 to 3600 (default: 30)")  # fmt: skip


def _add_nginx(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    nginx = commands.add_parser("nginx", help="print the configuration of an nginx that serves the shelf")
    nginx.add_argument("site", nargs="?", default=DEFAULT_SITE, type=Path, metavar="SITE",
                       help=f"folder that docshelf build writes to (default: {DEFAULT_SITE})")  # fmt: skip
    nginx.add_argument("--server-name", action="append", default=[], metavar="NAME",
                       help="what the server is called; others are refused; may be repeated (default: localhost)")  # fmt: skip
    nginx.add_argument("--listen", action="append", default=[], metavar="ADDRESS",
                       help="port, or address and port; may be repeated (default: 80; with TLS 443)")  # fmt: skip
    nginx.add_argument("--prefix", default="", metavar="PATH", help="where the shelf stands, such as /docs")
    nginx.add_argument("--upstream", default="127.0.0.1:8080", metavar="HOST:PORT",
                       help="where docshelf serve listens (default: 127.0.0.1:8080)")  # fmt: skip
    nginx.add_argument("--files-only", action="store_true", help="there is no docshelf serve")
    nginx.add_argument("--private", action="store_true", help="files need a token of docshelf serve, too")
    nginx.add_argument("--cors", action="append", default=[], metavar="ORIGIN",
                       help="web page that may read the files, such as https://chat.lan; may be repeated")  # fmt: skip
    nginx.add_argument("--tls-cert", type=Path, metavar="FILE", help="certificate chain (PEM): https")
    nginx.add_argument(
        "--tls-key", type=Path, metavar="FILE", help="its key, where it is not in the same file"
    )
    nginx.add_argument("--brotli", action="store_true", help="nginx has the module brotli_static")
    nginx.add_argument("--log-folder", type=Path, default=Path("/var/log/nginx"), metavar="DIR",
                       help="where nginx writes its logs (default: /var/log/nginx)")  # fmt: skip
    nginx.set_defaults(run=run_nginx)


_SITE_HELP = f"folder that docshelf build wrote, or one release in it (default: {DEFAULT_SITE})"


def run_serve(arguments: argparse.Namespace) -> int:
    """Serves until it is told to stop."""
    from docshelf.serve.run import ServeOptions, serve_site
    from docshelf.serve.storage.bucket import READING
    from docshelf.serve.storage.serving import serve_bucket

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="docshelf: %(message)s")

    def listening(url: str) -> None:
        say(sys.stderr, f"serving {arguments.site} at {url}/ (for models: {url}/mcp); Ctrl-C ends it")

    options = ServeOptions(
        host=arguments.host,
        port=arguments.port,
        root_path=arguments.root_path,
        allow_hosts=tuple(arguments.allow_host),
        allow_origins=tuple(arguments.allow_origin),
        token_file=arguments.token_file,
        public_pages=arguments.public_pages,
        profile=arguments.profile,
        allow_anonymous=arguments.allow_anonymous,
        tls_cert=arguments.tls_cert,
        tls_key=arguments.tls_key,
        trace_folder=arguments.trace,
        trace_paths=arguments.trace_paths,
        metrics_port=arguments.metrics_port,
        grace_s=arguments.grace,
    )
    if is_location(arguments.site):
        bucket = storage_bucket(arguments, arguments.site, READING)
        serve_bucket(bucket, arguments.cache, options, listening)
    else:
        reject_storage_options(arguments)
        serve_site(Path(arguments.site), options, listening)
    return 0


def run_mcp(arguments: argparse.Namespace) -> int:
    """Answers messages until stdin ends."""
    from docshelf.serve.answering.tools import ShelfTools
    from docshelf.serve.config import shelf_token
    from docshelf.serve.mcp.shelf import shelf_offer
    from docshelf.serve.mcp.stdio import answer_lines, local_answering, remote_answering
    from docshelf.serve.releases.tree import Site

    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="docshelf: %(message)s")
    if arguments.target.startswith(("http://", "https://")):
        if arguments.profile is not None:
            raise ShelfError(
                "--profile is for a SITE; a running server has its own: docshelf serve --profile"
            )
        answering = remote_answering(arguments.target, shelf_token())
    else:
        site = Site(Path(arguments.target))
        site.current()
        profile: Literal["shelf", "openai"] = arguments.profile or PROFILES[0]
        answering = local_answering(shelf_offer(ShelfTools(site), profile))
    answer_lines(answering, sys.stdin.buffer, sys.stdout.buffer)
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """Prints every fault of the current release; 1 where there are any."""
    from docshelf.serve.check import check_release

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
    from docshelf.serve.releases.differences import diff_releases, difference_lines
    from docshelf.serve.releases.kept import open_release

    before, after = (open_release(arguments.site, text) for text in (arguments.before, arguments.after))
    difference = diff_releases(before, after)
    for line in difference_lines(difference):
        say(sys.stdout, line)
    return 1 if difference.documents else 0


def run_route(arguments: argparse.Namespace) -> int:
    """Prints what the way to each section costs; 1 where no index leads to some."""
    from docshelf.serve.releases.tree import Site
    from docshelf.serve.route import measure_routes, route_json, route_lines

    report = measure_routes(Site(arguments.site).current())
    if arguments.json:
        say(sys.stdout, json.dumps(route_json(report), ensure_ascii=False, indent=1))
    else:
        for line in route_lines(report):
            say(sys.stdout, line)
    return 1 if report.faults else 0


def run_trace(arguments: argparse.Namespace) -> int:
    """Prints the report of a trace."""
    from docshelf.serve.http.trace_report import read_trace, report_lines

    for line in report_lines(read_trace(arguments.folder)):
        say(sys.stdout, line)
    return 0


def run_nginx(arguments: argparse.Namespace) -> int:
    """Prints a configuration for nginx."""
    from docshelf.serve.nginx.configuration import nginx_configuration
    from docshelf.serve.nginx.options import NginxOptions, checked_options

    options = NginxOptions(
        site=arguments.site,
        server_names=tuple(arguments.server_name) or ("localhost",),
        listen=tuple(arguments.listen),
        prefix=arguments.prefix,
        upstream=None if arguments.files_only else arguments.upstream,
        origins=tuple(arguments.cors),
        private=arguments.private,
        brotli=arguments.brotli,
        tls_cert=arguments.tls_cert,
        tls_key=arguments.tls_key,
        log_folder=arguments.log_folder,
    )
    sys.stdout.write(nginx_configuration(checked_options(options)))
    return 0


def run_smoke(arguments: argparse.Namespace) -> int:
    """Prints PASS, or each broken contract; 1 where there are any."""
    from docshelf.serve.config import shelf_token
    from docshelf.serve.smoke import smoke

    broken = 0
    for contract, problem in smoke(arguments.url, shelf_token(), arguments.ca):
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


def seconds(text: str) -> int:
    """The type of an option that takes a time."""
    number = int(text)
    if not 0 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"{number} is out of range; use 0 to 3600")
    return number


def port_number(text: str) -> int:
    """The type of an option that takes a port."""
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port; use 0 to 65535")
    return port
