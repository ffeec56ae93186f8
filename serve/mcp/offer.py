"""What a server offers over MCP, as plain values: the protocol core knows nothing of shelves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Result = dict[str, Any]
"""A result as it goes over the wire."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    description: Mapping[str, Any]
    """As `tools/list` shows it."""
    call: Callable[[Mapping[str, object]], Result]
    """Arguments → the result of `tools/call`. A RequestError is told to the model."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt."""

    description: Mapping[str, Any]
    """As `prompts/list` shows it; its arguments are checked by it."""
    get: Callable[[Mapping[str, str]], Result]
    """Arguments → the result of `prompts/get`."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Everything a client may ask for beside the protocol itself."""

    instructions: Callable[[], str]
    """What a host tells its model about this server."""
    tools: Mapping[str, Tool]
    prompts: Mapping[str, Prompt]
    list_resources: Callable[[str], tuple[Sequence[Result], str]]
    """The resources behind a place ("" the beginning), and the place to go on from ("" at the end)."""
    read_resource: Callable[[str], Result]
    """URI → one of the `contents` of `resources/read`. Raises: RequestError where there is none."""
    resource_templates: Sequence[Result]


def text_content(text: str) -> Result:
    """A piece of text in a result or message."""
    return {"type": "text", "text": text}
