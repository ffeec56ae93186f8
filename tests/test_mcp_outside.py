"""Clients of others read a built shelf from a real server, and go on when it is started again.

The snippets of docs/hosts.md are run as they stand there; only address and token are put in.
"""

import json
import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from nginx_server import running_nginx
from outside import CLIENTS, REPOSITORY, outside
from running_server import running_server
from shelftest import ShelfTest

from docshelf.serve.nginx.options import NginxOptions

SECTION = "docs/net/firewall/004-nabor-pravil-nftables.md"
QUERY = "набор правил nftables"
TOKEN = "an-only-token-of-the-tests-0123456789"
TOOLS = ["list", "fetch", "search", "inspect"]
HOSTS = REPOSITORY / "docs/hosts.md"
INSPECTOR = ("@modelcontextprotocol/inspector", "clients/launcher/build/index.js")

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sample documents, built."""
    shelf = ShelfTest(tmp_path_factory.mktemp("shelf"))
    (shelf.source / "net").mkdir()
    for sample in ("security/firewall.pdf", "operations/Памятка дежурного инженера.pdf"):
        shutil.copy(REPOSITORY / "shelf_src" / sample, shelf.source / "net")
    shelf.build()
    return shelf.site


PLACES = [None, "", "/docs"]
"""Where clients find the shelf: docshelf serve itself, behind nginx, behind nginx under a prefix."""


@contextmanager
def seen_from(place: str | None, url: str, site: Path, folder: Path) -> Iterator[str]:
    """The address of the shelf that docshelf serve has at `url`, seen from one of PLACES."""
    if place is None:
        yield url
        return
    with running_nginx(
        site, folder, NginxOptions(site, prefix=place, upstream=urlsplit(url).netloc)
    ) as nginx:
        yield nginx + place


@pytest.fixture(scope="module", params=PLACES, ids=str)
def guarded(
    request: pytest.FixtureRequest, site: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a server of it that asks for a token."""
    tokens = tmp_path_factory.mktemp("tokens") / "tokens"
    tokens.write_text(f"tests {TOKEN}\n")
    tokens.chmod(0o600)
    with (
        running_server(site, token_file=tokens) as url,
        seen_from(request.param, url, site, tokens.parent / "nginx") as address,
    ):
        yield address


def snippet(title: str, language: str, containing: str) -> str:
    """The code block of docs/hosts.md under `title` that holds `containing`."""
    part = HOSTS.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(rf"^```{language}\n(.*?)^```", part, re.MULTILINE | re.DOTALL)
    [found] = [block for block in blocks if containing in block]
    return str(found)


def command_of(title: str, containing: str, url: str) -> list[str]:
    """The words of a shell snippet, with the address and the token of the tests."""
    text = snippet(title, "sh", containing).replace("\\\n", " ")
    text = text.replace("http://shelf.lan:8080", url).replace("$DOCSHELF_TOKEN", TOKEN)
    return shlex.split(text)


