"""A real Chromium that reads pages, and everything it complains of, as a person's would."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

PATIENCE_MS = 30_000
"""How long anything may take; not a performance limit: machines that run tests are busy."""
_SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
_ABORTED = "net::ERR_ABORTED"
# Chromium keeps what breaks the policy and what moves on a page in reports of its own.
_REPORTS = """
window.policyReports = [];
document.addEventListener("securitypolicyviolation", (event) => window.policyReports.push(event.violatedDirective));
window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


@dataclass
class Visit:
    """One tab and what came to light while it was open."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    """Warnings and errors of the console, faults of scripts, dialogs, broken requests, breaches of the policy."""
    foreign: list[str] = field(default_factory=list)
    """Addresses asked of another host."""

    def go(self, url: str) -> None:
        """Opens an address in the tab."""
        self.note_reports()
        self.page.goto(url)

    def follow(self, key: str) -> None:
        """Presses a key that leads to another page, and waits until that page and its scripts stand."""
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def copied(self, button: str) -> str:
        """What a button puts on the clipboard; the tab needs the rights to write there and to read."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.page.locator(button).click()
        self.page.wait_for_function("navigator.clipboard.readText().then((text) => text !== '')")
        return str(self.value("navigator.clipboard.readText()"))

    def note_reports(self) -> None:
        """Takes over what the page itself noticed; to be called before it is left."""
        self.complaints += [f"policy: {it}" for it in self.page.evaluate("window.policyReports || []")]

    def value(self, expression: str) -> Any:
        """What an expression gives on the page."""
        return self.page.evaluate(expression)

    def count(self, selector: str) -> int:
        """How many elements match."""
        return self.page.locator(selector).count()


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Debian's Chromium without a window."""
    program = shutil.which("chromium")
    assert program, "chromium is not installed; run: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(
    browser: Browser, url: str = "about:blank", width: int = 1280, **context: Any
) -> Iterator[Visit]:
    """A tab of its own, `width` CSS pixels wide, at `url`; at the end nothing may have come to light."""
    settings = {"viewport": {"width": width, "height": 800}, **context}
    with browser.new_context(**settings) as tab:
        tab.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        if settings.get("java_script_enabled", True):
            tab.add_init_script(_REPORTS)
        visit = Visit(tab.new_page())
        _watch(visit, urlsplit(url).hostname)
        try:
            visit.page.goto(url)
            yield visit
            visit.note_reports()
        except Exception as exc:
            exc.add_note(f"came to light before: {visit.complaints}, {visit.foreign}")
            raise
        assert visit.complaints == [], visit.complaints
        assert visit.foreign == [], visit.foreign


def _watch(visit: Visit, host: str | None) -> None:
    page, complain = visit.page, visit.complaints.append

    def dismiss(dialog: Dialog) -> None:
        complain(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda it: complain(it.text) if it.type in ("warning", "error") else None)
    page.on("pageerror", lambda it: complain(str(it)))
    page.on("crash", lambda it: complain("the page crashed"))
    page.on("dialog", dismiss)
    # What is still loading when a page is left is aborted, and no fault.
    page.on("requestfailed", lambda it: complain(f"failed: {it.url}") if it.failure != _ABORTED else None)

    def request(url: str) -> None:
        if urlsplit(url).hostname != host and urlsplit(url).scheme not in ("data", "about"):
            visit.foreign.append(url)

    page.on("request", lambda it: request(it.url))
