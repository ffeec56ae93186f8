"""A real Chromium with one page, driven over a pipe (Chrome DevTools Protocol)."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_PATIENCE_S = 40.0
# Chromium reads orders from file 3 and writes answers to file 4.
_LAUNCH = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


class OpenPage:
    """The page that is open."""

    def __init__(self, orders: int, answers: int) -> None:
        self._orders = orders
        self._answers = open(answers, "rb", closefd=False)  # noqa: SIM115 - a pipe
        self._number = 0
        self._session: str | None = None
        self._buffer = b""
        self.complaints: list[str] = []
        """What stood in the console as a warning or an error, or was thrown."""
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._ask(f"{domain}.enable")

    def go(self, url: str) -> None:
        """Opens another address."""
        self._ask("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        result = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, expression: str) -> None:
        """Waits until an expression is true, also over reloads of the page."""
        end_s = time.monotonic() + _PATIENCE_S
        while not self._holds(expression):
            assert time.monotonic() < end_s, f"did not come: {expression}"
            time.sleep(0.02)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.value(expression))
        except (AssertionError, LookupError):
            return False  # the page was just going away

    def _ask(self, method: str, **params: object) -> Any:
        self._number += 1
        order: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if self._session:
            order["sessionId"] = self._session
        os.write(self._orders, json.dumps(order).encode() + b"\0")
        while True:
            message = self._hear()
            if message.get("id") == self._number:
                if "error" in message:
                    raise LookupError(message["error"])
                return message["result"]
            self._note(message)

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            data = self._answers.read1(1 << 16)
            assert data, "Chromium has ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        params = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(json.dumps(params["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if params["type"] in ("warning", "error", "assert"):
                self.complaints.append(json.dumps(params["args"]))
            case "Log.entryAdded" if params["entry"]["level"] in ("warning", "error"):
                self.complaints.append(params["entry"]["text"])


@contextmanager
def open_chromium(folder: Path, switches: Sequence[str] = SWITCHES) -> Iterator[OpenPage]:
    """A blank page; the profile is kept in `folder`."""
    program = shutil.which("chromium")
    assert program, "chromium is not installed; run: apt-get install chromium"
    orders_read, orders = _pipe()
    answers, answers_write = _pipe()
    command = [sys.executable, "-c", _LAUNCH, str(orders_read), str(answers_write), program]
    with subprocess.Popen(
        [*command, *switches, f"--user-data-dir={folder / 'profile'}"],
        pass_fds=(orders_read, answers_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        for number in (orders_read, answers_write):
            os.close(number)
        try:
            yield OpenPage(orders, answers)
        finally:
            process.terminate()
            for number in (orders, answers):
                os.close(number)


def _pipe() -> tuple[int, int]:
    """Both ends under numbers that are not in the way of 3 and 4."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
