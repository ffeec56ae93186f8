from pathlib import Path

import pytest
from searched_shelf import rows, sample_documents, write_searched
from small_shelf import write_small_shelf
from written_shelf import written_document

from docshelf.serve.errors import BadRequest, NotOnShelf, ShelfDamaged
from docshelf.serve.releases.tree import Release, Site
from docshelf.serve.search.index import HITS_MOST, SearchIndex
from docshelf.serve.search.shards import CATALOG, shard_path

HOSTILE = [
    "",
    " " * 1_000_000,
    "\0" * 100,
    "\ud800\udfff",
    ".,;!?" * 1_000,
    "[" * 5_000,
    "(a+)+$ \\",
    "a" * 10_000_000,
    "маршрут " * 1_300_000,
    " ".join(f"word{number}" for number in range(1_000)),
    "a.b-c_d/e:f@" * 500,
    "\u202e\u2028\r\n\t",
    "п " * 100,
    "%00<script>alert(1)</script>",
    '"); drop',
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_searched(tmp_path_factory.mktemp("searched"), sample_documents())


@pytest.fixture(scope="module")
def index(folder: Path) -> SearchIndex:
    return SearchIndex(Release(folder))


@pytest.mark.parametrize("row", rows("queries.tsv"), ids=lambda row: row["query"])
def test_a_query_leads_first_to_the_section_it_means(row: dict[str, str], index: SearchIndex) -> None:
    hits = index.search(row["query"])
    assert (hits[0].title if hits else "") == row["first"]


@pytest.mark.parametrize("length", range(4, len("инсталляция") + 1))
def test_a_word_is_found_at_each_step_of_typing_it(length: int, tmp_path: Path) -> None:
    folder = write_searched(
        tmp_path, [written_document("docs/a/x", "Программа", [("Инсталляция пакета", "Скачайте архив.")])]
    )
    hits = SearchIndex(Release(folder)).search("инсталляция"[:length])
    assert [hit.title for hit in hits] == ["Инсталляция пакета"]


def test_a_hit_says_where_it_stands(index: SearchIndex) -> None:
    hit = index.search("смазать подшипник", 1)[0]
    assert hit.path == "docs/a/document-2/002-section.md"
    assert (hit.title, hit.document) == ("Смазка подшипников", "Насосы")
    assert (hit.pages, hit.labels) == ((2, 2), ("2", "2"))
    assert hit.score > 0


def test_the_found_words_are_marked_in_the_snippet(index: SearchIndex) -> None:
    hit = index.search("настроить маршруты", 1)[0]
    assert hit.snippet == (
        "Чтобы настроить статические маршруты, войдите в режим конфигурации и укажите шлюз. "
        "Таблица показывает метрику каждого пути."
    )
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["настроить", "маршруты"]


def test_a_snippet_is_the_piece_with_most_of_the_words(tmp_path: Path) -> None:
    long = f"{'Сказано про насос. ' * 40}Здесь **стоит** насос и [клапан](x.md) рядом. {'Прочее. ' * 60}"
    folder = write_searched(tmp_path, [written_document("docs/a/x", "Книга", [("Глава", long)])])
    hit = SearchIndex(Release(folder)).search("клапан насос")[0]
    assert "стоит насос и клапан рядом" in hit.snippet
    assert hit.snippet.startswith("… ")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= 203
    assert {hit.snippet[start:end] for start, end in hit.marks} == {"насос", "клапан"}


def test_a_hit_names_the_page_on_which_its_words_stand(tmp_path: Path) -> None:
    text = (
        f"Насос описан здесь. {'Прочее. ' * 30}\n\n<!-- p7 -->\n\n<!-- p8 -->\n\n| а | б |\n| --- | --- |\n| клапан | насос |"
        "\n\n<!-- p9 -->\n\nКлапан."
    )
    folder = write_searched(tmp_path, [written_document("docs/a/x", "Книга", [("Глава о трубах", text)])])
    index = SearchIndex(Release(folder))
    found = {query: index.search(query)[0].page for query in ("клапан насос", "насос", "клапан", "трубы")}
    assert found == {"клапан насос": 8, "насос": 1, "клапан": 8, "трубы": None}


def test_a_title_weighs_more_than_a_heading_and_that_more_than_text(tmp_path: Path) -> None:
    other = "Другие слова стоят здесь для длины."
    sections = [
        ("Первая", f"Один раз кабель. {other}"),
        ("Вторая", f"## Кабель\n\n{other}"),
        ("Кабель", other),
        ("Четвёртая", other),
    ]
    folder = write_searched(tmp_path, [written_document("docs/a/x", "Книга", sections)])
    hits = SearchIndex(Release(folder)).search("кабель")
    assert [hit.title for hit in hits] == ["Кабель", "Вторая", "Первая"]


def test_words_that_follow_each_other_in_a_title_count_as_such(tmp_path: Path) -> None:
    sections = [("Порт доступа и сеть", "Текст."), ("Сеть доступа и порт", "Текст.")]
    folder = write_searched(tmp_path, [written_document("docs/a/x", "Книга", sections)])
    index = SearchIndex(Release(folder))
    assert index.search("порт доступа")[0].title == "Порт доступа и сеть"
    assert index.search("сеть доступа")[0].title == "Сеть доступа и порт"


def test_a_section_with_all_words_comes_before_one_with_the_rarest(tmp_path: Path) -> None:
    sections = [("Раз", "Редкое."), ("Два", "Частое редкое."), *((f"И {n}", "Частое.") for n in range(9))]
    folder = write_searched(tmp_path, [written_document("docs/a/x", "Книга", sections)])
    hits = SearchIndex(Release(folder)).search("частое редкое")
    assert [hit.title for hit in hits[:2]] == ["Два", "Раз"]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", {"docs/a", "docs/b"}),
        ("/", {"docs/a", "docs/b"}),
        ("index.md", {"docs/a", "docs/b"}),
        ("docs/a", {"docs/a"}),
        ("docs/b/", {"docs/b"}),
        ("docs/b/index.md", {"docs/b"}),
    ],
)
def test_a_search_may_be_narrowed_to_a_category(path: str, found: set[str], index: SearchIndex) -> None:
    hits = index.search("память срок", 50, path)
    assert {hit.path[:6] for hit in hits} == found


