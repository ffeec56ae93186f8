"""Connections that cannot be held: time limits, size limits and a bound on their number.

uvicorn 0.54 waits for ever for the rest of a request's head or body and for a client that does not read
(75 s tried, 2026-11), and opens as many connections as come. Can go when uvicorn has such limits.
"""

import asyncio
import contextlib
import logging
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import httptools
from starlette.responses import Response
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

HEAD_BYTES = 32 * 1024
"""What all headers of a request may have together."""

_TICK_S = 0.1
_CLOSED_A_TICK = 100
"""Closing thousands at once would hold up everybody else (10,000: 0.3 s, 2026-11)."""

_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: on, 0 s."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How long and how much a connection may take; seconds and bytes."""

    head_s: float = 8
    """From the first byte of a head, or the opening of the connection (with TLS: its handshake), to its end."""
    head_bytes: int = HEAD_BYTES
    body_s: float = 35
    """From the end of the head to the end of the body."""
    body_bytes: int = 2 * 1024 * 1024
    """Of a body that nobody reads; who reads one has a limit of its own."""
    write_s: float = 60
    """For a client to take what waits for it, up to 320 KB."""
    idle_s: float = 15
    """Between two requests."""
    connections: int = 1000
    """More push out the one that has waited longest without asking."""


class Held(Protocol):
    """What `Connections` keeps."""

    def abort(self) -> None:
        """Closes without waiting for anything."""


