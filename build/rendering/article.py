"""A page's Markdown as HTML that runs nothing, loads nothing from elsewhere and leads to HTML twins."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote

from markdown_it.token import Token
from markdown_it.utils import EnvType

from docshelf.build.planning.slugs import heading_anchors
from docshelf.build.rendering.dialect import markdown_parser
from docshelf.build.rendering.dressing import (
    RAISED_FIGURE,
    dress_tables,
    frame_pictures,
    link_footnotes,
    link_headings,
    mark_paragraphs,
    part_index_notes,
    take_captions,
)
from docshelf.build.rendering.pages import PageView, relative_url, resolved_path
from docshelf.build.wording import Wording
from docshelf.serve.anchors import page_anchor

_EXTERNAL = re.compile(r"(https?://[^/?#]|mailto:[^/?#])", re.IGNORECASE)
_PAGE_PICTURE = re.compile(r"/p[0-9]{3,6}\.(png|jpg)$")
_SIBLING = re.compile(r' href="(?P<name>[0-9]{3,}-[a-z0-9-]+\.html)(?:#(?P<anchor>[^"]*))?"')
_LONG_TITLE = 90
"""Characters from which a title is set smaller: sections that join several headings are named by all."""
_TAG = re.compile(r"<[^>]*>")
_LEADING = ("link_open", "image")
_AS_THEY_ARE = ("sources/", "pictures/")
"""Folders whose `.md` files are sources: they have no HTML twin."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the page, as its own table of contents lists it."""

    level: int
    anchor: str
    title: str
    """Plain text."""


@dataclass(frozen=True, slots=True)
class Article:
    """HTML of one page's text in three pieces, so that a template can put things between them."""

    title: str
    """The `<h1>`, or "" where the Markdown does not begin with one."""
    lead: str
    """Inside of the one-paragraph quote under the title (summary, or where a section stands), or ""."""
    body: str
    headings: tuple[Heading, ...]
    """Every heading but the title, in order."""


def render_article(markdown: str, page: PageView, words: Wording) -> Article:
    """The HTML of `markdown` as it stands on `page`; links lead to HTML twins, relative to the page."""
    parser = markdown_parser()
    env: EnvType = {}
    tokens = parser.parse(markdown, env)
    headings = _name_headings(tokens)
    _place_page_marks(tokens, page, words)
    dress_tables(tokens, words)
    for token in tokens:
        if token.type == "inline" and any(child.type in _LEADING for child in token.children or []):
            token.children = list(_safe_inline(token.children or [], page, words))
    if page.kind == "section":
        mark_paragraphs(tokens)
        link_headings(tokens)
        if RAISED_FIGURE.search(markdown):
            link_footnotes(tokens)
        if "![" in markdown:
            tokens = list(take_captions(frame_pictures(tokens, words)))
    else:
        part_index_notes(tokens)
    title_end, lead_end = _head_ends(tokens)
    body_start = lead_end
    if page.kind != "section" and [token.type for token in tokens[lead_end : lead_end + 1]] == [
        "paragraph_open"
    ]:
        # The paragraph that tells models how to go on; people see the links.
        body_start += 3

    def html(start: int, end: int) -> str:
        return str(parser.renderer.render(tokens[start:end], parser.options, env)).strip()

    has_lead = lead_end > title_end
    return Article(
        title=html(0, title_end),
        lead=html(title_end + 2, title_end + 3) if has_lead else "",
        body=html(body_start, len(tokens)),
        headings=headings[1:] if title_end else headings,
    )


def join_articles(articles: Sequence[tuple[str, Article]]) -> Article:
    """A whole document as one article, from the page name (`003-checks.html`) and article of each section.

    Ids carry the section's number, and links between the sections lead to them. In the HTML made here a
    quote sign in text is always `&quot;`, so what stands between quotes is an attribute.
    """
    numbers = {name: number for number, (name, _) in enumerate(articles, 1)}

    def target(found: re.Match[str]) -> str:
        number = numbers.get(found["name"])
        if number is None:
            return found[0]
        return f' href="#n{number}-{found["anchor"]}"' if found["anchor"] else f' href="#n{number}"'

    parts, headings = [], []
    for number, (name, article) in enumerate(articles, 1):
        html = f"{article.title}\n{article.body}".replace(' loading="lazy"', "")
        html = html.replace(' href="#', f' href="#n{number}-').replace(' id="', f' id="n{number}-')
        html = _SIBLING.sub(target, html)
        file = f"{name.removesuffix('.html')}.md"
        parts.append(f'<section id="n{number}" data-name="{file}">\n{html}\n</section>')
        headings.append(Heading(1, f"n{number}", unescape(_TAG.sub("", article.title))))
    return Article("", "", "\n".join(parts), tuple(headings))


