from docshelf.build.planning.addresses import Address, assign_addresses


def addresses(*paths: str) -> dict[str, str]:
    return {path: address.base for path, address in assign_addresses(paths).documents.items()}


def test_a_document_stands_under_its_folders() -> None:
    assert addresses("Сети/Wi-Fi/Стандарты.pdf", "читай.pdf") == {
        "Сети/Wi-Fi/Стандарты.pdf": "docs/seti/wi-fi/standarty",
        "читай.pdf": "docs/chitay",
    }


def test_names_that_meet_take_the_folders_slug_then_a_number() -> None:
    assert addresses("sep/a b.pdf", "sep/a-b.pdf", "sep/a_b.pdf") == {
        "sep/a b.pdf": "docs/sep/sep-a-b",
        "sep/a-b.pdf": "docs/sep/sep-a-b-2",
        "sep/a_b.pdf": "docs/sep/sep-a-b-3",
    }


def test_a_folder_and_a_document_of_one_name_do_not_meet() -> None:
    found = addresses("x/manual.pdf", "x/manual/a.pdf")
    assert found == {"x/manual.pdf": "docs/x/x-manual-2", "x/manual/a.pdf": "docs/x/x-manual/a"}


def test_names_differing_only_in_case_or_unicode_form_get_two_addresses() -> None:
    found = addresses("Readme.pdf", "README.pdf", "йод.pdf", "и\u0306од.pdf")
    assert len(set(found.values())) == 4


def test_all_names_that_met_are_named() -> None:
    assert assign_addresses(["b.pdf", "щука.pdf", "shchuka.pdf"]).met == ("shchuka.pdf", "щука.pdf")


def test_addresses_do_not_depend_on_the_order_of_the_sources() -> None:
    paths = ["a b.pdf", "a-b.pdf", "c/d.pdf", "c/D.pdf"]
    assert addresses(*paths) == addresses(*reversed(paths))


def test_an_address_names_every_place_of_its_document() -> None:
    address = Address("net/wi-fi", "ax")
    assert (address.home, address.short, address.subindex) == (
        "docs/net/wi-fi",
        "docs/net/wi-fi/ax.md",
        "docs/net/wi-fi/ax/subindex.md",
    )
    assert (address.meta, address.source(".pdf"), address.pictures) == (
        "docs/net/wi-fi/ax.meta.json",
        "sources/net/wi-fi/ax.pdf",
        "pictures/net/wi-fi/ax",
    )
    assert Address("", "a").home == ""
