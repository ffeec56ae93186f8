"""Listings in colour: the words of a known language in spans with the classes of Pygments."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from markdown_it.common.utils import escapeHtml

from docshelf.build.rendering.lexers import quick_lexer

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

MAX_SIGNS = 6_144
MAX_LINE_SIGNS = 400
"""Longer listings and lines stay plain: some lexers take a second for 8 KB of bad text."""

LANGUAGES = frozenset(
    {
        *("bash", "c", "console", "cpp", "css", "diff", "docker", "go", "html", "ini", "java", "javascript"),
        *(
            "json",
            "lua",
            "make",
            "nginx",
            "perl",
            "php",
            "powershell",
            "python",
            "ruby",
            "rust",
            "sh",
            "shell",
        ),
        *("sql", "toml", "typescript", "xml", "yaml"),
    }
)
"""Names of Pygments' lexers that listings are coloured by; any other name leaves a listing plain."""


def highlighted(code: str, language: str) -> str:
    """The text of a listing as HTML, escaped; in colour where its language is one of LANGUAGES."""
    name = language.lower()
    if name not in LANGUAGES or len(code) > MAX_SIGNS or max(map(len, code.split("\n"))) > MAX_LINE_SIGNS:
        return escapeHtml(code)
    return _coloured(_lexer(name).get_tokens(code))


@cache
def _lexer(name: str) -> "Lexer":
    return quick_lexer(name)


def _coloured(tokens: Iterable[tuple["_TokenType", str]]) -> str:
    """The tokens in spans, those of one class that follow each other in one."""
    html: list[str] = []
    kind = text = ""
    for token, value in tokens:
        own = _class(token)
        if own == kind:
            text += value
        else:
            html.append(_span(kind, text))
            kind, text = own, value
    html.append(_span(kind, text))
    return "".join(html)


def _span(kind: str, text: str) -> str:
    return f'<span class="{kind}">{escapeHtml(text)}</span>' if kind else escapeHtml(text)


@cache
def _class(token: "_TokenType") -> str:
    """Pygments' short class of the token or of what it is a kind of; "" for what stays plain."""
    classes = _classes()
    at: _TokenType | None = token
    while at is not None and at not in classes:
        at = at.parent
    return classes[at] if at is not None else ""


@cache
def _classes() -> dict["_TokenType", str]:
    from pygments.token import STANDARD_TYPES, Comment, Generic, Keyword, Name, Number, Operator, String

    coloured = (
        *(Comment, Comment.Preproc, Keyword, Operator.Word, Number, String),
        *(Name.Attribute, Name.Builtin, Name.Class, Name.Decorator, Name.Function, Name.Tag, Name.Variable),
        *(Generic.Deleted, Generic.Heading, Generic.Inserted, Generic.Output, Generic.Prompt),
    )
    return {token: STANDARD_TYPES[token] for token in coloured}
