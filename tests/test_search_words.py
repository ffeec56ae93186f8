import pytest

from docshelf.serve.search.layouts import other_layout
from docshelf.serve.search.words import Token, fold, one_script, other_script, token_words, tokens


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ещё Ёмкость", "еще Емкость"),
        ("е\u0308 и\u0306", "е й"),
        ("за\u0301мок", "замок"),
        ("Й и й", "Й и й"),
        ("naïve ﬁle м²", "naive file м2"),
        ("пере\u00adнос \u200bх", "перенос х"),
        ("\U0001f600word\U0001d400", " wordA"),
    ],
)
def test_accents_and_compatibility_forms_are_folded_away(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("ip route add 10.0.0.1/24, done.", ["ip", "route", "add", "10.0.0.1/24", "done"]),
        ("--no-cache C++ c# (PoE+)", ["no-cache", "C++", "c#", "PoE+"]),
        ("a+b x#y", ["a", "b", "x", "y"]),
        ("00:1a:2b user@host.example", ["00:1a:2b", "user@host.example"]),
        ("конец.Начало", ["конец.Начало"]),
        ("\ud800 . , ! \0", []),
    ],
)
def test_identifiers_stay_in_one_piece(text: str, cut: list[str]) -> None:
    assert tokens(text) == cut


@pytest.mark.parametrize(
    ("token", "found"),
    [
        ("Router", Token((), ("router",))),
        ("nextUpdate", Token((), ("nextupdate", "next", "update"))),
        ("10.0.0.1", Token(("10.0.0.1",), ())),
        ("802.1q", Token(("802.1q",), ("802", "1q"))),
        ("IPv4", Token((), ("ipv4",))),
        ("net.ipv4.ip_forward", Token(("net.ipv4.ip_forward",), ("net", "ipv4", "ip", "forward"))),
        ("wi-fi", Token(("wi-fi", "wifi"), ("wi", "fi"))),
        ("конец.Начало", Token((), ("конец", "начало"))),
        ("IP-адрес", Token((), ("ip", "адрес"))),
        ("etc/sysctl.conf", Token(("etc/sysctl.conf",), ("etc", "sysctl.conf", "sysctl", "conf"))),
        ("c++", Token(("c++",), ("c",))),
        ("cиcтема", Token((), ("система",))),
    ],
)
def test_a_token_is_found_by_itself_and_by_its_parts(token: str, found: Token) -> None:
    assert token_words(token) == found


def test_endless_words_are_cut() -> None:
    assert token_words("a" * 1000).words == ("a" * 64,)
    assert token_words("a." * 1000 + "b").whole == (("a." * 32),)


def test_a_word_of_two_scripts_is_read_in_the_one_most_letters_have() -> None:
    assert one_script("cиcтема") == "система"
    assert one_script("пhone") == "пhone"
    assert one_script("аdmin") == "admin"


def test_letters_of_the_other_script_are_taken_for_their_twins() -> None:
    assert other_script("вес") == "bec"
    assert other_script("cop") == "сор"
    assert other_script("жук") == ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("yfcnhjqrf", "настройка"), ("j,]tv", "объем"), ("руддщ", "hello"), ("Ghbdtn", "привет")],
)
def test_letters_of_the_wrong_layout_are_read_by_their_keys(typed: str, meant: str) -> None:
    assert other_layout(typed) == meant


def test_a_text_can_be_cut_at_spaces_before_it_is_folded() -> None:
    pieces = [
        "е\u0308",
        "\u0301а",
        "\u0338=",
        "x\u200b",
        "\u1100",
        "\u1161",
        "a-",
        "-b",
        "ﬁ\u00a0м²",
        "\u00a8",
        "C++",
        "…",
        "10.0.0.1",
    ]
    for space in (" ", "\n", "\t", "\u00a0", "\u2028", "\u3000", "\x1c"):
        text = space.join([*pieces, *reversed(pieces)])
        assert [token for piece in text.split() for token in tokens(fold(piece))] == tokens(fold(text))
