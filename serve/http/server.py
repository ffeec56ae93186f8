"""uvicorn's server with our connections, and with what signals ask of it."""

import asyncio
import logging
import signal
import socket
import ssl
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.server import ServerState

from docshelf.serve.http.connections import ConnectionLimits, Connections, Held, LimitedProtocol
from docshelf.serve.http.guard import refusal
from docshelf.serve.http.listener import Listener, connections_possible
from docshelf.serve.http.signals import has_terminal, in_main_thread

_LAST_S = 0.3
"""For a request that was sent before its sender could know that the server ends."""
_ABORT_S = 0.1
"""For what was closed to be seen by who was answering."""

_logger = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """Answers under the limits of `Connections`, and says when it listens."""

    def __init__(
        self, config: uvicorn.Config, context: ssl.SSLContext | None, limits: ConnectionLimits, grace_s: int
    ) -> None:
        """`context` None is plain HTTP; `grace_s` is the time for answers under way when the server ends."""
        super().__init__(config)
        self._grace_s = grace_s
        self.on_listening: Callable[[], None] = _nothing
        self.reload: Callable[[], None] = _nothing
        """What SIGHUP asks for."""
        self._context = context
        most = connections_possible(limits.connections)
        self._connections = Connections(replace(limits, connections=most), refusal)
        self._watch: asyncio.Task[None] | None = None
        self._listeners: list[Listener] = []
        self._had_terminal = has_terminal()
        self._is_ending = False

    def use(self, context: ssl.SSLContext) -> None:
        """Opens connections with `context` from now on; those that are open keep theirs."""
        for listener in self._listeners:
            listener.use(context)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listens on `sockets`: uvicorn would set neither our protocol nor our limits."""
        await super().startup(sockets=[])
        loop = asyncio.get_running_loop()
        self._listeners = [
            Listener(listener, self._context, self._connections, self._protocol) for listener in sockets or []
        ]
        self._watch = loop.create_task(self._connections.watch())
        if in_main_thread():
            loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        self.on_listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes what has come already, lets its answers end, then stops looking after connections."""
        self._is_ending = True
        for listener in self._listeners:
            await listener.close()
        late = asyncio.get_running_loop().call_later(self._grace_s, self._abort_open)
        await super().shutdown(sockets)
        late.cancel()
        if self._abort_open():
            # After a second Ctrl-C, which waits for nobody.
            await asyncio.sleep(_ABORT_S)
        if self._watch is not None:
            self._watch.cancel()

    def _abort_open(self) -> int:
        """Closes every connection at once; how many there were."""
        left = [it for it in self.server_state.connections if isinstance(it, LimitedProtocol)]
        if left:
            _logger.warning("connections closed before their end: %d", len(left))
        for connection in left:
            connection.abort()
        return len(left)

    def _hang_up(self) -> None:
        if self._had_terminal and not has_terminal():
            self.should_exit = True
        else:
            self.reload()

    def _protocol(self, before: Held) -> LimitedProtocol:
        state = self.server_state, self.lifespan.state
        return _EndingProtocol(lambda: self._is_ending, self._connections, self.config, *state, before)


class _EndingProtocol(LimitedProtocol):
    """Answers what has come, also while the server ends.

    uvicorn closes a connection at once where no request has been read, and so loses what was sent meanwhile.
    """

    def __init__(
        self,
        is_ending: Callable[[], bool],
        connections: Connections,
        config: uvicorn.Config,
        state: ServerState,
        app_state: dict[str, Any],
        before: Held,
    ) -> None:
        super().__init__(connections, config, state, app_state, before)
        self._is_ending = is_ending

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection that was waiting when the server began to end has one request."""
        super().connection_made(transport)
        if self._is_ending():
            self.shutdown()

    def on_headers_complete(self) -> None:
        """The last answer of a connection says so."""
        super().on_headers_complete()
        if self._is_ending():
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Ends the connection: after the answers under way, or after a request that is on its way already."""
        if self._unanswered:
            super().shutdown()
        else:
            self.loop.call_later(_LAST_S, self._close_unless_asked)

    def _close_unless_asked(self) -> None:
        if not (self._unanswered or self._in_body or (self._in_head and self._head_bytes)):
            self.transport.close()


def by_port(apps: Mapping[int, ASGIApp], other: ASGIApp) -> ASGIApp:
    """The application for each port that a connection came in by; `other` for all the rest."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await apps.get(scope["server"][1], other)(scope, receive, send)

    return answer


def _nothing() -> None:
    """Where nobody wants to know."""
