import pytest

from docshelf.build.planning.slugs import SLUG_BYTES, heading_anchors, slug, unique_slugs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Глава 5. Маршрутизация", "glava-5-marshrutizatsiya"),
        ("щука", "shchuka"),
        ("Подъезд", "podezd"),
        ("йод и ёмкость", "yod-i-yomkost"),
        ("и\u0306од и е\u0308мкость", "yod-i-yomkost"),
        ("иод и емкость", "iod-i-emkost"),
        ("日本語", "ribenyu"),
        ("emoji😀", "emoji-grinning"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("naïve Größe", "naive-grosse"),
        ("don't", "dont"),
        ("***", "document"),
        ("", "document"),
        ("../../etc/passwd", "etc-passwd"),
        ("con", "document-con"),
        ("COM1", "document-com1"),
        ("index", "document-index"),
        ("subindex-2", "document-subindex-2"),
        ("-rf", "rf"),
        (".hidden", "hidden"),
    ],
)
def test_a_name_becomes_a_readable_ascii_slug(text: str, expected: str) -> None:
    assert slug(text, "document") == expected


def test_a_long_name_is_cut_at_a_word_and_never_passes_80_bytes() -> None:
    name = slug("порядок проверки оптической мощности " * 10, "document")
    assert len(name) <= SLUG_BYTES
    assert name.endswith(("poryadok", "proverki", "opticheskoy", "moshchnosti"))
    assert slug("я" * 300, "document") == "ya" * (SLUG_BYTES // 2)
    assert slug("how to set up failover", "section", 16) == "how-to-set-up"


def test_names_that_meet_take_the_parents_slug() -> None:
    names = [("obzor", "port-1"), ("obzor", "port-2"), ("sbros", "port-2")]
    assert unique_slugs(names) == ["port-1-obzor", "port-2-obzor", "sbros"]


def test_names_that_still_meet_are_numbered_in_order() -> None:
    assert unique_slugs([("a", "x"), ("a", "x"), ("a", "")]) == ["x-a", "x-a-2", "a"]


def test_a_numbered_name_never_takes_one_that_stands_alone() -> None:
    assert unique_slugs([("a", ""), ("a", ""), ("a-2", "")]) == ["a", "a-3", "a-2"]


def test_a_heading_never_takes_the_anchor_of_a_page() -> None:
    assert heading_anchors(["P12", "Обзор", "Обзор"]) == ["h-p12", "obzor", "obzor-2"]
