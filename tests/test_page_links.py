"""Only addresses that are safe in Markdown are published, none that is cut, and files only by relative paths."""

import pytest

from docshelf.build.converting.converted import Block, Line, Span
from docshelf.build.engines.page_links import drop_cut_links, file_address, web_address


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


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        # What MuPDF says of links to files, by kind of action.
        ("file:other.pdf#page=5&view=Fit", "file:other.pdf#p5"),
        ("file:%D0%B0.pdf#page=1&zoom=nan,0,0", "file:%D0%B0.pdf#p1"),
        ("file:other.pdf#nameddest=chap2", "file:other.pdf"),
        ("file:other.pdf", "file:other.pdf"),
        ("file://other.pdf", "file:other.pdf"),
        ("file://../a b/other.pdf#page=3", "file:../a%20b/other.pdf#p3"),
        ("file:..%5Cup%5Cother.pdf#page=3", "file:../up/other.pdf#p3"),
        ("file:other.pdf#page=0", "file:other.pdf"),
        ("file:other.pdf#page=9999999", "file:other.pdf"),
        ("file:javascript:alert(1)", "file:javascript%3Aalert%281%29"),
        # Absolute, in one way or another.
        ("file:///etc/passwd", ""),
        ("file:///C/docs/other.pdf#page=3", ""),
        ("file:C%3A%5Cdocs%5Cother.pdf", ""),
        ("file:%2Fetc%2Fpasswd", ""),
        ("file:%5C%5Cserver%5Cother.pdf", ""),
        ("file://#page=2", ""),
        ("file:a%00b.pdf", ""),
        ("file:a%0Ab.pdf", ""),
        ("file:" + "a" * 3000, ""),
        ("https://example.com/other.pdf", ""),
        ("other.pdf", ""),
        ("", ""),
    ],
)
def test_a_file_is_named_relative_to_the_document_or_not_at_all(uri: str, address: str) -> None:
    assert file_address(uri) == address


def _block(*lines: tuple[str, tuple[Span, ...]]) -> Block:
    box = (0.0, 0.0, 100.0, 10.0)
    return Block("paragraph", box, tuple(Line(text, box, 10, spans=links) for text, links in lines))


PART = "https://example.com/docs/very/long/"
WHOLE = PART + "path.html"


def test_a_link_to_the_first_half_of_an_address_is_dropped() -> None:
    block, broken = drop_cut_links(
        _block((f"see {PART}", (Span(4, 4 + len(PART), PART),)), ("path.html (2024)", ()))
    )
    assert broken == 1
    assert block.lines[0].spans == ()
    assert block.text == f"see {PART}\npath.html (2024)"


def test_a_link_that_knows_the_whole_address_stays() -> None:
    first, second = Span(4, 4 + len(PART), WHOLE), Span(0, 9, WHOLE)
    block = _block((f"see {PART}", (first,)), ("path.html", (second,)))
    assert drop_cut_links(block) == (block, 0)


def test_an_address_at_a_line_end_before_a_new_sentence_is_whole() -> None:
    address = "https://example.com/docs"
    block = _block((f"see {address}", (Span(4, 4 + len(address), address),)), ("Then read on.", ()))
    assert drop_cut_links(block) == (block, 0)
