from pathlib import PurePosixPath

from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.shelf import (
    Category,
    Listed,
    breadcrumbs_to,
    category_title,
    category_tree,
    index_views,
    shelf_indexes,
    sort_key,
)
from docshelf.build.planning.addresses import assign_addresses
from docshelf.serve.config import ShelfConfig, parse_config
from docshelf.serve.manifest import DocumentMeta, OutlineEntry, SectionEntry

CONFIG = parse_config(
    """{"name": "Полка", "default_language": "ru", "categories": {
        "net": {"title": "Сети", "order": 2, "group": "Техника"},
        "net/wifi": {"title": "Wi-Fi"},
        "power": {"title": "Питание", "order": 1, "group": "Техника", "description": "ИБП и батареи"}}}""".encode(),
    "x",
)


def listed(
    source: str, title: str, *chapters: str, order: int = 0, about: str = "", grade: str = "A"
) -> Listed:
    path = f"docs/{source.removesuffix('.pdf')}.md"
    section = SectionEntry(path, title, (1, 3), ("1", "3"), 5000, "0", "0")
    outline = tuple(OutlineEntry(1, chapter, 1, path, "a") for chapter in chapters)
    meta = DocumentMeta(
        source, path, title, "", "ru", grade, "fast", "auto", "fonts", 3, "0", "AAA", outline, (section,)  # type: ignore[arg-type]
    )  # fmt: skip
    return Listed(meta, order, about)


DOCUMENTS = [
    listed("net/b.pdf", "Яркий экран"),
    listed("net/a.pdf", "Ёлка", "Ствол", "Ветви"),
    listed("net/c.pdf", "Енот"),
    listed("net/wifi/ax.pdf", "Стандарт ax", about="О скорости в эфире."),
    listed("power/ups.pdf", "ИБП", order=5),
    listed("power/battery.pdf", "Батареи", order=1, grade="C"),
    listed("readme.pdf", "С чего начать"),
]


def tree(config: ShelfConfig = CONFIG) -> Category:
    addresses = assign_addresses(document.meta.source for document in DOCUMENTS)
    return category_tree(DOCUMENTS, config, addresses.categories)


def root_lines(config: ShelfConfig) -> list[str]:
    text = write_index(shelf_indexes(tree(config), config)[""][0])
    return [line for line in text.split("\n") if line.startswith(("## ", "- "))]


def test_documents_stand_by_order_then_by_title_with_yo_as_ye() -> None:
    names = [line.partition("]")[0] for line in root_lines(CONFIG)]
    assert names == [
        "## Документы", "- [С чего начать", "## Техника", "- [Батареи", "- [ИБП", "- [Ёлка", "- [Енот",
        "- [Яркий экран", "- [Стандарт ax",
    ]  # fmt: skip


def test_titles_are_ordered_as_a_reader_expects() -> None:
    assert sorted(["Яма", "ель", "Ёж", "ежа", "Zebra", "apple", "Éclair", "йод", "иод"], key=sort_key) == [
        "apple", "Éclair", "Zebra", "Ёж", "ежа", "ель", "иод", "йод", "Яма",
    ]  # fmt: skip


def test_a_note_names_chapters_or_says_what_the_text_is_about_and_what_it_costs() -> None:
    lines = root_lines(CONFIG)
    assert "- [Ёлка](docs/net/a.md): Ствол; Ветви (3 страницы, 5 КБ)" in lines
    assert "- [Стандарт ax](docs/net/wifi/ax.md): О скорости в эфире. (3 страницы, 5 КБ)" in lines
    assert "- [Батареи](docs/power/battery.md): 3 страницы, 5 КБ, страница без текста (скан)" in lines


def test_an_index_past_its_budget_lists_categories_instead_of_their_documents() -> None:
    tight = parse_config(b'{"name": "S", "budget": {"index_bytes": 2048}, "categories": {"net": {"description": "'
                         + b"d" * 200 + b'"}}}', "x")  # fmt: skip
    many = [
        listed(f"net/{number:02d}.pdf", f"Document {number} with a title of some length")
        for number in range(30)
    ]
    addresses = assign_addresses(document.meta.source for document in [*many, listed("power/a.pdf", "A")])
    root = category_tree([*many, listed("power/a.pdf", "A")], tight, addresses.categories)
    [index] = shelf_indexes(root, tight)[""]
    assert [(line.title, line.path) for line in index.lines] == [
        ("net", "docs/net/index.md"),
        ("power", "docs/power/index.md"),
    ]


def test_every_index_knows_the_way_up_and_its_llms_txt() -> None:
    root = tree()
    views = {view.path: view for _, view in index_views(root, shelf_indexes(root, CONFIG), CONFIG)}
    assert sorted(views) == [
        "docs/net/index.html", "docs/net/wifi/index.html", "docs/power/index.html", "index.html",
    ]  # fmt: skip
    assert [link.title for link in views["docs/net/wifi/index.html"].breadcrumbs] == ["Полка", "Сети"]
    assert views["docs/net/wifi/index.html"].llms == "docs/net/wifi/llms.txt"


def test_the_way_to_a_document_goes_through_every_category_above() -> None:
    addresses = assign_addresses(["net/wifi/ax.pdf"])
    way = breadcrumbs_to(PurePosixPath("net/wifi"), CONFIG, addresses.categories)
    assert [(link.title, link.path) for link in way] == [
        ("Полка", "index.html"),
        ("Сети", "docs/net/index.html"),
        ("Wi-Fi", "docs/net/wifi/index.html"),
    ]


def test_a_folder_without_settings_goes_by_its_name() -> None:
    assert category_title(PurePosixPath("a/мои_сети"), CONFIG) == "мои сети"
