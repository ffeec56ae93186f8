"""Lines joined to paragraphs, and paragraphs that a page or column end has cut in two."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from docshelf.build.characters import plain_text
from docshelf.build.converting.converted import Block, ConvertedDocument, Line, Page, Span
from docshelf.build.cutting.page_ends import confirm_over_pages, is_notice, is_same_table
from docshelf.build.engines.boxes import join_boxes

SOFT_HYPHEN = "\u00ad"
_HYPHENS = "-\u2010\u00ad\u00ac"
_ENDS_SENTENCE = re.compile(r"[.!?…:;][\"'»”’)\]]*$")
_SPACES = re.compile(r"[ \t]+")
_KEEPS_HYPHEN = re.compile(
    r"(?:^|[^\w])(?:"
    r"научно|технико|учебно|производственно|северо|юго|северно|южно|социально|общественно|военно|физико|химико"
    r"|историко|англо|русско|вице|экс|обер|унтер|лейб|штаб|пресс|веб|интернет|онлайн|офлайн|кое|по|во|в"
    r"|well|self|non|co|e|x|real|high|low|multi|semi|user|time|read|write|open|so|half|full|two|three|long|short"
    r"|single|double|all|cross|built|run|end|line|client|server|key"
    r")$",
    re.IGNORECASE,
)
"""First parts that mostly keep their hyphen; elsewhere a hyphen at a line end divides one word."""
_KEPT_AFTER = re.compile(
    r"(?:то|либо|нибудь|таки|ка|known|defined|based|level|time|specific|only|free|like)\b"
)
"""Second parts that mostly keep it."""


def join_lines(lines: Sequence[Line]) -> Line:
    """The lines of one paragraph as one: words divided at line ends whole again, one plain space between words.

    Links keep their place in the text. Size is the largest, the box is around all lines; needs at least one line.
    """
    known = _compounds(lines)
    text, spans = "", list[Span]()
    for line in lines:
        part, moved = _plain(line)
        if not part:
            continue
        glued = bool(spans and moved) and _is_one_address(text, spans[-1], moved[0])
        text, gap = (text, "") if glued else _end_for(text, part, known)
        start = len(text) + len(gap)
        spans += [replace(span, start=span.start + start, end=span.end + start) for span in moved]
        text += gap + part
    size = max(line.size for line in lines)
    return Line(
        text=text.replace(SOFT_HYPHEN, ""),
        box=join_boxes([line.box for line in lines]),
        size=size,
        bold=all(line.bold for line in lines),
        mono=all(line.mono for line in lines),
        spans=_without_soft_hyphens(text, _merged(spans)),
    )


def _plain(line: Line) -> tuple[str, list[Span]]:
    """The line's text with plain, single spaces and none at its ends, and its spans where they are then."""
    text = _SPACES.sub(" ", plain_text(line.text)).strip()
    if text == line.text or not line.spans:
        return text, list(line.spans)
    starts = [len(_SPACES.sub(" ", plain_text(line.text[: span.start])).lstrip()) for span in line.spans]
    sizes = [
        len(_SPACES.sub(" ", plain_text(line.text[span.start : span.end])).strip()) for span in line.spans
    ]
    return text, [
        Span(start, min(start + size, len(text)), span.target)
        for start, size, span in zip(starts, sizes, line.spans, strict=True)
        if size and start < len(text)
    ]


def _is_one_address(text: str, last: Span, first: Span) -> bool:
    """Whether a printed address goes on over the line end: one span on both parts, and no word before it ends."""
    shown = text[last.start :]
    return last.target == first.target != "" and first.start == 0 and last.end == len(text) and "://" in shown


def _end_for(text: str, following: str, known: frozenset[str]) -> tuple[str, str]:
    """`text` as it ends before `following`, and what stands between them: a space or nothing."""
    if not text:
        return "", ""
    if text.endswith(SOFT_HYPHEN):
        return text.rstrip(SOFT_HYPHEN), ""
    if _has_no_spaces(text[-1]) and _has_no_spaces(following[0]):
        return text, ""
    if len(text) < 2 or text[-1] not in _HYPHENS or not text[-2].isalnum():
        return text, " "
    if not following[0].isalnum():
        return text, " "
    if _keeps_hyphen(text, following, known):
        return text, ""
    return text[:-1], ""


