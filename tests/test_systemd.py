"""The units of docs/hosting.md: systemd reads them, finds them tight, and they hold what DocShelf does."""

import configparser
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from running_server import REPOSITORY
from shelftest import ShelfTest

from docshelf.build.cli import root_parser

_UNIT = re.compile(r"^`/etc/systemd/system/([a-z.-]+)`.*?^```ini\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)[( ]", re.MULTILINE)
PROGRAM = "/opt/docshelf/venv/bin/docshelf"
EXPOSED_AT_MOST = {"docshelf.service": 15, "docshelf-build.service": 12}
"""Tenths of what systemd calls exposure (0 to 10)."""


def units() -> dict[str, str]:
    """The units that the docs give, by name."""
    return dict(_UNIT.findall((REPOSITORY / "docs/hosting.md").read_text("utf-8")))


def section(unit: str, name: str = "Service") -> configparser.SectionProxy:
    """One part of a unit."""
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(units()[unit])
    return parser[name]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The units as files, with a program that is there."""
    for name, text in units().items():
        assert "/opt/" not in text.replace(PROGRAM, "")
        (tmp_path / name).write_text(text.replace(PROGRAM, "/bin/true"))
    return tmp_path


def analyzed(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["systemd-analyze", *words], cwd=folder, capture_output=True, text=True, timeout=180, check=False
    )


def test_the_docs_give_three_units() -> None:
    assert sorted(units()) == ["docshelf-build.service", "docshelf-build.timer", "docshelf.service"]


def test_systemd_finds_no_fault_in_them(folder: Path) -> None:
    run = analyzed(folder, "verify", "--man=no", *(f"./{name}" for name in units()))
    # Of other units on the machine it may say what it likes.
    ours = [line for line in (run.stdout + run.stderr).splitlines() if "docshelf" in line]
    assert (run.returncode, ours) == (0, [])


def test_systemd_names_a_wrong_key(folder: Path) -> None:
    unit = folder / "docshelf.service"
    unit.write_text(unit.read_text().replace("ProtectHome=", "ProtectHaus="))
    run = analyzed(folder, "verify", "--man=no", "./docshelf.service")
    assert "ProtectHaus" in run.stderr


@pytest.mark.parametrize("name", EXPOSED_AT_MOST)
def test_services_are_little_exposed(folder: Path, name: str) -> None:
    threshold = f"--threshold={EXPOSED_AT_MOST[name]}"
    run = analyzed(folder, "security", "--offline=true", threshold, f"./{name}")
    assert run.returncode == 0, run.stdout[-400:]


@pytest.mark.parametrize("name", EXPOSED_AT_MOST)
def test_their_commands_are_docshelfs(name: str) -> None:
    program, *words = shlex.split(section(name)["ExecStart"])
    assert program == PROGRAM
    root_parser().parse_args(words)


def test_systemd_waits_longer_than_the_grace() -> None:
    words = shlex.split(section("docshelf.service")["ExecStart"])
    assert int(section("docshelf.service")["TimeoutStopSec"]) > int(words[words.index("--grace") + 1])


def calls_of(group: str) -> set[str]:
    """The system calls of a group as systemd counts them."""
    run = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, timeout=180, check=True
    )
    found: set[str] = set()
    for line in map(str.strip, run.stdout.splitlines()[1:]):
        if line.startswith("@"):
            found |= calls_of(line)
        elif line and not line.startswith("#"):
            found.add(line)
    return found


def traced(trace: Path, code: str, *words: str) -> str:
    """What the kernel was asked for while `code` ran with `words`."""
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "0", "-o", trace, sys.executable, "-c", code, *words],
        env={"PYTHONPATH": f"{REPOSITORY / '.dev'}:{REPOSITORY / 'tests'}"},
        capture_output=True,
        timeout=180,
        check=True,
    )
    return trace.read_text("utf-8", "replace")


def assert_allowed(unit: str, trace: str) -> None:
    """Whether what was asked for is what the unit lets through."""
    service = section(unit)
    used = set(_CALL.findall(trace))
    assert len(used) > 30
    assert used - calls_of(service["SystemCallFilter"]) == set()
    families = set(re.findall(r"\bsocket\((AF_\w+)", trace))
    # AF_UNIX: the C library asks the name service for the user; without it, it reads /etc/passwd.
    assert families - {"AF_UNIX"} <= set(service["RestrictAddressFamilies"].split())
    if service.get("MemoryDenyWriteExecute") == "yes":
        assert not re.search(r"PROT_WRITE\|PROT_EXEC", trace)


def test_a_server_asks_for_nothing_that_its_unit_forbids(sample_site: Path, tmp_path: Path) -> None:
    code = """
import os, signal, sys, threading, urllib.request
from pathlib import Path
from docshelf.serve.run import ServeOptions, serve_site
def ask(url):
    for path in ("index.html", "list", "search?query=vlan", "healthz", "readyz"):
        urllib.request.urlopen(f"{url}/{path}").read()
    os.kill(os.getpid(), signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGTERM)
serve_site(Path(sys.argv[1]), ServeOptions(port=0, metrics_port=0, trace_folder=Path(sys.argv[2])),
           lambda url: threading.Thread(target=ask, args=(url,)).start())
"""
    trace = traced(tmp_path / "trace", code, str(sample_site), str(tmp_path / "calls"))
    assert_allowed("docshelf.service", trace)


def test_a_build_asks_for_nothing_that_its_unit_forbids(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.pdf("router.pdf", "# Tunnels\n\nA tunnel joins two networks.")
    code = "import sys; from docshelf.build.cli import main; sys.exit(main(sys.argv[1:]))"
    words = ["build", str(shelf.source), "-o", str(shelf.site), "--quality", "layout", "--jobs", "1"]
    assert_allowed("docshelf-build.service", traced(tmp_path / "trace", code, *words))
