"""What a page shows of its blocks beyond Markdown: figures, captions, notes, pictures beside their text.

Each function takes the tokens of a page and changes or replaces them; none makes HTML of a source's text.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.token import Token

from docshelf.build.captions import CAPTION, FIGURE_CAPTION
from docshelf.build.wording import Wording

_CAPTION_SIGNS = 240
_REMARK = re.compile(
    r"(?P<warning>warning|caution|danger|внимание|осторожно|предупреждение|опасно|опасность)[.:!]"
    r"|(?:note|tip|important|примечание|совет|важно)(?: \d{1,2})?[.:!]",
    re.IGNORECASE,
)
RAISED_FIGURE = re.compile("[⁰¹²³⁴-⁹]")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FOOTNOTE = re.compile(r"(?P<mark>[⁰¹²³⁴-⁹]{1,3})\s*(?=\S)|(?P<plain>[1-9][0-9]?)\s(?=\S)")
_REFERENCE = re.compile(r"(?<=[^\s⁰¹²³⁴-⁹])[⁰¹²³⁴-⁹]{1,3}(?![⁰¹²³⁴-⁹])")
_SIZE = r"[^():]*\d [КKМM][БB][^():]*"
_COST_FIRST = re.compile(rf"(?P<cost>{_SIZE})(?:: (?P<about>.*))?", re.DOTALL)
_COST_LAST = re.compile(rf"(?P<about>.*) \((?P<cost>{_SIZE})\)", re.DOTALL)


def dress_tables(tokens: Sequence[Token], words: Wording) -> None:
    """Classes in place of inline styles, and the words that tables are announced with.

    A heading cell without words heads nothing: it becomes a plain one.
    """
    for at, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[at + 1].content:
            token.tag = tokens[at + 2].tag = "td"
        if token.type in ("th_open", "td_open"):
            style = token.attrs.pop("style", "")
            if style:
                token.attrSet("class", str(style).removeprefix("text-align:"))
        elif token.type == "table_open":
            token.meta["label"] = words.table


def mark_paragraphs(tokens: Sequence[Token]) -> None:
    """Gives captions and remarks ("Note. …", «Внимание! …») a class."""
    for at, token in enumerate(tokens):
        if token.type != "paragraph_open" or token.level:
            continue
        text = tokens[at + 1].content
        if CAPTION.match(text) and len(text) <= _CAPTION_SIGNS:
            token.attrSet("class", "caption")
        elif found := _REMARK.match(text):
            token.attrSet("class", "remark warning" if found["warning"] else "remark")


def link_headings(tokens: Sequence[Token]) -> None:
    """Makes each heading below the title a link to itself, unless it holds a link."""
    for at, token in enumerate(tokens):
        if token.type != "heading_open" or token.tag == "h1":
            continue
        children = tokens[at + 1].children or []
        if not any(child.type == "link_open" for child in children):
            link = Token("link_open", "a", 1, attrs={"class": "anchor", "href": f"#{token.attrs['id']}"})
            tokens[at + 1].children = [link, *children, Token("link_close", "a", -1)]


def link_footnotes(tokens: Sequence[Token]) -> None:
    """Links raised figures to the note of that number below them on the same page of the source, and back."""
    page: list[Token] = []
    for token in [*tokens, Token("page_mark", "", 0)]:
        if token.type != "page_mark":
            page.append(token)
            continue
        number = page[0].meta["page"] if page and page[0].type == "page_mark" else 0
        _link_page(page, f"{number}-" if number else "")
        page = [token]


def _link_page(page: Sequence[Token], prefix: str) -> None:
    """Ids begin with "_", which no heading's does."""
    notes = dict(_footnotes(page))
    waiting = dict(notes)
    for token in page if notes else ():
        if token.type != "inline":
            continue
        figure = next((figure for figure, note in notes.items() if note[1] is token), None)
        if figure is None:
            token.children = list(_with_references(token.children or [], waiting, prefix))
        elif waiting.pop(figure, None) is None:  # a reference stands above it: only such a note is linked
            opening, note, mark = notes[figure]
            opening.attrSet("class", "footnote")
            children = note.children or []
            children[0].content = children[0].content.removeprefix(mark)
            note.children = [*_note_link(mark, f"_n{prefix}{figure}", f"_r{prefix}{figure}"), *children]


def _footnotes(page: Sequence[Token]) -> Iterator[tuple[str, tuple[Token, Token, str]]]:
    """The paragraphs that begin with a figure as notes do, by the figure: opening and text token, mark."""
    for opening, token in pairwise(page):
        if token.type != "inline" or opening.type != "paragraph_open" or opening.level:
            continue
        found = _FOOTNOTE.match(token.content)
        if found and (token.children or [token])[0].type == "text":
            mark = found["mark"] or found["plain"]
            yield mark.translate(_RAISED), (opening, token, mark)


def _with_references(
    children: Sequence[Token], waiting: dict[str, tuple[Token, Token, str]], prefix: str
) -> Iterator[Token]:
    """The tokens with the first reference to each note that waits for one made a link."""
    depth = 0
    for child in children:
        depth += child.nesting if child.type.startswith("link_") else 0
        if child.type != "text" or depth:
            yield child
            continue
        at = 0
        for found in _REFERENCE.finditer(child.content):
            figure = found[0].translate(_RAISED)
            if waiting.pop(figure, None):
                yield _text(child.content[at : found.start()])
                yield from _note_link(found[0], f"_r{prefix}{figure}", f"_n{prefix}{figure}")
                at = found.end()
        yield _text(child.content[at:])