def _keeps_hyphen(text: str, following: str, known: frozenset[str]) -> bool:
    first = re.split(r"[\s(«\"„“]", text[:-1])[-1]
    second = re.split(r"[\s).,;:!?»\"”/]", following)[0]
    if not following[0].islower() or not text[-2].isalpha():
        return True
    whole = f"{first}-{second}".casefold()
    if whole in known:
        return True
    if (first + second).casefold() in known:
        return False
    if "-" in first.rstrip("-") or any(char in "/._\\@=" for char in first):
        return True
    return bool(_KEEPS_HYPHEN.search(first) or _KEPT_AFTER.match(second)) or first.isupper()


def _compounds(lines: Sequence[Line]) -> frozenset[str]:
    """Words of the paragraph in lower case, with their hyphens: they tell how a divided one is written."""
    words = set[str]()
    for line in lines:
        if len(lines) > 1:
            words.update(word.casefold() for word in re.findall(r"\w[\w-]*\w", line.text))
    return frozenset(words)


def _has_no_spaces(char: str) -> bool:
    """Whether the letter is of a script that is written without spaces (Chinese, Japanese)."""
    return "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef" or "\uf900" <= char <= "\ufaff"


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Links to one target that touch, or that only a space parts, as one."""
    merged: list[Span] = []
    for span in spans:
        if merged and merged[-1].target == span.target and span.start - merged[-1].end <= 1:
            merged[-1] = replace(merged[-1], end=span.end)
        elif span.end > span.start:
            merged.append(span)
    return merged


def _without_soft_hyphens(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    if not spans or SOFT_HYPHEN not in text:
        return tuple(spans)
    places = [index for index, char in enumerate(text) if char == SOFT_HYPHEN]
    return tuple(
        replace(
            span,
            start=span.start - bisect_right(places, span.start - 1),
            end=span.end - bisect_right(places, span.end - 1),
        )
        for span in spans
    )


def join_paragraphs(document: ConvertedDocument) -> ConvertedDocument:
    """The document with `joined` set on each paragraph and table that goes on from the one before it.

    A page or column end cuts a paragraph where the part before ends in mid-sentence (or mid-word) and the part
    after begins in lower case. What stands between them and is no running text (notes, figures) is passed over.
    A table goes on where one of the same columns stands first on the next page. The next item of a list is one,
    though it stand alone on its page.
    """
    pages, before = list[Page](), None
    above = document.pages[0] if document.pages else None
    for page in confirm_over_pages(document.pages):
        blocks = list[Block]()
        heights = (above.height if above else page.height, page.height)
        for block in _without_notice(page.blocks, before, heights):
            same_page = before is not None and before[1] == page.number
            joined = before is not None and (
                _goes_on(before[0], block, same_page=same_page)
                or (not same_page and is_same_table(before[0], block, heights))
            )
            blocks.append(replace(block, joined=True) if joined and not block.joined else block)
            if block.kind not in ("note", "figure"):
                before = (block, page.number)
        above = page
        pages.append(replace(page, blocks=tuple(blocks)))
    return replace(document, pages=tuple(pages))


def _without_notice(
    blocks: Sequence[Block], before: tuple[Block, int] | None, heights: tuple[float, float]
) -> Sequence[Block]:
    """The blocks of a page without a first line that only says that the table before it goes on."""
    if before is None or len(blocks) < 2 or not is_same_table(before[0], blocks[1], heights):
        return blocks
    return blocks[1:] if blocks[0].kind in ("paragraph", "heading") and is_notice(blocks[0].text) else blocks


def _goes_on(before: Block, block: Block, *, same_page: bool) -> bool:
    if (
        block.kind != "paragraph"
        or before.kind not in ("paragraph", "list")
        or not before.lines
        or not block.lines
    ):
        return False
    last, first = before.lines[-1], block.lines[0]
    if abs(last.size - first.size) > 0.6 or last.bold != first.bold or last.mono != first.mono:
        return False
    if same_page and block.box[1] >= before.box[3] - last.size:
        return False
    end, start = last.text.rstrip(), first.text.lstrip()
    if not end or not start or _ENDS_SENTENCE.search(end):
        return False
    if end[-1] in _HYPHENS and len(end) > 1 and end[-2].isalpha():
        return start[0].islower()
    return start[0].islower() and _category(end[-1]) and len(end) > 20


def _category(char: str) -> bool:
    """Whether a sentence can break after this character: a letter, a figure, a comma, a closing sign."""
    return unicodedata.category(char)[0] in "LN" or char in ",-–—)]»”’%\"'"
