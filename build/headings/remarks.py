"""What a report should say of the headings of a document."""

from collections.abc import Sequence

from docshelf.build.converting.converted import Bookmark, Remark, Severity
from docshelf.build.headings.titles import mixes_alphabets

MAX_NAMED = 3


def remark_on_missing(missing: Sequence[Bookmark], total: int) -> tuple[Remark, ...]:
    """How many of `total` bookmarks have titles that are not printed where they lead; a warning above half."""
    if not missing:
        return ()
    count = "1 bookmark is" if len(missing) == 1 else f"{len(missing)} of {total} bookmarks are"
    text = f"{count} not printed where they lead: {_named([entry.title for entry in missing])}"
    severity: Severity = "warning" if 2 * len(missing) > total else "info"
    return (
        Remark(severity, "bookmarks-not-located", text + "; their titles were put there", missing[0].page),
    )


def remark_on_alphabets(titles: Sequence[str]) -> tuple[Remark, ...]:
    """A warning that names titles with Latin and Cyrillic letters in one word."""
    mixed = [title for title in titles if mixes_alphabets(title)]
    if not mixed:
        return ()
    text = (
        f"Latin and Cyrillic letters in one word: {_named(mixed)}; search may miss them, correct the source"
    )
    return (Remark("warning", "mixed-alphabets", text),)


def _named(titles: Sequence[str]) -> str:
    return ", ".join(f"'{title}'" for title in titles[:MAX_NAMED]) + (
        ", …" if len(titles) > MAX_NAMED else ""
    )
