"""The OpenAPI document, and the reading endpoints held to it by schemathesis."""

import re
import shutil
from pathlib import Path

import pytest
from asking import asking
from outside import CLIENTS, REPOSITORY, outside
from running_server import running_server
from shelftest import ShelfTest
from small_shelf import write_small_shelf

from docshelf.serve.answering.tools import tools
from docshelf.serve.http.openapi import openapi


def test_every_tool_is_an_operation_with_the_arguments_of_the_tool(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    document = asking(tmp_path).get("/openapi.json").json()

    assert document == openapi()
    assert set(document["paths"]) == {"/list", "/fetch", "/search", "/inspect", "/healthz"}
    for tool in tools():
        operation = document["paths"][f"/{tool['name']}"]["get"]
        schema = tool["inputSchema"]
        assert operation["operationId"] == tool["name"]
        assert [it["name"] for it in operation["parameters"]] == list(schema["properties"])
        assert [it["name"] for it in operation["parameters"] if it["required"]] == schema.get("required", [])


def test_the_document_is_found_from_where_it_lies() -> None:
    assert openapi()["servers"] == [{"url": "./"}]
    assert openapi()["openapi"].startswith("3.1.")


@pytest.mark.timeout(900)
def test_schemathesis_finds_nothing_that_the_document_does_not_say(tmp_path: Path) -> None:
    shelf = ShelfTest(tmp_path)
    shutil.copy(REPOSITORY / "shelf_src/security/firewall.pdf", shelf.source)
    shelf.build()
    with running_server(shelf.site) as url:
        said = outside().run(
            [
                str(outside().bin / "schemathesis"),
                "--config-file",
                str(CLIENTS / "schemathesis.toml"),
                "run",
                f"{url}/openapi.json",
                "--phases=examples,coverage,fuzzing",
                "--max-examples=50",
                "--generation-database=none",
                "--no-color",
            ]
        )

    assert "Operations:       5 selected / 5 total" in said
    counted = re.search(r"(\d+) generated, (\d+) passed", said)
    assert counted, said
    assert int(counted[1]) == int(counted[2]) > 300
