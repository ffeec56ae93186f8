"""When a folder that changes may be built; times are given by hand."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from watching import small_pdf

from docshelf.build.watching.folder_state import FolderState
from docshelf.build.watching.settling import Settling, looks_half_written

HALF = {Path("half.pdf"), Path("other-half.pdf")}


def state(**versions: int) -> FolderState:
    """A folder whose files have these versions; `half` stands for half.pdf."""
    marks: Mapping[str, tuple[int]] = {name: (version,) for name, version in versions.items()}
    return FolderState(marks, {name: Path(f"{name}.pdf") for name in versions}, frozenset())


@pytest.fixture
def settling() -> Settling:
    return Settling(lambda file: file in HALF)


def test_what_was_built_is_the_same_until_it_changes(settling: Settling) -> None:
    assert settling.judge(state(a=1), state(a=1), 10) == "same"
    assert settling.judge(state(a=2), state(a=1), 11) == "moving"
    assert settling.judge(state(a=1), state(a=1), 12) == "same"


def test_a_change_may_be_built_after_three_hundredths_of_a_second_of_quiet(settling: Settling) -> None:
    built = state(a=1)
    assert settling.judge(built, built, 9) == "same"
    assert settling.judge(state(a=2), built, 10) == "moving"
    assert settling.judge(state(a=2), built, 10.02) == "moving"
    assert settling.judge(state(a=2), built, 10.04) == "settled"


def test_an_empty_folder_is_built_too_at_first(settling: Settling) -> None:
    assert settling.judge(state(), None, 10) == "settled"


def test_saves_in_a_row_wait_for_each_other_but_not_for_more_than_five_seconds(settling: Settling) -> None:
    built = state(a=0)
    verdicts = [settling.judge(state(a=number), built, number * 0.025) for number in range(1, 250)]
    assert verdicts.index("settled") == 200  # the first look at a change is at 0.025 s, this one at 5.025 s


def test_a_folder_is_looked_at_less_often_the_longer_it_moves(settling: Settling) -> None:
    built = state(a=1)
    pauses_s = []
    for now_s in (10.0, 11.0, 40.0):
        assert settling.judge(state(a=1, half=int(now_s)), built, now_s) == "moving"
        pauses_s.append(settling.pause_s(now_s))
    assert pauses_s == pytest.approx([0.03, 0.1, 3.0])
    assert settling.judge(built, built, 41) == "same"
    assert settling.judge(state(a=2), built, 3600) == "moving"
    assert settling.pause_s(3600) == pytest.approx(0.03)


@pytest.mark.parametrize("gone", [state(), state(b=1)], ids=["removed", "renamed"])
def test_a_file_that_goes_is_a_change(gone: FolderState, settling: Settling) -> None:
    assert settling.judge(state(a=1), state(a=1), 9) == "same"
    assert settling.judge(gone, state(a=1), 10) == "moving"
    assert settling.judge(gone, state(a=1), 11) == "settled"


def test_a_half_written_file_is_waited_for_as_long_as_it_grows(settling: Settling) -> None:
    built, now_s = state(), 0.0
    for size in range(1, 100):
        now_s += 2
        assert settling.judge(state(half=size), built, now_s) == "moving"
    assert settling.judge(state(half=99), built, now_s + 2.9) == "moving"
    assert settling.judge(state(half=99), built, now_s + 3) == "settled"


def test_a_half_written_file_holds_up_others_for_a_minute_at_most(settling: Settling) -> None:
    built = state(a=1)
    assert settling.judge(built, built, 0) == "same"
    for second in range(1, 60):
        assert settling.judge(state(a=2, half=second), built, second) == "moving"
    assert settling.judge(state(a=2, half=59), built, 61) == "settled"


def test_two_half_written_files_are_no_reason_to_build(settling: Settling) -> None:
    for second in range(1, 100):
        assert settling.judge(state(half=second, **{"other-half": second}), state(), second) == "moving"


def test_a_file_that_was_half_and_is_whole_now_is_not_waited_for() -> None:
    halves = {Path("a.pdf")}
    settling = Settling(lambda file: file in halves)
    assert settling.judge(state(a=1), state(), 10) == "moving"
    assert settling.judge(state(a=1), state(), 11) == "moving"
    halves.clear()
    assert settling.judge(state(a=2), state(), 12) == "moving"
    assert settling.judge(state(a=2), state(), 12.2) == "settled"


WHOLE = small_pdf("# Title\nText")


@pytest.mark.parametrize(
    ("name", "content", "half"),
    [
        ("a.pdf", WHOLE, False),
        ("a.pdf", WHOLE + b"\n" * 900, False),
        ("a.PDF", WHOLE[:-40], True),
        ("a.pdf", WHOLE + b"\0" * 5000, True),
        ("a.pdf", b"", True),
        ("a.pdf", b"%PDF-1.4\n1 0 obj\n<</Linearized 1/L 5000>>\nendobj\n%%EOF\n", True),
        ("a.pdf", b"%PDF-1.4\n1 0 obj\n<</Linearized 1/L 40>>\nendobj\n%%EOF\n", False),
        (".docshelf.json", b"{}", False),
        (".docshelf.json", b"", True),
    ],
    ids=[
        "whole",
        "line-ends-behind",
        "cut",
        "room-reserved",
        "empty",
        "first-part-of-linearized",
        "linearized-and-appended-to",
        "settings",
        "settings-emptied",
    ],
)
def test_a_half_written_file_shows_at_its_end(name: str, content: bytes, half: bool, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert looks_half_written(file) is half


def test_a_file_that_cannot_be_opened_yet_is_half_written(tmp_path: Path) -> None:
    assert looks_half_written(tmp_path / "gone.pdf")
