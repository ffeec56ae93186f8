import re
from random import Random

import pytest
from pygments.lexers import get_lexer_by_name

from docshelf.build.rendering.lexers import first_signs, quick_lexer
from docshelf.build.rendering.listings import LANGUAGES

_WORDS = """
def class for if fi select FROM function var let -> => := == != <= >> && || // -- ++ ... 0x1f 1e5 .5 EOF <<EOF
'' "" ''' r' rb" f" %s %% {{ }} { } ( ) [ ] /* */ <!-- --> <?php ?> <a b='c'> </a> # #! $ $( ${ ` ~ ^ & @
: ; , \\ -e --long key=value a.b.c ПОРТ ё ſ \u212a \ufeff \0
"""
_SPACES = (" ", "  ", "\n", "\n\n", "\t", "\r", "\\\n", '"' * 3)
"""Beginnings, ends and insides of what the languages have, and letters beyond ASCII with twins in it."""


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_quick_lexer_finds_the_tokens_that_pygments_finds(language: str) -> None:
    draw, pieces = Random(language), [*_WORDS.split(), *_SPACES]
    plain, quick = get_lexer_by_name(language, stripnl=False, ensurenl=False), quick_lexer(language)
    for _ in range(60):
        code = "".join(draw.choice(pieces) + draw.choice(("", " ", "\n")) for _ in range(40))
        assert list(quick.get_tokens(code)) == list(plain.get_tokens(code))


@pytest.mark.parametrize(
    ("expression", "flags", "signs"),
    [
        ("abc", 0, "a"),
        ("[b-d_]x", 0, "bcd_"),
        ("(?:a|b(?=c)|d+)e", 0, "abd"),
        (r"x?\d", 0, "x0123456789"),
        (r"(?<!q)\bq", 0, "q"),
        ("^(?:u(?i:v)|w)", re.MULTILINE, "uw"),
        ("(?i)k", 0, "kK"),
        ("", 0, None),
        ("a*", 0, None),
        (r"(a)?\1", 0, None),
        ("(?i)ſ", 0, None),
    ],
)
def test_a_rule_is_left_out_only_before_signs_that_it_cannot_begin_with(
    expression: str, flags: int, signs: str | None
) -> None:
    """`None`: it is tried everywhere."""
    everything = set(map(chr, range(128)))
    assert first_signs(re.compile(expression, flags)) == (everything if signs is None else set(signs))


def test_a_class_that_excludes_signs_leaves_the_others() -> None:
    found = first_signs(re.compile(r'[^"\s]'))
    assert {"a", "'", "0"} <= found
    assert not found & {'"', " ", "\n"}


def test_without_a_look_into_expressions_a_lexer_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docshelf.build.rendering.lexers.parser", None)
    code = "def add(a, b):\n    return a + b\n"
    assert [*quick_lexer("python").get_tokens(code)] == [
        *get_lexer_by_name("python", stripnl=False, ensurenl=False).get_tokens(code)
    ]
