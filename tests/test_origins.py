"""Which hosts a server answers to and which web pages may ask."""

import pytest

from docshelf.serve.errors import ConfigError
from docshelf.serve.http.origins import AllowList, is_loopback, make_allow_list

OWN = "192.168.7.5"


def allow_list(bound: str = "127.0.0.1") -> AllowList:
    return make_allow_list(bound, ["shelf.lan", "2001:DB8::1"], ["https://chat.lan/", "http://Chat.LAN:3000"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8080",
        "LOCALHOST",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:8080",
        "[0:0:0:0:0:0:0:1]",
        "shelf.lan",
        "Shelf.LAN:443",
        "shelf.lan.",
        "[2001:db8:0::1]:8080",
        "192.168.7.5:8080",
    ],
)
def test_a_listed_host_is_answered_whatever_its_port(host: str) -> None:
    assert allow_list().allows_host(host, OWN)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "shelf.lan.evil.example",
        "xshelf.lan",
        "192.168.7.6",
        "shelf.lan:80:80",
        "shelf.lan:x",
        "shelf.lan@evil.example",
        "evil.example#shelf.lan",
        "shelf.lan/",
        "shelf.lan evil.example",
        "::1",
        "[::1",
        "127.0.0.1.evil.example",
        "2130706433",
        "0.0.0.0",
        "шелф.lan",
    ],
)
def test_any_other_host_is_not(host: str) -> None:
    assert not allow_list().allows_host(host, OWN)


@pytest.mark.parametrize(("bound", "host"), [("shelf.local", "Shelf.local:8080"), ("10.1.2.3", "10.1.2.3")])
def test_a_server_answers_to_what_it_is_bound_to(bound: str, host: str) -> None:
    assert allow_list(bound).allows_host(host, OWN)


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", ""])
def test_an_open_server_answers_to_no_more_names(bound: str) -> None:
    assert not allow_list(bound).allows_host("evil.example", OWN)
    assert not allow_list(bound).allows_host(bound, OWN)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:3000", "127.0.0.1:8080"),
        ("http://127.0.0.1:8080", "localhost:8080"),
        ("http://[::1]:9", "localhost"),
        ("http://192.168.7.5:8080", "192.168.7.5:8080"),
        ("https://shelf.lan", "shelf.lan"),
        ("https://shelf.lan", "shelf.lan:443"),
        ("http://shelf.lan:80", "shelf.lan"),
        ("https://chat.lan", "shelf.lan"),
        ("http://chat.lan:3000", "127.0.0.1:8080"),
    ],
)
def test_a_page_of_the_same_place_or_a_listed_one_may_ask(origin: str, host: str) -> None:
    assert allow_list().allows_origin(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://evil.example", "127.0.0.1:8080"),
        ("http://localhost.evil.example", "localhost"),
        ("http://localhost:3000", "shelf.lan"),
        ("http://shelf.lan:3000", "shelf.lan"),
        ("http://192.168.7.6:8080", "192.168.7.5:8080"),
        ("https://chat.lan.evil.example", "shelf.lan"),
        ("http://chat.lan", "shelf.lan"),
        ("https://chat.lan/page", "shelf.lan"),
        ("ftp://shelf.lan", "shelf.lan"),
        ("null", "localhost"),
        ("", ""),
        ("http://[", "["),
        ("http://user@shelf.lan", "shelf.lan"),
    ],
)
def test_a_foreign_page_may_not_ask(origin: str, host: str) -> None:
    assert not allow_list().allows_origin(origin, host)


def test_only_a_listed_page_may_read_the_answers() -> None:
    assert allow_list().lists_origin("https://chat.lan")
    assert allow_list().lists_origin("http://chat.lan:3000")
    assert not allow_list().lists_origin("http://localhost:3000")


def test_all_wrong_values_are_named_at_once() -> None:
    hosts = ["http://shelf.lan", "shelf.lan:80", "a b", "*"]
    origins = ["chat.lan", "https://chat.lan/page", "*", "null"]

    with pytest.raises(ConfigError) as caught:
        make_allow_list("127.0.0.1", hosts, origins)

    for value, problem in zip([*hosts, *origins], caught.value.problems, strict=True):
        assert repr(value) in problem


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.0.0.2", "::1"])
def test_this_machine_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "shelf.lan", "10.0.0.1", ""])
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_loopback(host)
