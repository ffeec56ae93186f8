import json
from pathlib import PurePosixPath

import pytest

from docshelf.serve.config import Budget, Keep, Limits, parse_config, parse_sidecar, password_of
from docshelf.serve.errors import ConfigError


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text.encode(), "folder")
    return list(caught.value.problems)


def test_an_empty_config_names_the_shelf_after_its_folder() -> None:
    config = parse_config(b"{}", "manuals")
    assert (config.name, config.default_language, config.quality, config.split) == (
        "manuals",
        "en",
        "auto",
        True,
    )
    assert config.heading_sources == ("bookmarks", "contents", "fonts")
    assert config.budget == Budget(8192, 12288, 2048, 24576)
    assert config.limits["layout"] == Limits(600, 4096)
    assert config.keep == Keep(5, 3600)
    assert (config.include_sources, config.page_pictures, config.repair_text) == (True, "scans", True)


def test_every_key_is_read() -> None:
    config = parse_config(
        json.dumps(
            {
                "name": "Полка", "description": "Всё о сети", "base_url": "https://shelf.lan/docs",
                "default_language": "ru", "quality": "layout", "split": False,
                "heading_sources": ["fonts"], "repair_text": False,
                "categories": {"a/b": {"title": "Б", "description": "д", "order": 2, "group": "г", "quality": "fast"}},
                "budget": {"index_bytes": 4096, "section_bytes": 8192, "section_min_bytes": 1024,
                           "section_max_bytes": 16384},
                "limits": {"fast": {"time_s": 5, "memory_mb": 512}},
                "include_sources": False, "page_pictures": "doubtful", "keep": {"count": 2, "age_s": 60},
                "theme": "../theme",
            }
        ).encode(),
        "folder",
    )  # fmt: skip
    assert config.base_url == "https://shelf.lan/docs/"
    assert config.categories[PurePosixPath("a/b")].group == "г"
    assert config.limits["fast"] == Limits(5, 512)
    assert config.limits["high"] == Limits(1800, 16384)
    assert (config.theme, config.heading_sources) == ("../theme", ("fonts",))


def test_all_problems_are_named_at_once() -> None:
    found = problems(
        '{"nmae": "x", "quality": "best", "keep": {"count": 0}, "categories": {"a": {"titel": "b"}}}'
    )
    assert found == [
        ".docshelf.json: categories: a: unknown key 'titel'; valid keys: title, description, order, group, quality",
        ".docshelf.json: quality: 'best' is none of fast, auto, layout, high",
        ".docshelf.json: keep: count: must be 1 to 1000, is 0",
        (
            ".docshelf.json: unknown key 'nmae'; valid keys: name, description, base_url, default_language, "
            "categories, quality, split, heading_sources, repair_text, budget, limits, include_sources, "
            "page_pictures, keep, compress, theme"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "line 1: Expecting property name"),
        ("[]", "must be an object, is a list"),
        ('{"name": 5}', "name: must be text, is a whole number"),
        ('{"name": "a\\nb"}', "name: must be one line of text"),
        ('{"split": 1}', "split: must be true or false, is a whole number"),
        ('{"name": "a", "name": "b"}', "key name stands twice"),
        ('{"base_url": "javascript:alert(1)"}', "is no http or https address"),
        ('{"base_url": "https://a/?q=1"}', "is no http or https address"),
        ('{"default_language": "русский"}', "is no language tag"),
        ('{"categories": {"../a": {}}}', "must be a folder inside the source folder"),
        ('{"heading_sources": ["fonts", "fonts"]}', "names a word twice"),
        ('{"budget": {"section_bytes": 30000}}', "must hold section_min_bytes ≤ section_bytes"),
        ('{"keep": {"count": true}}', "count: must be a whole number, is true or false"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_right(text: str, problem: str) -> None:
    assert any(problem in line for line in problems(text))


def test_a_config_that_is_no_utf8_is_named() -> None:
    with pytest.raises(ConfigError, match="codec can't decode"):
        parse_config('{"name": "Полка"}'.encode("cp1251"), "folder")


def test_a_sidecar_leaves_to_the_shelf_what_it_does_not_say() -> None:
    config = parse_sidecar(b'{"title": "T", "hidden": true}', "a.meta.json")
    assert (config.title, config.hidden, config.quality, config.split, config.repair_text) == (
        "T",
        True,
        None,
        None,
        None,
    )


def test_a_password_is_never_written_into_a_sidecar(monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse_sidecar(b'{"password_env": "SHELF_PASSWORD"}', "a.meta.json")
    with pytest.raises(ConfigError, match="the variable SHELF_PASSWORD is not set"):
        password_of(config, "a.pdf")
    monkeypatch.setenv("SHELF_PASSWORD", "secret")
    assert password_of(config, "a.pdf") == "secret"
    with pytest.raises(ConfigError, match="must be the name of an environment variable"):
        parse_sidecar(b'{"password_env": "my secret!"}', "a.meta.json")
