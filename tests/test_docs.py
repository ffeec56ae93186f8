"""What a user can name (commands, keys, routes, tools, codes) stands in the docs, and every link leads somewhere."""

import argparse
import ast
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from starlette.routing import Route

from docshelf.build.cli import root_parser
from docshelf.build.engines.notices import TEXTS
from docshelf.build.workers.worker import describe
from docshelf.serve.answering.tools import tools
from docshelf.serve.config import (
    Budget,
    CategoryConfig,
    Keep,
    Limits,
    ShelfConfig,
    SourceConfig,
    parse_config,
)
from docshelf.serve.errors import BadRequest, NotOnShelf
from docshelf.serve.http.app import create_app
from docshelf.serve.mcp.methods import LEGACY_VERSIONS, MODERN_VERSIONS
from docshelf.serve.releases.tree import Site

REPOSITORY = Path(__file__).resolve().parent.parent
READMES = ("README.md", "README.ru.md")
PAGES = sorted(
    [*READMES, "CHANGELOG.md"]
    + [file.relative_to(REPOSITORY).as_posix() for file in (REPOSITORY / "docs").rglob("*.md")]
)
SEVERITIES = {"info", "warning", "error"}

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_CODE_ARGUMENT = {"SourceError": 0, "WorkerFault": 0, "Remark": 1, "Finding": 3, "_note": 2}
"""Place of the code among the arguments of what makes a finding."""
_SEVERITY_BEFORE = ("Remark", "Finding", "_note")


@cache
def page(name: str) -> str:
    """The text of a page of the documentation."""
    return (REPOSITORY / name).read_text("utf-8")


def part(name: str, title: str) -> str:
    """What stands under the heading `title` of a page, down to the next heading that is not below it."""
    match = re.search(rf"^(#+) +{re.escape(title)} *$", page(name), re.MULTILINE)
    assert match, f"{name} has no heading {title!r}"
    rest = page(name)[match.end() :]
    end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells behind the first one of each table row, by the code in the first cell."""
    rows: dict[str, list[str]] = {}
    for line in text.splitlines():
        first, *cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        for key in re.findall("`([^`]+)`", first) if line.startswith("|") else ():
            assert key not in rows, f"{key} stands twice"
            rows[key] = cells
    return rows


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command by name."""
    [choices] = [
        action.choices
        for action in root_parser()._actions
        if isinstance(action, argparse._SubParsersAction) and isinstance(action.choices, dict)
    ]
    return choices


@pytest.mark.parametrize("name", commands())
def test_every_command_is_documented_with_each_option_and_argument(name: str) -> None:
    text = part("docs/commands.md", f"docshelf {name}")
    rows = table_rows(text)
    for action in commands()[name]._actions:
        if action.dest == "help":
            continue
        for word in action.option_strings or [str(action.metavar)]:
            assert any(key.split()[0] == word for key in rows), f"docshelf {name}: {word}"
        if action.choices:
            described = " ".join(next(rows[key] for key in rows if key.split()[0] in action.option_strings))
            assert all(f"`{choice}`" in described for choice in action.choices), action.option_strings


@pytest.mark.parametrize("name", commands())
def test_every_default_of_an_option_or_argument_is_documented(name: str) -> None:
    rows = table_rows(part("docs/commands.md", f"docshelf {name}"))
    for action in commands()[name]._actions:
        if action.default in (None, False, "", []) or action.default == argparse.SUPPRESS:
            continue
        word = (action.option_strings or [str(action.metavar)])[0]
        [described] = [" ".join(cells) for key, cells in rows.items() if key.split()[0] == word]
        assert re.search(rf"[Dd]efault:? `?{re.escape(str(action.default))}`?(?!\w)", described), word


def test_the_options_of_the_root_are_documented() -> None:
    text = page("docs/commands.md")
    for action in root_parser()._actions:
        assert all(f"`{option}`" in text for option in action.option_strings), action.option_strings


