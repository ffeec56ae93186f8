"""Cuts a document into sections at its headings and by the budget, always between blocks.

Every block stands in exactly one section, in order. A chapter within the budget stays whole; a larger one
is cut at its next heading level, then between blocks; runs of small neighbours stay together; a heading
never ends a section. Sizes are bytes of UTF-8 Markdown.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from docshelf.build.cutting.markdown import PAGE_LINK, SHELF_LINK, escape_line, guard_start
from docshelf.serve.config import Budget

HEAD_BYTES = 640
"""What a section's title and quote line may take of its budget."""

LINK_BYTES = 48
"""What the address of a section usually takes, for links that are known only after the cutting."""


_INDENT_BYTES = 4
"""What an item of a list inside of a list stands further to the right at most, for each level."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One block as Markdown, or one heading."""

    page: int
    """PDF page it begins on."""
    markdown: str
    """The block's Markdown; "" for headings, which are written once their section is known."""
    level: int = 0
    """1 to 6 for headings, 0 for all else."""
    title: str = ""
    """Headings only: plain text."""
    depth: int = 0
    """Items only: 0 in the outermost list, 1 in a list of an item's own, and so on."""

    @property
    def size_bytes(self) -> int:
        """What the piece takes in a section, with the blank line after it."""
        links = LINK_BYTES * (self.markdown.count(PAGE_LINK) + self.markdown.count(SHELF_LINK))
        signs = _INDENT_BYTES * self.depth + (self.level and self.level + 1) + 2
        return len((self.markdown or self.title).encode()) + signs + links


@dataclass(frozen=True, slots=True)
class Cut:
    """The pieces of one section."""

    pieces: tuple[Piece, ...]
    part: int = 0
    """Place among the parts of a text that had no heading to be cut at, from 1; 0 where it is whole."""
    parts: int = 0
    chapter: str = ""
    """Title of the level-1 heading it stands under, "" before the first."""
    path: tuple[str, ...] = ()
    """Titles of the headings it stands under, outermost first; its own too where it is a part."""

    @property
    def size_bytes(self) -> int:
        """Bytes of the pieces with a page mark wherever the page changes."""
        return _size(self.pieces)

    @property
    def headings(self) -> tuple[Piece, ...]:
        """The headings inside, in order."""
        return tuple(piece for piece in self.pieces if piece.level)


