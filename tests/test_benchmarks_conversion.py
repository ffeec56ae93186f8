"""The scores of benchmarks/conversion.py on small pages written by hand."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent.parent))

from benchmarks.conversion_bench import Document, choose_sample
from benchmarks.conversion_debian import packages
from benchmarks.conversion_pages import (
    CodeLine,
    PrintedLine,
    PrintedPage,
    find_running,
    set_on_grid,
    split_words,
)
from benchmarks.conversion_scores import (
    Share,
    count_repeated,
    count_running,
    find_commands,
    read_headings,
    score_code,
    score_words,
)
from benchmarks.conversion_text import cells, formula_key, key, plain, read_lines
from benchmarks.conversion_truth import (
    TruthDocument,
    TruthPage,
    check_formulas,
    check_items,
    check_order,
    check_rows,
    load_documents,
    load_truth,
    longest_order,
    score_truth,
)


def printed_page(
    words: str = "",
    divided: tuple[tuple[str, str], ...] = (),
    running: tuple[str, ...] = (),
    mono: tuple[str, ...] = (),
) -> PrintedPage:
    return PrintedPage(7, tuple(words.split()), divided, running, (), mono)


def line(text: str, top: float, block: int = 0) -> PrintedLine:
    return PrintedLine(text, (50, top, 300, top + 10), block, 10.0, mono=False)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (r"a \* b \_ c \# d", "a * b _ c # d"),
        ("**bold** and _slanted_ snake_case", "bold and slanted snake_case"),
        ("[text](https://a.example/x_(y)) &lt;br&gt;", "text <br>"),
        ("10⁻³ and x<sup>2</sup>", "10^-3 and x^2"),
        ("one<br>two", "one two"),
        ("ﬁle", "file"),
    ],
)
def test_markdown_is_read_as_what_it_shows(markdown: str, shown: str) -> None:
    assert plain(markdown) == shown


def test_texts_are_compared_without_case_spaces_and_hyphens() -> None:
    assert key(r"**Bit-** rate\_max") == key("bitrate_max", marked=False) == "bitratemax"


def test_a_raised_sign_differs_from_a_plain_one() -> None:
    assert formula_key("TNOM)²") == formula_key("TNOM)<sup>2</sup>") == formula_key("TNOM)^2", marked=False)
    assert formula_key("TNOM)2") != formula_key("TNOM)^2", marked=False)


def test_an_escaped_pipe_stays_inside_its_cell() -> None:
    assert cells(r"| a \| b | c |") == [" a | b ", " c "]
    assert cells("a | b") is None


def test_lines_know_their_listing_and_page_marks_are_gone() -> None:
    lines = list(read_lines("<!-- p3 -->\ntext\n```sh\n# no\n```\n~~~\nmore\n~~~"))
    assert [(it.text, it.fence) for it in lines] == [("text", 0), ("# no", 1), ("more", 2)]


def test_a_word_divided_at_a_line_end_is_one_word() -> None:
    words, divided = split_words([line("при перено-", 10), line("се слов", 22)])
    assert (words, divided) == (["при", "слов"], [("перено", "се")])


def test_a_hyphen_before_a_block_that_begins_a_sentence_divides_nothing() -> None:
    words, divided = split_words([line("the co-", 10), line("Next block", 22, block=1)])
    assert (words, divided) == (["the", "co", "next", "block"], [])


def test_words_count_as_often_as_they_stand_and_either_form_of_a_divided_one() -> None:
    page = printed_page("кот кот dog", (("перено", "се"), ("по", "русски"), ("сло", "во")))
    words, cyrillic = score_words([page], "кот dog переносе по-русски сло- во")
    assert words == Share(4, 6)
    assert cyrillic == Share(3, 5)


def test_characters_of_fixed_width_are_set_on_a_grid() -> None:
    characters = [
        (char, (60 + 6 * at, 0.0, 66 + 6 * at, 10.0)) for char, at in zip("ab=c", (0, 1, 4, 5), strict=True)
    ]
    assert set_on_grid(characters) == CodeLine("ab  =c", 10)


def test_a_printed_space_is_kept_however_narrow_it_is() -> None:
    boxes = [(60.0, 66.0), (66.0, 67.0), (67.0, 73.0), (73.0, 79.0)]
    characters = [(char, (x0, 0.0, x1, 10.0)) for char, (x0, x1) in zip("a bc", boxes, strict=True)]
    assert set_on_grid(characters) == CodeLine("a bc", 10)


def test_listings_score_lines_inside_fences_and_their_spaces() -> None:
    code = (CodeLine("if x:", 10), CodeLine("y  = 1", 14), CodeLine("z = 2", 14), CodeLine("lost", 10))
    markdown = "```\nif x:\n    y  = 1\nz = 2\n```\n\nlost"
    kept, spaces = score_code(code, markdown)
    assert kept == Share(3, 4)
    assert spaces == Share(2, 4)


def test_a_line_at_one_height_of_three_pages_in_a_row_is_running() -> None:
    pages = [[line("Manual", 20), line(f"{at + 11}", 780), line(f"Own text {at}", 400)] for at in range(3)]
    assert find_running(pages, [800.0] * 3) == [{0, 1}] * 3


def test_first_lines_that_differ_are_not_running() -> None:
    pages = [[line(text, 20)] for text in ("Apples", "Pears", "Plums", "Figs")]
    assert find_running(pages, [800.0] * 4) == [set()] * 4


def test_running_lines_that_are_left_are_counted_at_the_ends_of_a_page() -> None:
    page = printed_page(running=("Chapter 5. Basics", "33"))
    assert count_running(page, "## Chapter 5. Basics\n\ntext\n\n33") == 2
    assert count_running(page, "text that ends\n\nhere") == 0
    assert count_running(page, "Chapter 5. Basics and more text") == 1


def test_lines_that_repeat_at_the_ends_of_pages_are_counted_but_table_heads_are_not() -> None:
    pages = [f"Manual\n\n{text}\n\n| Name | Value |" for text in ("one", "two words", "three is", "four")]
    assert count_repeated(pages, 4) == 4


def test_headings_are_read_outside_listings() -> None:
    found = list(read_headings(3, "# One\n```\n# no\n```\n### Two **b**"))
    assert [(it.level, it.title, it.page) for it in found] == [(1, "One", 3), (3, "Two b", 3)]


def test_a_prompt_or_a_line_of_fixed_width_is_a_command_unless_it_is_a_bookmark() -> None:
    page = printed_page(mono=("show ip bgp", "gbp init"))
    markdown = "# 1 Intro\n## router# show run\n## show ip bgp\n## gbp init\n## \\# comment\n## C# basics"
    assert list(find_commands(page, markdown, ["3.7 gbp init"])) == [
        "router# show run",
        "show ip bgp",
        "# comment",
    ]


def test_a_row_counts_as_cells_of_one_row_or_as_a_line_of_its_own() -> None:
    facts = {"rows": [["a-b", "1", ""], ["c", "2", "x"], ["d", "3"], ["e", "4"]]}
    markdown = "| **a-b** | 1 | |\n|---|---|---|\n| c<br>d | 2<br>3 | x |\n\n- e 4\n\nd 3 and more"
    assert [value for _, value in check_rows(facts, markdown)] == [1, 0, 0, 1]


def test_a_phrase_counts_in_one_piece_after_the_one_before() -> None:
    facts = {"order": ["first words", "second words", "third words", "fourth words"]}
    markdown = "First words, then\nthird words. Second\nwords and fourth x words"
    assert [value for _, value in check_order(facts, markdown)] == [1, 1, 0, 0]


def test_one_phrase_out_of_place_does_not_cost_the_others() -> None:
    assert longest_order([[90], [10, 95], [20], [30, 5], []]) == {1, 2, 3}


def test_an_item_counts_with_its_own_marker_and_to_its_end() -> None:
    facts = {
        "items": [["1.", "Load", "system"], ["•", "Save", "all"], ["а)", "лист;", ""], ["2)", "Go", "home"]],
        "no_items": ["r=0"],
    }
    markdown = "1. Load the\n   system\n\n- Save it all\n- а) лист;\n\n2\\) Go\n\nhome\n\n+ r=0"
    assert [value for _, value in check_items(facts, markdown)] == [1, 1, 1, 0, 0]


def test_what_must_stand_and_what_must_not_each_count() -> None:
    facts = {"must": [["x^2", "x**2"], ["y^3"], ["done.^1"]], "must_not": ["y3"]}
    assert [value for _, value in check_formulas(facts, "x² and y3, done.[1]")] == [1, 0, 1, 0]


def test_missed_facts_are_named() -> None:
    truth = TruthPage("repairs", "book", 3, {"must": ["Стили страницы", "файл"]})
    assert score_truth(truth, "Ñòèëè ñòðàíèöû файл") == (Share(1, 2), ["Стили страницы"])


def test_all_truth_is_of_known_documents_and_of_thirty_pages_and_more() -> None:
    truth = load_truth()
    assert {it.document for it in truth} <= {it.name for it in load_documents()}
    assert len({(it.document, it.page) for it in truth}) >= 30
    kinds = {
        kind: sum(it.kind == kind for it in truth) for kind in ("tables", "columns", "lists", "formulas")
    }
    assert kinds["tables"] >= 10
    assert kinds["columns"] >= 6
    assert kinds["lists"] >= 8
    assert kinds["formulas"] >= 6


def test_each_package_is_fetched_once_and_other_sources_are_not() -> None:
    documents = [
        TruthDocument("b", "0", "deb:nut-doc", "usr/b.pdf"),
        TruthDocument("a", "1", "deb:nut-doc", "usr/a.pdf"),
        TruthDocument("c", "2", "owner/repository", ""),
        TruthDocument("d", "3", "deb:bird2-doc", "usr/d.pdf"),
    ]
    assert packages(documents) == ["bird2-doc", "nut-doc"]


def test_a_sample_holds_pages_with_truth_and_some_in_a_row_of_long_documents() -> None:
    truth = (TruthPage("lists", "long", 3, {}),)
    documents = [Document("long", Path("long.pdf"), 100, truth), Document("short", Path("s.pdf"), 5, ())]
    assert choose_sample(documents, 6) == {"long": [3, 41, 42, 43, 44, 45]}