def documented_keys() -> dict[str, object]:
    """Every key of `.docshelf.json` with its default."""
    config = parse_config(b"{}", "")
    keys: dict[str, object] = {field.name: getattr(config, field.name) for field in fields(ShelfConfig)}
    parts: dict[str, Budget | Keep | Limits] = {"budget": config.budget, "keep": config.keep}
    parts |= {f"limits.{engine}": limits for engine, limits in config.limits.items()}
    for name, value in parts.items():
        keys.pop(name, None)
        keys |= {f"{name}.{field.name}": getattr(value, field.name) for field in fields(value)}
    del keys["limits"], keys["categories"]
    category = CategoryConfig()
    keys |= {
        f"categories.FOLDER.{field.name}": getattr(category, field.name) for field in fields(CategoryConfig)
    }
    return keys


def test_every_key_of_the_settings_is_documented_with_its_default() -> None:
    rows = table_rows(part("docs/authoring.md", "The settings: .docshelf.json"))
    expected = documented_keys()
    assert rows.keys() == expected.keys()
    defaults = {key: cells[1] for key, cells in rows.items()}
    assert defaults == {key: default_text(key, value) for key, value in expected.items()}


def test_every_key_of_a_sidecar_is_documented_with_its_default() -> None:
    rows = table_rows(part("docs/authoring.md", "Sidecars"))
    usual = SourceConfig()
    assert {key: cells[1] for key, cells in rows.items()} == {
        field.name: default_text(field.name, getattr(usual, field.name)) for field in fields(SourceConfig)
    }


def default_text(key: str, value: object) -> str:
    """How a table writes a default."""
    if key == "name":
        return "the folder's name"
    if value is None:
        return "none"
    return f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


def test_every_route_is_documented(tmp_path: Path) -> None:
    rows = table_rows(part("docs/http.md", "Routes"))
    paths = {route.path for route in create_app(Site(tmp_path)).routes if isinstance(route, Route)}
    written = {re.sub(r"\{(\w+)(:path)?\}", lambda match: match[1].upper(), path) for path in paths}
    assert "/r/RELEASE/PATH" in written
    assert {row.partition("?")[0] for row in rows} == written


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: str(tool["name"]))
def test_every_tool_is_documented_with_its_arguments(tool: dict[str, object]) -> None:
    schema = tool["inputSchema"]
    assert isinstance(schema, dict)
    rows = table_rows(part("docs/http.md", f"{tool['name']}"))
    assert rows.keys() == schema["properties"].keys()


def test_every_version_of_the_protocol_is_documented() -> None:
    text = part("docs/http.md", "MCP")
    assert [version for version in (*LEGACY_VERSIONS, *MODERN_VERSIONS) if version not in text] == []


def test_every_error_code_of_http_is_documented() -> None:
    codes = {BadRequest.code, NotOnShelf.code}
    for file in (REPOSITORY / "serve").rglob("*.py"):
        for call in calls(file):
            if name_of(call) == "error_response" and len(call.args) > 1:
                codes |= set(constants(call.args[1]))
    text = (REPOSITORY / "serve/http/app.py").read_text("utf-8")
    codes |= set(re.findall(r'_CODES\.get\([^,]+, "([a-z-]+)"\)', text))
    assert {"too-large", "shelf-damaged", "http-error"} <= codes
    assert table_rows(part("docs/http.md", "Errors")).keys() == codes


def calls(file: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))


def name_of(call: ast.Call) -> str:
    """The last word of what is called."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def constants(node: ast.expr) -> Iterator[str]:
    """Every text that stands in an expression."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value:
            yield inner.value


