"""Headings are found in the outline, else on the contents page, else by look and number."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from docshelf.build.converting.converted import (
    Block,
    BlockKind,
    Bookmark,
    ConversionEnd,
    ConvertedDocument,
    Line,
    Page,
)
from docshelf.build.headings.find import Headed, find_headings


@dataclass(frozen=True)
class Text:
    """A printed line; lines of one block follow each other without a gap."""

    text: str
    size: float = 10.0
    bold: bool = False
    mono: bool = False


Content = Sequence[Block | Sequence[Text | str]]
"""What stands on a page; a list of lines is one paragraph."""


def _paper(*pages: Content, bookmarks: Sequence[Bookmark] = ()) -> Headed:
    """What is found in a document of these pages."""
    made = tuple(_page(number, blocks) for number, blocks in enumerate(pages, 1))
    return find_headings(ConvertedDocument(made, ConversionEnd("fast", tuple(bookmarks))))


def _page(number: int, blocks: Content) -> Page:
    placed: list[Block] = []
    y = 50.0
    for block in blocks:
        if not isinstance(block, Block):
            block = _block("paragraph", *block)
        lines: list[Line] = []
        for line in block.lines:
            lines.append(Line(line.text, (50.0, y, 400.0, y + line.size), line.size, line.bold, line.mono))
            y += line.size + 2
        placed.append(Block(block.kind, (50.0, y, 400.0, y), tuple(lines), marker=block.marker))
        y += 12
    return Page(number, str(number), 595.0, 842.0, "A", tuple(placed))


def _block(kind: BlockKind, *texts: Text | str, marker: str = "") -> Block:
    read = [text if isinstance(text, Text) else Text(text) for text in texts]
    box = (0.0, 0.0, 0.0, 0.0)
    return Block(kind, box, tuple(Line(t.text, box, t.size, t.bold, t.mono) for t in read), marker=marker)


def _outline(headed: Headed) -> list[tuple[int, str, int]]:
    return [
        (block.level, block.text, page.number)
        for page in headed.document.pages
        for block in page.blocks
        if block.kind == "heading"
    ]


def _texts(headed: Headed) -> list[str]:
    return [line.text for page in headed.document.pages for block in page.blocks for line in block.lines]


PROSE: list[Text | str] = [
    "The device is mounted in a rack and is connected to",
    "the network with the cable that comes with it.",
]


def test_bookmarks_are_put_where_their_titles_are_printed() -> None:
    headed = _paper(
        [PROSE, [Text("1.2 Ports", 14)], [*PROSE, Text("Г Л А В А 2", 16), "Text of it."]],
        [[Text("Safety when", 14), Text("mounting", 14)], PROSE],
        bookmarks=[
            Bookmark(1, "Ports", 1),
            Bookmark(1, "Глава 2", 1),
            Bookmark(3, "Safety when mounting", 2),
        ],
    )
    assert headed.tier == "bookmarks"
    assert _outline(headed) == [(1, "1.2 Ports", 1), (1, "Глава 2", 1), (2, "Safety when mounting", 2)]
    assert _texts(headed)[2:] == [
        *("1.2 Ports", *PROSE, "Глава 2", "Text of it."),
        *("Safety when mounting", *PROSE),
    ]
    assert headed.remarks == ()


def test_repeated_titles_take_their_own_places_in_order() -> None:
    chapters: list[list[list[Text | str]]] = [
        [[Text(f"Port {number}", 16)], [Text("Overview", 12)], PROSE] for number in (1, 2, 3)
    ]
    headed = _paper(
        [*chapters[0], *chapters[1]],
        chapters[2],
        bookmarks=[
            entry
            for number in (1, 2, 3)
            for entry in (
                Bookmark(1, f"Port {number}", 2 if number == 3 else 1),
                Bookmark(2, "Overview", 2 if number == 3 else 1),
            )
        ],
    )
    titles = [text for _, text, _ in _outline(headed)]
    assert titles == ["Port 1", "Overview", "Port 2", "Overview", "Port 3", "Overview"]
    assert sum(len(page.blocks) for page in headed.document.pages) == 9


def test_of_two_lines_that_say_the_title_the_one_it_points_to_is_taken() -> None:
    headed = _paper(
        [["Ports"], PROSE, PROSE, PROSE, ["Ports"], PROSE],
        bookmarks=[Bookmark(1, "Ports", 1, y=195.0), Bookmark(1, "Rest", 1, y=240.0)],
    )
    blocks = headed.document.pages[0].blocks
    assert [index for index, block in enumerate(blocks) if block.text == "Ports" and block.level] == [4]


def test_a_title_that_is_not_printed_is_put_at_its_height_and_named() -> None:
    headed = _paper(
        [PROSE, PROSE, [Text("Cables", 14)], PROSE],
        bookmarks=[Bookmark(1, "Picture of it", 1, y=84.0), Bookmark(1, "Cables", 1, y=120.0)],
    )
    assert _outline(headed) == [(1, "Picture of it", 1), (1, "Cables", 1)]
    assert headed.document.pages[0].blocks[1].text == "Picture of it"
    assert [(remark.severity, remark.code) for remark in headed.remarks] == [
        ("info", "bookmarks-not-located")
    ]


def test_most_titles_missing_is_a_warning() -> None:
    headed = _paper([PROSE], bookmarks=[Bookmark(1, "Ports", 1), Bookmark(1, "Cables", 1)])
    assert [text for _, text, _ in _outline(headed)] == ["Ports", "Cables"]
    assert [remark.severity for remark in headed.remarks] == ["warning"]


def test_a_title_next_to_its_page_is_found_and_one_in_a_listing_too() -> None:
    headed = _paper(
        [PROSE],
        [[Text("Ports", 14)], PROSE, _block("code", Text("show ip route", mono=True), Text("x", mono=True))],
        bookmarks=[Bookmark(1, "Ports", 1), Bookmark(2, "show ip route", 2)],
    )
    assert _outline(headed) == [(1, "Ports", 2), (2, "show ip route", 2)]
    assert headed.remarks == ()


@pytest.mark.parametrize(
    "bookmarks",
    [
        [Bookmark(1, "Only one", 1)],
        [Bookmark(1, "Page 1", 1), Bookmark(1, "Page 2", 2)],
        [Bookmark(1, "Слайд 1", 1), Bookmark(1, "untitled", 2)],
    ],
)
def test_an_outline_that_tells_nothing_is_passed_over(bookmarks: list[Bookmark]) -> None:
    headed = _paper([[Text("Ports", 14)], PROSE], [[Text("Cables", 14)], PROSE], bookmarks=bookmarks)
    assert headed.tier == "fonts"
    assert _outline(headed) == [(1, "Ports", 1), (1, "Cables", 2)]


def _with_contents(bookmarks: Sequence[Bookmark] = ()) -> Headed:
    contents = [
        "1 Ports ......... 5",
        "1.1 Cables ...... 5",
        "2 Rules for every-",
        "day use . . . . . 6",
        "Index ... 7",
    ]
    return _paper(
        [[Text("Contents", 16)], contents],
        [["1 Ports"], PROSE, ["1.1 Cables"], PROSE],
        [["2 Rules for everyday use"], PROSE],
        [["Index"], PROSE],
        bookmarks=bookmarks,
    )


def test_a_printed_contents_page_gives_titles_and_levels_and_is_left_out() -> None:
    headed = _with_contents()
    assert headed.tier == "contents"
    assert _outline(headed) == [
        (1, "1 Ports", 2),
        (2, "1.1 Cables", 2),
        (1, "2 Rules for everyday use", 3),
        (1, "Index", 4),
    ]
    assert not headed.document.pages[0].blocks
    assert not any("..." in text for text in _texts(headed))


def test_bookmarks_go_before_the_contents_page_which_makes_no_heading() -> None:
    headed = _with_contents([Bookmark(1, "Contents", 1), Bookmark(1, "Ports", 2), Bookmark(1, "Index", 4)])
    assert headed.tier == "bookmarks"
    assert _outline(headed) == [(1, "1 Ports", 2), (1, "Index", 4)]


def test_prices_with_dots_are_no_contents_page() -> None:
    prices = ["Cable ........ 12", "Cable, long ........ 15", "Cable, longer ........ 90"]
    headed = _paper([[Text("Prices", 14)], prices, PROSE], [[Text("Terms", 14)], PROSE])
    assert headed.tier == "fonts"
    assert prices[0] in _texts(headed)
    assert _outline(headed) == [(1, "Prices", 1), (1, "Terms", 2)]


def test_larger_lines_are_headings_by_their_size_and_wrapped_ones_are_one() -> None:
    headed = _paper(
        [
            [Text("Requirements for", 18, True), Text("safe mounting", 18, True)],
            PROSE,
            [Text("Rack", 14)],
            PROSE,
        ],
        [[Text("Acceptance", 18, True)], PROSE],
    )
    assert headed.tier == "fonts"
    assert _outline(headed) == [
        (1, "Requirements for safe mounting", 1),
        (2, "Rack", 1),
        (1, "Acceptance", 2),
    ]


def test_numbers_give_levels_where_all_headings_look_like_the_text() -> None:
    headed = _paper([["1 Purpose"], PROSE, ["1.1 Unit"], ["1.1.1 Supply"], PROSE, ["2 Mounting"], PROSE])
    assert _outline(headed) == [
        (1, "1 Purpose", 1),
        (2, "1.1 Unit", 1),
        (3, "1.1.1 Supply", 1),
        (1, "2 Mounting", 1),
    ]


def test_a_chapter_number_alone_is_joined_with_the_title_below() -> None:
    headed = _paper(
        [[Text("Глава 1", 14, True)], [Text("Порты", 20, True)], PROSE],
        [[Text("Глава 2", 14, True)], [Text("Ёж", 20, True)], PROSE],
    )
    assert _outline(headed) == [(1, "Глава 1. Порты", 1), (1, "Глава 2. Ёж", 2)]


def test_what_only_looks_like_a_heading_stays_text() -> None:
    lures: list[Block | Sequence[Text | str]] = [
        _block("code", Text("# comment", 14, mono=True)),
        [Text("Таблица 1 Порты", 10, True)],
        [Text("Figure 3 Cables", 12)],
        [Text("Note:", 10, True)],
        [Text("This is a whole sentence. It goes on and ends as sentences do.", 10, True)],
        _block("table", Text("Name", 12, True)),
        [Text("* * *", 14)],
    ]
    headed = _paper([[Text("Ports", 14)], PROSE, *lures, PROSE], [[Text("Cables", 14)], PROSE])
    assert _outline(headed) == [(1, "Ports", 1), (1, "Cables", 2)]
    assert "# comment" in _texts(headed)


def test_the_name_of_a_book_on_its_first_page_is_no_chapter_above_all_others() -> None:
    chapters: list[Content] = [[[Text(f"{number} Chapter of it", 16)], PROSE] for number in (1, 2, 3)]
    headed = _paper([[Text("Handbook", 30)]], *chapters)
    assert [level for level, _, _ in _outline(headed)] == [1, 1, 1, 1]


def test_titles_that_mix_alphabets_are_named() -> None:
    headed = _paper([[Text("Hастройка", 14)], PROSE], [[Text("Порт 1", 14)], PROSE])
    assert [(remark.code, "'Hастройка'" in remark.text) for remark in headed.remarks] == [
        ("mixed-alphabets", True)
    ]


def test_a_document_without_headings_says_so_and_keeps_its_text() -> None:
    headed = _paper([PROSE, PROSE])
    assert (headed.tier, _outline(headed), headed.remarks) == ("none", [], ())
    assert _texts(headed) == PROSE * 2


def test_nothing_at_all_has_no_headings() -> None:
    assert find_headings(ConvertedDocument((), ConversionEnd("fast", (Bookmark(1, "A", 1),)))).tier == "none"


def test_only_the_tiers_asked_for_are_used() -> None:
    page = _page(1, [[Text("Ports", 14)], PROSE])
    document = ConvertedDocument((page,), ConversionEnd("fast", (Bookmark(1, "A", 1), Bookmark(1, "B", 1))))
    assert find_headings(document, ("fonts",)).tier == "fonts"
    assert find_headings(document, ("contents",)).tier == "none"