def _name_headings(tokens: Sequence[Token]) -> tuple[Heading, ...]:
    """Gives each heading its id; returns them in order."""
    places = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    titles = [_plain_text(tokens[at + 1].children or []) for at in places]
    anchors = heading_anchors(titles)
    for at, anchor, title in zip(places, anchors, titles, strict=True):
        tokens[at].attrSet("id", anchor)
        if tokens[at].tag == "h1" and len(title) > _LONG_TITLE:
            tokens[at].attrSet("class", "long")
    levels = [int(tokens[at].tag[1]) for at in places]
    return tuple(map(Heading, levels, anchors, titles))


def _plain_text(children: Sequence[Token]) -> str:
    parts = []
    for token in children:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_plain_text(token.children or []))
        else:
            parts.append(token.content)
    return "".join(parts).strip()


def _place_page_marks(tokens: Sequence[Token], page: PageView, words: Wording) -> None:
    """Gives each mark its anchor (once per page) and a link to that page of the source."""
    seen = set()
    source = page.source.partition("#")[0]
    for token in tokens:
        if token.type != "page_mark":
            continue
        number = token.meta["page"]
        token.content = page.labels.get(number, str(number))
        token.meta["title"] = f"{words.source}, {words.source_page(number)}"
        token.meta["href"] = relative_url(page.path, f"{source}#page={number}") if source else ""
        if number not in seen:
            token.attrSet("id", page_anchor(number))
        seen.add(number)


def _safe_inline(children: Sequence[Token], page: PageView, words: Wording) -> Iterator[Token]:
    """The tokens with links and images that lead where they may; the others leave their text behind."""
    kept: list[bool] = []
    for token in children:
        if token.type == "link_open":
            kept.append(_aim_link(token, page))
            if kept[-1]:
                yield token
        elif token.type == "link_close":
            if kept.pop():
                yield token
        elif token.type == "image":
            yield from _picture(token, page, words, linked=any(kept))
        else:
            yield token


def _aim_link(token: Token, page: PageView) -> bool:
    """Whether the link may stay; if so its target is mended."""
    href = str(token.attrGet("href") or "")
    if _EXTERNAL.match(href):
        token.attrSet("rel", "noopener noreferrer")
        return True
    target = _shelf_url(href, page)
    token.attrSet("href", target)
    return bool(target)


def _shelf_url(href: str, page: PageView) -> str:
    """The relative URL `href` with `.md` made `.html`; "" for any other kind of address."""
    path, mark, anchor = href.partition("#")
    if not path:
        return href if anchor else ""
    resolved = resolved_path(page.path, unquote(path))
    has_scheme = ":" in path.partition("/")[0]
    if not resolved or has_scheme or path.startswith("/") or path.endswith("/") or "?" in path:
        return ""
    if path.endswith(".md") and not resolved.startswith(_AS_THEY_ARE):
        path = path.removesuffix(".md") + ".html"
    return path + mark + anchor


def _picture(token: Token, page: PageView, words: Wording, *, linked: bool) -> Iterator[Token]:
    """The image, leading to itself in full size; its text alone where it lies outside of the shelf."""
    source = str(token.attrGet("src") or "")
    url = "" if source.startswith("#") else _shelf_url(source, page)
    if not url:
        yield Token("text", "", 0, content=_plain_text(token.children or []))
        return
    token.attrSet("src", url)
    token.attrSet("loading", "lazy")
    width, height = page.pictures.get(posixpath.basename(url), (0, 0))
    if width:
        token.attrSet("width", str(width))
        token.attrSet("height", str(height))
    named = bool(_plain_text(token.children or []))
    if _PAGE_PICTURE.search(url):
        token.attrSet("class", "scan")
    elif named:
        token.attrSet("class", "labelled")
    if not named:
        # A link needs words, and the picture is all there is in it.
        token.children = [Token("text", "", 0, content=words.figure)]
    if linked:
        yield token
        return
    yield Token("link_open", "a", 1, attrs={"class": "picture", "href": url})
    yield token
    yield Token("link_close", "a", -1)


def _head_ends(tokens: Sequence[Token]) -> tuple[int, int]:
    """Where the title and the quote under it end; 0 without a title, both the same without a quote."""
    types = [token.type for token in tokens[:8]]
    if types[:3] != ["heading_open", "inline", "heading_close"] or tokens[0].tag != "h1":
        return 0, 0
    quote = ["blockquote_open", "paragraph_open", "inline", "paragraph_close", "blockquote_close"]
    return 3, 8 if types[3:8] == quote else 3
