"""A section's Markdown as the plain text that is searched and shown in snippets."""

import re
from collections.abc import Iterator

_LINES_OUT = re.compile(r"^(?:<!-- p\d+ -->|(?:`{3,}|~{3,}).*|\|(?: *:?-+:? *\|)+)$", re.MULTILINE)
_LINK = re.compile(r"!?\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_LINE_START = re.compile(r"^(?:#{1,6} +|> | *- )", re.MULTILINE)
_CODE = re.compile(r"(?<!\\)`")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LISTING = re.compile(r"^(`{3,}).*\n((?:.*\n)*?)\1$", re.MULTILINE)
_PAGE_MARK = re.compile(r"^<!-- p([1-9][0-9]{0,5}) -->$", re.MULTILINE)
_HEADING = re.compile(r"^#{2,6} +(.*)$", re.MULTILINE)


def body(markdown: str) -> str:
    """The Markdown below a section's title and its quote line."""
    if not markdown.startswith("# "):
        return markdown
    parts = markdown.split("\n", 4)
    below = 4 if len(parts) > 3 and parts[2].startswith("> ") else 1
    return "\n".join(parts[below:])


def plain(markdown: str) -> str:
    """Text without page marks, fences, escapes and the signs that make links, headings, lists and tables.

    Lines stay lines.
    """
    text = _LINES_OUT.sub("", markdown)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    text = _LINE_START.sub("", text)
    text = text.replace("\\|", "\\\0").replace("|", " ").replace("\\\0", "|").replace("**", "")
    if "`" in text:
        text = _CODE.sub("", text)
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def page_texts(markdown: str) -> Iterator[tuple[int, str]]:
    """The text on each page of a section's body, on one line, with the number of the PDF page.

    What stands before the first page mark has the number 0; pages without text are left out.
    """
    parts = _PAGE_MARK.split(markdown)
    for page, part in zip([0, *map(int, parts[1::2])], parts[::2], strict=True):
        if text := one_line(plain(part)):
            yield page, text


def headings(markdown: str) -> list[str]:
    """The headings below the title as plain text, in order; a line of a listing may be among them."""
    return [plain(title) for title in _HEADING.findall(markdown)]


def listing_lines(markdown: str) -> list[str]:
    """The lines of its listings."""
    return [line for _, lines in _LISTING.findall(markdown) for line in lines.splitlines()]


def one_line(text: str) -> str:
    """The text with each run of white space as one space."""
    return " ".join(text.split())


def beginning(markdown: str, limit: int) -> str:
    """The first `limit` characters of a section's text, on one line, cut at a word and marked with "…"."""
    text = one_line(plain(body(markdown)[: limit * 8]))
    if len(text) <= limit:
        return text
    at = text.rfind(" ", limit // 2, limit)
    return text[: at if at > 0 else limit - 1] + "…"
