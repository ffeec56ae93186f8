"""The servers that are measured: DocShelf's, nginx, Starlette from memory, and the official MCP SDK."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
MCP_VERSION = "2025-11-25"

_NGINX = """\
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; types {{ text/markdown md; }}
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""
_STARLETTE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
content = open(sys.argv[1], "rb").read()
async def answer(request): return Response(content, media_type="text/markdown")
app = Starlette(routes=[Route("/{path:path}", answer)])
uvicorn.run(app, port=int(sys.argv[2]), http="httptools", loop="uvloop", log_level="error", access_log=False)
"""
_SDK = """
import sys, uvicorn
from mcp.server.mcpserver import MCPServer
text = open(sys.argv[1], encoding="utf-8").read()
server = MCPServer("peer", log_level="ERROR")
@server.tool(structured_output=False)
def fetch(path: str) -> str:
    "Text of one section as Markdown."
    return text
app = server.streamable_http_app(json_response=True, stateless_http=True)
uvicorn.run(app, port=int(sys.argv[2]), http="httptools", loop="uvloop", log_level="error", access_log=False)
"""


@dataclass(frozen=True)
class RunningServer:
    """A server that listens."""

    process: "subprocess.Popen[bytes]"
    port: int
    ready_s: float
    """From the start of the process to the first connection that was taken."""

    def cpu_ns(self) -> int:
        """CPU time of the process so far, all threads, user and system."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)

    def memory_mb(self) -> float:
        """Resident memory now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@contextmanager
def docshelf_server(site: Path, *options: str) -> Iterator[RunningServer]:
    """`docshelf serve`, as a user starts it."""
    port = free_port()
    command = [sys.executable, "-m", "docshelf.build.cli", "serve", str(site), "--port", str(port), *options]
    with _running(command, port) as server:
        yield server


@contextmanager
def nginx(root: Path, folder: Path) -> Iterator[RunningServer]:
    """One process of nginx over the files of a release."""
    port, program = free_port(), shutil.which("nginx") or "/usr/sbin/nginx"
    settings = folder / "nginx.conf"
    settings.write_text(_NGINX.format(folder=folder, port=port, root=root))
    with _running([program, "-c", str(settings), "-p", str(folder)], port) as server:
        yield server


@contextmanager
def starlette_from_memory(file: Path) -> Iterator[RunningServer]:
    """The least that Starlette and uvicorn need for the bytes of `file`."""
    port = free_port()
    with _running([sys.executable, "-c", _STARLETTE, str(file), str(port)], port) as server:
        yield server


@contextmanager
def mcp_sdk(file: Path) -> Iterator[RunningServer]:
    """The official SDK with one tool that gives the text of `file`: JSON answers, stateless."""
    port = free_port()
    with _running([sys.executable, "-c", _SDK, str(file), str(port)], port) as server:
        yield server


def get_request(path: str) -> bytes:
    """A GET on a connection that stays open."""
    return f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1:80\r\nAccept: */*\r\n\r\n".encode()


def mcp_request(tool: str, arguments: dict[str, str]) -> bytes:
    """A tool call as the SDK's client sends it."""
    params = {"name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MCP_VERSION}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def free_port() -> int:
    """A port on loopback that nobody holds now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@contextmanager
def _running(command: list[str], port: int) -> Iterator[RunningServer]:
    began_s = time.perf_counter()
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / ".dev")}
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            yield RunningServer(process, port, _wait(process, port) - began_s)
        finally:
            process.terminate()


def _wait(process: "subprocess.Popen[bytes]", port: int) -> float:
    """When the first connection was taken. Raises: RuntimeError where the server ends or does not listen."""
    give_up_s = time.perf_counter() + 30
    while time.perf_counter() < give_up_s:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return time.perf_counter()
        except OSError:
            time.sleep(0.002)
        if process.poll() is not None:
            break
    raise RuntimeError(f"{process.args!r} does not listen")
