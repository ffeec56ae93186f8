"""Running heads and page numbers go; lines that say something on their page stay."""

from collections.abc import Callable
from itertools import starmap

from docshelf.build.converting.converted import Block, BlockKind, ConversionEnd, ConvertedDocument, Line, Page
from docshelf.build.cutting.furniture import drop_furniture

BODY = "Перед началом работ убедитесь, что питание отключено и заземление проверено."


def _block(text: str, y: float, size: float = 10.0, kind: BlockKind = "paragraph") -> Block:
    line = Line(text, (60.0, y, 500.0, y + size), size)
    return Block(kind, line.box, (line,))


def _left(pages: int, *edges: Callable[[int], Block], labels: Callable[[int], str] = str) -> list[list[str]]:
    """Texts left on each page of a document whose pages hold the edges (made for each number) and body text."""

    def page(number: int, label: str) -> Page:
        blocks = (_block(BODY, 400), *(edge(number) for edge in edges))
        return Page(number, label, 595, 842, "A", blocks)

    made = starmap(page, ((n, labels(n)) for n in range(1, pages + 1)))
    document = drop_furniture(ConvertedDocument(tuple(made), ConversionEnd("fast")))
    return [[block.text for block in page.blocks if block.text != BODY] for page in document.pages]


def test_a_head_that_repeats_and_a_foot_with_the_page_number_go() -> None:
    left = _left(
        12,
        lambda n: _block("РЭ 26.30.11-001  Руководство по эксплуатации", 30),
        lambda n: _block(f"Стр. {n} из 12", 800),
    )
    assert left == [[]] * 12


def test_a_lone_page_number_goes_and_roman_labels_count() -> None:
    roman = ["i", "ii", "iii", "iv", "v"]
    assert _left(5, lambda n: _block(roman[n - 1], 800), labels=lambda n: roman[n - 1]) == [[]] * 5


def test_numbers_that_run_beside_the_pages_are_page_numbers() -> None:
    assert _left(6, lambda n: _block(f"{n + 10}", 800)) == [[]] * 6


def test_lines_in_the_margins_that_differ_on_every_page_stay() -> None:
    left = _left(
        3,
        lambda n: _block(f"{n} Раздел у самого верха, метка V{n - 1}", 20, size=14),
        lambda n: _block(f"Последняя строка таблицы у нижнего края, метка B{n - 1}: {n + 2} шт.", 810),
    )
    assert [len(page) for page in left] == [2, 2, 2]


def test_numbered_titles_at_the_head_of_pages_stay() -> None:
    assert _left(4, lambda n: _block(f"Глава {n}", 60, size=22)) == [[f"Глава {n}"] for n in (1, 2, 3, 4)]


def test_heads_that_change_with_the_chapter_go_once_their_place_is_known() -> None:
    heads = [f"ГЛАВА {n // 3 + 1}. НАСТРОЙКА" for n in range(12)]
    assert _left(12, lambda n: _block(heads[n - 1], 30)) == [[]] * 12


def test_heads_with_the_page_number_go_even_where_they_stand_once() -> None:
    names = ["Ports", "Cables", "Power", "Racks", "Fans", "Doors"]
    assert _left(6, lambda n: _block(f"{n}.2. {names[n - 1]}   {n}", 30)) == [[]] * 6


def test_the_end_of_a_listing_is_no_foot() -> None:
    assert _left(4, lambda n: _block("}", 790, kind="code")) == [["}"]] * 4


def test_a_line_on_two_pages_is_not_enough() -> None:
    assert _left(2, lambda n: _block("Руководство оператора", 30)) == [["Руководство оператора"]] * 2


def test_a_page_is_never_emptied_of_words() -> None:
    pages = tuple(
        Page(n, label, 595, 842, "A", (_block(f"Лист {label}", 60),))
        for n, label in enumerate(("i", "ii", "iii", "1", "2"), start=1)
    )
    document = ConvertedDocument(pages, ConversionEnd("fast"))
    assert drop_furniture(document) == document


def test_a_head_inside_a_paragraph_leaves_the_rest_of_it() -> None:
    def mixed(n: int) -> Block:
        head = Line("Filesystem Standard", (60, 30, 300, 40), 10)
        rest = Line(f"words of page {n} that go on", (60, 110, 300, 125), 10)
        return Block("paragraph", (60, 30, 300, 125), (head, rest))

    assert _left(3, mixed) == [[f"words of page {n} that go on"] for n in (1, 2, 3)]


def test_a_head_goes_where_a_scan_puts_it_at_another_height_or_spaces_it() -> None:
    def head(n: int) -> Block:
        return _block("ГОСТ 2.105-95" if n % 3 else "ГОСТ 2 .1 0 5 -9 5", 30 + 17 * (n % 4), size=9 + n % 3)

    assert _left(12, head) == [["ГОСТ 2.105-95"], *[[]] * 11]


def test_a_head_of_two_parts_goes_where_one_of_them_repeats() -> None:
    chapters = ["Один канал", "NAT и соединения", "Проверка канала", "Возвращение", "Ошибки", "Вопросы"]
    for head in ("Сети на каждый день · Урок 7   {}", "{}   Сети на каждый день · Урок 7"):
        rows = [_block(head.format(chapter), 30) for chapter in chapters]
        assert _left(6, [_block("", 30), *rows].__getitem__) == [[]] * 6


def test_a_row_of_two_parts_stays_where_its_name_repeats_at_no_one_height_or_is_short() -> None:
    def row(n: int) -> Block:
        return _block(f"Напряжение питания   {n * n} В", 20 + 13 * n)

    assert _left(6, row) == [[row(n).text] for n in range(1, 7)]
    assert _left(6, lambda n: _block(f"Порт   имя{n}", 30)) == [[f"Порт   имя{n}"] for n in range(1, 7)]


def test_a_title_that_returns_below_the_first_line_stays() -> None:
    left = _left(
        4, lambda n: _block(f"command{n}", 20 + 13 * n), lambda n: _block("Description", 40 + 13 * n)
    )
    assert left == [[f"command{n}", "Description"] for n in (1, 2, 3, 4)]


def test_numbers_of_a_longer_document_are_known_by_their_growth() -> None:
    numbers = [2, 4, 10, 20, 124]
    foot = "Row and Column Access Control Support"
    assert _left(5, lambda n: _block(f"{numbers[n - 1]}    {foot}", 800 - 15 * n)) == [[]] * 5
    assert _left(5, lambda n: _block(f"{9 - n}    {foot}", 800 - 15 * n))[0] == [f"8    {foot}"]


def test_a_blank_page_keeps_no_head() -> None:
    def page(n: int) -> Page:
        body = () if n == 4 else (_block(BODY, 400),)
        return Page(n, str(n), 595, 842, "A", (_block("Руководство администратора", 30), *body))

    document = drop_furniture(ConvertedDocument(tuple(map(page, range(1, 9))), ConversionEnd("fast")))
    assert [len(page.blocks) for page in document.pages] == [1, 1, 1, 0, 1, 1, 1, 1]
