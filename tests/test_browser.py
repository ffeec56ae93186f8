"""Pages in a real Chromium: nothing fails, and nothing is asked of another host."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from docshelf.build.pages import LinkTo, PageView, ShelfView
from docshelf.build.render import render_page
from docshelf.build.theme import load_theme
from docshelf.serve.manifest import RELEASE_SCRIPT

CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
SWITCHES = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--no-first-run",
    "--enable-logging=stderr",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
SECTION = """\
# Проверка канала

> [Аплинки](subindex.md) · с. 12 · [источник](../../sources/uplinks.pdf#page=12)

<!-- p12 -->

## Уровни

| Модуль | Длина волны |
| --- | ---: |
| SFP | 1310 |

## Схема

![Страница 12](../../pictures/uplinks/p012.svg)

![Чужая](https://tracker.invalid/t.png) [RFC](https://www.rfc-editor.org/rfc/rfc4271)

## Команда

```
show bgp summary
```
"""
HOME = (
    "# Полка\n\n> Руководства.\n\nАбзац.\n\n## Сеть\n\n- [Аплинки](docs/uplinks/003-checks.md): 1 документ\n"
)
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="210" height="297"><path d="M9 9h99v99z"/></svg>'


@dataclass(frozen=True)
class Visit:
    """What Chromium made of one page."""

    dom: str
    console: tuple[str, ...]
    hosts: frozenset[str]
    """Hosts the page asked for something."""


@pytest.fixture(scope="module")
def chromium() -> str:
    found = shutil.which("chromium")
    assert found, "chromium is not installed; run: apt-get install chromium"
    return found


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, theme, view = (
        tmp_path_factory.mktemp("served") / "any" / "prefix",
        load_theme(),
        ShelfView("Полка", "ru"),
    )
    path = "docs/uplinks/003-checks"
    home = PageView("index.html", "Полка", "ru", "home", (), "index.md", "llms.txt")
    section = PageView(
        path=f"{path}.html",
        title="Проверка канала",
        language="ru",
        kind="section",
        breadcrumbs=(LinkTo("Полка", "index.html"),),
        markdown=f"{path}.md",
        llms="llms.txt",
        previous=LinkTo("Полка", "index.html"),
        source="sources/uplinks.pdf#page=12",
    )
    files = {
        **theme.assets(),
        RELEASE_SCRIPT: b'window.docshelfRelease = "0123456789abcdef";\n',
        "pictures/uplinks/p012.svg": PICTURE.encode(),
        home.path: render_page(HOME, home, view, theme),
        section.path: render_page(SECTION, section, view, theme),
        "leaky.html": b'<!DOCTYPE html><img src="http://tracker.invalid/t.png"><script>nowhere()</script>',
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


class Handler(SimpleHTTPRequestHandler):
    """Files with the strictest policy that a shelf is to be served with."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", CSP)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps quiet."""


@pytest.fixture(scope="module")
def site(shelf: Path) -> Iterator[str]:
    """Address of the shelf's folder on a server of its own, under a prefix."""
    root = shelf.parent.parent
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/{shelf.relative_to(root)}"
        server.shutdown()
        thread.join()


def visit(chromium: str, url: str, folder: Path) -> Visit:
    log = folder / "net.json"
    own = [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom", url]
    result = subprocess.run(
        [chromium, *SWITCHES, *own], capture_output=True, text=True, timeout=30, check=True
    )
    console = re.findall(r":CONSOLE[:(].*", result.stderr)
    return Visit(result.stdout, tuple(console), frozenset(requested_hosts(json.loads(log.read_text()))))


def requested_hosts(log: dict[str, Any]) -> Iterator[str]:
    """Hosts of the requests that a page began; the browser's own have no initiator."""
    for event in log["events"]:
        params = event.get("params", {})
        by_page = params.get("initiator", "not an origin") != "not an origin"
        host = urlsplit(params.get("url", "")).hostname
        if by_page and host:
            yield host


@pytest.mark.parametrize("page", ["index.html", "docs/uplinks/003-checks.html"])
def test_a_page_works_from_a_disk(page: str, chromium: str, shelf: Path, tmp_path: Path) -> None:
    seen = visit(chromium, (shelf / page).as_uri(), tmp_path)
    assert seen.console == ()
    assert seen.hosts == set()
    assert "<code>0123456789abcdef</code>" in seen.dom


def test_a_page_works_under_a_prefix_and_a_strict_policy(chromium: str, site: str, tmp_path: Path) -> None:
    seen = visit(chromium, f"{site}/docs/uplinks/003-checks.html", tmp_path)
    assert seen.console == ()
    assert seen.hosts == {"127.0.0.1"}
    assert '<span id="_release"> · Выпуск <code>0123456789abcdef</code></span>' in seen.dom


def test_the_watch_sees_a_failing_script_and_another_host(chromium: str, shelf: Path, tmp_path: Path) -> None:
    seen = visit(chromium, (shelf / "leaky.html").as_uri(), tmp_path)
    assert any("nowhere is not defined" in line for line in seen.console)
    assert "tracker.invalid" in seen.hosts
