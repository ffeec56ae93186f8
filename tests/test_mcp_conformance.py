"""The official conformance suite against our own server; what it may not find is listed with the reason."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside import REPOSITORY, outside
from small_shelf import write_small_shelf

SUITE = "@modelcontextprotocol/conformance"
EXPECTED = Path(__file__).parent / "conformance/expected.tsv"
PASSED_LEAST = {"2025-11-25": 46, "2026-07-28": 112}
"""Checks that passed in November 2026: a suite that no longer runs them would pass by silence."""

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of our server with the suite's fixtures."""
    site = tmp_path_factory.mktemp("site")
    write_small_shelf(site)
    program = str(Path(__file__).parent / "conformance_server.py")
    paths = f"{REPOSITORY / '.dev'}:{REPOSITORY / 'tests'}"
    command = [sys.executable, "-W", "error", program, str(site)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": paths}) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def expected(version: str) -> set[tuple[str, str]]:
    """Scenario and check ("*" for any) of what may fail in `version`."""
    with EXPECTED.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert all(row["reason"] for row in rows)
    return {(row["scenario"], row["check"]) for row in rows if row["versions"] in ("both", version)}


@pytest.mark.parametrize(
    ("version", "chosen"), [("2025-11-25", "--spec-version"), ("2026-07-28", "--requirements")]
)
def test_the_suite_finds_nothing_but_what_is_listed(
    server: str, tmp_path: Path, version: str, chosen: str
) -> None:
    programs = outside()
    suite = programs.package(SUITE, "dist/index.js")
    command = [str(programs.bin / "node"), suite, "server", "--url", f"{server}/mcp"]
    said = programs.attempt([*command, chosen, version, "--output-dir", str(tmp_path)])
    statuses: list[tuple[str, str, str]] = []
    for file in tmp_path.glob("server-*/checks.json"):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT[-\dZ]+$", "", file.parent.name)
        statuses += [(scenario, check["id"], check["status"]) for check in json.loads(file.read_text())]
    failed = {(scenario, check) for scenario, check, status in statuses if status == "FAILURE"}
    allowed = expected(version)

    unexpected = {it for it in failed if it not in allowed and (it[0], "*") not in allowed}
    assert unexpected == set(), said.stdout
    assert allowed - failed - {(scenario, "*") for scenario, _ in failed} == set()
    assert sum(status == "SUCCESS" for _, _, status in statuses) >= PASSED_LEAST[version]
