from test_shelf import CONFIG, listed, tree

from docshelf.build.indexing.indexes import write_index
from docshelf.build.indexing.shelf import Category, shelf_indexes
from docshelf.build.rendering.home import home_cards, home_index
from docshelf.build.rendering.pages import LinkTo


def test_each_category_has_a_card_with_what_stands_behind_it() -> None:
    power, net = home_cards(tree(), CONFIG)
    assert (power.title, power.path, power.about) == ("Питание", "docs/power/index.html", "ИБП и батареи")
    assert (power.group, net.group) == ("Техника", "Техника")
    assert power.extent.replace("\N{NO-BREAK SPACE}", " ") == "2 документа, 10 КБ"
    assert power.first == (LinkTo("Батареи", "docs/power/battery.html"), LinkTo("ИБП", "docs/power/ups.html"))
    assert [link.title for link in net.first] == ["Ёлка", "Енот", "Яркий экран", "Стандарт ax"]


def test_the_home_lists_below_its_cards_what_stands_in_no_category() -> None:
    root = tree()
    text = write_index(home_index(shelf_indexes(root, CONFIG)[""], root, CONFIG))
    assert [line.partition("]")[0] for line in text.split("\n") if line.startswith("- ")] == [
        "- [С чего начать"
    ]


def test_a_shelf_without_categories_lists_its_documents_as_they_are() -> None:
    root = Category("", "Полка", CONFIG.categories[next(iter(CONFIG.categories))], [listed("a.pdf", "А")])
    indexes = shelf_indexes(root, CONFIG)[""]
    assert home_cards(root, CONFIG) == ()
    assert home_index(indexes, root, CONFIG) is indexes[0]
