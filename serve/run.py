"""Serving a shelf over HTTP until the process is told to stop."""

import contextlib
import errno
import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import uvicorn
from starlette.routing import Route
from starlette.types import ASGIApp

from docshelf.serve.errors import ConfigError, ShelfError
from docshelf.serve.http.app import create_app
from docshelf.serve.http.connections import ConnectionLimits
from docshelf.serve.http.guard import Guard, Policy
from docshelf.serve.http.metrics import METRICS_PATH, Metrics, MetricsPage
from docshelf.serve.http.origins import is_loopback, make_allow_list
from docshelf.serve.http.server import Server, by_port
from docshelf.serve.http.short_ways import ShortWays
from docshelf.serve.http.signals import ended_by_sigterm
from docshelf.serve.http.tls import server_context
from docshelf.serve.http.tokens import TokenFile
from docshelf.serve.http.trace import PathStyle, TraceLog, check_trace_folder
from docshelf.serve.mcp.shelf import Profile
from docshelf.serve.releases.tree import Releases, Site

_BACKLOG = 4096
"""Connections that wait to be taken; Linux cuts it to net.core.somaxconn, 4096 by default."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a server is run; what is left out is the safe choice."""

    host: str = "127.0.0.1"
    port: int = 8080
    """0 takes a free one."""
    root_path: str = ""
    """What a proxy may leave in front of the path, such as `/docs`."""
    allow_hosts: tuple[str, ...] = ()
    """Names the server answers to, beside loopback and `host`."""
    allow_origins: tuple[str, ...] = ()
    """Web pages of other hosts that may ask, such as `https://chat.lan`."""
    profile: Profile = "shelf"
    """The tools that /mcp offers."""
    token_file: Path | None = None
    public_pages: bool = False
    """Files of the shelf need no token."""
    allow_anonymous: bool = False
    """Other machines may read without a token."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    trace_folder: Path | None = None
    trace_paths: PathStyle = "plain"
    metrics_port: int | None = None
    """Where /metrics is, at the same address; 0 takes a free one, None: nowhere."""
    grace_s: int = 30
    """For answers under way to end after SIGTERM."""
    limits: ConnectionLimits = field(default_factory=ConnectionLimits)


def serve_site(site_folder: Path, options: ServeOptions, on_listening: Callable[[str], None]) -> None:
    """Serves the shelf in `site_folder` and returns after SIGINT or SIGTERM.

    `on_listening` is called once with the address, such as `http://127.0.0.1:8080`, as soon as requests
    are accepted. Requests are not logged: their queries are what people read and ask.

    Raises: ShelfDamaged and ConfigError before anything listens; ShelfError where the address cannot be had.
    """
    site = Site(site_folder)
    site.current()
    if options.trace_folder is not None:
        check_trace_folder(options.trace_folder, site_folder)
    serve_releases(site, options, on_listening)


def serve_releases(site: Releases, options: ServeOptions, on_listening: Callable[[str], None]) -> None:
    """Serves what `site` gives, as `serve_site` does; where the trace lies has been looked at."""
    app = create_app(site, profile=options.profile)
    direct = {it.path: it.app for it in app.routes if isinstance(it, Route) and it.path in ("/mcp", "/mcp/")}
    # KeyboardInterrupt: uvicorn has shut down in order and raises the signal once more.
    with (
        ended_by_sigterm(),
        opened_server(app if site.waits else ShortWays(app, site, direct), site, options) as opened,
        contextlib.suppress(KeyboardInterrupt),
    ):
        opened.run(on_listening)


class OpenedServer:
    """A server whose socket is bound; `run` answers."""

    def __init__(self, server: Server, sockets: list[socket.socket], url: str) -> None:
        self._server = server
        self._sockets = sockets
        self.url = url
        """Such as `http://127.0.0.1:8080`."""

    def run(self, on_listening: Callable[[str], None]) -> None:
        """Answers until SIGINT, SIGTERM or `stop`."""
        self._server.on_listening = lambda: on_listening(self.url)
        self._server.run(sockets=self._sockets)

    def stop(self) -> None:
        """Ends `run`; may be called from any thread."""
        self._server.should_exit = True


@contextlib.contextmanager
def opened_server(app: ASGIApp, site: Releases, options: ServeOptions) -> Iterator[OpenedServer]:
    """A server of `app` behind the guard; its socket is closed at the end.

    Raises: ConfigError where the options are wrong or not safe; ShelfError where the address cannot be had.
    """
    policy, context = _policy(options), _tls(options)
    _check_open_host(options)
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(_listen(options.host, options.port, "--port"))]
        trace, metrics = None, None if options.metrics_port is None else Metrics()
        if options.trace_folder is not None:
            trace = TraceLog(options.trace_folder, site, options.trace_paths)
            stack.callback(trace.close)
        answering: ASGIApp = Guard(app, policy, trace, metrics)
        if metrics is not None and options.metrics_port is not None:
            sockets.append(stack.enter_context(_listen(options.host, options.metrics_port, "--metrics-port")))
            page = Guard(MetricsPage(metrics, site), replace(policy, public_pages=False))
            answering = by_port({sockets[1].getsockname()[1]: page}, answering)
        server = Server(_config(answering, options.limits), context, options.limits, options.grace_s)
        server.reload = lambda: _reload(server, policy.tokens, options)
        urls = [_address(options.host, it, secure=context is not None) for it in sockets]
        if metrics is not None:
            _logger.warning("metrics at %s%s", urls[1], METRICS_PATH)
        yield OpenedServer(server, sockets, urls[0])


def _reload(server: Server, tokens: TokenFile | None, options: ServeOptions) -> None:
    """Reads again what a keeper changes beside the shelf; what cannot be used leaves the former in force."""
    if tokens is not None:
        tokens.reload()
    if options.tls_cert is not None:
        try:
            server.use(server_context(options.tls_cert, options.tls_key))
        except ConfigError as exc:
            _logger.error("the certificate read before stays in use: %s", exc)
        else:
            _logger.warning("%s is read again", options.tls_cert)


def _config(app: ASGIApp, limits: ConnectionLimits) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="uvloop",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        # Nothing is read from X-Forwarded-*: whoever may set them would choose who he is.
        proxy_headers=False,
        timeout_keep_alive=int(limits.idle_s),
    )


def _policy(options: ServeOptions) -> Policy:
    """Raises: ConfigError."""
    allowed = make_allow_list(options.host, options.allow_hosts, options.allow_origins)
    prefix = "/" + options.root_path.strip("/") if options.root_path.strip("/") else ""
    if options.token_file is None:
        if options.public_pages:
            raise ConfigError(["--public-pages: says what needs no token; give --token-file, too"])
        return Policy(allowed, prefix=prefix)
    return Policy(allowed, TokenFile(options.token_file), options.public_pages, prefix)


def _check_open_host(options: ServeOptions) -> None:
    """Raises: ConfigError where other machines could read without being asked for anything."""
    if is_loopback(options.host):
        return
    if options.token_file is None and not options.allow_anonymous:
        message = "other machines could read everything; give --token-file FILE, or --allow-anonymous"
        raise ConfigError([f"--host {options.host}: {message}"])
    if options.token_file is None:
        _logger.warning("everybody who reaches %s may read the shelf", options.host)
    elif options.tls_cert is None:
        _logger.warning(
            "tokens travel readable to %s: give --tls-cert, or put a proxy in front", options.host
        )


def _tls(options: ServeOptions) -> ssl.SSLContext | None:
    """Raises: ConfigError."""
    if options.tls_cert is not None:
        return server_context(options.tls_cert, options.tls_key)
    if options.tls_key is not None:
        raise ConfigError(["--tls-key: belongs to a certificate; give --tls-cert, too"])
    return None


def _listen(host: str, port: int, option: str) -> socket.socket:
    """A socket that is bound; connections wait from now on."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(_bindable(address), family=family, backlog=_BACKLOG)
    except OSError as exc:
        reason = exc.strerror or str(exc)
        if exc.errno == errno.EADDRINUSE:
            reason = f"the port is in use; stop what holds it or choose another with {option}"
        raise ShelfError(f"{host}:{port}: {reason}") from exc


def _bindable(address: tuple[Any, ...]) -> tuple[str, int]:
    return str(address[0]), int(address[1])


def _address(host: str, listener: socket.socket, *, secure: bool) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http{'s' if secure else ''}://{shown}:{listener.getsockname()[1]}"
