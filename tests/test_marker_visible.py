from typing import Any

import pytest

from docshelf.build.converting.converted import Block, BlockKind, Line
from docshelf.build.engines.marker_visible import VisiblePage, pick_visible

BOX = (72.0, 60.0, 300.0, 90.0)


def node(html: str, *children: dict[str, Any], kind: str = "Text") -> dict[str, Any]:
    """A block as marker 2.0.0 writes it with its JSON renderer."""
    return {"block_type": kind, "html": html, "bbox": list(BOX), "children": list(children) or None}


def printed(*lines: str, kind: BlockKind = "paragraph", marker: str = "") -> Block:
    return Block(kind, BOX, tuple(Line(line, BOX, 10.0) for line in lines), marker=marker)


def seen(*blocks: Block, html: str) -> VisiblePage:
    return pick_visible(node("", node(html)), blocks)


TABLE = Block("table", BOX, rows=(("Port", "Speed"), ("1", "100 Mbit")))
KEPT = [
    ("the same words", [printed("Connect the cable")], "<p>Connect <b>the</b> cable</p>"),
    ("a hyphen undone", [printed("a config-", "uration file")], "<p>a configuration file</p>"),
    ("words over two blocks", [printed("It begins"), printed("and ends")], "<p>It begins and ends</p>"),
    ("a raised figure", [printed("10⁻³ volts")], "<p>10<sup>-3</sup> volts</p>"),
    ("a ligature and case", [printed("DEFINE a ﬁeld")], "<p>Define a field</p>"),
    ("an item's own number", [printed("first step", kind="list", marker="1)")], "<p>1) first step</p>"),
    ("cells in another order", [TABLE], "<table><tr><td>100 Mbit</td><td>Speed</td></tr></table>"),
    ("one word", [printed("Appendix of tables")], "<h1>Appendix</h1>"),
    ("a formula read from its picture", [printed("then")], "<p>then <math>\\frac{alpha}{beta}</math></p>"),
    ("a picture without text", [printed("then")], "<p></p>"),
    ("a word read in another way", [printed("the Rou ter setup works")], "<p>the R0uter setup works</p>"),
]


@pytest.mark.parametrize(("blocks", "html"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_what_stands_on_the_page_is_kept(blocks: list[Block], html: str) -> None:
    found = seen(*blocks, html=html)
    assert (len(found.page["children"]), found.hidden, found.mixed) == (1, 0, False)


HIDDEN = [
    ("words of its own", "<p>send all keys</p>", 11),
    ("words of the page in another order", "<p>light cable wait green Connect</p>", 26),
    ("a table", "<table><tr><td>send keys</td><td>to me</td></tr></table>", 12),
    ("words beside a formula", "<p>send <math>x</math> keys</p>", 8),
    ("a single word", "<p>keys</p>", 4),
]


@pytest.mark.parametrize(("html", "count"), [case[1:] for case in HIDDEN], ids=[case[0] for case in HIDDEN])
def test_what_stands_nowhere_on_the_page_is_left_out_and_counted(html: str, count: int) -> None:
    found = seen(printed("Connect the cable and wait for the green", "light"), html=html)
    assert (found.page["children"], found.hidden, found.mixed) == ([], count, False)


def test_a_run_of_unknown_words_in_a_long_paragraph_makes_the_page_mixed() -> None:
    text = "Connect the cable to port 1 and wait for the green light"
    short, long = (f"<p>{text} {words}</p>" for words in ("now then please", "send all of my keys"))
    assert not seen(printed(text), html=short).mixed
    assert seen(printed(text), html=long).mixed


def test_lines_of_a_group_are_judged_one_by_one_and_an_empty_group_goes() -> None:
    lines = node("", node("Connect the cable", kind="Line"), node("send all keys", kind="Line"))
    group = node("", node("send all keys", kind="Line"), kind="ListGroup")
    found = pick_visible(node("", lines, group, kind="Page"), [printed("Connect the cable")])
    (kept,) = found.page["children"]
    assert [line["html"] for line in kept["children"]] == ["Connect the cable"]
    assert found.hidden == 22
