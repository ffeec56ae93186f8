"""JSON on disk that knows whether it is whole: what was cut off, flipped or put there by another is not read."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any


def write_sealed(file: Path, value: object) -> None:
    """Puts `value` into the file in one step, behind a line with its hash.

    It is not waited for until the disk has it: what a power cut damages is a miss.

    Raises: OSError.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}")
    try:
        new.write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
        new.replace(file)
    except OSError as exc:
        exc.filename = exc.filename or str(file)
        with suppress(OSError):
            new.unlink(missing_ok=True)
        raise


def read_sealed(file: Path) -> Any:
    """What `write_sealed` put there; None where there is nothing whole."""
    try:
        seal, _, text = file.read_bytes().partition(b"\n")
        if hashlib.sha256(text).hexdigest().encode() != seal:
            return None
        return json.loads(text.decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, RecursionError):
        return None
