"""Lines become paragraphs without losing or gluing words, and links keep their words."""

import pytest

from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Line, Page, Span
from docshelf.build.cutting.joining import join_lines, join_paragraphs


def _line(text: str, links: tuple[Span, ...] = (), y: float = 100.0, size: float = 10.0) -> Line:
    return Line(text, (50.0, y, 300.0, y + 10), size, spans=links)


def _joined(*texts: str) -> str:
    return join_lines([_line(text) for text in texts]).text


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("для ком-", "мутации пакетов"), "для коммутации пакетов"),
        (("The trans-", "mission rate"), "The transmission rate"),
        (("доку\u00ad", "менты"), "документы"),
        (("интер\u00adфейс",), "интерфейс"),
        (("Научно-", "исследовательский центр"), "Научно-исследовательский центр"),
        (("a well-", "known mode"), "a well-known mode"),
        (("сеть и ка-", "кой-нибудь узел"), "сеть и какой-нибудь узел"),
        (("стандарт IEEE-", "совместимый"), "стандарт IEEE-совместимый"),
        (("порты 10-", "20 заняты"), "порты 10-20 заняты"),
        (("в доме -", "или нет"), "в доме - или нет"),
        (("see /usr/share/doc-", "base for more"), "see /usr/share/doc-base for more"),
        (("контроллеров SAT-", "A/дисков"), "контроллеров SAT-A/дисков"),
        (("контролле-", "ров/дисков"), "контроллеров/дисков"),
        (
            ("неразрывный\u00a0пробел;", "тонкий\u2009пробел; ноль\u200bширины"),
            "неразрывный пробел; тонкий пробел; нольширины",
        ),
        (("one   two", "", "  three"), "one two three"),
        (("日本語の", "文章"), "日本語の文章"),
    ],
)
def test_lines_are_joined_as_a_reader_reads_them(lines: tuple[str, ...], text: str) -> None:
    assert _joined(*lines) == text


def test_a_word_the_paragraph_writes_with_a_hyphen_keeps_it() -> None:
    assert (
        _joined("the pre-fetch unit and the pre-", "fetch queue")
        == "the pre-fetch unit and the pre-fetch queue"
    )


def test_links_stay_on_their_words() -> None:
    first = _line("see  the man-", (Span(5, 13, "https://example.com/a"),))
    second = _line("ual and more", (Span(0, 3, "https://example.com/a"), Span(8, 12, "#p3")))
    joined = join_lines([first, second])
    assert joined.text == "see the manual and more"
    assert [(joined.text[link.start : link.end], link.target) for link in joined.spans] == [
        ("the manual", "https://example.com/a"),
        ("more", "#p3"),
    ]


def test_links_stay_on_their_words_where_soft_hyphens_go() -> None:
    joined = join_lines([_line("ин\u00adтер\u00adфейс тут", (Span(12, 15, "#p2"),))])
    assert joined.text == "интерфейс тут"
    assert joined.text[joined.spans[0].start : joined.spans[0].end] == "тут"


def _document(*pages: tuple[Block, ...]) -> ConvertedDocument:
    made = (Page(n, str(n), 595, 842, "A", blocks) for n, blocks in enumerate(pages, start=1))
    return ConvertedDocument(tuple(made), ConversionEnd("fast"))


def _paragraph(text: str, y: float = 100.0, size: float = 10.0) -> Block:
    line = _line(text, y=y, size=size)
    return Block("paragraph", line.box, (line,))


def _marks(document: ConvertedDocument) -> list[bool]:
    return [block.joined for page in join_paragraphs(document).pages for block in page.blocks]


def test_a_paragraph_goes_on_over_a_page_end_past_a_note() -> None:
    note = Block("note", (50, 700, 300, 710), (_line("¹Сноска.", y=700, size=7),))
    before, after = _paragraph("Система установки поддерживает", 680), _paragraph("большинство сетей.", 60)
    assert _marks(_document((before, note), (after,))) == [False, False, True]


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    assert _marks(
        _document((_paragraph("where the inner loop is called", 700), _paragraph("again and again", 80)))
    ) == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Это конец предложения страницы.", "и новая строка"),
        ("Система установки поддерживает", "Новый абзац"),
        ("Коротко", "и ясно"),
    ],
)
def test_paragraphs_that_end_or_begin_stay_apart(before: str, after: str) -> None:
    assert _marks(_document((_paragraph(before, 680),), (_paragraph(after, 60),))) == [False, False]


def test_what_follows_on_the_same_page_and_column_is_no_continuation() -> None:
    assert _marks(
        _document((_paragraph("Система установки поддерживает", 100), _paragraph("большинство", 130)))
    ) == [
        False,
        False,
    ]


def test_code_that_a_line_end_parts_is_one_and_no_address() -> None:
    first = _line("fetch it with curl", (Span(14, 18, ""),))
    second = _line("https://a.example/b now", (Span(0, 19, ""),))
    joined = join_lines([first, second])
    assert joined.text == "fetch it with curl https://a.example/b now"
    assert joined.spans == (Span(14, 38, ""),)
    parted = join_lines([_line("see http://a", (Span(4, 12, ""),)), _line("now", (Span(0, 3, ""),))])
    assert parted.text == "see http://a now"
