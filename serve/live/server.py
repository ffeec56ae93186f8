"""A server in a thread of its own, whose open pages follow the shelf: the serving half of `docshelf watch`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docshelf.serve.errors import ShelfError
from docshelf.serve.http.app import create_app
from docshelf.serve.live.events import News, add_live
from docshelf.serve.releases.tree import Site
from docshelf.serve.run import OpenedServer, ServeOptions, opened_server

_START_S = 30.0


class LiveServer:
    """A server that runs."""

    def __init__(self, url: str, news: News, thread: threading.Thread) -> None:
        self.url = url
        """Such as `http://127.0.0.1:8080`."""
        self._news = news
        self._thread = thread

    def tell(self, failure: str) -> None:
        """Tells the open pages that a build has ended; `failure` says why it failed, "" that it did not."""
        self._news.tell(failure)

    def check(self) -> None:
        """Raises: ShelfError where the server has ended by itself."""
        if not self._thread.is_alive():
            raise ShelfError("the server has stopped; what it logged above says why")


@contextmanager
def live_server(site_folder: Path, options: ServeOptions) -> Iterator[LiveServer]:
    """Serves `site_folder`, which may hold no release yet, until the `with` block ends.

    Raises: ConfigError where the options are wrong or not safe; ShelfError where the address cannot be had.
    """
    site, news = Site(site_folder), News()
    app = create_app(site)
    add_live(app, site, news)
    with opened_server(app, site, options) as opened:
        thread = _started(opened)
        try:
            server = LiveServer(opened.url, news, thread)
            server.check()
            yield server
        finally:
            news.close()
            opened.stop()
            thread.join()


def _started(opened: OpenedServer) -> threading.Thread:
    """The thread that answers; it does by now, unless it ended at once."""
    ready = threading.Event()
    thread = threading.Thread(target=opened.run, args=(lambda url: ready.set(),), name="server", daemon=True)
    thread.start()
    ready.wait(_START_S)
    return thread
