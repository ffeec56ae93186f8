from docshelf.build.indexing.keywords import NO_WORDS, join_words, new_words, read_words, telling_words


def test_forms_of_a_word_count_together_under_the_first_of_them() -> None:
    words = read_words("Маршруты, маршрутов; маршруты и DNS, DNS: для DNS")
    assert {words.forms[root]: count for root, count in words.counts.items()} == {"маршруты": 3, "DNS": 3}


def test_short_and_common_words_say_nothing_but_short_names_do() -> None:
    text = "The manual is there, and so it is in A.2.1 and 12 of an UPS"
    assert sorted(read_words(text).forms.values()) == ["UPS", "manual"]


def test_a_word_of_a_heading_counts_as_often_as_asked() -> None:
    words = read_words("battery driver driver", "Battery", 20)
    assert {words.forms[root]: count for root, count in words.counts.items()} == {"battery": 21, "driver": 2}


def test_words_of_several_texts_are_added_up() -> None:
    words = join_words([read_words("battery driver"), read_words("Driver drivers")])
    assert {words.forms[root]: count for root, count in words.counts.items()} == {"battery": 1, "driver": 3}


def test_words_that_stand_behind_every_line_tell_nothing() -> None:
    texts = [read_words("debian packages source"), read_words("debian partition boot")]
    assert telling_words(texts) == [["packages", "source"], ["boot", "partition"]]
    assert telling_words([NO_WORDS, read_words("debian")]) == [[], []]


def test_a_word_is_new_once_and_only_where_no_form_of_it_stands() -> None:
    assert list(new_words(["маршруты", "метрика", "метрики", "шлюз"], "Статические маршрутизаторы")) == [
        "метрика",
        "шлюз",
    ]
