"""Serving a shelf over HTTP until the process is told to stop."""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from docshelf.serve.app import create_app
from docshelf.serve.errors import ShelfError
from docshelf.serve.mcp_http import is_loopback
from docshelf.serve.tree import Site

_KEEP_ALIVE_S = 15
_SHUTDOWN_S = 10
_CONNECTIONS = 1000
"""Above this a request is answered with 503: each open connection holds memory."""

_logger = logging.getLogger(__name__)


def serve_site(
    site_folder: Path,
    host: str,
    port: int,
    on_listening: Callable[[str], None],
    *,
    allowed_origins: Collection[str] = (),
    root_path: str = "",
) -> None:
    """Serves the shelf in `site_folder` and returns after SIGINT.

    `on_listening` is called once with the address, such as `http://127.0.0.1:8080`, as soon as requests
    are accepted; port 0 takes a free one. `root_path` is the prefix that a proxy leaves in the path.
    Requests are not logged: their queries are what people read and ask.

    Raises: ShelfDamaged before anything listens; ShelfError where the address cannot be had.
    """
    site = Site(site_folder)
    site.current()
    listener = _listen(host, port)
    if not is_loopback(host):
        _logger.warning(
            "%s is open to the network and has no access control: put nginx in front, or use 127.0.0.1", host
        )
    config = _config(create_app(site, allowed_origins=allowed_origins), root_path)
    with listener:
        try:
            _Server(config, lambda: on_listening(_address(host, listener))).run(sockets=[listener])
        except KeyboardInterrupt:
            # uvicorn has shut down in order and raises the signal once more.
            return


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, on_listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_listening = on_listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_listening()


class HeaderTimeoutProtocol(HttpToolsProtocol):
    """Closes a connection whose request head does not come.

    uvicorn 0.54 waits for ever for the rest of a half-sent head, also on a connection that stays silent
    from the start (75 s tried, 2026-11). Can go when uvicorn has a limit of its own.
    """

    head_timeout_s: float = 20
    """From the first byte of a head, or the opening of the connection, to the head's end."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the clock for the first head."""
        super().connection_made(transport)
        self._start_head_timer()

    def data_received(self, data: bytes) -> None:
        """Starts the clock where the data begins another head."""
        super().data_received(data)
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.timeout_keep_alive_task is None:
            self._start_head_timer()

    def on_headers_complete(self) -> None:
        """Stops the clock."""
        self._stop_head_timer()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the clock."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.head_timeout_s, self.timeout_keep_alive_handler)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def _config(app: Starlette, root_path: str) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=HeaderTimeoutProtocol,
        loop="uvloop",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        root_path=root_path,
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        limit_concurrency=_CONNECTIONS,
    )


def _listen(host: str, port: int) -> socket.socket:
    """A socket that is bound; connections wait from now on."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(_bindable(address), family=family, backlog=512)
    except OSError as exc:
        reason = exc.strerror or str(exc)
        if exc.errno == errno.EADDRINUSE:
            reason = "the port is in use; stop what holds it or choose another with --port"
        raise ShelfError(f"{host}:{port}: {reason}") from exc


def _bindable(address: tuple[Any, ...]) -> tuple[str, int]:
    return str(address[0]), int(address[1])


def _address(host: str, listener: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listener.getsockname()[1]}"
