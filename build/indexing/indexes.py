"""Indexes in the manner of llms.txt v2: H1, one-line summary, a paragraph, H2 lists of links with notes.

The subset that strict parsers read: one line is exactly one link, `- [title](url): note`.
"""

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from docshelf.build.cutting.markdown import escape, escape_line, heading
from docshelf.build.indexing.extracts import shorten
from docshelf.build.indexing.keywords import NO_WORDS, Words
from docshelf.build.wording import wording

NOTE_CHARACTERS = 48
NOTE_CHARACTERS_MOST = 600
"""How long what a note says of its line may be at least, and at most where a page has few lines."""
_ABOUT_SHARE = 0.65
"""How much of a note says what stands there in its own words; telling words fill the rest."""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One thing to follow."""

    title: str
    path: str
    """Shelf path."""
    cost: str
    """What following it costs: pages or sections, and size."""
    about: str = ""
    """What it holds, of any length: a page takes as much of it as it has room for."""
    size_bytes: int = 0
    """Bytes of Markdown that stand behind the line."""
    words: Words = NO_WORDS
    """The words that stand behind it; those that tell it from the other lines of its page join its note."""
    level: int = 0
    """The level of the first heading behind it; 0 where that says nothing."""


@dataclass(frozen=True, slots=True)
class IndexGroup:
    """Lines under one H2."""

    title: str
    lines: tuple[IndexLine, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """The table of contents of a shelf, a category or a document."""

    path: str
    """Shelf path, such as `docs/a/index.md`."""
    title: str
    summary: str
    """One line, plain text."""
    guide: str
    """One paragraph of plain text that says how to go on."""
    groups: tuple[IndexGroup, ...]
    language: str
    holds: Literal["documents", "sections"] = "documents"
    note_characters: int = NOTE_CHARACTERS
    """How much its notes say of what stands behind its lines."""
    told: tuple[tuple[str, ...], ...] = ()
    """For each line the words that tell it from the others, the best first."""

    @property
    def lines(self) -> list[IndexLine]:
        """All lines, in order."""
        return [line for group in self.groups for line in group.lines]


def write_index(index: Index, url: Callable[[str], str] | None = None) -> str:
    """The Markdown of an index as it stands; `url` gives the address of a shelf path.

    Without `url` addresses are relative to the index.
    """
    folder = posixpath.dirname(index.path)
    to = url or (lambda path: _relative(path, folder))
    parts = [heading(1, index.title), f"> {escape_line(index.summary)}", escape_line(index.guide)]
    told = iter(index.told or [()] * len(index.lines))
    for group in index.groups:
        lines = [_write_line(line, to(line.path), note(line, index, next(told))) for line in group.lines]
        parts += [heading(2, group.title), "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def note(line: IndexLine, index: Index, told: Sequence[str] = ()) -> str:
    """What stands behind the colon of a line: what it holds, words that tell it from others, what it costs."""
    room = index.note_characters
    about = shorten(line.about, int(room * _ABOUT_SHARE) if told else room)
    shown = about.casefold()
    words: list[str] = []
    left = room - len(about)
    for word in told:
        if word.casefold() not in shown:
            left -= len(word) + 1
            if left < 0:
                break
            words.append(word)
    about = " · ".join(part for part in (about, " ".join(words)) if part)
    if not about:
        return line.cost
    return f"{about} ({line.cost})" if index.holds == "documents" else f"{line.cost}: {about}"


def size_words(size_bytes: int, language: str) -> str:
    """«12 КБ», "12 KB": rounded up, at least 1; megabytes from 10 MB on."""
    russian = wording(language).language == "ru"
    kilobytes = max(1, -(-size_bytes // 1024))
    if kilobytes < 10_240:
        return f"{kilobytes} {'КБ' if russian else 'KB'}"
    return f"{-(-kilobytes // 1024)} {'МБ' if russian else 'MB'}"


def index_size(index: Index) -> int:
    """Bytes of the index as Markdown."""
    return len(write_index(index).encode())


def line_size(line: IndexLine, index: Index) -> int:
    """Bytes of a line with its line end; a relative address is never longer than the path."""
    return len(_write_line(line, line.path, note(line, index)).encode()) + 1


def _relative(path: str, folder: str) -> str:
    """The address of a shelf path on a page in `folder`."""
    if not folder:
        return path
    # Nearly all of them; relpath takes 40 times as long.
    return (
        path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else posixpath.relpath(path, folder)
    )


def _write_line(line: IndexLine, url: str, said: str) -> str:
    # Brackets as entities: strict parsers end a title at the first "]".
    title = escape(line.title.replace("[", "\0").replace("]", "\1"))
    title = title.replace("\0", "&#91;").replace("\1", "&#93;")
    text = escape(" ".join(said.split()))
    return f"- [{title}]({url}): {text}"
