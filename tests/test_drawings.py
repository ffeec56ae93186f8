"""What is a drawing of a page and what is a frame, a table or an ornament."""

from collections.abc import Sequence

from docshelf.build.converting.converted import Block, Box
from docshelf.build.engines.drawings import find_drawings
from docshelf.build.engines.pieces import Piece, Stroke

PAGE = (600.0, 800.0)


def shape(*box: float) -> Stroke:
    return Stroke((box[0], box[1], box[2], box[3]), 0, stroked=True, rectangle=False, opaque=True)


def frame(*box: float) -> Stroke:
    return Stroke((box[0], box[1], box[2], box[3]), 0, stroked=True, rectangle=True, opaque=True)


def line(x: float, y: float, text: str, size: float = 10, quarter: int = 0) -> Piece:
    width, height = (0.5 * size * len(text), size) if not quarter else (size, 0.5 * size * len(text))
    box = (x, y, x + width, y + height)
    strip = round(1000 * y + x)
    return Piece(text, box, y + 0.8 * size, size, False, False, "Serif", strip, quarter=quarter)


NETWORK = [shape(100, 100, 150, 150), shape(240, 100, 290, 150), shape(170, 200, 220, 250),
           shape(150, 150, 175, 205), shape(215, 150, 245, 205)]  # fmt: skip
"""Three round nodes and two slanted lines between them."""


def found(
    strokes: Sequence[Stroke], pieces: Sequence[Piece] = (), images: Sequence[Box] = ()
) -> list[tuple[Box, str]]:
    drawings = find_drawings(strokes, images, pieces, *PAGE)
    return [(it.box, " ".join(label.text for label in it.labels)) for it in drawings]


def boxes(strokes: Sequence[Stroke], pieces: Sequence[Piece] = (), images: Sequence[Box] = ()) -> list[Box]:
    return [box for box, _ in found(strokes, pieces, images)]


def test_shapes_that_hang_together_are_a_drawing_with_the_text_in_it_as_labels() -> None:
    labels = [line(110, 120, "WAN"), line(250, 120, "LAN"), line(100, 400, "The text below goes on.")]
    assert found(NETWORK, labels) == [((98, 98, 292, 252), "WAN LAN")]


def test_a_page_without_shapes_has_no_drawing() -> None:
    assert found([frame(100, 100, 300, 300), frame(120, 120, 200, 200), frame(220, 120, 280, 200)]) == []
    assert found(NETWORK[:2]) == []


def test_the_numbers_and_the_name_of_an_axis_belong_to_its_chart() -> None:
    numbers = [line(85, 100, "10"), line(85, 200, "20"), line(180, 255, "5")]
    name = line(70, 140, "Voltage in V", quarter=3)
    [(box, labels)] = found(NETWORK, [*numbers, name])
    assert box == (68, 98, 292, 267)
    assert set(labels.split()) == {"10", "20", "5", "Voltage", "in", "V"}


def test_the_last_short_line_of_a_paragraph_is_no_label() -> None:
    paragraph = [line(100, 66, "A paragraph that ends just above the drawing, as many"), line(100, 80, "do.")]
    assert found(NETWORK, paragraph) == [((98, 98, 292, 252), "")]


def test_a_caption_stays_text_wherever_it_stands() -> None:
    labels = [line(110, 120, "WAN"), line(150, 225, "the whole link"), line(110, 238, "Рис. 3. Сеть офиса")]
    assert found(NETWORK, labels) == [((98, 98, 292, 252), "WAN the whole link")]


def test_a_frame_around_text_is_no_drawing_though_it_has_an_icon() -> None:
    remark = [frame(100, 100, 500, 180), shape(110, 120, 140, 150), shape(115, 125, 130, 145),
              shape(112, 122, 120, 130), shape(120, 130, 138, 148)]  # fmt: skip
    text = [line(160, 110 + 14 * n, "Never open the case while the device is on") for n in range(4)]
    assert found(remark, text) == []


def test_a_rounded_frame_with_a_title_bar_is_no_drawing() -> None:
    rounded = [shape(100, 100, 500, 300), shape(101, 101, 499, 299), shape(100, 100, 500, 120)]
    text = [line(110, 130 + 14 * n, "ip route add default via 10.0.0.1 dev eth0") for n in range(11)]
    assert found(rounded, text) == []


def test_text_that_goes_on_outside_of_a_drawing_is_not_cut() -> None:
    text = [line(110, 130, "these words are part of a text"), line(110, 258, "between")]
    assert boxes(NETWORK, text) != []
    crossing = [line(110, 240, "whose second line goes on"), line(110, 254, "below the picture")]
    assert boxes(NETWORK, crossing) == []


def test_letters_larger_than_the_text_stay_a_title() -> None:
    text = [line(100, 400 + 14 * n, "The text of the page") for n in range(5)]
    assert boxes(NETWORK, [*text, line(110, 190, "Chapter Two", size=24)]) == []
    assert boxes(NETWORK, [*text, line(110, 190, "Chapter Two", size=10)]) != []


def test_a_table_with_signs_drawn_in_its_cells_is_no_drawing() -> None:
    table = Piece("\ufdd0", (90, 90, 300, 260), 260, 10, False, False, "", -1,
                  block=Block("table", (90, 90, 300, 260), rows=(("a", "b"),)))  # fmt: skip
    assert found(NETWORK, [table]) == []


def test_paper_drawn_in_white_and_the_ground_of_a_page_hold_nothing_together() -> None:
    paper = Stroke((0, 0, 600, 700), 0xFFFFFF, stroked=False, rectangle=True, opaque=True)
    ground = Stroke((0, 0, 600, 800), 0xEEEEEE, stroked=False, rectangle=True, opaque=True)
    assert boxes([paper, ground, *NETWORK]) == [(98, 98, 292, 252)]


def test_ornaments_are_too_small() -> None:
    small = [shape(100 + n, 100, 110 + n, 110) for n in range(0, 30, 6)]
    assert found(small) == []


def test_drawings_side_by_side_with_labels_between_are_one_figure() -> None:
    beside = [shape(x0 + 200, y0, x1 + 200, y1) for x0, y0, x1, y1 in (it.box for it in NETWORK)]
    assert boxes([*NETWORK, *beside]) == [(98, 98, 492, 252)]
    far = [shape(x0, y0 + 300, x1, y1 + 300) for x0, y0, x1, y1 in (it.box for it in NETWORK)]
    assert boxes([*far, *NETWORK]) == [(98, 98, 292, 252), (98, 398, 292, 552)]


def test_an_image_beside_a_drawing_is_part_of_it_and_one_elsewhere_is_not() -> None:
    assert boxes(NETWORK, (), [(300, 100, 500, 250)]) == [(98, 98, 502, 252)]
    assert boxes(NETWORK, (), [(100, 500, 300, 700)]) == [(98, 98, 292, 252)]


def test_what_is_drawn_off_the_page_is_left_out() -> None:
    off = [shape(-300, -300, -200, -200), shape(700, 100, 900, 300)]
    assert boxes([*off, *NETWORK]) == [(98, 98, 292, 252)]
    assert boxes([shape(x0 - 130, y0, x1 - 130, y1) for x0, y0, x1, y1 in (it.box for it in NETWORK)]) == [
        (0, 98, 162, 252)
    ]
