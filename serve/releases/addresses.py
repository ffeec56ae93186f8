"""What the paths of a release mean: documents, indexes, moved sections, and the key a reader meant."""

import difflib
import posixpath
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from docshelf.serve.anchors import split_path
from docshelf.serve.errors import BadRequest, NotOnShelf
from docshelf.serve.manifest import DocumentEntry

ROOT_INDEX = "index.md"
SUBINDEX = "/subindex.md"

_INDEX = re.compile(r"(?:.*/)?(?:sub)?index(?:-[0-9]+)*\.md")
_NUMBERED = re.compile(r"(.*/)[0-9]{3,}-([a-z0-9-]+)(\.md|\.html)")
_UNDER_RELEASE = re.compile(r"r/[0-9a-f]{16}/")
_FROM_ABOVE = re.compile(r"(?:\.\./)+(?=[^./])")
_AT_THE_ROOT = ("docs/", "sources/", "pictures/")
_BELOW_PREFIX = re.compile(r"/((?:docs|sources|pictures)/.*)")
_WORD = re.compile(r"\w+")

_WORDS, _POSTINGS = 6, 2000
"""The rarest words of a wrong path, and the paths looked at for each."""
_COMPARED = 60
"""Paths that difflib compares; a wrong path costs 8 ms on 11,000 sections (2026-11)."""


