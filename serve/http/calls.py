"""What a request has read, noted by the part that answered it and gathered for the trace.

A context variable carries the list: what answers (`handle` of MCP, a tool) knows nothing of requests.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """One reading."""

    tool: str
    """`list`, `fetch`, `search`, `inspect`; `resource` for one of MCP; `file` for a file over HTTP."""
    path: str = ""
    """A path of the release, never the words of the reader; "" where none was found."""
    release: str = ""
    status: int = 0
    """As HTTP counts; 0: as the whole answer."""
    size_bytes: int = 0
    """Of its text; counts where one request holds several calls."""


_calls: ContextVar[list[Call] | None] = ContextVar("docshelf_calls", default=None)


def note_call(call: Call) -> None:
    """Adds `call` to what the request has read; nothing where nobody gathers."""
    calls = _calls.get()
    if calls is not None:
        calls.append(call)


def is_gathering() -> bool:
    """Whether a call that is noted reaches anybody."""
    return _calls.get() is not None


@contextmanager
def gathered_calls() -> Iterator[list[Call]]:
    """The list that `note_call` fills inside the `with` block."""
    calls: list[Call] = []
    token = _calls.set(calls)
    try:
        yield calls
    finally:
        _calls.reset(token)
