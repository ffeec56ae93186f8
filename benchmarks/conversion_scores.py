"""How much of what is printed on its pages an engine's Markdown keeps. Counts, so that they can be summed."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.conversion_pages import CodeLine, PrintedPage, folded, words_of
from benchmarks.conversion_text import cells, key, plain, read_lines
from benchmarks.headings import Heading

_HEADING = re.compile(r"(#{1,6})\s+(.*\S)")
_PROMPT = re.compile(r"[#>$](?:\s|$)|[\w.@~:()/-]{3,30}[#>$]\s?\S|\$\w")
_CYRILLIC = re.compile("[а-яёіїєґўђј]")
_EDGE_LINES = 2


@dataclass(frozen=True, slots=True)
class Share:
    """Hits among cases."""

    hits: float = 0
    cases: float = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.cases + other.cases)

    @property
    def value(self) -> float | None:
        """0 to 1; None without cases."""
        return self.hits / self.cases if self.cases else None


@dataclass(frozen=True, slots=True)
class Kept:
    """What one engine kept of one document."""

    words: Share
    cyrillic: Share
    """Words of two and more letters that hold Cyrillic ones."""
    code: Share
    """Lines of listings that stand inside fences, spaces aside."""
    code_spaces: Share
    """Those that have all their spaces, at their start and inside."""
    running: Share
    """Running headers and footers that are left, by page (may pass 1)."""
    repeated: Share
    """Lines that repeat at the head or foot of the Markdown of pages, by page: needs no printed page to compare."""
    commands: tuple[str, ...]
    """Headings that are command lines."""


def score_kept(
    printed: Sequence[PrintedPage], pages: Mapping[int, str], bookmarks: Sequence[str], number: int
) -> Kept:
    """The score of the Markdown `pages`, by page, of which `printed` tells what stands there.

    `bookmarks` are titles that may be headings although they look like commands; `number` is that of all pages.
    """
    shown = [page for page in printed if page.number in pages]
    words, cyrillic = score_words(shown, "\n".join(pages[page.number] for page in shown))
    code = [score_code(page.code, pages[page.number]) for page in shown]
    return Kept(
        words,
        cyrillic,
        code=sum((lines for lines, _ in code), Share()),
        code_spaces=sum((spaces for _, spaces in code), Share()),
        running=Share(sum(count_running(page, pages[page.number]) for page in shown), len(shown)),
        repeated=Share(count_repeated([pages[page.number] for page in shown], number), len(shown)),
        commands=tuple(
            title for page in shown for title in find_commands(page, pages[page.number], bookmarks)
        ),
    )


def score_words(printed: Sequence[PrintedPage], markdown: str) -> tuple[Share, Share]:
    """All words, and the Cyrillic ones, that the Markdown keeps as often as they are printed.

    A word that a line end divides counts once; it is right in one piece, with its hyphen or without.
    """
    text = "\n".join(line.text if line.fence else plain(line.text) for line in read_lines(markdown))
    left = Counter(words_of(folded(text)))
    hits: Counter[str] = Counter()
    cases: Counter[str] = Counter()
    for word in (word for page in printed for word in page.words):
        alphabet = "cyrillic" if _CYRILLIC.search(word) else "other"
        cases[alphabet] += 1
        if left[word] > 0:
            left[word] -= 1
            hits[alphabet] += 1
    for first, second in (halves for page in printed for halves in page.divided):
        alphabet = "cyrillic" if _CYRILLIC.search(first) else "other"
        cases[alphabet] += 1
        whole = next((word for word in (first + second, f"{first}-{second}") if left[word] > 0), None)
        if whole:
            left[whole] -= 1
            hits[alphabet] += 1
    return Share(hits.total(), cases.total()), Share(hits["cyrillic"], cases["cyrillic"])


def score_code(code: Sequence[CodeLine], markdown: str) -> tuple[Share, Share]:
    """Lines of listings found inside fences; and those of them with the right spaces.

    Indents are compared inside one fence: each line as far from the others as it is printed.
    """
    fenced: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for line in read_lines(markdown):
        if line.fence and line.text.strip():
            fenced["".join(folded(line.text).split())].append((line.fence, line.text))
    found: dict[int, list[tuple[CodeLine, str]]] = defaultdict(list)
    for printed in code:
        same = fenced["".join(folded(printed.text).split())]
        if same:
            fence, text = same.pop(0)
            found[fence].append((printed, text))
    right = 0
    for pairs in found.values():
        shifts = Counter(printed.column - _indent(text) for printed, text in pairs)
        usual = shifts.most_common(1)[0][0]
        right += sum(
            printed.column - _indent(text) == usual and folded(printed.text) == folded(text.strip())
            for printed, text in pairs
        )
    return Share(sum(map(len, found.values())), len(code)), Share(right, len(code))


def _indent(text: str) -> int:
    text = text.expandtabs(8)
    return len(text) - len(text.lstrip())


def count_running(page: PrintedPage, markdown: str) -> int:
    """Running headers and footers of the page that stand as lines of its Markdown, or at its very ends."""
    lines = [key(_bare(line.text)) for line in read_lines(markdown) if line.text.strip()]
    lines = [line for line in lines if line]
    left = Counter(lines[:3] + lines[-3:])
    count = 0
    for text in (key(running, marked=False) for running in page.running):
        if left[text] > 0:
            left[text] -= 1
            count += 1
        elif len(text) >= 8 and lines and (lines[0].startswith(text) or lines[-1].endswith(text)):
            count += 1
    return count


def count_repeated(pages: Sequence[str], number: int) -> int:
    """How often a line stands at the head or foot of a page that does so on a quarter of the pages, at least four.

    Figures count as equal; rows of tables are left out, since their heads repeat. `number` is how many pages were asked for.
    """
    seen: Counter[str] = Counter()
    for markdown in pages:
        texts = [line.text for line in read_lines(markdown) if cells(line.text) is None]
        lines = [re.sub(r"\d+", "#", _bare(plain(text)).strip()) for text in texts]
        lines = [line for line in lines if re.search(r"[\w#]", line)]
        seen.update({line for line in lines[:_EDGE_LINES] + lines[-_EDGE_LINES:] if len(line) < 100})
    return sum(count for count in seen.values() if count >= max(4, 0.25 * number))


def _bare(text: str) -> str:
    return re.sub(r"^\s*(?:#{1,6}\s|>\s|[-*+]\s)", "", text).strip(" |")


def read_headings(number: int, markdown: str) -> Iterator[Heading]:
    """The headings of a page's Markdown."""
    for line in read_lines(markdown):
        found = _HEADING.match(line.text)
        if found and not line.fence:
            yield Heading(len(found[1]), plain(found[2]).strip(), number)


def find_commands(page: PrintedPage, markdown: str, bookmarks: Sequence[str]) -> Iterator[str]:
    """Headings that begin with a prompt or are printed in fixed width, but for those that are bookmarks."""
    allowed = {key(title, marked=False) for title in bookmarks}
    mono = {key(text, marked=False) for text in page.mono}
    for heading in read_headings(page.number, markdown):
        name = key(heading.title, marked=False)
        known = any(name in title for title in allowed)
        if name and not known and (_PROMPT.match(heading.title) or name in mono):
            yield heading.title
