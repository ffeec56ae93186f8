"""Blocks as Markdown that holds no raw HTML and shows every sign as it was printed.

CommonMark with pipe tables. What looks like Markdown or HTML in the source is escaped; the escapes are
kept few, since a model reads this text.
"""

import re
from collections.abc import Sequence

from docshelf.build.converting.converted import CELL_SPACES, Block, Line, Span
from docshelf.build.cutting.joining import join_lines

PAGE_LINK = "\0p"
"""Stands for the address of a page of the same document until it is known which section holds it."""
SHELF_LINK = "\0s"
"""Stands, before its number, for an address of another document until it is known where the link stands."""

_INLINE = re.compile(
    r"""[\\`*\[]                              # always means something
      | \](?=[(\[])                           # would close a link's title
      | (?<![^\W_])_ | _(?![^\W_])            # an underscore that is not inside a word
      | <(?=[A-Za-z/!?])                      # opens a tag, comment or autolink
      | &(?=\#?[A-Za-z0-9]{1,31};)            # an entity
      | ~(?=~)                                # struck-through text
    """,
    re.VERBOSE,
)
_LINE_START = re.compile(
    r"""(?P<sign>\#{1,6}(?=\s|$) | [-+](?=\s|$) | > | =+$ | -{2,}$ | ~~~ | \|)
      | (?P<number>\d{1,9})(?=[.)](\s|$))
    """,
    re.VERBOSE,
)
_BULLETS = frozenset("•◦▪▫■□●○–—−-*+·‣⁃►▶✓➢\uf0b7")
_ORDERED = re.compile(r"\d{1,9}[.)]")
_NO_INFO = re.compile(r"[^\w+#.-]")
_TARGET = re.compile(r"[\s<>()\[\]\\\"'`|*_]")


def escape(text: str) -> str:
    """One line of plain text as Markdown that shows the same signs, wherever in a line it stands."""
    return _INLINE.sub(lambda found: "\\" + found[0], text)


def escape_line(text: str) -> str:
    """As `escape`, for text at the start of a line: no heading, list, quote or rule is made of it."""
    return guard_start(escape(text))


def guard_start(markdown: str) -> str:
    """Markdown of running text, guarded against what its first signs would mean at the start of a line."""
    found = _LINE_START.match(markdown)
    if not found:
        return markdown
    at = found.end("number") if found["number"] else 0
    return f"{markdown[:at]}\\{markdown[at:]}"


def link(title: str, target: str) -> str:
    """One link; the title cannot close it early and the target holds no sign that Markdown reads."""
    closed = r"\]".join(escape(part) for part in title.split("]"))
    safe = _TARGET.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), target)
    return f"[{closed}]({safe})"


def heading(level: int, title: str) -> str:
    """A heading line of level 1 to 6 (deeper ones become 6)."""
    text = escape(title)
    # A closing run of # would be taken for decoration.
    text = re.sub(r"(?<![^\s])(#+)$", r"\\\1", text)
    return f"{'#' * max(1, min(6, level))} {text}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """A pipe table; the first row is its head. Empty for no rows."""
    if not rows:
        return ""
    lines = [_table_row(rows[0]), _table_row(["---"] * len(rows[0]), plain=True)]
    return "\n".join(lines + [_table_row(row) for row in rows[1:]])


def code(lines: Sequence[str], language: str = "") -> str:
    """A fenced listing with its info string; the fence is longer than any run of backticks inside."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    # A printed line may look like a page mark; a trailing space keeps it apart from ours.
    body = [f"{line} " if line.startswith("<!-- p") else line for line in lines]
    return "\n".join([fence + _NO_INFO.sub("", language), *body, fence])


def write_block(block: Block, picture_folder: str) -> str:
    """The Markdown of a block without blank lines around it, "" where nothing is left to show.

    `picture_folder` is the relative path from the section to the document's pictures, with no "/" at
    its end. Headings are written by `heading`, since their level depends on the section.
    """
    match block.kind:
        case "table" if block.rows:
            return table(block.rows)
        case "code":
            return code([line.text.rstrip() for line in block.lines], block.language)
        case "figure":
            return _figure(block, picture_folder)
        case "list":
            return _list_item(block)
        case _:
            return paragraph(block.lines)


def paragraph(lines: Sequence[Line]) -> str:
    """Printed lines as one line of Markdown, with its links and code."""
    return guard_start(_with_spans(join_lines(lines)))


def _list_item(block: Block) -> str:
    text = _with_spans(join_lines(block.lines))
    if not text:
        return ""
    body = guard_start(text)
    if _ORDERED.fullmatch(block.marker):
        return f"{block.marker} {body}"
    if block.marker in _BULLETS or not block.marker:
        return f"- {body}"
    return f"- {escape(block.marker)} {text}"


def _figure(block: Block, picture_folder: str) -> str:
    if not block.picture:
        return escape_line(join_lines(block.lines).text if block.lines else "")
    labels = [part.strip() for line in block.lines for part in line.text.split(CELL_SPACES)]
    return f"!{link('; '.join(filter(None, labels)), f'{picture_folder}/{block.picture}')}"


def _with_spans(line: Line) -> str:
    """The text of a line with its links, and what is in fixed width as code."""
    parts, at = [], 0
    for span in _in_order(line.spans, len(line.text)):
        words = line.text[span.start : span.end]
        parts.append(escape(line.text[at : span.start]))
        if not span.target:
            parts.append(_inline_code(words))
        elif words.strip():
            target = f"{PAGE_LINK}{span.target[2:]}" if span.target.startswith("#p") else span.target
            parts.append(link(words, target))
        else:
            parts.append(escape(words))
        at = span.end
    parts.append(escape(line.text[at:]))
    return "".join(parts).strip()


def _inline_code(words: str) -> str:
    """Words as code within a line; plain where they hold a backtick."""
    return escape(words) if "`" in words or not words.strip() else f"`{words}`"


def _in_order(spans: Sequence[Span], length: int) -> list[Span]:
    """The spans that lie inside the text and do not overlap, by place."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if (result[-1].end if result else 0) <= span.start < span.end <= length:
            result.append(span)
    return result


def _table_row(cells: Sequence[str], plain: bool = False) -> str:
    texts = cells if plain else [escape(" ".join(cell.split())).replace("|", r"\|") for cell in cells]
    return "| " + " | ".join(texts) + " |"
