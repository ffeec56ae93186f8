"""A proxy on loopback that hands HTTP requests on as they are, and does something at the n-th that writes."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Moment = Literal["before", "within", "after"]
"""Before the request goes on, when its head and half of its body have gone on, or when it was answered."""

_WRITES = (b"PUT", b"POST", b"DELETE")


@dataclass
class WriteCounter:
    """Counts requests that write, and knows what to do at one of them."""

    at: int = 0
    """Which one, from 1; 0 is none."""
    moment: Moment = "before"
    act: Callable[[], None] = lambda: None
    left_out: bytes = b""
    """A header that does not go on, in small letters: the server behind is one that does not know it."""
    writes: list[str] = field(default_factory=list)
    """Method and target of each, in the order in which they came."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def is_due(self, head: bytes) -> bool:
        """Notes a request by its head; whether it is the one."""
        method, target, *_ = head.split(b" ", 2)
        if method not in _WRITES:
            return False
        with self.lock:
            self.writes.append(f"{method.decode()} {target.decode()}")
            return len(self.writes) == self.at


@contextmanager
def counting_proxy(url: str, counter: WriteCounter) -> Iterator[str]:
    """The address of a proxy to `url`; connections end with the block."""
    parts = urlsplit(url)
    assert parts.hostname and parts.port
    upstream = (parts.hostname, parts.port)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        opened: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    server = socket.create_connection(upstream)
                    opened.extend((client, server))
                    threading.Thread(target=_answers, args=(server, client), daemon=True).start()
                    threading.Thread(target=_requests, args=(client, server, counter), daemon=True).start()

        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for it in opened:
                it.close()


def _requests(client: socket.socket, server: socket.socket, counter: WriteCounter) -> None:
    """Hands on one request after the other."""
    buffer = b""
    with suppress(OSError):
        while True:
            while b"\r\n\r\n" not in buffer:
                received = client.recv(1 << 16)
                if not received:
                    server.close()
                    return
                buffer += received
            head, _, buffer = buffer.partition(b"\r\n\r\n")
            length = _length(head)
            while len(buffer) < length:
                buffer += client.recv(1 << 16)
            body, buffer = buffer[:length], buffer[length:]
            lines = head.split(b"\r\n")
            kept = [it for it in lines if it.partition(b":")[0].lower() != counter.left_out]
            request = b"\r\n".join(kept) + b"\r\n\r\n" + body
            if counter.is_due(head):
                if counter.moment == "within":
                    server.sendall(request[: len(request) - (length + 1) // 2])
                elif counter.moment == "after":
                    client.shutdown(socket.SHUT_WR)  # the answer is lost
                    server.sendall(request)
                    server.shutdown(socket.SHUT_WR)
                    while server.recv(1 << 16, socket.MSG_PEEK):
                        time.sleep(0.01)
                counter.act()
                server.close()
                client.close()
                return
            server.sendall(request)


def _answers(server: socket.socket, client: socket.socket) -> None:
    with suppress(OSError):
        while received := server.recv(1 << 16):
            client.sendall(received)
        client.close()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
