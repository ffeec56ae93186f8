"""What a search finds."""

from dataclasses import dataclass


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
    score: int
    """Comparable within one answer only."""
