"""Small files in memory."""

import threading
from collections import OrderedDict

_LIMIT_BYTES = 64 * 1024 * 1024


class ByteCache:
    """The contents of small files by sha256, least recently used first out; safe between threads."""

    def __init__(self, limit_bytes: int = _LIMIT_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, sha256: str) -> bytes | None:
        """The content with this hash, or None where it is not kept."""
        with self._lock:
            content = self._contents.get(sha256)
            if content is not None:
                self._contents.move_to_end(sha256)
            return content

    def put(self, sha256: str, content: bytes) -> None:
        """Keeps `content` and drops what was not used for longest."""
        with self._lock:
            if sha256 in self._contents:
                return
            self._contents[sha256] = content
            self._size_bytes += len(content)
            while self._size_bytes > self._limit_bytes:
                _, dropped = self._contents.popitem(last=False)
                self._size_bytes -= len(dropped)
