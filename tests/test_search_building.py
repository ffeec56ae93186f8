import random
from dataclasses import replace

import pytest
from searched_shelf import sample_documents, words_of
from written_shelf import WrittenDocument, written_document

from docshelf.build.searching.files import read_words, search_files
from docshelf.build.searching.merging import Change, changed, merged
from docshelf.build.searching.words import DocumentWords, document_words, words_from_json, words_to_json
from docshelf.serve.search.postings import LEVEL_VALUES, decode
from docshelf.serve.search.shards import CATALOG, read_catalog, read_shard, shard_path

SYLLABLES = [
    "ба",
    "ве",
    "ги",
    "до",
    "жу",
    "ки",
    "ла",
    "ме",
    "но",
    "пу",
    "ра",
    "со",
    "ти",
    "фу",
    "ха",
    "че",
    "ша",
]


def random_documents(seed: int, documents: int, sections: int) -> list[WrittenDocument]:
    """Documents of words that nobody wrote, always the same for the same arguments."""
    dice = random.Random(seed)
    words = ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 5))) for _ in range(600)]

    def text(least: int, most: int) -> str:
        return " ".join(dice.choices(words, k=dice.randint(least, most)))

    return [
        written_document(
            f"docs/c/{number:03d}", text(1, 3), [(text(1, 4), text(5, 80)) for _ in range(sections)]
        )
        for number in range(documents)
    ]


def edited(document: WrittenDocument, text: str) -> WrittenDocument:
    """The document with the text of its second section replaced."""
    path = document.meta.sections[1].path
    head = document.texts[path].split("\n\n")[:3]
    return replace(document, texts={**document.texts, path: "\n\n".join([*head, text, ""])})


def level(words: DocumentWords, word: str, section: int = 0) -> int:
    """The level of a word in a section, 0 where it does not stand there."""
    numbers, levels = decode(words.postings.get(word, ("", 0))[0])
    return dict(zip(numbers, levels, strict=True)).get(section, 0)


def test_words_of_a_document_are_stems_with_the_sections_they_stand_in() -> None:
    document = written_document("docs/a/x", "Книга", [("Порт", "Кабели подключают."), ("Кабель", "Пусто.")])
    words = document_words(document.meta, document.texts)
    assert [place.title for place in words.places] == ["Порт", "Кабель"]
    assert [place.opening for place in words.places] == ["Кабели подключают.", "Пусто."]
    assert set(words.postings) == {"книг", "порт", "кабел", "подключа", "пуст"}
    assert words.postings["кабел"][1] == 1
    assert level(words, "кабел", 1) > level(words, "кабел", 0) > 0


def test_quote_lines_page_marks_and_link_targets_are_not_searched() -> None:
    text = "[смотри](../secret/target.md#p7)\n\n<!-- p2 -->\n\n![вид](picture.png) и \\*звёздочка\\*"
    document = written_document("docs/a/x", "Книга", [("Порт", text)])
    words = document_words(document.meta, document.texts)
    assert {"вид", "смотр", "звездочк"} <= set(words.postings)
    assert not {"secret", "target", "p7", "p2", "source", "subindex", "picture.png"} & set(words.postings)


def test_lines_of_listings_give_pairs_of_their_first_words() -> None:
    document = written_document(
        "docs/a/x", "Книга", [("Порт", "слово слова\n\n```\nip route add one two\n```")]
    )
    pairs = {word for word in document_words(document.meta, document.texts).postings if "!" in word}
    assert pairs == {"ip!rout", "rout!add", "add!one"}


def test_a_word_that_stands_more_often_in_a_shorter_text_weighs_more() -> None:
    sections = [("Раз", "кабель"), ("Два", "кабель кабель кабель"), ("Три", "кабель" + " слово" * 900)]
    document = written_document("docs/a/x", "Книга", sections)
    words = document_words(document.meta, document.texts)
    once, thrice, long = (LEVEL_VALUES[level(words, "кабел", number)] for number in range(3))
    assert long < once < thrice


def test_words_survive_json() -> None:
    for words in words_of(sample_documents()):
        assert words_from_json(words_to_json(words)) == words


def test_the_index_is_the_same_bytes_whoever_makes_it() -> None:
    documents = sample_documents()
    first = search_files(merged(words_of(documents)))
    assert search_files(merged(words_of(documents[::-1]))) == first
    assert all(path.startswith("assets/search/") and path.endswith(".js") for path in first)


def test_each_file_is_a_script_of_one_call() -> None:
    for path, content in search_files(merged(words_of(sample_documents()))).items():
        name = path.removeprefix("assets/search/").removesuffix(".js")
        text = content.decode()
        assert text.startswith(f'docshelfShard("{name}",')
        assert text.endswith(");\n")
        assert text.count("\n") == 1


def test_the_words_of_a_shelf_are_read_back_from_its_index() -> None:
    shelf = merged(words_of(random_documents(1, 30, 9)))
    files = search_files(shelf)
    assert read_words(lambda path: files[path]) == shelf


def test_every_section_and_word_stands_in_the_shard_that_the_catalog_names() -> None:
    shelf = merged(words_of(random_documents(2, 40, 12)))
    files = search_files(shelf)
    catalog = read_catalog(files[shard_path(CATALOG)])

    def value(name: str) -> object:
        return read_shard(name, files[shard_path(name)])

    assert catalog.sections == 480
    assert len(catalog.places.names) > 3
    found: dict[str, str] = {}
    for first, name in zip(catalog.terms.firsts, catalog.terms.names, strict=True):
        words, postings = (part.split(" ") for part in value(name))  # type: ignore[attr-defined]
        assert words[0] == first
        assert all(catalog.terms.names[catalog.terms.at(word)] == name for word in words)
        found |= dict(zip(words, postings, strict=True))
    assert found == shelf.postings
    assert len(files) == 1 + sum(len(row.names) for row in (catalog.terms, catalog.tails, catalog.places))


@pytest.mark.parametrize("seed", range(6))
def test_an_index_that_is_changed_is_the_index_made_anew(seed: int) -> None:
    documents = random_documents(seed, 12, 5)
    dice = random.Random(seed)
    after = list(documents)
    for number in dice.sample(range(12), 3):
        after[number] = edited(documents[number], f"совсем другое {dice.choice(SYLLABLES)} {seed}")
    old, new = words_of(documents), words_of(after)
    changes = [
        Change(number * 5, old[number], new[number]) for number in range(12) if old[number] != new[number]
    ]
    shelf = changed(merged(old), changes)
    assert len(changes) == 3
    assert shelf == merged(new)
    assert search_files(shelf) == search_files(merged(new))


def test_a_change_leaves_most_shards_as_they_are() -> None:
    documents = random_documents(7, 120, 10)
    before = search_files(merged(words_of(documents)))
    after = search_files(merged(words_of([edited(documents[0], "бабаба новое"), *documents[1:]])))
    new = [path for path in after if after[path] != before.get(path)]
    assert len(after) > 30
    assert len(new) < len(after) / 2


def test_a_shelf_without_documents_has_an_index_of_nothing() -> None:
    files = search_files(merged([]))
    assert list(files) == ["assets/search/index.js"]
    assert read_catalog(files["assets/search/index.js"]).sections == 0