def _note_link(mark: str, own: str, other: str) -> list[Token]:
    attrs: dict[str, str | int | float] = {"id": own, "href": f"#{other}"}
    return [Token("link_open", "a", 1, attrs=attrs), _text(mark), Token("link_close", "a", -1)]


def frame_pictures(tokens: Sequence[Token], words: Wording) -> list[Token]:
    """The tokens with pictures that stand alone as figures; a page's picture stands beside the page's text."""
    framed: list[Token] = []
    beside: list[Token] | None = None
    for at, token in enumerate(tokens):
        if token.type == "page_mark" and token.level == 0 and beside is not None:
            framed += _beside(framed, beside)
            beside = None
        picture = _lone_picture(tokens, at)
        if picture is not None:
            _as_figure(tokens, at, picture, words)
            if picture.attrs.get("class") == "scan" and beside is None and not token.level:
                beside = []
                framed.append(token)
                continue
        (framed if beside is None else beside).append(token)
    return framed + (_beside(framed, beside) if beside is not None else [])


def _lone_picture(tokens: Sequence[Token], at: int) -> Token | None:
    """The picture that the paragraph opening here consists of; None where it links to something else."""
    if tokens[at].type != "paragraph_open":
        return None
    match tokens[at + 1].children or []:
        case [link, picture, _] if picture.type == "image" and link.attrs.get("class") == "picture":
            return picture
    return None


def _as_figure(tokens: Sequence[Token], at: int, picture: Token, words: Wording) -> None:
    """Makes a paragraph a figure. A page's picture is named by its caption, any other described by its labels."""
    tokens[at].tag = tokens[at + 2].tag = "figure"
    tokens[at].hidden = tokens[at + 2].hidden = False
    if picture.attrs.get("class") != "scan":
        return
    tokens[at].attrSet("class", "scan")
    if caption := "".join(child.content for child in picture.children or []):
        picture.children = [_text(words.figure)]
        tokens[at + 1].children = [*(tokens[at + 1].children or []), *_caption([_text(caption)])]


def take_captions(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with a caption that was printed below a picture inside of its figure."""
    at = 0
    while at < len(tokens):
        printed = _printed_caption(tokens[at : at + 6])
        if printed is None:
            yield tokens[at]
            at += 1
            continue
        tokens[at + 1].children = [*(tokens[at + 1].children or []), *_caption(printed, "printed")]
        yield from tokens[at : at + 3]
        at += 6


def _printed_caption(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """What the paragraph says that follows a figure, not the picture of a page, and is a caption."""
    if len(tokens) < 6 or tokens[0].tag != "figure" or tokens[0].nesting != 1:
        return None
    if tokens[0].attrs.get("class") == "scan" or tokens[3].attrs.get("class") != "caption":
        return None
    return tokens[4].children if FIGURE_CAPTION.match(tokens[4].content) else None


def _caption(inside: Sequence[Token], name: str = "") -> list[Token]:
    opened = Token("caption_open", "figcaption", 1, attrs={"class": name} if name else {})
    return [opened, *inside, Token("caption_close", "figcaption", -1)]


def _beside(framed: list[Token], rest: list[Token]) -> list[Token]:
    """`rest` begins with the inside and the end of the figure whose opening token ends `framed`."""
    figure, text = [framed.pop(), *rest[:2]], rest[2:]
    if not text:
        return figure
    return [_div("beside"), *figure, _div("read"), *text, _div(), _div()]


def _div(name: str = "") -> Token:
    if not name:
        return Token("div_close", "div", -1, block=True)
    return Token("div_open", "div", 1, attrs={"class": name}, block=True)


def part_index_notes(tokens: Sequence[Token]) -> None:
    """In lists of `[title](url): note`, marks the list as `entries`, its notes as `note` and `cost`."""
    lists: list[Token] = []
    for at, token in enumerate(tokens):
        if token.type == "bullet_list_open":
            lists.append(token)
        elif token.type == "bullet_list_close":
            lists.pop()
        elif token.type == "inline" and lists and tokens[at - 2].type == "list_item_open":
            children = token.children or []
            if children and children[0].type == "link_open":
                lists[-1].attrSet("class", "entries")
                token.children = _with_note(children)


def _with_note(children: list[Token]) -> list[Token]:
    end = next(at for at, token in enumerate(children) if token.type == "link_close") + 1
    rest = children[end:]
    if not rest or not rest[0].content.startswith(":"):
        return children
    rest[0].content = rest[0].content[1:].lstrip()
    link = children[:end]
    if len(rest) > 1:
        return [*link, *_span("note", rest)]
    found = _COST_LAST.fullmatch(rest[0].content) or _COST_FIRST.fullmatch(rest[0].content)
    if not found:
        return [*link, *_span("note", rest)]
    about = _span("note", [_text(found["about"])]) if found["about"] else []
    return [*link, *about, *_span("cost", [_text(found["cost"])])]


def _span(name: str, inside: Sequence[Token]) -> list[Token]:
    opened = Token("span_open", "span", 1, attrs={"class": name})
    return [_text(" "), opened, *inside, Token("span_close", "span", -1)]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