CLIENTS_TRIED: dict[str, Callable[[str], list[str]]] = {
    "Python SDK 1": lambda url: [str(outside().bin / "python"), str(CLIENTS / "python_1.py"), url],
    **{
        f"TypeScript SDK {era}": lambda url, era=era: [  # type: ignore[misc]
            str(outside().bin / "node"),
            str(outside().folder / "sdk_client.mjs"),
            era,
            url,
        ]
        for era in ("v1", "v2-legacy", "v2-modern")
    },
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("client", CLIENTS_TRIED)
def test_an_official_sdk_reads_the_shelf_and_outlives_a_restart(
    site: Path, tmp_path: Path, client: str, place: str | None
) -> None:
    with ExitStack() as stack:
        with running_server(site) as url:
            seen = stack.enter_context(seen_from(place, url, site, tmp_path / "nginx"))
            command = [*CLIENTS_TRIED[client](f"{seen}/mcp"), SECTION, QUERY]
            reading = stack.enter_context(started(command))
            told = said_by(reading)
        with running_server(site, port=int(url.rpartition(":")[2])):
            assert reading.stdin is not None
            reading.stdin.write("\n")
            reading.stdin.flush()
            again = said_by(reading)
            assert reading.wait(timeout=60) == 0
    assert told["version"] == ("2026-07-28" if client.endswith("v2-modern") else "2025-11-25")
    assert told["tools"] == TOOLS
    assert told["prompts"] == ["answer_from_shelf"]
    assert "Route: list()" in told["instructions"]
    assert_read(told)
    assert again["fetch"] == told["fetch"]


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A client that runs, and does no longer at the end."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=outside().environment(),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said_by(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The next line of JSON that a client prints."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        assert process.stderr is not None
        raise AssertionError(process.stderr.read())
    return dict(json.loads(line))


def assert_read(told: dict[str, Any]) -> None:
    """What every client reads."""
    assert "](docs/net/" in told["list"]
    assert f" · {SECTION} · " in told["fetch"].rstrip().rpartition("\n")[2]
    assert f"]({SECTION}#p" in told["search"]
    assert told["resource"].startswith("# ")


def test_langchain_reads_the_shelf_by_the_snippet(guarded: str, tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(snippet("LangChain", "python", "MultiServerMCPClient"), "utf-8")
    script = str(CLIENTS / "langchain_client.py")
    told = json.loads(outside().python(script, str(file), f"{guarded}/mcp", SECTION, QUERY, TOKEN))

    assert told["tools"] == TOOLS
    assert_read(told)


def inspected(guarded: str, *more: str) -> subprocess.CompletedProcess[str]:
    """What became of the inspector's snippet with `more` arguments."""
    npx, package, *rest = command_of("Inspector", "--method tools/list", guarded)
    assert (npx, package) == ("npx", INSPECTOR[0])
    method = rest.index("--method")
    node, program = str(outside().bin / "node"), outside().package(*INSPECTOR)
    return outside().attempt([node, program, *rest[:method], *(more or rest[method:])])


@pytest.mark.parametrize("era", [[], ["--protocol-era", "modern"]])
def test_the_inspector_reads_the_shelf_by_the_snippet(guarded: str, era: list[str]) -> None:
    listed = inspected(guarded, "--method", "tools/list", *era)
    assert listed.returncode == 0, listed.stderr
    assert [tool["name"] for tool in json.loads(listed.stdout)["result"]["tools"]] == TOOLS

    for name, arguments, expected in (
        ("list", [], "](docs/net/"),
        ("fetch", [f"path={SECTION}"], SECTION),
        ("search", [f"query={QUERY}"], f"]({SECTION}#p"),
        ("inspect", [f"path={SECTION}"], "- estimated_read_calls: 1"),
    ):
        given = [word for argument in arguments for word in ("--tool-arg", argument)]
        called = inspected(guarded, "--method", "tools/call", "--tool-name", name, *given, *era)
        assert called.returncode == 0, called.stderr
        assert expected in json.loads(called.stdout)["result"]["content"][0]["text"]
    wrong = inspected(
        guarded, "--method", "tools/call", "--tool-name", "fetch", "--tool-arg", "path=no", *era
    )
    assert wrong.returncode == 5
    read = inspected(guarded, "--method", "resources/read", "--uri", "shelf:///index.md", *era)
    assert json.loads(read.stdout)["result"]["contents"][0]["text"].startswith("# ")


def test_the_inspector_takes_the_snippet_as_it_stands(guarded: str) -> None:
    done = inspected(guarded)

    assert done.returncode == 0, done.stderr
    assert [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]] == TOOLS


@contextmanager
def proxied(guarded: str) -> Iterator[str]:
    """The address of mcpo, started by the snippet of docs/hosts.md on a free port."""
    program, *rest = command_of("Open WebUI", "mcpo --port", guarded)
    rest[rest.index("--port") + 1] = str(free_port())
    url = f"http://127.0.0.1:{rest[rest.index('--port') + 1]}"
    command = [str(outside().bin / program), *rest, "--host", "127.0.0.1"]
    separator = command.index("--")
    command = [*command[:separator], *command[-2:], *command[separator:-2]]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=outside().environment()
    ) as process:
        try:
            wait_for(f"{url}/openapi.json", process)
            yield url
        finally:
            process.terminate()
            process.communicate(timeout=60)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[str]) -> None:
    """Returns when `url` answers. Raises: AssertionError where its server ended."""
    for _ in range(600):
        assert process.poll() is None, process.communicate()[0]
        try:
            with urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