@pytest.mark.parametrize("path", ["docs/a/document-2", "docs/a/document-2/subindex.md"])
def test_a_search_may_be_narrowed_to_a_document(path: str, index: SearchIndex) -> None:
    assert {hit.document for hit in index.search("журнал насос", 50, path)} == {"Насосы"}


def test_a_search_may_be_narrowed_to_a_section(index: SearchIndex) -> None:
    hits = index.search("насосы", 50, "docs/a/document-2/003-section.md")
    assert [hit.title for hit in hits] == ["Неисправности двигателя"]


def test_an_unknown_place_is_named(index: SearchIndex) -> None:
    with pytest.raises(NotOnShelf):
        index.search("насос", path="docs/nowhere")


@pytest.mark.parametrize("limit", [0, -1, HITS_MOST + 1])
def test_a_limit_out_of_range_is_refused(limit: int, index: SearchIndex) -> None:
    with pytest.raises(BadRequest, match="1 to 50"):
        index.search("насос", limit)


def test_a_limit_cuts_the_list(index: SearchIndex) -> None:
    hits = index.search("насос память сеть журнал", 50)
    assert len(hits) > 3
    assert index.search("насос память сеть журнал", 3) == hits[:3]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_a_query(query: str, index: SearchIndex) -> None:
    assert all(hit.path.endswith(".md") for hit in index.search(query))


def test_a_word_after_a_million_spaces_is_read(index: SearchIndex) -> None:
    assert index.search(" " * 1_000_000 + "подшипник")[0].title == "Смазка подшипников"


def test_only_the_shards_that_a_query_needs_are_read(folder: Path) -> None:
    release = Release(folder)
    read: list[str] = []
    whole = release.read

    def noting(path: str) -> bytes:
        read.append(path)
        return whole(path)

    release.read = noting  # type: ignore[method-assign]
    index = SearchIndex(release)
    assert read == []
    index.search("абракадабра")
    assert shard_path(CATALOG) in read
    assert not any("/places-" in path for path in read)


def test_a_release_without_an_index_says_so(tmp_path: Path) -> None:
    write_small_shelf(tmp_path)
    release = Site(tmp_path).current()
    if shard_path(CATALOG) not in release.files:
        with pytest.raises(NotOnShelf, match="build the shelf again"):
            SearchIndex(release).search("router")


def test_a_shard_of_other_bytes_is_named(tmp_path: Path) -> None:
    folder = write_searched(tmp_path, sample_documents())
    shard = next((folder / "assets" / "search").glob("terms-*.js"))
    shard.write_bytes(b"x" * shard.stat().st_size)
    with pytest.raises(ShelfDamaged, match=r"assets/search/terms-.*build the shelf again"):
        SearchIndex(Release(folder)).search("насос")


def test_a_shelf_without_sections_finds_nothing(tmp_path: Path) -> None:
    folder = write_searched(tmp_path, [])
    assert SearchIndex(Release(folder)).search("насос") == []
