"""What a search finds."""

import re
from dataclasses import dataclass

_COUNTED = re.compile("[1-9][0-9]{0,8}")
"""A printed page that others can be counted from."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One section that a query leads to."""

    path: str
    """Shelf path of the section's Markdown."""
    title: str
    document: str
    """Title of its document."""
    pages: tuple[int, int]
    """First and last PDF page, from 1."""
    labels: tuple[str, str]
    """The same as printed."""
    snippet: str
    """One line of plain text, about 200 characters, around the words that were found."""
    marks: tuple[tuple[int, int], ...]
    """Start and end of each found word in the snippet."""
    page: int | None
    """PDF page on which the snippet's words stand; None where they stand in titles only."""
    score: int
    """Comparable within one answer only."""

    @property
    def label(self) -> str | None:
        """The page of the snippet's words as printed; None where it cannot be told from the section's pages."""
        if self.page is None:
            return None
        (first, last), (first_label, last_label) = self.pages, self.labels
        if self.page in (first, last):
            return first_label if self.page == first else last_label
        if not all(map(_COUNTED.fullmatch, self.labels)):
            return None
        counted_on = int(last_label) - int(first_label) == last - first
        return str(int(first_label) + self.page - first) if counted_on else None
