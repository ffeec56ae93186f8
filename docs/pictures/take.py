"""Takes the pictures of the reading site in this folder: the sample shelf, wide and on a phone, light and dark.

    python docs/pictures/take.py

Needs Debian's chromium and the group `dev`. Light pictures show English documents, dark ones Russian.
"""

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DOCSHELF = (sys.executable, "-m", "docshelf.build.cli")
SOURCES = {"PYTHONPATH": str(REPOSITORY / ".dev")}
RUSSIAN = "docs/power/ups-sosna-3000"
ENGLISH = "docs/hardware/vr-340-operator-manual"


@dataclass(frozen=True)
class View:
    """What one picture shows."""

    name: str
    russian: str
    english: str
    query: tuple[str, str] = ("", "")
    """Typed into the search, in Russian and in English."""
    phone_only: bool = False


VIEWS = (
    View("home", "index.html", "index.html"),
    View("document", f"{RUSSIAN}/subindex.html", f"{ENGLISH}/subindex.html"),
    View(
        "section",
        f"{RUSSIAN}/009-8-svyaz-i-nablyudenie.html",
        f"{ENGLISH}/006-9-how-to-set-up-failover-between.html",
    ),
    View("search", "index.html", f"{ENGLISH}/subindex.html", ("переключение", "failover")),
    View(
        "drawer", f"{RUSSIAN}/009-8-svyaz-i-nablyudenie.html", f"{ENGLISH}/009-12-ipv6.html", phone_only=True
    ),
)


def main() -> None:
    """Builds the sample shelf and writes all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder) / "site"
        subprocess.run(
            [*DOCSHELF, "build", "shelf_src", "-o", str(site)], cwd=REPOSITORY, env=SOURCES, check=True
        )
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with serving(site) as root:
            for view in VIEWS:
                for width in (390,) if view.phone_only else (1280, 390):
                    for dark in (False, True):
                        take(browser, root, view, width=width, dark=dark)
        browser.close()


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """The address of the shelf's server, which ends in "/"."""
    command = [*DOCSHELF, "serve", str(site), "--port", "0"]
    with subprocess.Popen(command, env=SOURCES, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            yield line.partition(" at ")[2].partition(" ")[0]
        finally:
            process.terminate()


def take(browser: Browser, root: str, view: View, *, width: int, dark: bool) -> None:
    """Writes one picture."""
    parts = [view.name, "phone" if width < 600 and not view.phone_only else "", "dark" if dark else ""]
    phone = width < 600
    with browser.new_context(
        viewport={"width": width, "height": 844 if phone else 800},
        color_scheme="dark" if dark else "light",
        is_mobile=phone,
        has_touch=phone,
    ) as tab:
        page = tab.new_page()
        page.goto(root + (view.russian if dark else view.english))
        act(page, view, view.query[not dark])
        name = "-".join(part for part in parts if part)
        picture = Image.open(io.BytesIO(page.screenshot()))
        # A third of the size, and nobody sees a difference.
        picture.quantize(128, dither=Image.Dither.NONE).save(
            Path(__file__).with_name(f"{name}.png"), optimize=True
        )


def act(page: Page, view: View, query: str) -> None:
    """What a reader does before the picture is taken."""
    if query:
        page.locator(".find").first.click()
        page.keyboard.type(query)
        # Once the text is there, a hit names the page.
        page.locator(".seek-hits a[href*='#p']").nth(2).wait_for()
    if view.phone_only:
        page.locator(".menu").click()


if __name__ == "__main__":
    main()
