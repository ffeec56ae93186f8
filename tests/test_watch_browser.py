"""The open page in a real Chromium: it reloads when it changed, and shows what the last build said."""

import json
from pathlib import Path

import pytest
from chromium import open_chromium
from shelftest import ShelfTest
from watching import running_watch, small_pdf

pytestmark = pytest.mark.timeout(180)

PANEL = "document.querySelector('docshelf-live').shadowRoot"


def test_an_open_page_follows_its_own_document_and_shows_failures(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.file("a.pdf", small_pdf("# A\nFirst words"))
    shelf.file("b.pdf", small_pdf("# B\nText"))
    with running_watch(shelf.source, shelf.site) as watch, open_chromium(tmp_path) as page:
        page.go(f"{watch.url}/docs/a.html")
        page.until("document.body.textContent.includes('First words')")  # it waited for the first build
        page.complaints.clear()  # until then the answer was 503
        page.value("window.untouched = true")

        shelf.file("b.pdf", small_pdf("# B\nOther text"))
        watch.says("new release", 2)
        shelf.config(colour="<b>red</b>")
        page.until(f"{PANEL}.querySelector('[role=alert]') !== null")
        shown = page.value(f"{PANEL}.querySelector('[role=alert]').textContent")
        assert shown.startswith("The last build failed. The shelf is shown as it was before:")
        assert "unknown key 'colour'" in shown
        assert page.value(f"{PANEL}.querySelector('b')") is None
        assert page.value("window.untouched") is True

        shelf.config()
        page.until(f"{PANEL}.querySelector('[role=alert]') === null")
        assert page.value("window.untouched") is True

        shelf.file("a.pdf", small_pdf("# A\nSecond words"))
        page.until("document.body.textContent.includes('Second words')")
        assert page.value("window.untouched === undefined") is True
        assert page.complaints == []


def test_an_open_page_shows_the_findings_of_its_document(shelf: ShelfTest, tmp_path: Path) -> None:
    shelf.file("a.pdf", small_pdf("# A\nText"))
    shelf.build()
    shelf.file("a.pdf", b"no PDF any more, %%EOF")
    shelf.file("c.docx", b"x")
    with running_watch(shelf.source, shelf.site) as watch, open_chromium(tmp_path) as page:
        page.go(f"{watch.url}/docs/a.html")
        page.until(f"{PANEL}.querySelectorAll('details p').length === 2")
        lines = page.value(f"[...{PANEL}.querySelectorAll('details p')].map(line => line.textContent)")
        assert lines == [finding.text for finding in shelf.manifest.findings if finding.source == "a.pdf"]
        assert page.value(f"{PANEL}.querySelector('summary').textContent") == "Findings of this document: 2"
        assert json.dumps(lines).count("a.pdf:") == 0

        page.go(f"{watch.url}/")
        page.until(f"{PANEL}.querySelector('summary') !== null")
        assert page.value(f"{PANEL}.querySelector('summary').textContent") == "Not on the shelf: 1"
        assert page.value(f"{PANEL}.querySelector('details p').textContent").startswith("c.docx: ")
        assert page.complaints == []
