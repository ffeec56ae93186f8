"""The site as MCP reads it: each call on the release that is current then."""

from collections.abc import Sequence

from docshelf.serve.addresses import is_index
from docshelf.serve.anchors import split_path
from docshelf.serve.errors import BadRequest
from docshelf.serve.inspection import inspect
from docshelf.serve.mcp_tools import Resource
from docshelf.serve.reading import fetch, list_index
from docshelf.serve.tree import Site

_RESOURCE_BYTES = 1024 * 1024
"""Larger files are for HTTP: a host puts a resource into its model's context."""


class SiteReader:
    """Answers tools and resources from a site."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def about(self) -> str:
        """Name and summary of the shelf."""
        manifest = self._site.current().manifest
        return f"{manifest.name}: {manifest.description}" if manifest.description else f"{manifest.name}."

    def list(self, path: str) -> str:
        """See `reading.list_index`."""
        return list_index(self._site.current(), path).text

    def fetch(self, path: str, offset: int, limit: int, release: str) -> str:
        """See `reading.fetch`; `release` "" is the current one."""
        at = self._site.release(release) if release else self._site.current()
        return fetch(at, path, offset, limit).text

    def inspect(self, path: str) -> str:
        """See `inspection.inspect`."""
        return inspect(self._site.current(), path).text

    def indexes(self) -> Sequence[str]:
        """Paths of all indexes, sorted."""
        return self._site.current().addresses.indexes

    def resource(self, path: str) -> Resource:
        """The file at exactly `path`; an index carries its heading as title.

        Raises: NotOnShelf; BadRequest for files over 1 MB.
        """
        release = self._site.current()
        key, _ = split_path(path)
        row = release.row(key)
        if row.bytes > _RESOURCE_BYTES:
            raise BadRequest(f'"{key}" is too large for a resource; read it with fetch or over HTTP.')
        content = release.read(key)
        heading = content.partition(b"\n")[0].decode("utf-8", "replace") if is_index(key) else ""
        return Resource(key, heading.removeprefix("# ").strip() or key, row.type.partition(";")[0], content)
