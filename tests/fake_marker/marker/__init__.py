"""Stands in for marker-pdf 2.0.0 on the path of a worker: the names that the engine `high` uses, no model.

What it does is told by files in the folder FAKE_MARKER: `load_s` (seconds a model server takes to start),
`fails` (the name of an exception that a conversion raises), `output.json` (recorded output; without it the
blocks of text that MuPDF finds). What is asked of it goes to `calls.jsonl`, one call a line.
"""

import json
import os
from pathlib import Path


def told(name: str) -> str:
    """The text of a file in the folder, "" where there is none."""
    file = Path(os.environ["FAKE_MARKER"]) / name
    return file.read_text("utf-8") if file.is_file() else ""


def note(call: str, **facts: object) -> None:
    """Adds a call to those that a test looks at."""
    line = json.dumps({"call": call, "worker": os.getpid(), **facts})
    with (Path(os.environ["FAKE_MARKER"]) / "calls.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
