"""What builds remember beside the shelf, in `SITE/.cache`: safe to delete, never needed to be right."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from docshelf.build.caching.cache import DEFAULT_LIMIT_BYTES, Cache
from docshelf.build.caching.cache_report import (
    CACHE_FOLDER,
    CONVERSIONS,
    PACKED,
    REFUSALS,
    SOURCES,
    WORDS,
)
from docshelf.build.caching.notes import Notes, note_files
from docshelf.build.caching.refusals import Refusals
from docshelf.build.planning.snapshots import SourceMemo
from docshelf.build.releasing.release import Published
from docshelf.build.rendering.index_pages import IndexPages
from docshelf.build.rendering.packing import PackedMemo, Packer
from docshelf.build.searching.store import LastIndex, WordStore
from docshelf.build.workers.workplace import Made

log = logging.getLogger(__name__)


class Memory:
    """Conversions, notes, refusals and words of documents, and stats of sources; whoever holds it holds the output's lock."""

    def __init__(self, output: Path, notes: Notes) -> None:
        """Reads the stats, and clears what a killed build left."""
        folder = output / CACHE_FOLDER
        self.cache = Cache(folder / CONVERSIONS)
        self.notes = notes
        self.refusals = Refusals(folder / REFUSALS)
        self.memo = SourceMemo(folder / SOURCES)
        self.words = WordStore(folder / WORDS)
        self.packed = PackedMemo(folder / PACKED)
        self._output = output
        self.cache.drop_workplaces()

    def remember(
        self,
        made: Sequence[Made],
        pages: IndexPages,
        index: LastIndex,
        packer: Packer,
        published: Published,
    ) -> None:
        """Notes what was published, and lets go of conversions that have not been used for long.

        A disk that refuses costs the next build time and nothing else, so it is only said.
        """
        release = self._output / "releases" / published.manifest.release
        used = {it.conversion for it in made if it.conversion}
        try:
            for note, paths in (*((it.note, it.files) for it in made), *pages.made):
                if note is not None:
                    files = tuple(note_files(paths, published.rows, release))
                    self.notes.write(replace(note, files=files))
            self.notes.keep_only([*(it.source for it in made), *pages.names])
            self.refusals.forget_others()
            self.words.remember(index)
            packer.remember(published, release)
            self.memo.save()
            self.cache.mark_used(used)
            self.cache.prune(DEFAULT_LIMIT_BYTES, used)
        except OSError as exc:
            log.warning("%s: what this build did could not be kept: %s", exc.filename, exc.strerror)
