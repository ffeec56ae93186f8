"""Only addresses that are safe in Markdown are published, and none that is cut."""

import pytest

from docshelf.build.converting.converted import Block, Line, Link
from docshelf.build.engines.page_links import drop_cut_links, web_address


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("https://example.com/a_(b)?q=1&x=%20#f", "https://example.com/a_%28b%29?q=1&x=%20#f"),
        (
            "HTTPS://example.com/раздел один",
            "https://example.com/%D1%80%D0%B0%D0%B7%D0%B4%D0%B5%D0%BB%20%D0%BE%D0%B4%D0%B8%D0%BD",
        ),
        ("https://example.com/100%", "https://example.com/100%25"),
        ('http://example.com/"><b>[x]', "http://example.com/%22%3E%3Cb%3E%5Bx%5D"),
        ("mailto:info@example.com", "mailto:info@example.com"),
        ("javascript:alert(1)", ""),
        (" JavaScript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("file:///etc/passwd", ""),
        ("https:///nowhere", ""),
        ("https://example.com/\nx", ""),
        ("https://example.com/" + "a" * 3000, ""),
        ("", ""),
    ],
)
def test_an_address_is_encoded_or_dropped(uri: str, address: str) -> None:
    assert web_address(uri) == address


def _block(*lines: tuple[str, tuple[Link, ...]]) -> Block:
    box = (0.0, 0.0, 100.0, 10.0)
    return Block("paragraph", box, tuple(Line(text, box, 10, links=links) for text, links in lines))


PART = "https://example.com/docs/very/long/"
WHOLE = PART + "path.html"


def test_a_link_to_the_first_half_of_an_address_is_dropped() -> None:
    block, broken = drop_cut_links(
        _block((f"see {PART}", (Link(4, 4 + len(PART), PART),)), ("path.html (2024)", ()))
    )
    assert broken == 1
    assert block.lines[0].links == ()
    assert block.text == f"see {PART}\npath.html (2024)"


def test_a_link_that_knows_the_whole_address_stays() -> None:
    first, second = Link(4, 4 + len(PART), WHOLE), Link(0, 9, WHOLE)
    block = _block((f"see {PART}", (first,)), ("path.html", (second,)))
    assert drop_cut_links(block) == (block, 0)


def test_an_address_at_a_line_end_before_a_new_sentence_is_whole() -> None:
    address = "https://example.com/docs"
    block = _block((f"see {address}", (Link(4, 4 + len(address), address),)), ("Then read on.", ()))
    assert drop_cut_links(block) == (block, 0)
