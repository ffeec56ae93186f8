"""HTML pages of indexes, rendered where they changed; all others stay as the current release holds them."""

from docshelf.build.caching.cache import cache_key
from docshelf.build.caching.notes import Note, Notes, kept_files
from docshelf.build.indexing.keywords import NO_WORDS
from docshelf.build.releasing.current import CurrentRelease
from docshelf.build.releasing.digests import Content
from docshelf.build.rendering.pages import PageView, ShelfView
from docshelf.build.rendering.render import render_page
from docshelf.build.rendering.theme import Theme


class IndexPages:
    """Renders the pages of one build."""

    def __init__(
        self, shelf: ShelfView, theme: Theme, composing: str, notes: Notes, current: CurrentRelease | None
    ) -> None:
        """`composing` is the version of what renders (`composing_version`)."""
        self.shelf = shelf
        self.theme = theme
        self._composing = composing
        self._known = notes
        self._current = current
        self.names: list[str] = []
        """Of the notes of all pages."""
        self.made: list[tuple[Note, list[str]]] = []
        """What to remember of each page that was rendered, still without its file, and the page's path."""

    def page(self, markdown: str, view: PageView) -> Content:
        """The page of an index.

        Raises: ConfigError where the user's own template names what is not there.
        """
        name = f"/{view.path}"  # No source begins so.
        self.names.append(name)
        key = cache_key(
            {
                "markdown": markdown,
                "view": repr(view),
                "shelf": repr(self.shelf),
                "theme": self.theme.fingerprint,
                "composing": self._composing,
            }
        )
        note = self._known.read(name)
        if note is not None and note.key == key and self._current is not None:
            files = kept_files(note, self._current)
            if files is not None:
                return files[view.path]
        self.made.append((Note(name, key, "", "", (), "", NO_WORDS, ()), [view.path]))
        return render_page(markdown, view, self.shelf, self.theme)