class Connections:
    """Every open connection of a server by what it waits for, those that have waited longest first."""

    def __init__(self, limits: ConnectionLimits, refusal: Callable[[int, str, str], Response]) -> None:
        """`refusal` makes the answer to what is no request, from status, code and message."""
        self.limits = limits
        self.refusal = refusal
        self._heads: dict[Held, float] = {}
        """Those whose head has not come, with the time when it must have."""
        self._idle: dict[Held, None] = {}
        self._stalled: dict[Held, float] = {}
        """Those whose client does not read, with the time when it must have."""
        self._busy: dict[Held, float] = {}
        """Those whose body has not come whole, with the time when it must have."""
        self._closing: dict[Held, float] = {}
        self._open: set[Held] = set()

    def admit(self, connection: Held, now_s: float) -> None:
        """Takes a new connection; where there are too many, closes one that waits, else the new one."""
        if len(self._open) >= self.limits.connections:
            waiting = next((group for group in (self._heads, self._idle, self._stalled) if group), None)
            if waiting is None:
                connection.abort()
                return
            self._abort(next(iter(waiting)))
        self._open.add(connection)
        self._heads[connection] = now_s + self.limits.head_s

    def drop(self, connection: Held) -> None:
        """Forgets a connection that is closed."""
        self._open.discard(connection)
        self._settle(connection)
        self._stalled.pop(connection, None)
        self._closing.pop(connection, None)

    def await_head(self, connection: Held, now_s: float) -> None:
        """The first byte of a head has come."""
        self._settle(connection)
        self._heads[connection] = now_s + self.limits.head_s

    def await_body(self, connection: Held, now_s: float) -> None:
        """The head is whole."""
        self._settle(connection)
        self._busy[connection] = now_s + self.limits.body_s

    def answer(self, connection: Held) -> None:
        """The request is whole: what comes next is ours."""
        self._settle(connection)

    def rest(self, connection: Held) -> None:
        """Request and answer are done."""
        self._settle(connection)
        self._idle[connection] = None

    def stall(self, connection: Held, now_s: float) -> None:
        """The client does not take what waits for it."""
        self._stalled[connection] = now_s + self.limits.write_s

    def flow(self, connection: Held) -> None:
        """The client reads again."""
        self._stalled.pop(connection, None)

    def close_soon(self, connection: Held, now_s: float) -> None:
        """The connection closes as soon as the client has taken the last answer."""
        self._closing.setdefault(connection, now_s + self.limits.idle_s)

    def close_late(self, now_s: float) -> None:
        """Closes those whose time is over, some at a time."""
        for group in (self._heads, self._busy, self._stalled, self._closing):
            late: list[Held] = []
            for connection, end_s in group.items():
                if end_s > now_s or len(late) >= _CLOSED_A_TICK:
                    break
                late.append(connection)
            for connection in late:
                self._abort(connection)

    async def watch(self) -> None:
        """Closes late connections until it is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_TICK_S)
            try:
                self.close_late(loop.time())
            except Exception:
                # One connection must not end the limits of all others.
                _logger.exception("a connection could not be closed")

    def _settle(self, connection: Held) -> None:
        self._heads.pop(connection, None)
        self._idle.pop(connection, None)
        self._busy.pop(connection, None)

    def _abort(self, connection: Held) -> None:
        self.drop(connection)
        connection.abort()


class LimitedProtocol(HttpToolsProtocol):
    """HTTP/1.1 of uvicorn under the limits of `Connections`."""

    def __init__(
        self,
        connections: Connections,
        config: Config,
        state: ServerState,
        app_state: dict[str, Any],
        before: Held | None = None,
    ) -> None:
        """`before` is what was kept in the place of this connection until now."""
        super().__init__(config, state, app_state)
        self._before = before
        self._watched = connections
        self._limits = connections.limits
        self._head_bytes = 0
        self._body_bytes = 0
        self._in_head = True
        self._in_body = False
        self._unanswered = 0

    def abort(self) -> None:
        """Closes without waiting for the client to read."""
        if self.transport is None:
            return
        if self.transport.get_write_buffer_size():
            # Else the kernel would keep what is not taken, up to 4 MB, and go on trying for minutes.
            peer: socket.socket = self.transport.get_extra_info("socket")
            with contextlib.suppress(OSError):
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the clock for the first head."""
        super().connection_made(transport)
        if self._before is not None:
            self._watched.drop(self._before)
        self._watched.admit(self, self.loop.time())

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops every clock."""
        self._watched.drop(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Hands the data to the parser; what is no HTTP is answered and the connection closed."""
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        if not (self._in_head or self._in_body or self._unanswered):
            self._in_head = True
            self._watched.await_head(self, self.loop.time())
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # The request was answered as HTTP/1.1; what follows is for the parser no HTTP any more.
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self._refuse(400, "bad-request", "This is no HTTP/1.1 request.")
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > self._limits.head_bytes:
                self._refuse(
                    431, "head-too-large", f"The head is larger than {self._limits.head_bytes} bytes."
                )

    def on_message_begin(self) -> None:
        """A head has begun, perhaps behind another request."""
        super().on_message_begin()
        self._in_head = True
        self._in_body = False

    def on_headers_complete(self) -> None:
        """Starts the clock for the body."""
        self._in_head, self._in_body = False, True
        self._head_bytes = self._body_bytes = 0
        self._unanswered += 1
        self._watched.await_body(self, self.loop.time())
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Closes where a body goes on and on that nobody reads."""
        super().on_body(body)
        self._body_bytes += len(body)
        if self._body_bytes > self._limits.body_bytes:
            self.transport.close()

    def on_message_complete(self) -> None:
        """Stops the clock for the body."""
        self._in_body = False
        super().on_message_complete()
        if self._unanswered:
            self._watched.answer(self)
        else:
            self._watched.rest(self)

    def on_response_complete(self) -> None:
        """The connection rests once every request on it is answered."""
        self._unanswered -= 1
        super().on_response_complete()
        if self.transport.is_closing():
            self._watched.close_soon(self, self.loop.time())
        elif not (self._unanswered or self._in_body):
            self._in_head = False
            self._watched.rest(self)

    def pause_writing(self) -> None:
        """Starts the clock for a client that does not read."""
        super().pause_writing()
        self._watched.stall(self, self.loop.time())

    def resume_writing(self) -> None:
        """Stops that clock."""
        super().resume_writing()
        self._watched.flow(self)

    def timeout_keep_alive_handler(self) -> None:
        """Closes an idle connection, also one whose client has not taken its answer."""
        self.abort() if self.transport.get_write_buffer_size() else self.transport.close()

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answers what never became a request, unless an answer to an earlier one is on its way."""
        if self.transport.is_closing():
            return
        if not self._unanswered:
            response = self._watched.refusal(status, code, message)
            lines = [b"HTTP/1.1 %d " % status, b"", b"\r\n"]
            lines += [b"%s: %s\r\n" % header for header in response.raw_headers]
            self.transport.write(b"".join([*lines, b"connection: close\r\n\r\n", bytes(response.body)]))
        self.transport.close()
        self._watched.close_soon(self, self.loop.time())
