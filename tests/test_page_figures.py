"""Images and drawings of a page of text become figures, each in its place."""

from pathlib import Path

import pymupdf
import pytest
from written_pdfs import PROSE, blocks_of, read_pages, saved, written

from docshelf.build.cutting.markdown import write_block


def test_a_picture_on_a_page_of_text_is_a_figure_in_its_place(tmp_path: Path) -> None:
    document = written((60, 100, PROSE), (60, 500, "The door is shut."))
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 60), False)
    pixels.clear_with(120)
    document[0].insert_image((60, 150, 360, 450), pixmap=pixels)
    folder = tmp_path / "pictures"
    pages, _ = read_pages(saved(document, tmp_path), folder)
    assert [(block.kind, block.picture) for block in pages[0].blocks] == [
        ("paragraph", ""),
        ("figure", "p001-f1.jpg"),
        ("paragraph", ""),
    ]
    assert (folder / "p001-f1.jpg").read_bytes().startswith(b"\xff\xd8")
    plain, _ = read_pages(saved(document, tmp_path), folder, pictures="none")
    assert [block.kind for block in plain[0].blocks] == ["paragraph", "paragraph"]


@pytest.mark.parametrize(
    ("box", "is_figure"),
    [
        ((60, 150, 160, 210), True),  # between lines of text
        ((60, 150, 100, 180), False),  # too small: an icon
        ((200, 480, 300, 540), False),  # beside a line of text
        ((60, 30, 160, 90), False),  # at the head of the page: a logo
        ((60, 770, 160, 830), False),  # and at its foot
    ],
)
def test_a_small_picture_is_a_figure_where_it_stands_alone(
    box: tuple[float, float, float, float], is_figure: bool, tmp_path: Path
) -> None:
    document = written((60, 100, PROSE), (60, 500, "The door is shut."))
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 60), False)
    pixels.clear_with(120)
    document[0].insert_image(box, pixmap=pixels, keep_proportion=False)
    kinds = [block.kind for block in blocks_of(document, tmp_path)]
    assert kinds == (["paragraph", "figure", "paragraph"] if is_figure else ["paragraph", "paragraph"])


def test_of_very_many_small_pictures_none_is_a_figure(tmp_path: Path) -> None:
    document = written((60, 100, PROSE), (60, 700, "The door is shut."))
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 6, 6), False)
    pixels.clear_with(120)
    for number in range(101):
        top = 150 + 4 * number
        document[0].insert_image((60, top, 160, top + 60), pixmap=pixels, keep_proportion=False)
    assert [block.kind for block in blocks_of(document, tmp_path)] == ["paragraph", "paragraph"]


def test_a_picture_below_one_of_two_columns_leaves_their_order(tmp_path: Path) -> None:
    left = [(60.0, 100.0 + 12 * n, f"left note {n}") for n in range(8)]
    right = [(320.0, 100.0 + 12 * n, f"right line number {n} of prose text") for n in range(12)]
    document = written(*right, *left)
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 60, 60), False)
    pixels.clear_with(120)
    document[0].insert_image((60, 260, 200, 360), pixmap=pixels, keep_proportion=False)
    blocks = blocks_of(document, tmp_path)
    text = "\n".join(block.text for block in blocks)
    assert "figure" in [block.kind for block in blocks]
    assert text.index("left note 7") < text.index("right line number 0")


def _diagram(page: pymupdf.Page, x: float, y: float) -> None:
    """Two round nodes with an arrow of slanted lines between them, 160 by 60 points, and their labels."""
    for at in (x, x + 100):
        page.draw_circle((at + 30, y + 30), 30)
    page.draw_polyline([(x + 60, y + 30), (x + 80, y + 22), (x + 100, y + 30), (x + 80, y + 38)])
    page.insert_text((x + 18, y + 34), "WAN")
    page.insert_text((x + 118, y + 34), "LAN")


def test_a_drawing_is_a_figure_in_its_place_and_its_labels_are_the_figures(tmp_path: Path) -> None:
    document = written((60, 100, PROSE), (60, 500, "The door is shut."))
    _diagram(document[0], 100, 200)
    folder = tmp_path / "pictures"
    pages, _ = read_pages(saved(document, tmp_path), folder)
    blocks = pages[0].blocks
    assert [(block.kind, block.picture, block.text) for block in blocks[1:]] == [
        ("figure", "p001-f1.png", "WAN   LAN"),
        ("paragraph", "", "The door is shut."),
    ]
    assert (folder / "p001-f1.png").read_bytes().startswith(b"\x89PNG")
    assert write_block(blocks[1], "../pictures/d") == "![WAN; LAN](../pictures/d/p001-f1.png)"
    plain, _ = read_pages(saved(document, tmp_path), folder, pictures="none")
    assert "WAN" in " ".join(block.text for block in plain[0].blocks)


def test_a_logo_drawn_at_the_head_of_a_page_is_no_figure(tmp_path: Path) -> None:
    document = written((60, 150, PROSE))
    _diagram(document[0], 100, 20)
    assert {block.kind for block in blocks_of(document, tmp_path)} == {"paragraph"}


def test_a_drawing_beside_a_listing_stands_before_it_and_leaves_it_whole(tmp_path: Path) -> None:
    document = written((60, 100, PROSE))
    lines = [f"set port {number} up" for number in range(12)]
    for number, line in enumerate(lines):
        document[0].insert_text((300, 200 + 12 * number), line, fontname="cour", fontsize=9)
    _diagram(document[0], 60, 240)
    blocks = blocks_of(document, tmp_path)
    assert [block.kind for block in blocks] == ["paragraph", "figure", "code"]
    assert blocks[2].text.splitlines() == lines


def test_a_drawing_that_cannot_be_pictured_leaves_its_labels_in_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = written((60, 100, PROSE))
    _diagram(document[0], 100, 200)
    monkeypatch.setattr("docshelf.build.engines.page_figures.save_figure", lambda *_, **__: "")
    texts = [block.text for block in blocks_of(document, tmp_path)]
    assert "WAN LAN" in [" ".join(text.split()) for text in texts]
