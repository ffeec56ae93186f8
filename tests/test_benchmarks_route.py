"""The questions of benchmarks/route.py, its reader, and what it reads, on shelves written by hand."""

import sys
from collections import Counter
from pathlib import Path

import pymupdf
import pytest
from shelftest import ShelfTest

sys.path.append(str(Path(__file__).resolve().parent.parent))

from benchmarks.route import failures, figures
from benchmarks.route_ceiling import WholeText
from benchmarks.route_peer import read_links
from benchmarks.route_questions import Question, answers, letters, read_questions
from benchmarks.route_reader import Line, Reader, Reading
from benchmarks.route_shelves import FlatShelf, Shelf
from benchmarks.route_sources import OTHERS, folder_of, gather_sources
from benchmarks.route_words import Roots, rarity
from docshelf.serve.releases.tree import Site

REPOSITORY = Path(__file__).resolve().parent.parent
QUESTIONS = read_questions(REPOSITORY / "benchmarks" / "questions.tsv")


class HandShelf:
    """Indexes and texts by path; the first one is where a reader starts."""

    def __init__(self, **pages: tuple[Line, ...] | str) -> None:
        self._pages = pages
        self.read_paths: list[str] = []

    def start(self) -> Reading:
        return self.read(next(iter(self._pages)))

    def read(self, path: str) -> Reading:
        self.read_paths.append(path)
        path, rest, _ = path.partition("+")
        page = self._pages[path]
        if not isinstance(page, str):
            return Reading("an index", page)
        first, cut, second = page.partition("|")
        return Reading(second if rest else first, more=f"{path}+" if cut and not rest else None)


def question(text: str, answer: str = "42") -> Question:
    return Question(text, "en", "a.pdf", answer, 1)


def test_there_are_questions_in_both_languages_over_many_documents() -> None:
    languages = Counter(it.language for it in QUESTIONS)
    assert sum(languages.values()) >= 70
    assert abs(languages["ru"] - languages["en"]) <= 2
    assert len({it.source for it in QUESTIONS}) >= 20
    assert len({it.text for it in QUESTIONS}) == len(QUESTIONS)


