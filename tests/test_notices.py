"""A hundred pages alike make one remark."""

from docshelf.build.engines.notices import Notices, name_pages


def test_runs_of_pages_are_named_as_runs() -> None:
    assert name_pages([3]) == "page 3"
    assert name_pages([3, 4, 5, 9]) == "pages 3-5, 9"
    assert name_pages(list(range(1, 41, 2))) == "pages 1, 3, 5, 7, 9, 11, 13, 15 and 12 more"


def test_pages_of_one_kind_make_one_remark_with_their_sum() -> None:
    notices = Notices()
    for page in range(3, 18):
        notices.add("hidden-text", page, 2)
    notices.add("no-text-layer", 20)
    scan, hidden = notices.remarks()
    assert (scan.severity, scan.code, scan.page) == ("warning", "no-text-layer", 20)
    assert scan.text == 'page 20: no text layer (grade C); run OCR first or set "hidden"'
    assert hidden.page == 3
    assert hidden.text.startswith("pages 3-17: 30 characters")


def test_nothing_noticed_is_no_remark() -> None:
    assert Notices().remarks() == ()
