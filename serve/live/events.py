"""What `docshelf watch` adds to the server: open pages that follow the shelf. `docshelf serve` has none of it.

    GET /live.js           the script; every HTML page of the current release gets a tag for it
    GET /live?page=PATH    server-sent events (HTML, 9.2): what stands at PATH now, and what is to be said

A release never holds any of it. An event is the whole state, never a step, so one that was missed costs
nothing: `{"version": "…", "parts": [{"kind", "title", "lines"}]}`. A page whose version is another reloads.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, replace
from html import unescape
from pathlib import Path
from typing import Literal

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from docshelf.serve.errors import BadRequest, ShelfDamaged
from docshelf.serve.live.pages import LivePages
from docshelf.serve.live.words import LiveWords, live_words
from docshelf.serve.manifest import RELEASE_SCRIPT, Finding
from docshelf.serve.releases.addresses import is_index, linked_path, markdown_twin
from docshelf.serve.releases.tree import Release, Site

_BEAT_S = 5.0
"""How often a listener is looked after without news: finds readers that left and releases of other builds."""
_RETRY_MS = 500
_FINDINGS = 20
_SOURCES = re.compile(rb'\ssrc="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is to be said beside a page."""

    kind: Literal["failure", "findings"]
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageState:
    """What one event says to an open page."""

    version: str
    parts: tuple[Part, ...]


class News:
    """What open pages are told; `tell` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self.failure = ""
        """Why the last build failed, "" where it did not."""
        self.closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Event] = set()

    def tell(self, failure: str) -> None:
        """A build has ended: lets every open page look anew."""
        self.failure = failure
        self._wake()

    def close(self) -> None:
        """Ends every stream, so that the server can stop."""
        self.closed = True
        self._wake()

    async def wait(self) -> None:
        """Returns after the next news, or after a beat."""
        self._loop = asyncio.get_running_loop()
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(_BEAT_S):
                if not self.closed:
                    await event.wait()
        except TimeoutError:
            return
        finally:
            self._waiting.discard(event)

    def _wake(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake_all)

    def _wake_all(self) -> None:
        for event in self._waiting:
            event.set()


def add_live(app: Starlette, site: Site, news: News) -> None:
    """Adds the routes and the script tag to an application of `create_app` that serves `site`."""
    script = Path(__file__).with_name("live.js").read_bytes()

    async def send_script(request: Request) -> Response:
        return Response(script, media_type="text/javascript", headers=_HEADERS)

    async def send_events(request: Request) -> Response:
        page = request.query_params.get("page")
        if page is None:
            raise BadRequest("live needs a page, such as /live?page=index.html.")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream", headers=_HEADERS)
        return StreamingResponse(_events(site, news, page), media_type="text/event-stream", headers=_HEADERS)

    app.router.routes[:0] = [Route("/live", send_events), Route("/live.js", send_script)]
    app.add_middleware(LivePages, site=site, version=page_version)


_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Accel-Buffering": "no"}


async def _events(site: Site, news: News, page: str) -> AsyncIterator[str]:
    yield f"retry: {_RETRY_MS}\n\n"
    told = ""
    while not news.closed:
        state = json.dumps(asdict(page_state(site, news.failure, page)), ensure_ascii=False)
        # A line without a field is a comment: it keeps the connection, and shows where it is gone.
        yield ":\n\n" if state == told else f"data: {state}\n\n"
        told = state
        await news.wait()


def page_state(site: Site, failure: str, page: str) -> PageState:
    """What the page at the shelf path `page` has to know; `failure` says why the last build failed, or is ""."""
    try:
        release = site.current()
        version = page_version(release, page)
    except ShelfDamaged:
        words = live_words("en")
        return PageState("", tuple(_failure(failure, words.first_failed)))
    words = live_words(release.manifest.language)
    return PageState(version, (*_failure(failure, words.failed), *_findings(release, page, words)))


def page_version(release: Release, page: str) -> str:
    """Names what a reader sees of the page: its bytes and those of its pictures; "" where there is none.

    The script that carries the release is left out: a page is not another one because some other changed.
    """
    row = release.files.get(page)
    if row is None:
        return ""
    urls = (unescape(url.decode()) for url in _SOURCES.findall(release.read(page)))
    shown = {path for url in urls if (path := linked_path(page, url)) is not None} - {RELEASE_SCRIPT}
    hashes = [row.sha256, *(release.files[path].sha256 for path in sorted(shown & release.files.keys()))]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()[:16]


def _failure(failure: str, title: str) -> Iterator[Part]:
    if failure:
        yield Part("failure", title, tuple(failure.splitlines()))


def _findings(release: Release, page: str, words: LiveWords) -> Iterator[Part]:
    """The findings of the page's document; on an index those of files that are not on the shelf."""
    entry = release.addresses.document(page)
    if entry is not None:
        title, found = words.findings, [f for f in release.manifest.findings if f.source == entry.source]
        lines = [str(replace(finding, source="")) for finding in found]
    elif is_index(markdown_twin(page)):
        title, found = words.left_out, _left_out(release)
        lines = [str(finding) for finding in found]
    else:
        return
    if len(lines) > _FINDINGS:
        lines[_FINDINGS:] = [words.more.format(len(found) - _FINDINGS)]
    if found:
        yield Part("findings", f"{title}: {len(found)}", tuple(lines))


def _left_out(release: Release) -> list[Finding]:
    published = {entry.source for entry in release.manifest.documents}
    return [f for f in release.manifest.findings if f.severity == "error" and f.source not in published]
