import pytest

from docshelf.build.cutting.split import Cut, Piece, end_with_text, split_pieces
from docshelf.serve.config import Budget

BUDGET = Budget(section_bytes=1000, section_min_bytes=200, section_max_bytes=2000)
"""With the room for a section's head taken off, a section holds 500 bytes here, a block 1,360."""


def head(level: int, title: str, page: int = 1) -> Piece:
    return Piece(page, "", level, title)


def text(size: int, page: int = 1, sign: str = "x") -> Piece:
    return Piece(page, sign * size)


def titles(cuts: list[Cut]) -> list[list[str]]:
    return [[piece.title for piece in cut.headings] for cut in cuts]


def test_chapters_within_the_budget_stay_whole() -> None:
    cuts = split_pieces([head(1, "A"), text(200), head(2, "A1"), text(200), head(1, "B"), text(400)], BUDGET)
    assert titles(cuts) == [["A", "A1"], ["B"]]


def test_a_large_chapter_is_cut_at_its_next_level() -> None:
    cuts = split_pieces([head(1, "A"), text(300), head(2, "A1"), text(300), head(2, "A2"), text(400)], BUDGET)
    assert titles(cuts) == [["A"], ["A1"], ["A2"]]
    assert [cut.chapter for cut in cuts] == ["A", "A", "A"]


def test_a_heading_never_ends_a_section() -> None:
    pieces = [head(1, "A"), head(2, "A1"), head(3, "A11"), text(450), head(3, "A12"), text(450)]
    cuts = split_pieces(pieces, BUDGET)
    assert titles(cuts) == [["A", "A1", "A11"], ["A12"]]
    assert all(not cut.pieces[-1].level for cut in cuts)


def test_a_heading_without_text_goes_with_what_follows() -> None:
    pieces = [head(1, "A"), text(450), head(1, "B"), head(1, "C"), text(450)]
    assert titles(split_pieces(pieces, BUDGET)) == [["A"], ["B", "C"]]


def test_a_heading_at_the_very_end_becomes_text() -> None:
    assert end_with_text([head(1, "A"), text(50), head(2, "# 208")])[-1] == Piece(1, r"\# 208")


def test_a_heading_that_nothing_follows_is_not_lost() -> None:
    pieces = [head(1, "A"), text(300), head(1, "B"), text(300), head(1, "C")]
    assert [piece for cut in split_pieces(pieces, BUDGET) for piece in cut.pieces] == pieces


def test_a_document_of_headings_alone_keeps_them() -> None:
    pieces = [head(1, "A"), head(1, "B")]
    assert end_with_text(pieces) == pieces
    assert titles(split_pieces(pieces, BUDGET)) == [["A", "B"]]


def test_runs_of_small_siblings_stay_together() -> None:
    pieces = [piece for n in range(6) for piece in (head(1, f"Q{n}"), text(100))]
    assert titles(split_pieces(pieces, BUDGET)) == [["Q0", "Q1", "Q2", "Q3"], ["Q4", "Q5"]]


def test_a_small_chapter_never_joins_a_large_one() -> None:
    pieces = [head(1, "Preface"), text(50), head(1, "Part I"), text(300), head(1, "Part II"), text(400)]
    assert titles(split_pieces(pieces, BUDGET)) == [["Preface"], ["Part I"], ["Part II"]]


def test_text_before_the_first_heading_has_its_own_section() -> None:
    cuts = split_pieces([text(20), head(1, "A"), text(20)], BUDGET)
    assert titles(cuts) == [[], ["A"]]


def test_text_without_headings_is_cut_between_blocks() -> None:
    cuts = split_pieces([text(300, page) for page in range(1, 5)], BUDGET)
    assert [(cut.part, cut.parts, len(cut.pieces)) for cut in cuts] == [
        (1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 4, 1),
    ]  # fmt: skip


def test_every_piece_stands_in_exactly_one_section_in_order() -> None:
    pieces = [
        piece
        for chapter in range(9)
        for piece in (head(1 + chapter % 3, f"H{chapter}"), text(37 * chapter + 5, sign=str(chapter)))
    ]
    assert [piece for cut in split_pieces(pieces, BUDGET) for piece in cut.pieces] == pieces


def test_a_table_past_the_cap_is_cut_between_rows_with_its_head_repeated() -> None:
    rows = [f"| {n:04d} | {'v' * 90} |" for n in range(40)]
    cuts = split_pieces([Piece(1, "\n".join(["| a | b |", "| --- | --- |", *rows]))], BUDGET)
    parts = [piece.markdown.split("\n") for cut in cuts for piece in cut.pieces]
    assert len(parts) > 1
    assert all(part[:2] == ["| a | b |", "| --- | --- |"] for part in parts)
    assert [row for part in parts for row in part[2:]] == rows


def test_a_listing_past_the_cap_is_cut_between_lines_with_its_fence_repeated() -> None:
    lines = [f"set {n:04d} {'v' * 90}" for n in range(40)]
    cuts = split_pieces([Piece(1, "\n".join(["```", *lines, "```"]))], BUDGET)
    parts = [piece.markdown.split("\n") for cut in cuts for piece in cut.pieces]
    assert all(part[0] == part[-1] == "```" for part in parts)
    assert [line for part in parts for line in part[1:-1]] == lines


@pytest.mark.parametrize("paragraph", ["слово " * 2000, "я" * 9000, "\\*" * 4000, "# решётка " * 900])
def test_one_enormous_paragraph_is_cut_without_losing_a_letter(paragraph: str) -> None:
    cuts = split_pieces([Piece(1, paragraph.strip())], BUDGET)
    joined = "".join(piece.markdown for cut in cuts for piece in cut.pieces)
    assert max(cut.size_bytes for cut in cuts) <= BUDGET.section_max_bytes
    assert joined.replace("\\", "").replace(" ", "") == paragraph.replace("\\", "").replace(" ", "")


def test_a_part_of_a_paragraph_never_becomes_a_heading() -> None:
    cuts = split_pieces([Piece(1, "слово " * 80 + "# решётка " * 80)], BUDGET)
    assert not any(piece.markdown.startswith("# ") for cut in cuts for piece in cut.pieces)


def test_no_pieces_make_no_section() -> None:
    assert split_pieces([], BUDGET) == []
