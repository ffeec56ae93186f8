"""Text of a document or a file name on one line of a terminal or a log."""


def printable(text: str) -> str:
    """`text` with every sign that is not printable as its escape: no line end, no terminal command."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape", "backslashreplace").decode("ascii")
        for sign in text
    )
