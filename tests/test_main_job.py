"""From the sample documents to a shelf that is browsed and asked: the whole way, with the real parts."""

import asyncio
import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from mcp.client import Client
from mcp_types import TextContent

from docshelf.build.cli import main
from docshelf.serve.check import check_release
from docshelf.serve.manifest import DocumentMeta, read_meta, read_shelf

REPOSITORY = Path(__file__).resolve().parent.parent
QUESTIONS = list(
    csv.DictReader(
        (REPOSITORY / "tests/sample_questions.tsv").read_text("utf-8").splitlines(), delimiter="\t"
    )
)
ROUTE_BYTES = 16_500


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample shelf, built by the command."""
    site = tmp_path_factory.mktemp("samples") / "site"
    assert main(["build", str(REPOSITORY / "shelf_src"), "-o", str(site)]) == 0
    return site


@contextmanager
def command(*arguments: str) -> Iterator[str]:
    """The address that `docshelf serve` says it listens at."""
    program = [sys.executable, "-m", "docshelf.build.cli", *arguments, "--port", "0"]
    environment = {"PYTHONPATH": str(REPOSITORY / ".dev")}
    with subprocess.Popen(program, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.search(r"http://[0-9.]+:[0-9]+", said)
            assert found, said
            yield found[0]
        finally:
            process.terminate()
            process.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(site: Path) -> Iterator[str]:
    """`docshelf serve` on the sample shelf."""
    with command("serve", str(site)) as url:
        yield url


@dataclass
class Reader:
    """A model's client that counts what it was made to read."""

    client: Client
    read_bytes: int = 0

    async def call(self, tool: str, **arguments: str) -> str:
        result = await self.client.call_tool(tool, arguments)
        texts = [item.text for item in result.content if isinstance(item, TextContent)]
        assert not result.is_error, texts
        self.read_bytes += sum(len(text.encode()) for text in texts)
        return "\n".join(texts)


def test_the_samples_are_published_whole_and_without_a_refusal(site: Path) -> None:
    manifest = read_shelf((site / "current/shelf.json").read_bytes())
    assert len(manifest.documents) == 7
    assert [finding for finding in manifest.findings if finding.severity == "error"] == []
    assert list(check_release((site / "current").resolve())) == []


def test_the_samples_give_the_same_bytes_from_an_empty_output(site: Path, tmp_path: Path) -> None:
    assert main(["build", str(REPOSITORY / "shelf_src"), "-o", str(tmp_path / "again"), "--jobs", "1"]) == 0

    def tree(root: Path) -> dict[str, bytes]:
        return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}

    assert tree((tmp_path / "again/current").resolve()) == tree((site / "current").resolve())


@pytest.mark.parametrize("first", ["list", "fetch"])
@pytest.mark.parametrize("row", QUESTIONS, ids=[row["question"] for row in QUESTIONS])
def test_a_question_is_answered_by_index_subindex_and_section(
    server: str, site: Path, row: dict[str, str], first: str
) -> None:
    async def ask() -> None:
        async with Client(f"{server}/mcp") as client:
            reader = Reader(client)
            index = await (reader.call("list") if first == "list" else reader.call("fetch", path="index.md"))
            meta = meta_of(site, row["source"])
            assert f"]({meta.path})" in index
            text = await reader.call("fetch", path=meta.path)
            if meta.path.endswith("subindex.md"):
                [section] = sections_with(site, meta, row)
                assert f"]({section})" in text
                text = await reader.call("fetch", path=section)
            assert plain(row["answer"]) in plain(text)
            assert re.search(r"source .*sha256 [0-9a-f]{12}", text)
            assert reader.read_bytes <= ROUTE_BYTES

    asyncio.run(ask())


def test_the_running_server_keeps_every_contract(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smoke", server]) == 0
    assert capsys.readouterr().out == "PASS\n"


def test_smoke_names_what_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smoke", "http://127.0.0.1:9"]) == 1
    assert "BROKEN" in capsys.readouterr().out


def meta_of(site: Path, source: str) -> DocumentMeta:
    manifest = read_shelf((site / "current/shelf.json").read_bytes())
    entry = next(entry for entry in manifest.documents if entry.source == source)
    return read_meta((site / "current" / entry.meta).read_bytes(), entry.meta)


def sections_with(site: Path, meta: DocumentMeta, row: dict[str, str]) -> list[str]:
    """The sections that hold the answer; the page of the question is among their pages."""
    found = [
        section
        for section in meta.sections
        if plain(row["answer"]) in plain((site / "current" / section.path).read_text("utf-8"))
    ]
    return [s.path for s in found if s.pages[0] <= int(row["page"]) <= s.pages[1]][:1]


def plain(text: str) -> str:
    """Text as a reader sees it: no escapes, one space between words."""
    return " ".join(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text).replace("|", " ").split())
