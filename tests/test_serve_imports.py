"""Serving needs nothing that builds."""

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

_PROGRAM = """
import importlib, sys
from pathlib import Path
for file in sorted(Path(sys.argv[1]).rglob("*.py")):
    name = ".".join(file.relative_to(sys.argv[1]).with_suffix("").parts)
    importlib.import_module(f"docshelf.serve.{name}")
print("\\n".join(sys.modules))
"""


def imported() -> set[str]:
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", _PROGRAM, str(REPOSITORY / "serve")],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(REPOSITORY / ".dev")},
    )
    return set(run.stdout.split())


def test_serve_imports_no_builder_no_engine_and_nothing_of_the_extras() -> None:
    modules = imported()

    assert {"docshelf.serve.http.app", "docshelf.serve.run", "docshelf.serve.smoke"} <= modules
    # Not watchfiles: uvicorn imports it where it is installed.
    forbidden = {
        *("docshelf.build", "docshelf.themes", "pymupdf", "fitz", "pymupdf4llm", "marker", "jinja2"),
        *("markdown_it", "rich", "pydantic", "httpx", "anyascii", "onnxruntime", "obstore", "brotli"),
    }
    assert {name for name in modules if name in forbidden or name.split(".")[0] in forbidden} == set()
    assert not [name for name in modules if name.startswith(("docshelf.build.", "docshelf.themes."))]