def test_questions_ask_about_beginnings_middles_and_ends(shared: Path) -> None:
    thirds: Counter[int] = Counter()
    for it in QUESTIONS:
        with pymupdf.open(source_file(shared, it)) as document:
            thirds[min(2, 3 * (it.page - 1) // document.page_count)] += 1
    assert min(thirds[place] for place in range(3)) >= len(QUESTIONS) // 6


def test_each_answer_stands_on_its_page(shared: Path) -> None:
    missing = []
    for it in QUESTIONS:
        with pymupdf.open(source_file(shared, it)) as document:
            text = document[it.page - 1].get_text()
        # One document has cp1251 without a map to Unicode: PDF libraries read it as Latin.
        mended = text.encode("latin-1", "ignore").decode("cp1251", "ignore")
        if not (answers(text, it) or answers(mended, it)):
            missing.append(f"{it.source}, p. {it.page}: {it.answer}")
    assert missing == []


def source_file(shared: Path, it: Question) -> Path:
    own = sorted((REPOSITORY / "shelf_src").rglob(it.source))
    return own[0] if own else shared / "corpus" / "pdfs" / it.source


def test_line_ends_marks_and_escapes_do_not_hide_an_answer() -> None:
    assert answers(
        "the *port* num-\nber\n\n<!-- p7 -->\n\ndefaults\\_to", question("?", "port number defaults_to")
    )
    assert not answers("see [there](port-number.md)", question("?", "port number"))
    assert letters("A-b [c](d.md) <!-- p3 -->") == "abc"


@pytest.mark.parametrize(
    "words",
    [
        "установка установить установленный",
        "настройка настроить",
        "installing installation",
        "ёмкость емкости",
    ],
)
def test_words_of_one_root_meet(words: str) -> None:
    assert len(Roots().of(words)) == 1


def test_words_that_say_nothing_are_left_out() -> None:
    assert Roots().of("как это и где the of a") == frozenset()


def test_names_weigh_more_and_common_words_less() -> None:
    weights = Roots().weighed("find the keyboard layout in BIRD 2")
    assert (weights["find"], weights["keyboard"], weights["bird"]) == (0.3, 1.0, 2.0)
    assert Roots().weighed("как настроить gnuplot")["gnuplot"] == 2.0


def test_a_word_tells_more_the_fewer_lines_hold_it() -> None:
    tells = rarity([frozenset({"a", "b"}), frozenset({"a"})], ["a", "b", "c"])
    assert tells["a"] < tells["b"] == tells["c"]


def test_the_reader_follows_the_lines_that_share_words_down_to_the_answer() -> None:
    library = HandShelf(
        root=(Line("cats", "Cats"), Line("dogs", "Dogs", "leash, kennel")),
        dogs=(Line("food", "Food"), Line("leash", "Leash")),
        cats=(Line("food", "Food"),),
        leash="a leash is 42 cm long",
        food="bones",
    )
    walk = Reader().answer(question("length of a leash for dogs"), library)
    assert library.read_paths == ["root", "dogs", "leash"]
    assert (walk.found, walk.calls, [line.path for line in walk.followed]) == (True, 3, ["dogs", "leash"])
    assert walk.size_bytes == 2 * len("an index") + len("a leash is 42 cm long")


def test_a_word_of_a_title_that_was_followed_is_not_looked_for_again() -> None:
    library = HandShelf(
        root=(Line("dogs", "Dogs"), Line("cats", "Cats")),
        dogs=(Line("all", "All about dogs"), Line("leash", "Leash and collar")),
        all="nothing",
        leash="42 dogs leash",
    )
    assert Reader().answer(question("dogs leash"), library).followed[1].path == "leash"


def test_the_reader_steps_back_once_to_the_second_best_line() -> None:
    library = HandShelf(
        root=(Line("one", "Leash length"), Line("two", "Leash"), Line("three", "Length")),
        one="empty",
        two="empty",
        three="length of a leash: 42",
    )
    walk = Reader().answer(question("leash length"), library)
    assert library.read_paths == ["root", "one", "two"]
    assert not walk.found


def test_the_reader_does_not_step_back_from_a_text_that_holds_its_words() -> None:
    library = HandShelf(
        root=(Line("one", "Leash length"), Line("two", "Leash")), one="leash length", two="42"
    )
    assert Reader().answer(question("leash length"), library).calls == 2


def test_the_reader_steps_back_from_an_index_without_a_word_of_its_question() -> None:
    library = HandShelf(
        root=(Line("one", "Leash shop"), Line("two", "Leash")),
        one=(Line("none", "Opening hours"), Line("no", "Prices")),
        two="the leash of the dog is 42",
    )
    walk = Reader().answer(question("leash of a dog"), library)
    assert (library.read_paths, walk.found) == (["root", "one", "two"], True)


def test_the_reader_reads_on_while_a_text_is_cut() -> None:
    library = HandShelf(root=(Line("one", "Leash"),), one="nothing yet |leash length 42")
    walk = Reader().answer(question("leash length"), library)
    assert (library.read_paths, walk.found) == (["root", "one", "one+"], True)


def test_our_shelf_and_the_flat_index_lead_to_the_same_section(shelf: ShelfTest) -> None:
    filler = "\n".join(["Слова о сети. " * 6] * 45)
    titles = ["Введение", "Монтаж", "Заземление", "Пуск", "Осмотр", "Ремонт", "Хранение", "Утилизация"]
    pages = [f"# {title}\n{filler}" for title in titles]
    pages[2] += "\nКлеммы затягивают ключом на 13."
    outline = [(1, title, page) for page, title in enumerate(titles, 1)]
    shelf.pdf("ибп.pdf", *pages, outline=outline)
    shelf.pdf("прочее.pdf", "# Памятка\nПерезапустите маршрутизатор.")
    shelf.build()
    release = Site(shelf.site).current()
    asked = Question("чем затянуть заземление", "ru", "ибп.pdf", "ключом на 13", 3)
    ours = Reader().answer(asked, Shelf(release))
    flat = Reader().answer(asked, FlatShelf(release))
    assert ours.found and flat.found
    assert ours.followed[-1].path == flat.followed[-1].path
    assert (ours.calls, flat.calls) == (3, 2)
    assert WholeText(release).answer(asked).found


def test_the_index_of_docshelf_mcp_is_read_by_titles() -> None:
    index = (
        "# Shelf\n\n## Ups\n\n- [**Nut Cables**](docs/ups/nut-cables.md) — wiring\n\n### Nut User\n\n"
        "Full document: [`nut-user.md`](docs/ups/nut-user.md) (~300 KB)\n\n"
        "Sections (12): see the [SUBINDEX](docs/ups/nut-user/SUBINDEX.md) for the per-chapter list.\n\n"
        "### Faq\n\n- [1 i just upgraded](docs/ups/faq/001-1.md)\n\n*[docshelf-mcp](https://example.org)*\n"
    )
    assert list(read_links(index, "")) == [
        Line("docs/ups/nut-cables.md", "**Nut Cables**", " — wiring", "Ups"),
        Line("docs/ups/nut-user/SUBINDEX.md", "Nut User", "", "Ups"),
        Line("docs/ups/faq/001-1.md", "1 i just upgraded", "", "Faq"),
    ]


def test_a_subindex_of_docshelf_mcp_is_relative_to_its_folder() -> None:
    subindex = "# A — sections\n\n- [Введение](001-%D0%B2.md) (~3 KB)\n"
    assert list(read_links(subindex, "docs/ups/a")) == [
        Line("docs/ups/a/001-в.md", "Введение", " (~3 KB)", "")
    ]


def test_documents_are_sorted_into_folders() -> None:
    assert folder_of("nut-user").name == "ups"
    assert folder_of("ru-gost2008n").name == "tex"
    assert folder_of("ru-gost-7.80").name == "standards"
    assert folder_of("bad-149") == OTHERS


def test_gathering_keeps_the_settings_of_the_samples(tmp_path: Path) -> None:
    corpus, samples = tmp_path / "corpus", tmp_path / "samples"
    corpus.mkdir()
    (samples / "power").mkdir(parents=True)
    (samples / "power" / "a.pdf").write_bytes(b"a")
    (samples / ".docshelf.json").write_text(
        '{"name": "Полка", "categories": {"power": {"title": "Питание"}}}'
    )
    (corpus / "bird.pdf").write_bytes(b"b")
    gather_sources(corpus, samples, tmp_path / "sources")
    assert (tmp_path / "sources" / "networks" / "bird.pdf").read_bytes() == b"b"
    assert (tmp_path / "sources" / "power" / "a.pdf").read_bytes() == b"a"
    settings = (tmp_path / "sources" / ".docshelf.json").read_text(encoding="utf-8")
    assert '"Питание"' in settings and '"networks"' in settings


def test_the_table_counts_answers_and_names_failures() -> None:
    library = HandShelf(root=(Line("one", "Leash"),), one="leash")
    walks = [Reader().answer(question("leash", answer), library) for answer in ("leash", "42")]
    rows = list(figures("ours", walks))
    assert [row.split()[:4] for row in rows] == [["ours", "all", "50", "%"], ["ours", "en", "50", "%"]]
    assert list(failures("ours", walks)) == ["ours fails: leash (a.pdf, p. 1)", "    one: Leash: "]
