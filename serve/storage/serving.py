"""Serving a shelf that lies in an object storage."""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from docshelf.serve.http.trace import check_trace_folder
from docshelf.serve.run import ServeOptions, serve_releases
from docshelf.serve.storage.bucket import Bucket
from docshelf.serve.storage.disk_cache import DiskCache
from docshelf.serve.storage.stored import StoredSite


def serve_bucket(
    bucket: Bucket, cache: Path | None, options: ServeOptions, on_listening: Callable[[str], None]
) -> None:
    """Serves what stands in `bucket` and returns after SIGINT, as `serve_site` does.

    `cache` is the folder for what was fetched; None is one of its own, which is removed at the end.

    Raises: as `serve_site`; StorageError.
    """
    with ExitStack() as stack:
        folder = cache or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="docshelf-")))
        site = StoredSite(bucket, DiskCache(folder))
        if options.trace_folder is not None:
            check_trace_folder(options.trace_folder, folder)
        stack.enter_context(site.looking())
        serve_releases(site, options, on_listening)
