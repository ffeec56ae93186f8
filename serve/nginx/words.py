"""How a configuration of nginx is written: words, patterns and blocks."""

import re
from textwrap import indent


def pattern(text: str) -> str:
    """`text` for a regular expression inside quotes."""
    return re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", text)


def quoted(text: str, *, variables: bool = False) -> str:
    """One word of nginx. It has no way to write a dollar sign: options hold none."""
    assert variables or "$" not in text
    return '"' + text.replace("\\", r"\\").replace('"', r"\"") + '"'


def block(head: str, *lines: str) -> str:
    """`lines` in braces, one step further in."""
    return f"{head} {{\n{indent(chr(10).join(lines), '    ')}\n}}"
