"""docshelf-mcp as a library for the reader: its own index, then what its tool `docshelf_read_document` gives.

The program runs beside us and is asked over MCP on its standard input and output, as a model's host does.
"""

import json
import os
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchmarks.route_reader import Line, Reading

PIECE_BYTES = 16_000
"""What one call asks for, as our `fetch` gives by default; the tool's own default is 100,000."""

_PROTOCOL = "2025-06-18"
_INDEX = "INDEX.md"
_SUBINDEX = "SUBINDEX.md"
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)")


class PeerShelf:
    """A shelf of docshelf-mcp in `folder`, which is made where it is empty."""

    def __init__(self, program: Path, folder: Path) -> None:
        """Starts the program; `close` ends it."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._number = 0
        self._process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "DOCSHELF_ROOT": str(folder)},
        )
        client = {"name": "docshelf benchmark", "version": "1"}
        self._ask("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def is_filled(self) -> bool:
        """Whether the shelf has been made before."""
        return (self._folder / _INDEX).is_file()

    def close(self) -> None:
        """Ends the program."""
        self._process.communicate(timeout=60)

    def fill(self, sources: Path, name: str) -> list[str]:
        """Puts the documents of each folder below `sources` on the shelf as a category; what was refused.

        Links in its index are relative (provider `none`): the shelf is read where it lies.
        """
        self._call("docshelf_init_shelf", shelf_path=str(self._folder), name=name, provider="none")
        refused: list[str] = []
        for folder in sorted(it for it in sources.iterdir() if it.is_dir() and not it.name.startswith(".")):
            told = self._call("docshelf_add_directory", source_dir=str(folder), category=folder.name)
            refused += [f"{folder.name}/{it['file']}: {it['error']}" for it in json.loads(told)["failed"]]
        return refused

    def start(self) -> Reading:
        """INDEX.md, the one file that a model is given."""
        text = self._ask("resources/read", uri=f"docshelf:///{_INDEX}")["contents"][0]["text"]
        return Reading(text, tuple(read_links(text, "")))

    def read(self, path: str) -> Reading:
        """A SUBINDEX, or a piece of a document or section."""
        path, _, offset = path.partition("\0")
        told = self._call(
            "docshelf_read_document", relative_path=path, max_bytes=PIECE_BYTES, offset=int(offset or 0)
        )
        if not path.endswith(_SUBINDEX):
            answer = json.loads(told)
            return Reading(told, more=f"{path}\0{answer['next_offset']}" if answer["truncated"] else None)
        return self._read_index(path, told)

    def _read_index(self, path: str, told: str) -> Reading:
        """A SUBINDEX to its end."""
        parts, content = [told], ""
        while True:
            answer = json.loads(parts[-1])
            content += answer["content"]
            if not answer["truncated"]:
                return Reading("".join(parts), tuple(read_links(content, posixpath.dirname(path))))
            parts.append(
                self._call(
                    "docshelf_read_document",
                    relative_path=path,
                    max_bytes=PIECE_BYTES,
                    offset=answer["next_offset"],
                )
            )

    def _call(self, tool: str, **arguments: object) -> str:
        result = self._ask("tools/call", name=tool, arguments={"params": arguments})
        text = "".join(part["text"] for part in result["content"] if part["type"] == "text")
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {text}")
        return text

    def _ask(self, method: str, **params: object) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                result: dict[str, Any] = message["result"]
                return result
        raise RuntimeError(f"{method}: docshelf-mcp ended with status {self._process.wait()}")

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()


def read_links(index: str, folder: str) -> Iterator[Line]:
    """What INDEX.md or a SUBINDEX.md in `folder` lists, without links to whole documents that are cut.

    A document whose sections stand elsewhere is one line: its title, with the path of its SUBINDEX.
    """
    category = document = ""
    for row in index.splitlines():
        if row.startswith("### "):
            document = row[4:]
        elif row.startswith("## "):
            category, document = row[3:], ""
        elif row.startswith("Full document:"):
            continue
        for label, target in _LINK.findall(row):
            path = posixpath.normpath(posixpath.join(folder, unquote(target)))
            if not path.startswith("docs/") or not path.endswith(".md"):
                continue
            if path.endswith(_SUBINDEX):
                yield Line(path, document, "", category)
            else:
                after = row.partition(f"]({target})")[2]
                yield Line(path, label, after, document or category)