def codes_of_findings() -> dict[str, set[str]]:
    """Every code that a build may give to a finding, with the severities that stand beside it in the source."""
    codes: defaultdict[str, set[str]] = defaultdict(set)
    for file in sorted((REPOSITORY / "build").rglob("*.py")):
        for call in calls(file):
            name, place = name_of(call), _CODE_ARGUMENT.get(name_of(call), len(call.args))
            given = call.args[place] if place < len(call.args) else None
            # What is handed on got its code elsewhere; a code that is put together could not be found.
            assert isinstance(given, ast.Constant | ast.Name | ast.Attribute | ast.Subscript | None), file
            if not isinstance(given, ast.Constant):
                continue
            codes[str(given.value)] |= (
                set(constants(call.args[place - 1])) & SEVERITIES if name in _SEVERITY_BEFORE else {"error"}
            )
    for code, (severity, _) in TEXTS.items():
        codes[code].add(severity)
    for error in (MemoryError(), OSError(27, "File too large"), RuntimeError()):
        codes[describe(error)["code"]].add("error")
    return dict(codes)


def test_every_code_of_a_finding_is_documented_with_its_severity() -> None:
    codes = codes_of_findings()
    assert {"kept-last-good", "not-a-pdf", "ocr-layer", "timeout", "crashed"} <= codes.keys()
    rows = table_rows(part("docs/authoring.md", "Findings"))
    assert rows.keys() == codes.keys()
    wrong = {
        code: rows[code][0]
        for code, severities in codes.items()
        if not severities <= set(re.findall(r"\w+", rows[code][0])) <= SEVERITIES
    }
    assert wrong == {}


def test_every_code_of_check_is_documented() -> None:
    codes = {
        call.args[1].value
        for call in calls(REPOSITORY / "serve/check.py")
        if name_of(call) == "_fault" and isinstance(call.args[1], ast.Constant)
    }
    assert {"hash", "budget", "anchor"} <= codes
    assert codes <= table_rows(part("docs/commands.md", "docshelf check")).keys()


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(name: str) -> None:
    broken = []
    for url in links(name):
        parts = urlsplit(url)
        if parts.scheme or parts.netloc:
            continue
        file = (REPOSITORY / name).parent / unquote(parts.path) if parts.path else REPOSITORY / name
        if not file.exists() or (parts.fragment and unquote(parts.fragment) not in anchors(file)):
            broken.append(url)
    assert broken == []


def test_no_page_is_left_out_of_the_readme() -> None:
    linked = {url.partition("#")[0] for url in links("README.md")}
    pages = {name for name in PAGES if name.startswith("docs/") and name.count("/") == 1}
    assert pages - linked == set()


def links(name: str) -> list[str]:
    """The addresses of a page's links and pictures; code is no text."""
    return _LINK.findall(re.sub("`[^`\n]*`", "", _FENCE.sub("", page(name))))


def anchors(file: Path) -> set[str]:
    """The ids that GitHub and GitLab give to the headings of a Markdown file."""
    text = _FENCE.sub("", file.read_text("utf-8"))
    return {anchor(title) for title in _HEADING.findall(text)}


def anchor(title: str) -> str:
    kept = (
        sign for sign in title.lower() if sign in "-_ " or unicodedata.category(sign)[0] in ("L", "N", "M")
    )
    return "".join(kept).replace(" ", "-")


def test_an_anchor_is_made_as_the_forges_do() -> None:
    assert anchor("The settings: `.docshelf.json`") == "the-settings-docshelfjson"
    assert anchor("Порт занят — что делать?") == "порт-занят--что-делать"


def test_both_readmes_have_the_same_headings_code_blocks_and_links() -> None:
    def shape(name: str) -> tuple[list[int], int, int]:
        text = page(name)
        without_code = _FENCE.sub("", text)
        levels = [len(match[1]) for match in re.finditer(r"^(#{1,6}) ", without_code, re.MULTILINE)]
        return levels, len(_FENCE.findall(text)), len(links(name))

    english, russian = map(shape, READMES)
    assert english == russian
    assert english[1] > 1


def test_both_readmes_give_the_same_commands() -> None:
    english, russian = ([block.split("\n", 1)[1] for block in _FENCE.findall(page(name))] for name in READMES)
    assert english == russian
