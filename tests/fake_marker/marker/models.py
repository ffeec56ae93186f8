"""marker's clients of its model servers; a server outlives the client that started it, as marker's do."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

from marker import note, told


class Server:
    """Attaches to the running server of that name, or starts one in a session of its own."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, items: list[Any]) -> None:
        self.start()

    def start(self) -> None:
        if (number := told(f"{self.name}.pid")) and _runs(number):
            return
        time.sleep(float(told("load_s") or 0))
        server = subprocess.Popen(["sleep", "60"], start_new_session=True)
        (Path(os.environ["FAKE_MARKER"]) / f"{self.name}.pid").write_text(str(server.pid), "ascii")
        note("load", server=self.name, pid=server.pid)


def _runs(number: str) -> bool:
    command = Path(f"/proc/{number}/cmdline")
    return command.exists() and command.read_bytes() != b""  # a zombie has none


def create_model_dict(inference_backend: str | None = None) -> dict[str, Server]:
    note("create", backend=inference_backend, offline=os.environ.get("HF_HUB_OFFLINE"))
    names = {"fast_layout_model": "layout", "ocr_error_model": "ocr_error", "inference_manager": "vlm"}
    return {key: Server(name) for key, name in names.items()}


def shutdown_models(model_dict: dict[str, Server]) -> None:
    note("shutdown")
