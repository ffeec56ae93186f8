"""The Markdown a shelf holds, read into tokens, and the HTML of the tokens that are its own.

CommonMark with pipe tables and page marks, without reference links, underlined headings and raw HTML:
what DocShelf writes. Whatever else a source smuggles in is shown as text.
"""

import re
from collections.abc import Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from docshelf.build.rendering.listings import highlighted
from docshelf.serve.anchors import PAGE_MARK

_LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#.-]{0,30}")
_INLINE_SIGN = re.compile(r"[\n\\`*_\[<&]")
"""What begins anything but text inside of a block; "!" does before "[" alone."""


class ShelfRenderer(RendererHTML):
    """HTML as the renderer of markdown-it-py writes it, sooner for the tags that most of a page consists of."""

    def renderToken(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The HTML of the tag at `idx`."""
        token = tokens[idx]
        if not token.block or token.attrs or token.hidden or (idx and tokens[idx - 1].hidden):
            return super().renderToken(tokens, idx, options, env)
        if token.nesting == -1:
            return f"</{token.tag}>\n"
        if token.nesting == 1 and idx + 1 < len(tokens) and tokens[idx + 1].type == "inline":
            return f"<{token.tag}>"
        return super().renderToken(tokens, idx, options, env)


@cache
def markdown_parser() -> MarkdownIt:
    """The parser, made once per process; it keeps nothing between two texts.

    Its preset stops at 20 levels of nesting, and that keeps the time in proportion to the text: 100 KB
    of "[" take 0.9 s, where 50 KB took 19 s at 100 levels (markdown-it-py 4.3, November 2026).
    """
    parser = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}, renderer_cls=ShelfRenderer)
    parser.enable("table").disable(["reference", "lheading", "html_block", "html_inline"])
    ends: RuleOptionsType = {"alt": ["paragraph", "blockquote", "list"]}
    parser.block.ruler.before("table", "page_mark", _page_mark_rule, ends)
    parser.core.ruler.at("inline", _inline_rule)
    for name, rule in (
        ("page_mark", _page_mark_html),
        ("table_open", _table_html),
        ("table_close", _table_end_html),
        ("fence", _code_html),
        ("code_block", _code_html),
    ):
        parser.add_render_rule(name, rule)
    return parser


def _inline_rule(state: StateCore) -> None:
    """What stands inside of each block; most cells of tables and much prose are nothing but text."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if _INLINE_SIGN.search(token.content):
            token.children = state.md.inline.parse(token.content, state.md, state.env, [])
        else:
            token.children = [Token("text", "", 0, content=token.content)] if token.content else []


def _page_mark_rule(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """A line that is exactly a page mark; indented or quoted it is text like any other."""
    end = state.eMarks[line]
    start = state.src.rfind("\n", 0, end) + 1
    if not state.src.startswith("<!-- p", start) or state.blkIndent > 0:
        return False
    found = PAGE_MARK.match(state.src[start:end])
    if not found:
        return False
    if not silent:
        token = state.push("page_mark", "span", 0)
        token.meta = {"page": int(found[1])}
        token.map = [line, line + 1]
        state.line = line + 1
    return True


def _page_mark_html(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[at]
    number, title = token.content, escapeHtml(token.meta["title"])
    anchor = f' id="{token.attrs["id"]}"' if "id" in token.attrs else ""
    href = escapeHtml(token.meta["href"])
    inside = f'<a href="{href}" title="{title}">{number}</a>' if href else number
    return f'<span class="page"{anchor}>{inside}</span>\n'


def _table_html(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    # Focus lets a keyboard scroll a wide table.
    label = escapeHtml(tokens[at].meta["label"])
    return f'<div class="table" role="group" aria-label="{label}" tabindex="0">\n<table>\n'


def _table_end_html(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    return "</table>\n</div>\n"


def _code_html(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[at]
    language = _LANGUAGE.match(token.info.strip())
    if not language:
        return f'<pre tabindex="0"><code>{escapeHtml(token.content)}</code></pre>\n'
    code = highlighted(token.content, language[0])
    return f'<pre tabindex="0"><code class="language-{escapeHtml(language[0])}">{code}</code></pre>\n'
