import re

import pytest

from docshelf.build.rendering.listings import LANGUAGES, MAX_LINE_SIGNS, MAX_SIGNS, highlighted


def test_words_of_a_known_language_stand_in_spans_with_the_classes_of_pygments() -> None:
    assert highlighted("$ ping -c 1 <host>\nok & out\n", "console") == (
        '<span class="gp">$ </span>ping -c <span class="m">1</span> &lt;host&gt;\n'
        '<span class="go">ok &amp; out\n</span>'
    )


def test_any_other_language_leaves_the_text_plain() -> None:
    assert highlighted('set "x" <y>', "veyraos") == "set &quot;x&quot; &lt;y&gt;"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_has_a_lexer_that_loses_nothing_and_lets_nothing_through(language: str) -> None:
    code = "\n\n  <script>alert('1')</script> \"x\" & {{ y }} `z` $(w) # q\n\tend\n"
    html = highlighted(code, language)
    text = re.sub(r'<span class="[a-z]{1,2}">|</span>', "", html)
    assert "<" not in text
    assert text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&") == code


def test_what_would_take_a_lexer_long_stays_plain() -> None:
    assert "span" in highlighted("x = 1\n", "python")
    assert "span" not in highlighted("x = 1\n" * MAX_SIGNS, "python")
    assert "span" not in highlighted("x = 1" + " " * MAX_LINE_SIGNS, "python")