def split_pieces(pieces: Sequence[Piece], budget: Budget) -> list[Cut]:
    """The sections of a document, in order; empty for no pieces."""
    limit = max(budget.section_bytes - HEAD_BYTES, budget.section_bytes // 2)
    root = _tree(_within(pieces, budget))
    cuts = _join_runs(
        _each(root.children, limit, budget.section_min_bytes, ()), limit, budget.section_min_bytes
    )
    return _lead_on([*_chunks(root.own, limit, ()), *cuts])


def end_with_text(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces with headings at the very end as text: nothing stands below them that they could head.

    A document of headings alone stays as it is.
    """
    last = max((place for place, piece in enumerate(pieces) if not piece.level), default=-1)
    if last < 0:
        return pieces
    tail = (Piece(piece.page, escape_line(piece.title)) for piece in pieces[last + 1 :])
    return [*pieces[: last + 1], *tail]


def _lead_on(cuts: Sequence[Cut]) -> list[Cut]:
    """The cuts with headings at an end moved to what follows: a heading never ends a section."""
    result: list[Cut] = []
    waiting: tuple[Piece, ...] = ()
    for cut in cuts:
        pieces = (*waiting, *cut.pieces)
        kept = len(pieces)
        while kept and pieces[kept - 1].level:
            kept -= 1
        pieces, waiting = pieces[:kept], pieces[kept:]
        if pieces:
            result.append(cut if pieces == cut.pieces else _cut(pieces, cut.path, cut.part, cut.parts))
    if not waiting:
        return result
    if not result:
        return [_cut(waiting, ())]
    # Only for callers that skip `end_with_text`: a heading out of place is better than a heading lost.
    last = result.pop()
    return [*result, _cut((*last.pieces, *waiting), last.path, last.part, last.parts)]


@dataclass(slots=True)
class _Node:
    """A heading with the text under it and the headings below it."""

    heading: Piece | None = None
    own: list[Piece] = field(default_factory=list)
    """The heading and what stands before the first heading below it."""
    children: list["_Node"] = field(default_factory=list)

    def all(self) -> Iterator[Piece]:
        yield from self.own
        for child in self.children:
            yield from child.all()


def _tree(pieces: Iterable[Piece]) -> _Node:
    root = _Node()
    path = [root]
    for piece in pieces:
        if piece.level:
            while path[-1].heading is not None and path[-1].heading.level >= piece.level:
                path.pop()
            node = _Node(piece, [piece])
            path[-1].children.append(node)
            path.append(node)
        else:
            path[-1].own.append(piece)
    return root


def _cut_node(node: _Node, limit: int, least: int, path: tuple[str, ...]) -> list[Cut]:
    pieces = tuple(node.all())
    if _size(pieces) <= limit:
        return [_cut(pieces, path)]
    title = node.heading.title if node.heading else ""
    below = (*path, title)
    if not node.children:
        return _chunks(node.own, limit, below)
    if all(piece.level for piece in node.own):
        # Headings alone go with the first child, for none may end a section.
        first, *rest = node.children
        led = _Node(first.heading, [*node.own, *first.own], first.children)
        return _join_small(
            [*_cut_node(led, limit, least, path), *_each(rest, limit, least, below)], limit, least
        )
    own = _chunks(node.own, limit, below)
    return _join_small([*own, *_each(node.children, limit, least, below)], limit, least)


def _each(nodes: Iterable[_Node], limit: int, least: int, path: tuple[str, ...]) -> list[Cut]:
    return [cut for node in nodes for cut in _cut_node(node, limit, least, path)]


def _join_small(cuts: Sequence[Cut], limit: int, least: int) -> list[Cut]:
    """Neighbours of one chapter together where one of them is small and both fit."""
    joined: list[Cut] = []
    for cut in cuts:
        last = joined[-1] if joined else None
        if last is not None and _may_join(last, cut, limit) and min(last.size_bytes, cut.size_bytes) < least:
            joined[-1] = _join(last, cut)
        else:
            joined.append(cut)
    return joined


def _join_runs(cuts: Sequence[Cut], limit: int, least: int) -> list[Cut]:
    """Runs of small chapters together; a small chapter never joins a large one, whose title says more."""
    joined: list[Cut] = []
    in_run = False
    for cut in cuts:
        small = cut.size_bytes < least
        if in_run and small and _may_join(joined[-1], cut, limit):
            joined[-1] = _join(joined[-1], cut)
        else:
            joined.append(cut)
        in_run = small
    return joined


def _may_join(first: Cut, second: Cut, limit: int) -> bool:
    """Whether both fit in one section; parts of one text stay as they are."""
    return not first.parts and not second.parts and first.size_bytes + second.size_bytes <= limit


def _join(first: Cut, second: Cut) -> Cut:
    path = first.path if len(first.path) <= len(second.path) else second.path
    return _cut((*first.pieces, *second.pieces), path)


def _chunks(pieces: Sequence[Piece], limit: int, path: tuple[str, ...]) -> list[Cut]:
    """Text without headings to be cut at, in parts of at most `limit` where its blocks allow."""
    groups: list[list[Piece]] = []
    size = 0
    for piece in pieces:
        keep = bool(groups) and (size + piece.size_bytes <= limit or all(p.level for p in groups[-1]))
        if keep:
            groups[-1].append(piece)
            size += piece.size_bytes
        else:
            groups.append([piece])
            size = piece.size_bytes
    if len(groups) == 1:
        return [_cut(tuple(groups[0]), path)]
    return [_cut(tuple(group), path, part, len(groups)) for part, group in enumerate(groups, 1)]


def _cut(pieces: tuple[Piece, ...], path: tuple[str, ...], part: int = 0, parts: int = 0) -> Cut:
    chapter = next((piece.title for piece in pieces if piece.level == 1), path[0] if path else "")
    return Cut(pieces, part, parts, chapter, path)


def _size(pieces: Sequence[Piece]) -> int:
    pages = len({piece.page for piece in pieces})
    return sum(piece.size_bytes for piece in pieces) + 16 * pages


def _within(pieces: Iterable[Piece], budget: Budget) -> Iterator[Piece]:
    """The pieces, each within what one section can hold.

    Tables and listings stay one block up to the hard cap; a larger one is cut between rows with its
    head or fence repeated; a longer paragraph is cut at a space once it passes a section.
    """
    most = budget.section_max_bytes - HEAD_BYTES
    words = min(most, budget.section_bytes - HEAD_BYTES)
    for piece in pieces:
        if piece.level or piece.size_bytes <= words:
            yield piece
        elif piece.markdown.startswith("```"):
            yield from (Piece(piece.page, part) for part in _cut_listing(piece.markdown, most))
        elif piece.markdown.startswith("| "):
            yield from (Piece(piece.page, part) for part in _cut_table(piece.markdown, most))
        else:
            yield from (Piece(piece.page, part) for part in _cut_words(piece.markdown, words))


def _cut_listing(markdown: str, most: int) -> Iterator[str]:
    fence, *lines = markdown.split("\n")
    closing = lines.pop()
    room = most - len(fence.encode()) - len(closing) - 2
    # A line that fits no listing at all is cut where it must be: four bytes hold any sign.
    short = (line[at : at + room // 4] for line in lines for at in range(0, max(1, len(line)), room // 4))
    for group in _fill(short if any(len(line.encode()) > room for line in lines) else lines, room):
        yield "\n".join([fence, *group, closing])


def _cut_table(markdown: str, most: int) -> Iterator[str]:
    head, rule, *rows = markdown.split("\n")
    room = most - len(head.encode()) - len(rule) - 2
    if room <= 0 or any(len(row.encode()) > room for row in rows):
        # A cell that fits no section: the rows become paragraphs, so that no word is lost.
        for row in (head, *rows):
            yield from _cut_words(row.strip("| "), most // 2)
        return
    for group in _fill(rows, room):
        yield "\n".join([head, rule, *group])


def _fill(lines: Iterable[str], room: int) -> Iterator[list[str]]:
    """The lines in groups of at most `room` bytes with their line ends."""
    group: list[str] = []
    size = 0
    for line in lines:
        length = len(line.encode()) + 1
        if group and size + length > room:
            yield group
            group, size = [], 0
        group.append(line)
        size += length
    yield group


def _cut_words(markdown: str, limit: int) -> Iterator[str]:
    """A paragraph in parts of at most `limit` bytes, cut at sentence ends or spaces where there are any."""
    encoded = markdown.encode()
    while len(encoded) > limit:
        head = encoded[:limit].decode(errors="ignore")
        at = head.rfind(". ", limit // 16) + 1 or head.rfind(" ", 1)
        if at <= 0:
            # No space at all: an escape must keep its backslash and its sign together.
            at = len(head) - (len(head) - len(head.rstrip("\\"))) % 2
        yield guard_start(head[:at].strip())
        encoded = encoded[len(head[:at].encode()) :].lstrip(b" ")
    if encoded:
        yield guard_start(encoded.decode())
