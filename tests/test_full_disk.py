import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import faulty_jobs
import pymupdf
import pytest
from crash_points import REPOSITORY
from full_disk import FREE_KB

from docshelf.build.workers.pool import WorkerPool

SOURCES = ["0.pdf", "1.pdf", "scan.pdf"]
FULL = (
    "No space left on device; nothing was published: free some space (SITE/.cache may go, a lower keep.count "
    "drops old releases) and build again"
)
READ_ONLY = (
    ".lock: Read-only file system; nothing was published: name a folder that can be written with -o, or mount "
    "this one for writing"
)


def write_sources(folder: Path, word: str) -> Path:
    """Two documents of 150 KB and a scan, whose picture a worker writes, of 270 KB."""
    folder.mkdir()
    for name in SOURCES[:2]:
        with pymupdf.open() as document:
            document.new_page().insert_text((72, 80), f"The {word} text of {name}.")
            document.embfile_add("filling", os.urandom(150_000))
            (folder / name).write_bytes(document.tobytes(no_new_id=True))
    with pymupdf.open() as document:
        page = document.new_page()
        noise = pymupdf.Pixmap(pymupdf.csRGB, 300, 300, os.urandom(300 * 300 * 3), False)
        page.insert_image(page.rect, pixmap=noise)
        (folder / "scan.pdf").write_bytes(document.tobytes(no_new_id=True))
    return folder


@pytest.mark.timeout(180)
def test_a_full_or_read_only_disk_is_named_the_old_release_stays_and_the_next_build_repairs(
    tmp_path: Path,
) -> None:
    mount = tmp_path / "mount"
    mount.mkdir()
    sources = [str(write_sources(tmp_path / word, word)) for word in ("first", "second")]
    # A mount namespace of its own: nothing stays mounted, and no root is needed for it.
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    program = str(REPOSITORY / "tests/full_disk.py")
    done = subprocess.run(
        [*own, sys.executable, program, str(mount), *sources],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY / ".dev"), "LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert [it["what"] for it in outcomes] == [*(f"{free_kb} KB" for free_kb in FREE_KB), "read-only"]
    for it in outcomes:
        assert (it["status"], it["kept"], it["litter"], it["repaired"]) == (2, True, [], SOURCES), it
        last = it["stderr"].splitlines()[-1]
        assert last.startswith(f"docshelf build: {mount}/site"), it
        assert last.endswith(READ_ONLY if it["what"] == "read-only" else FULL), it


def test_a_worker_that_finds_no_room_is_no_fault_of_its_document() -> None:
    limits = {"time_s": 10, "memory_mb": 512}
    with WorkerPool(1) as pool, pytest.raises(OSError, match="No space left on device") as caught:
        job = {"limits": limits, "file": "/dev/full", "write_mb": 1}
        pool.submit(faulty_jobs.write_file, job).result()
    assert caught.value.errno == errno.ENOSPC