class Addresses:
    """The paths of one release."""

    def __init__(
        self,
        paths: Collection[str],
        documents: Iterable[DocumentEntry],
        fallen: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`fallen` are the addresses that fell away, with where they lead: stubs stand there, and no text."""
        stubs = fallen.keys() | {html_page(path) for path in fallen}
        paths = frozenset(paths) - stubs if stubs else paths
        self._fallen = fallen
        self._paths = paths
        self.indexes = tuple(sorted(path for path in paths if is_index(path)))
        """Every index and subindex, the nested ones among them."""
        self._documents: dict[str, DocumentEntry] = {}
        for entry in documents:
            for place_name in (entry.path.removesuffix(SUBINDEX), entry.path, entry.meta):
                self._documents[place_name] = entry

    def key(self, text: str) -> tuple[str, str]:
        """The readable file and the anchor ("" where there is none) that a reader's text means.

        An index stands for its folder and the Markdown twin for its page; a section that got another
        number is found by its slug. Of a relative link (`../x.md`) only the end is known: it has to be
        the end of one path.

        Raises: BadRequest; NotOnShelf with the next keys.
        """
        end = _FROM_ABOVE.sub("", text, count=1) if text.startswith("../") else text
        path, anchor = split_path(_without_host(end))
        path = _UNDER_RELEASE.sub("", path.removeprefix("./"), count=1)
        if path in ("", "docs"):
            return ROOT_INDEX, anchor
        found = self._readable_at(path) if end == text or path.startswith(_AT_THE_ROOT) else None
        if found is None and path.startswith("docs/docs/"):
            # The shelf may be published under /docs, which an address then begins with.
            found = self._readable_at(path.removeprefix("docs/"))
        if found is None:
            twin = markdown_twin(path)
            found = self.moved(twin) or self._ending(twin)
        if found is None:
            raise NotOnShelf(self._unknown(path))
        return found, anchor

    def moved(self, path: str) -> str | None:
        """Where the text now stands whose address `path` fell away or carries a stale number; else None."""
        if path in self._paths:
            return None
        target = self._fallen.get(markdown_twin(path))
        if target is not None:
            return html_page(target) if path.endswith(".html") else target
        place = self._place(path)
        return None if place is None else self._by_place.get(place)

    def document(self, path: str) -> DocumentEntry | None:
        """The document that `path` belongs to; None for indexes above documents and all else."""
        at = markdown_twin(path)
        while at:
            entry = self._documents.get(at)
            if entry is not None:
                return entry
            at = at.rpartition("/")[0]
        return None

    def covering(self, path: str) -> tuple[str, ...]:
        """The index that leads to `path` and those nested in it, the first one first."""
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            above = f"{folder}/" if folder else ""
            for name in ("subindex", "index"):
                if f"{above}{name}.md" in self._paths and f"{above}{name}.md" != path:
                    return (f"{above}{name}.md", *self._nested(f"{above}{name}-"))
        return (ROOT_INDEX,)

    def _nested(self, begin: str) -> list[str]:
        """The nested indexes whose paths have this begin, by number. A shelf may have thousands of others."""
        found: list[tuple[list[int], str]] = []
        for place in range(bisect_left(self.indexes, begin), len(self.indexes)):
            index = self.indexes[place]
            if not index.startswith(begin):
                break
            numbers = index.removeprefix(begin).removesuffix(".md")
            found.append(([int(number) for number in numbers.split("-")], index))
        return [index for _, index in sorted(found)]

    def nearest(self, path: str) -> list[str]:
        """Up to three readable paths that look like `path`, the best first."""
        postings = sorted((self._by_word.get(word, []) for word in set(_words(path))), key=len)
        votes: Counter[str] = Counter()
        for paths in [paths for paths in postings if paths][:_WORDS]:
            votes.update(paths[:_POSTINGS])
        likely = [candidate for candidate, _ in votes.most_common(_COMPARED)]
        return difflib.get_close_matches(path[:200], likely, n=3, cutoff=0.3)

    def _readable_at(self, path: str) -> str | None:
        """What stands at `path`: its Markdown, else the index of a folder, else the file itself."""
        candidates = (markdown_twin(path), path + SUBINDEX, f"{path}/{ROOT_INDEX}", f"{path}.md", path)
        return next((it for it in candidates if it in self._paths), None)

    def _place(self, path: str) -> tuple[str, str, str] | None:
        """Folder, slug and ending of a section; only folders of documents hold sections."""
        match = _NUMBERED.fullmatch(path)
        if match is None or match[1].removesuffix("/") + SUBINDEX not in self._paths:
            return None
        return match[1], match[2], match[3]

    def _ending(self, path: str) -> str | None:
        """The only path that ends in `path`: readers drop the folders of a relative link."""
        found = [
            known for known in self._by_name.get(path.rpartition("/")[2], ()) if known.endswith("/" + path)
        ]
        return found[0] if len(found) == 1 else None

    def _unknown(self, path: str) -> str:
        near = self.nearest(path)
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/{ROOT_INDEX}" not in self._paths and folder + SUBINDEX not in self._paths:
            folder = folder.rpartition("/")[0]
        hint = f" Nearest: {', '.join(near)}." if near else ""
        return f'"{path[:200]}" is not on the shelf.{hint} See what is there: list("{folder}")'

    @cached_property
    def _by_place(self) -> dict[tuple[str, str, str], str]:
        """Sections by `_place`, made when the first stale address comes: it takes long on a large shelf."""
        return {place: path for path in self._paths if (place := self._place(path)) is not None}

    @cached_property
    def _readable(self) -> list[str]:
        return [path for path in self._paths if path.endswith(".md")]

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._readable:
            names[path.rpartition("/")[2]].append(path)
        return dict(names)

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        words: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._readable:
            for word in dict.fromkeys(_words(path)):
                words[word].append(path)
        return dict(words)


def is_index(path: str) -> bool:
    """Whether `path` is an index or subindex, also a nested one (`subindex-2.md`)."""
    return _INDEX.fullmatch(path) is not None


def markdown_twin(path: str) -> str:
    """The Markdown file of an HTML page; any other path as it is."""
    return path.removesuffix(".html") + ".md" if path.endswith(".html") else path


def linked_path(page: str, url: str) -> str | None:
    """The shelf path that a link on `page` leads to; None for addresses of other hosts and broken ones."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    if not parts.path:
        return page
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))


def html_page(path: str) -> str:
    """The HTML page of a Markdown file."""
    return f"{path.removesuffix('.md')}.html"


def relative(path: str, page: str) -> str:
    """How the file `page` links to the file `path`."""
    here, there = page.split("/")[:-1], path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "../" * (len(here) - shared) + "/".join(there[shared:])


def _without_host(text: str) -> str:
    """A web address without scheme, host, query and the prefix that the shelf is published under."""
    if not text.startswith(("http://", "https://")):
        return text
    try:
        parts = urlsplit(text)
    except ValueError as exc:
        raise BadRequest("This is no address; use a path exactly as an index prints it.") from exc
    below = _BELOW_PREFIX.search(parts.path)
    path = below[1] if below else parts.path.rpartition("/")[2]
    return f"{path}#{parts.fragment}" if parts.fragment else path


def _words(path: str) -> list[str]:
    return [word for word in _WORD.findall(path.lower().replace("_", " ")) if len(word) > 1]
