"""What the reader reads: a shelf as `list` and `fetch` give it, and the same shelf with one flat index."""

import re

from benchmarks.route_reader import Line, Reading
from docshelf.serve.answering.reading import FETCH_CHARACTERS, fetch, list_index
from docshelf.serve.llms import parse_index
from docshelf.serve.releases.addresses import is_index
from docshelf.serve.releases.tree import Release

_SOURCE_LINE = re.compile(r"\n\n\[release [^\n]*\]\n\Z")
_CUT = re.compile(r'go on with fetch\(path="([^"]*)", offset=([0-9]+)')


class Shelf:
    """A shelf: from its index down to a section, a call for each."""

    def __init__(self, release: Release) -> None:
        self._release = release

    def start(self) -> Reading:
        """The index of the shelf."""
        return _index(list_index(self._release).text)

    def read(self, path: str) -> Reading:
        """An index, or the text of a section."""
        path, _, offset = path.partition("\0")
        if is_index(path):
            return _index(list_index(self._release, path).text)
        text = fetch(self._release, path, int(offset or 0), FETCH_CHARACTERS).text
        cut = _CUT.search(text)
        return Reading(text, more=f"{cut[1]}\0{cut[2]}" if cut else None)


class FlatShelf:
    """The same sections, all in one index under the titles of their documents, with the same notes."""

    def __init__(self, release: Release) -> None:
        self._shelf = Shelf(release)
        self._index = Reading("", ())
        titles: dict[str, str] = {}
        for entry in release.manifest.documents:
            meta = release.meta(entry.meta)
            titles |= {section.path: meta.title for section in meta.sections}
        lines, seen, waiting = list[Line](), set[str](), [self._shelf.start()]
        while waiting:
            for line in waiting.pop().lines:
                if line.path in seen:
                    continue
                seen.add(line.path)
                if is_index(line.path):
                    waiting.append(self._shelf.read(line.path))
                else:
                    lines.append(Line(line.path, line.title, line.note, titles.get(line.path, "")))
        lines.sort(key=lambda line: line.path)
        self._index = Reading(_flat_text(lines), tuple(lines))

    def start(self) -> Reading:
        """The one index."""
        return self._index

    def read(self, path: str) -> Reading:
        """The text of a section."""
        return self._shelf.read(path)


def _flat_text(lines: list[Line]) -> str:
    parts, group = [], ""
    for line in lines:
        if line.group != group:
            parts.append(f"\n## {line.group}\n")
            group = line.group
        parts.append(f"- [{line.title}]({line.path}): {line.note}")
    return "\n".join(parts)


def _index(text: str) -> Reading:
    index = parse_index(_SOURCE_LINE.sub("\n", text))
    links = index.links
    return Reading(text, tuple(Line(link.url, link.title, link.note, link.group) for link in links))
