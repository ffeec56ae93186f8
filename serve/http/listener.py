"""Taking connections, with TLS or without, a few at a time and under the limits of `Connections`.

The event loop's own server takes all that wait before anybody is answered: beside 10,000 half-open
connections a good client waited 50 ms. With TLS it also counts none before its handshake is done, and each
of those holds 60 KB: 860 MB (uvloop 0.23, 2026-11).
"""

import asyncio
import contextlib
import ctypes
import logging
import resource
import socket
import ssl
import struct
from collections.abc import Callable

from docshelf.serve.http.connections import Connections, Held

_SPARE_FILES = 128
"""Descriptors for files, pipes and libraries beside the connections."""
_TAKEN_AT_ONCE = 8
_PAUSE_S = 0.5
_GOODBYE_S = 5.0
"""For the client to say that it closes, too."""

_ATTACH_FILTER = 26
"""SO_ATTACH_FILTER of Linux, which Python does not name."""
_BPF_LOAD_BYTE, _BPF_JUMP_IF_SET, _BPF_RETURN = 0x30, 0x45, 0x06
_HANDSHAKES_S = 0.05
"""For handshakes that were under way when the listener began to end."""

_logger = logging.getLogger(__name__)


def connections_possible(wanted: int) -> int:
    """How many connections this process may hold, `wanted` at most; its limit of open files is raised for it.

    Of the soft limit only: 1,024 is usual, and one file each would leave none for the shelf's files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    possible = max(soft - _SPARE_FILES, 16)
    _logger.warning("the limit of open files is %d: no more than %d connections are kept", soft, possible)
    return possible


class Listener:
    """Takes the connections that come to a bound socket."""

    def __init__(
        self,
        listener: socket.socket,
        context: ssl.SSLContext | None,
        connections: Connections,
        inner: Callable[[Held], asyncio.Protocol],
    ) -> None:
        """Begins. `context` None is plain TCP. `inner` makes the protocol that is spoken on a connection; when
        that begins, it drops from `connections` what `inner` was given."""
        self._listener = listener
        self._context = context
        self._connections = connections
        self._inner = inner
        # The event loop refuses limits of TLS without TLS.
        self._handshake_s = None if context is None else connections.limits.head_s
        self._goodbye_s = None if context is None else _GOODBYE_S
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        listener.setblocking(False)
        self._listen()

    def use(self, context: ssl.SSLContext) -> None:
        """Opens connections with `context` from now on; those that are open keep theirs."""
        self._context = context

    async def close(self) -> None:
        """Takes the connections that wait already, and no more; returns when all have begun, or their time is over.

        Closed at once, those that wait would be reset, with the requests that they may have sent.
        """
        self._loop.remove_reader(self._listener)
        let_nobody_in(self._listener)
        await asyncio.sleep(_HANDSHAKES_S)
        while self._take():
            pass
        self._listener.close()
        if self._opening:
            await asyncio.wait(self._opening, timeout=self._connections.limits.head_s)

    def _listen(self) -> None:
        if self._listener.fileno() >= 0:
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Takes some of those that wait; the others after everybody else had a turn."""
        for _ in range(_TAKEN_AT_ONCE):
            if not self._take():
                return

    def _take(self) -> bool:
        """Takes one connection; False where none waits or can be taken."""
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return False
        except ConnectionAbortedError:
            return True  # its client has left; others may wait behind it
        except OSError as exc:
            _logger.warning("no connection can be taken for now: %s", exc.strerror)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(_PAUSE_S, self._listen)
            return False
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        door = _Door(connection)
        self._connections.admit(door, self._loop.time())
        # Held here, for the loop itself keeps no task alive.
        opening = self._loop.create_task(self._open(door))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        return True

    async def _open(self, door: "_Door") -> None:
        try:
            await self._loop.connect_accepted_socket(
                lambda: self._inner(door),
                door.connection,
                ssl=self._context,
                ssl_handshake_timeout=self._handshake_s,
                ssl_shutdown_timeout=self._goodbye_s,
            )
        except OSError:
            # Gone, no TLS or another version: nobody is there to be answered. SSLError is one of them.
            door.connection.close()
        finally:
            self._connections.drop(door)


def let_nobody_in(listener: socket.socket) -> None:
    """From now on the kernel drops whatever begins a connection; handshakes under way come to their end.

    Else a client could come between the last that is taken and the end of the listener, and be reset with its
    request. So it comes again a second later and is refused, as by a server that is gone (socket(7),
    SO_ATTACH_FILTER; a filter of TCP sees the TCP header first).
    """
    instructions = (
        struct.pack("HBBI", _BPF_LOAD_BYTE, 0, 0, 13),  # the flags of TCP
        struct.pack("HBBI", _BPF_JUMP_IF_SET, 0, 1, 0x02),  # SYN
        struct.pack("HBBI", _BPF_RETURN, 0, 0, 0),
        struct.pack("HBBI", _BPF_RETURN, 0, 0, 0xFFFFFFFF),
    )
    code = ctypes.create_string_buffer(b"".join(instructions))
    program = struct.pack("HP", len(instructions), ctypes.addressof(code))
    with contextlib.suppress(OSError):  # a sandbox may forbid it: then only that moment is left
        listener.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)


class _Door:
    """A connection that was taken and not yet begun; with TLS its handshake is under way."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def abort(self) -> None:
        """Ends the connection, and with it the handshake."""
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
