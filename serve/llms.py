"""Indexes as strict readers see them: llms.txt v2, H1, one-line summary, paragraph, H2 lists of links."""

import re
from dataclasses import dataclass

_LINE = re.compile(r"- \[(?P<title>[^\[\]]+)\]\((?P<url>[^()\s]+)\)(?:: (?P<note>.+))?")


@dataclass(frozen=True, slots=True)
class LinkLine:
    """One `- [title](url): note` line."""

    group: str
    """Title of the H2 it stands under."""
    title: str
    url: str
    note: str


@dataclass(frozen=True, slots=True)
class ParsedIndex:
    """An index as read."""

    title: str
    summary: str
    links: tuple[LinkLine, ...]


def parse_index(text: str) -> ParsedIndex:
    """The index in `text`.

    Raises: ValueError naming the line that is not of the form (llms.txt v2, the subset of strict parsers).
    """
    lines = text.split("\n")
    if not lines[0].startswith("# ") or not lines[0][2:].strip():
        raise ValueError("line 1: an index begins with one H1")
    if len(lines) < 5 or lines[1] or not lines[2].startswith("> ") or lines[3]:
        raise ValueError("line 3: a one-line `> summary` between blank lines follows the H1")
    links: list[LinkLine] = []
    group, paragraphs = "", 0
    for number, line in enumerate(lines[4:], 5):
        if line.startswith("## "):
            group = line[3:]
        elif not line:
            continue
        elif not group:
            if line.startswith(("#", "-", ">", "*", "|", "```")):
                raise ValueError(f"line {number}: only paragraphs stand before the first H2")
            paragraphs += 1
        else:
            found = _LINE.fullmatch(line)
            if not found:
                raise ValueError(f"line {number}: below an H2 each line is one `- [title](url): note`")
            links.append(LinkLine(group, found["title"], found["url"], found["note"] or ""))
    if not paragraphs:
        raise ValueError("line 5: a paragraph follows the summary")
    if not text.endswith("\n") or "\r" in text or text.startswith("\ufeff"):
        raise ValueError("an index is UTF-8 without BOM, with LF line ends")
    return ParsedIndex(lines[0][2:], lines[2][2:], tuple(links))
