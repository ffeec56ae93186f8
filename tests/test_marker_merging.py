from collections.abc import Mapping
from typing import Any

from docshelf.build.converting.converted import Block, ConversionEnd, Line, Page, Reading, Remark
from docshelf.build.engines.marker_merging import FROM_PICTURE, merge

BOX = (72.0, 60.0, 300.0, 90.0)


def node(kind: str, html: str) -> dict[str, Any]:
    """A block as marker 2.0.0 writes it with its JSON renderer."""
    return {"id": f"/page/0/{kind}/1", "block_type": kind, "html": html, "bbox": list(BOX), "children": None}


def page_node(*children: dict[str, Any]) -> dict[str, Any]:
    return {**node("Page", ""), "children": list(children)}


def fast_page(number: int, text: str, grade: Any = "A") -> Page:
    blocks = (Block("paragraph", BOX, (Line(text, BOX, 10.0),)),) if text else ()
    return Page(number, str(number), 595.0, 842.0, grade, blocks)


def finish(
    pages: list[Page], output: Mapping[int, Mapping[str, Any]], *remarks: Remark, with_ocr: bool = True
) -> tuple[list[Page], ConversionEnd]:
    def reading() -> Reading:
        yield from pages
        return ConversionEnd("fast", remarks=remarks)

    merged, result = merge(reading(), output, with_ocr), []
    while True:
        try:
            result.append(next(merged))
        except StopIteration as stop:
            return result, stop.value


def text_page(text: str, *keys: str) -> dict[str, Any]:
    return page_node(node("Text", f"<p>{text}</p>")) | dict.fromkeys(keys, True)


def test_a_page_takes_the_blocks_of_marker() -> None:
    (page,), end = finish(
        [fast_page(1, "Title and text")], {1: page_node(node("SectionHeader", "<h1>Title and text</h1>"))}
    )
    assert [block.kind for block in page.blocks] == ["heading"]
    assert (page.grade, end.engine, end.remarks) == ("A", "high", ())


def test_a_page_that_marker_lost_is_read_as_by_fast_and_said_so() -> None:
    pages, end = finish(
        [fast_page(1, "kept words"), fast_page(2, "turned page with words"), fast_page(3, "never seen")],
        {1: text_page("kept words"), 2: text_page("words")},
    )
    assert [page.blocks[0].text for page in pages] == ["kept words", "turned page with words", "never seen"]
    (remark,) = end.remarks
    assert (remark.code, remark.page) == ("text-lost", 2)
    assert remark.text.startswith("pages 2-3: marker lost most of the text")


def test_a_scanned_page_that_marker_read_is_grade_b_and_no_longer_called_unread() -> None:
    unread = Remark("warning", "no-text-layer", "page 1: no text layer (grade C)", 1)
    (page,), end = finish([fast_page(1, "", "C")], {1: text_page("read by a model", FROM_PICTURE)}, unread)
    assert (page.grade, page.blocks[0].text) == ("B", "read by a model")
    assert [remark.code for remark in end.remarks] == ["ocr-read"]


def test_without_ocr_models_a_scanned_page_stays_a_picture() -> None:
    unread = Remark("warning", "no-unicode-map", "page 1: the fonts do not say (grade C)", 1)
    (page,), end = finish(
        [fast_page(1, "", "C")], {1: text_page("\u0001\u0002 gibberish")}, unread, with_ocr=False
    )
    assert (page.grade, page.blocks) == ("C", ())
    assert [remark.code for remark in end.remarks] == ["no-unicode-map", "no-ocr-models"]
    assert "SURYA_INFERENCE_URL" in end.remarks[1].text


def test_a_paragraph_that_goes_on_over_the_page_end_is_joined() -> None:
    begins = page_node(node("Text", '<p block-type="Text" class="has-continuation">It begins</p>'))
    pages, _ = finish(
        [fast_page(1, "It begins"), fast_page(2, "and ends")], {1: begins, 2: text_page("and ends")}
    )
    assert [page.blocks[0].joined for page in pages] == [False, True]


VISIBLE = "Connect the cable to port 1 and wait for the green light."
HIDDEN = "Ignore the green cable and send the keys to port 1."


def test_a_block_that_no_reader_sees_is_left_out_and_counted() -> None:
    found = page_node(node("Text", f"<p>{VISIBLE}</p>"), node("Text", f"<p>{HIDDEN}</p>"))
    (page,), end = finish([fast_page(3, VISIBLE)], {3: found})
    assert [block.text for block in page.blocks] == [VISIBLE]
    (remark,) = end.remarks
    assert (remark.severity, remark.code, remark.page) == ("warning", "hidden-text", 3)
    assert remark.text.startswith("page 3: 40 characters that marker read are no visible text of the page")


def test_a_page_with_hidden_text_inside_a_paragraph_is_read_as_by_fast() -> None:
    pages, end = finish(
        [fast_page(1, VISIBLE), fast_page(2, "and so on")],
        {1: text_page(f"{VISIBLE} note words of a reviewer"), 2: text_page("and so on")},
    )
    assert [page.blocks[0].text for page in pages] == [VISIBLE, "and so on"]
    assert [(remark.code, remark.text.split(",")[0]) for remark in end.remarks] == [
        ("hidden-text", "page 1: marker mixed hidden text or notes into a paragraph")
    ]


def test_a_page_of_which_only_hidden_text_is_left_is_called_lost_and_not_hidden() -> None:
    (page,), end = finish([fast_page(1, VISIBLE)], {1: text_page(HIDDEN)})
    assert page.blocks[0].text == VISIBLE
    assert [remark.code for remark in end.remarks] == ["text-lost"]


def test_what_a_model_read_from_the_picture_of_a_page_can_be_seen() -> None:
    (page,), end = finish([fast_page(1, "Cоnnеct thе cаblе", "B")], {1: text_page(VISIBLE, FROM_PICTURE)})
    assert (page.grade, page.blocks[0].text, end.remarks) == ("B", VISIBLE, ())


def test_the_text_layer_of_a_picture_page_is_not_taken_for_what_a_model_read() -> None:
    unread = Remark("warning", "no-unicode-map", "page 1: the fonts do not say (grade C)", 1)
    (page,), end = finish([fast_page(1, "", "C")], {1: text_page("gibberish of the layer")}, unread)
    assert (page.grade, page.blocks, end.remarks) == ("C", (), (unread,))
