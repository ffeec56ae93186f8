"""The shelf over HTTP: every file of the current release, kept releases, reading endpoints and MCP.

Read-only: no endpoint changes anything. An answer is made from one release; the next request sees a new
one. Works under a path prefix: every redirect and link is relative.
"""

import logging
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from docshelf.serve.anchors import split_path
from docshelf.serve.answering.tools import ShelfTools
from docshelf.serve.errors import BadRequest, NotOnShelf, RequestError, ShelfDamaged
from docshelf.serve.http.calls import Call, note_call
from docshelf.serve.http.not_found import not_found_page, wants_page
from docshelf.serve.http.openapi import openapi
from docshelf.serve.http.readiness import verify_readable
from docshelf.serve.http.responses import (
    RangeNotSatisfiable,
    error_response,
    file_response,
    json_response,
    markdown_response,
    moved_response,
)
from docshelf.serve.mcp.http import McpEndpoint
from docshelf.serve.mcp.offer import Offer
from docshelf.serve.mcp.shelf import Profile, shelf_offer
from docshelf.serve.releases.addresses import ROOT_INDEX
from docshelf.serve.releases.tree import Release, Releases

_CODES = {404: "not-on-shelf", 405: "method-not-allowed"}

_logger = logging.getLogger(__name__)


def create_app(site: Releases, *, profile: Profile = "shelf", offer: Offer | None = None) -> Starlette:
    """The application that serves `site`.

    /mcp offers what `profile` says, or `offer` where it is given. Who may ask is for the guard in front.
    """
    shelf = ShelfTools(site)
    endpoints = _Endpoints(shelf)
    mcp = McpEndpoint(shelf_offer(shelf, profile) if offer is None else offer, waits=site.waits)
    app = Starlette(
        routes=[
            Route("/mcp", mcp),
            Route("/mcp/", mcp),
            Route("/healthz", endpoints.health),
            Route("/readyz", endpoints.ready),
            Route("/openapi.json", endpoints.openapi),
            Route("/list", endpoints.list),
            Route("/fetch", endpoints.fetch),
            Route("/search", endpoints.search),
            Route("/inspect", endpoints.inspect),
            Route("/r/{release}/{path:path}", endpoints.kept_file),
            Route("/{path:path}", endpoints.file),
        ],
        exception_handlers={
            RequestError: _request_error,
            ShelfDamaged: _damaged,
            RangeNotSatisfiable: _out_of_range,
            HTTPException: _http_error,
            Exception: _our_fault,
        },
    )
    app.router.redirect_slashes = False
    return app


class _Endpoints:
    """What GET and HEAD answer."""

    def __init__(self, shelf: ShelfTools) -> None:
        self._site = shelf.site
        self._tools = shelf

    async def file(self, request: Request) -> Response:
        """A file of the current release."""
        return await self._answered(lambda: _file(request, self._site.current(), immutable=False))

    async def kept_file(self, request: Request) -> Response:
        """A file of a release that is kept; its address never means anything else."""
        release = request.path_params["release"]
        return await self._answered(lambda: _file(request, self._site.release(release), immutable=True))

    async def list(self, request: Request) -> Response:
        """The tool `list`."""
        return await self._answer("list", request)

    async def fetch(self, request: Request) -> Response:
        """The tool `fetch`."""
        return await self._answer("fetch", request)

    async def search(self, request: Request) -> Response:
        """The tool `search`."""
        return await self._answer("search", request)

    async def inspect(self, request: Request) -> Response:
        """The tool `inspect`."""
        return await self._answer("inspect", request)

    async def openapi(self, request: Request) -> Response:
        """What describes the reading endpoints to programs."""
        return json_response(request, openapi())

    async def ready(self, request: Request) -> Response:
        """Whether a release is current and its root index is on the disk as the manifest says."""
        try:
            await run_in_threadpool(lambda: verify_readable(self._site.current()))
        except ShelfDamaged as exc:
            _logger.error("%s", exc)
            return error_response(503, "not-ready", "No release can be read now; the server's log says why.")
        return json_response(request, {"status": "ready"})

    async def health(self, request: Request) -> Response:
        """Whether the shelf can be read, and which release is current."""
        release = self._site.current()
        facts = {"status": "ok", "release": release.id, "documents": len(release.manifest.documents)}
        return json_response(request, facts)

    async def _answer(self, tool: str, request: Request) -> Response:
        query = _query(request)
        return await self._answered(lambda: markdown_response(request, self._tools.call(tool, query)))

    async def _answered(self, answer: Callable[[], Response]) -> Response:
        """What `answer` gives; made in a thread where reading may wait."""
        return await run_in_threadpool(answer) if self._site.waits else answer()


def _file(request: Request, release: Release, *, immutable: bool) -> Response:
    # A checkout may hold no pages.
    asked = request.path_params["path"] or ("index.html" if "index.html" in release.files else ROOT_INDEX)
    path, _ = split_path(asked)
    if path == asked:
        moved = release.addresses.moved(path)
        if moved is not None:
            return moved_response(moved, path)
    try:
        response = file_response(request, release, asked, immutable=immutable)
    except NotOnShelf:
        if not wants_page(request):
            raise
        return not_found_page(request, release, path)
    note_call(Call("file", asked, release.id))
    return response


def _query(request: Request) -> dict[str, str]:
    """The query by name.

    Raises: BadRequest for a name that stands twice.
    """
    values = dict(request.query_params.multi_items())
    if len(values) != len(request.query_params.multi_items()):
        raise BadRequest(f"Wrong query; give each of these at most once: {', '.join(values)}.")
    return values


async def _request_error(request: Request, exc: Exception) -> Response:
    error = exc if isinstance(exc, RequestError) else NotOnShelf(str(exc))
    return error_response(error.status, error.code, str(error))


async def _damaged(request: Request, exc: Exception) -> Response:
    _logger.error("%s", exc)
    message = "The shelf cannot be read now; its keeper finds why in the server's log."
    return error_response(503, "shelf-damaged", message)


async def _out_of_range(request: Request, exc: Exception) -> Response:
    size_bytes = exc.size_bytes if isinstance(exc, RangeNotSatisfiable) else 0
    return error_response(416, "range", str(exc), {"Content-Range": f"bytes */{size_bytes}"})


async def _http_error(request: Request, exc: Exception) -> Response:
    if not isinstance(exc, HTTPException):
        return await _our_fault(request, exc)
    code = _CODES.get(exc.status_code, "http-error")
    return error_response(exc.status_code, code, exc.detail, exc.headers)


async def _our_fault(request: Request, exc: Exception) -> Response:
    return error_response(500, "internal", "The server failed; its log says how.")
