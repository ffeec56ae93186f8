"""What tests ask the kernel about processes."""

import time
from pathlib import Path


def read_when_written(file: Path) -> int:
    """The number in a file that another process is about to write."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{file} was not written")


def is_gone(number: int, within_s: float = 20) -> bool:
    """Whether the process ends in that time (a zombie has ended)."""
    deadline = time.monotonic() + within_s
    while True:
        if _state_and_parent(number)[0] in ("", "Z"):
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)


def descendants(number: int) -> list[int]:
    """The processes that this one started, and those that they started."""
    everybody = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    children = [it for it in everybody if _state_and_parent(it)[1] == number]
    return [*children, *(found for child in children for found in descendants(child))]


def _state_and_parent(number: int) -> tuple[str, int]:
    """Its state, such as "R" or "Z", and its parent; "" and 0 where there is none."""
    try:
        words = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "", 0
    return words[0], int(words[1])
