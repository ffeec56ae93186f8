"""The shelf over HTTP: every file of the current release, kept releases, reading endpoints and MCP.

Read-only: no endpoint changes anything. An answer is made from one release; the next request sees a new
one. Works under a path prefix: every redirect and link is relative.
"""

import logging
from collections.abc import Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from docshelf.serve.anchors import split_path
from docshelf.serve.errors import BadRequest, NotOnShelf, RequestError, ShelfDamaged
from docshelf.serve.inspection import inspect
from docshelf.serve.mcp_http import McpEndpoint
from docshelf.serve.reading import FETCH_CHARACTERS, fetch, list_index
from docshelf.serve.responses import (
    RangeNotSatisfiable,
    error_response,
    file_response,
    json_response,
    markdown_response,
    moved_response,
)
from docshelf.serve.site_reader import SiteReader
from docshelf.serve.tree import Release, Site

_INTEGER_DIGITS = 9
_READ_METHODS = ("GET", "HEAD")
_CODES = {404: "not-on-shelf", 405: "method-not-allowed"}

_logger = logging.getLogger(__name__)


def create_app(site: Site, *, allowed_origins: Collection[str] = ()) -> Starlette:
    """The application that serves `site`.

    `allowed_origins` (such as `https://chat.example.org`) may ask /mcp from a browser.
    """
    endpoints = _Endpoints(site)
    mcp = McpEndpoint(SiteReader(site), allowed_origins)
    app = Starlette(
        routes=[
            Route("/mcp", mcp),
            Route("/mcp/", mcp),
            Route("/healthz", endpoints.health),
            Route("/list", endpoints.list),
            Route("/fetch", endpoints.fetch),
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

    def __init__(self, site: Site) -> None:
        self._site = site

    async def file(self, request: Request) -> Response:
        """A file of the current release."""
        return _file(request, self._site.current(), immutable=False)

    async def kept_file(self, request: Request) -> Response:
        """A file of a release that is kept; its address never means anything else."""
        return _file(request, self._site.release(request.path_params["release"]), immutable=True)

    async def list(self, request: Request) -> Response:
        """The tool `list`."""
        values = _query(request, "path")
        return markdown_response(request, list_index(self._site.current(), values.get("path", "")))

    async def fetch(self, request: Request) -> Response:
        """The tool `fetch`."""
        values = _query(request, "path", "offset", "limit", "release")
        if "path" not in values:
            raise BadRequest("fetch needs a path; /list shows them, /fetch?path=index.md is the index.")
        named = values.get("release", "")
        release = self._site.release(named) if named else self._site.current()
        offset, limit = _number(values, "offset", 0), _number(values, "limit", FETCH_CHARACTERS)
        return markdown_response(request, fetch(release, values.get("path", ""), offset, limit))

    async def inspect(self, request: Request) -> Response:
        """The tool `inspect`."""
        values = _query(request, "path")
        return markdown_response(request, inspect(self._site.current(), values.get("path", "")))

    async def health(self, request: Request) -> Response:
        """Whether the shelf can be read, and which release is current."""
        release = self._site.current()
        facts = {"status": "ok", "release": release.id, "documents": len(release.manifest.documents)}
        return json_response(request, facts)


def _file(request: Request, release: Release, *, immutable: bool) -> Response:
    asked = request.path_params["path"] or "index.html"
    path, _ = split_path(asked)
    if path == asked:
        moved = release.addresses.moved(path)
        if moved is not None:
            return moved_response(moved, path)
    return file_response(request, release, asked, immutable=immutable)


def _query(request: Request, *known: str) -> dict[str, str]:
    """The query by name.

    Raises: BadRequest for a name that is unknown or stands twice.
    """
    values: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in known or name in values:
            raise BadRequest(f"Wrong query; give each of these at most once: {', '.join(known)}.")
        values[name] = value
    return values


def _number(values: dict[str, str], name: str, default: int) -> int:
    value = values.get(name, "")
    if not value:
        return default
    if not (value.isascii() and value.isdigit() and len(value) <= _INTEGER_DIGITS):
        raise BadRequest(f"{name} must be a whole number, 0 or more.")
    return int(value)


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