def test_mcpo_makes_an_openapi_server_of_it_by_the_snippet(guarded: str) -> None:
    with proxied(guarded) as url:
        with urlopen(f"{url}/openapi.json", timeout=60) as reply:
            paths = json.load(reply)["paths"]
        told = {}
        for name, arguments in (("list", {}), ("fetch", {"path": SECTION}), ("search", {"query": QUERY})):
            headers = {"Content-Type": "application/json", "Authorization": "Bearer mcpo-key"}
            request = Request(f"{url}/{name}", json.dumps(arguments).encode(), headers)
            with urlopen(request, timeout=60) as reply:
                told[name] = json.load(reply)

    assert sorted(paths) == sorted(f"/{name}" for name in TOOLS)
    assert_read(told | {"resource": "# "})


def scripted_model(
    calls: list[tuple[str, dict[str, str]]], seen: list[dict[str, Any]]
) -> type[BaseHTTPRequestHandler]:
    """An OpenAI-compatible endpoint that makes `calls` one after the other, then repeats the last result."""

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append({"path": self.path, "key": self.headers.get("authorization"), **asked})
            done = sum(message["role"] == "tool" for message in asked["messages"])
            answer: dict[str, Any] = {"role": "assistant", "content": asked["messages"][-1]["content"]}
            if done < len(calls):
                name, arguments = calls[done]
                function = {"name": name, "arguments": json.dumps(arguments)}
                call = {"id": f"call-{done}", "type": "function", "function": function}
                answer = {"role": "assistant", "content": None, "tool_calls": [call]}
            content = json.dumps({"choices": [{"message": answer}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Stays silent."""

    return Model


def test_a_model_behind_an_openai_endpoint_reads_the_shelf_by_the_snippet(
    guarded: str, tmp_path: Path
) -> None:
    program = tmp_path / "ask.py"
    program.write_text(snippet("Models on your own premises", "python", "chat/completions"), "utf-8")
    seen: list[dict[str, Any]] = []
    calls = [("list", {}), ("search", {"query": QUERY}), ("fetch", {"path": SECTION})]
    with HTTPServer(("127.0.0.1", 0), scripted_model(calls, seen)) as model:
        thread = Thread(target=model.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            endpoint = f"http://127.0.0.1:{model.server_address[1]}/v1"
            environment = {"DOCSHELF_TOKEN": TOKEN, "MODEL_KEY": "model-key"}
            said = outside().python(
                str(program), guarded, endpoint, "a-model", "Что разрешено?", env=environment
            )
        finally:
            model.shutdown()
            thread.join()

    assert said.rstrip().rpartition("\n")[2].startswith("[release ")
    assert SECTION in said
    assert {asked["path"] for asked in seen} == {"/v1/chat/completions"}
    assert {asked["key"] for asked in seen} == {"Bearer model-key"}
    assert [tool["function"]["name"] for tool in seen[0]["tools"]] == TOOLS
    assert seen[0]["messages"][0]["content"].count("Route: list()") == 1
    assert f"]({SECTION}" in seen[2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "title", ["Claude Code", "Cursor", "VS Code", "LM Studio", "Hosts that start programs"]
)
def test_the_json_of_every_snippet_can_be_read(title: str) -> None:
    part = HOSTS.read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```json\n(.*?)^```", part, re.MULTILINE | re.DOTALL)

    assert blocks
    for block in blocks:
        settings = json.loads(block)
        [server] = (settings.get("mcpServers") or settings["servers"]).values()
        assert server.get("url", "http://shelf.lan:8080/mcp") == "http://shelf.lan:8080/mcp"
        assert server.get("args", ["mcp"])[0] == "mcp"
