"""The layout model and the network it has no business with."""

import subprocess
import sys
from pathlib import Path

from running_server import REPOSITORY

_PROGRAM = """
import sys, time
import pymupdf
from docshelf.build.engines.regions import read_regions
page = pymupdf.open().new_page()
page.insert_text((72, 72), "A heading", fontsize=24)
page.insert_text((72, 120), "A line of text that stands below the heading.")
print(len(read_regions(page)))
time.sleep(10)  # what would be told is told after 4 to 10 s
"""


def test_the_layout_model_speaks_to_nobody(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    run = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            "trace=socket,connect,openat",
            "-o",
            str(trace),
            sys.executable,
            "-c",
            _PROGRAM,
        ],
        env={"PYTHONPATH": str(REPOSITORY / ".dev"), "HOME": str(tmp_path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )

    assert (run.returncode, run.stdout) == (0, "2\n"), run.stderr
    lines = trace.read_text().splitlines()
    assert any("libonnxruntime" in line or "onnxruntime_pybind11" in line for line in lines)
    assert [line for line in lines if "AF_INET" in line] == []
