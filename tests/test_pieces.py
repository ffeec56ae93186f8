from docshelf.build.converting.converted import Block, ConversionEnd, ConvertedDocument, Grade, Line, Page
from docshelf.build.cutting.pieces import document_pieces
from docshelf.build.cutting.split import Piece
from docshelf.build.wording import wording

BOX = (0.0, 0.0, 1.0, 1.0)


def block(kind: str, text: str, **facts: object) -> Block:
    return Block(kind, BOX, (Line(text, BOX, 10.0),), **facts)  # type: ignore[arg-type]


def page(number: int, *blocks: Block, grade: Grade = "A", picture: str = "") -> Page:
    return Page(number, str(number), 600.0, 800.0, grade, blocks, picture)


def pieces(*pages: Page) -> list[Piece]:
    return document_pieces(ConvertedDocument(pages, ConversionEnd("fast")), "pictures", wording("ru"))


def test_a_paragraph_that_goes_on_over_a_page_end_is_one_piece_of_its_first_page() -> None:
    first, second = block("paragraph", "Начало фра-"), block("paragraph", "зы.", joined=True)
    assert pieces(page(1, first), page(2, second)) == [Piece(1, "Начало фразы.")]


def test_a_table_that_goes_on_has_its_head_once() -> None:
    head, one, two = ("порт", "скорость"), ("eth1", "1 Гбит/с"), ("eth2", "10 Гбит/с")
    first = Block("table", BOX, rows=(head, one))
    second = Block("table", BOX, rows=(head, two), joined=True)
    assert pieces(page(1, first), page(2, second)) == [
        Piece(1, "| порт | скорость |\n| --- | --- |\n| eth1 | 1 Гбит/с |\n| eth2 | 10 Гбит/с |")
    ]


def test_a_page_without_text_is_shown_by_its_picture_below_its_heading() -> None:
    assert pieces(page(7, block("heading", "Схема", level=2), grade="C", picture="p007.png")) == [
        Piece(7, "", 2, "Схема"),
        Piece(7, "![с.\N{NO-BREAK SPACE}7: страница без текста (скан)](pictures/p007.png)"),
    ]


def test_a_page_without_text_and_without_a_picture_is_named() -> None:
    assert pieces(page(1, block("paragraph", "текст")), page(2, grade="C")) == [
        Piece(1, "текст"),
        Piece(2, "с.\N{NO-BREAK SPACE}2: страница без текста (скан)"),
    ]
