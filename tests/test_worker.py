import io
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import faulty_jobs
import pytest

from docshelf.build.workers import worker
from docshelf.serve.errors import SourceError


def request(call: str, memory_mb: int = 512, file_mb: int = 4096, **job: object) -> dict[str, Any]:
    return {"call": f"faulty_jobs:{call}", "job": job, "memory_mb": memory_mb, "file_mb": file_mb}


def converse(*requests: dict[str, Any], parent: int | None = None) -> tuple[list[dict[str, Any]], int]:
    """The answers of a real worker to these requests and the end of its stdin, and its exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "docshelf.build.workers.worker", str(parent or os.getpid())],
        input="".join(f"{number} {json.dumps(each)}\n" for number, each in enumerate(requests, 1)),
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    greeting, *answers = done.stdout.splitlines() or [""]
    numbered = [answer.partition(" ") for answer in answers]
    assert [number for number, _, _ in numbered] == [str(number + 1) for number in range(len(numbered))]
    return [json.loads(it) for it in (greeting, *(text for _, _, text in numbered)) if it], done.returncode


def test_it_says_when_it_is_ready_answers_line_by_line_and_ends_with_its_input() -> None:
    answers, status = converse(request("answer", answer="раз"), request("answer", answer=2))
    assert answers == [{"ready": True}, {"ok": "раз"}, {"ok": 2}]
    assert status == 0


def test_it_does_not_outlive_a_parent_that_went_before_it_started() -> None:
    assert converse(request("answer", answer=1), parent=1) == ([], 0)


def test_it_ends_itself_when_a_job_ran_out_of_memory() -> None:
    answers, _ = converse(request("eat_python_memory"), request("answer", answer="too late"))
    assert answers[0] == {"ready": True}
    assert [answer["error"]["code"] for answer in answers[1:]] == ["out-of-memory"]


def test_it_asks_for_a_fresh_worker_when_earlier_jobs_left_too_little_room() -> None:
    answers, _ = converse(request("hold_memory", keep_mb=300), request("answer", answer=1))
    assert answers[2:] == [{"stale": True}]


def test_what_a_warm_up_keeps_is_no_reason_for_a_fresh_worker() -> None:
    warm_up = {**request("hold_memory", keep_mb=300), "warm_up": True}
    answers, _ = converse(warm_up, *[request("answer", answer=n) for n in range(3)])
    assert [set(answer) for answer in answers] == [{"ready"}, *[{"ok"}] * 4]


def test_what_jobs_leave_beside_a_warm_up_is_measured_by_the_room_it_left() -> None:
    warm_up = {**request("hold_memory", keep_mb=300), "warm_up": True}
    answers, _ = converse(warm_up, request("hold_more_memory", keep_mb=150), request("answer", answer=1))
    assert [set(answer) for answer in answers] == [{"ready"}, {"ok"}, {"ok"}, {"stale"}]


def test_the_limit_may_go_up_again_after_a_small_job() -> None:
    answers, _ = converse(request("answer", 128, answer=1), request("hold_memory", 1024, keep_mb=600))
    assert [set(answer) for answer in answers] == [{"ready"}, {"ok"}, {"ok"}]


def test_a_file_that_grows_past_its_limit_is_an_error_with_a_name(tmp_path: Path) -> None:
    answers, _ = converse(request("write_file", file_mb=1, file=str(tmp_path / "big"), write_mb=2))
    assert answers[1]["error"]["code"] == "output-too-large"
    assert answers[1]["error"]["text"].startswith("OSError: [Errno 27] File too large")


def test_the_file_limit_holds_for_one_job_only(tmp_path: Path) -> None:
    answers, _ = converse(
        request("write_file", file_mb=1, file=str(tmp_path / "small"), write_mb=1),
        request("write_file", file_mb=3, file=str(tmp_path / "big"), write_mb=2),
    )
    assert answers[1:] == [{"ok": 1 << 20}, {"ok": 2 << 20}]


def test_it_leaves_no_core_file() -> None:
    answers, _ = converse(request("core_limit"))
    assert answers[1] == {"ok": [0, 0]}


def test_nothing_heavy_is_imported_before_the_first_job() -> None:
    answers, _ = converse(request("loaded_modules"))
    heavy = {"pymupdf", "pymupdf4llm", "numpy", "onnxruntime", "starlette", "logging", "subprocess"}
    # faulty_jobs itself needs subprocess.
    assert heavy & set(answers[1]["ok"]) <= {"subprocess"}


def test_a_call_that_does_not_exist_is_told_apart_from_a_bad_document() -> None:
    answers, _ = converse(request("no_such_call"), {**request("x"), "call": "no_such_module:x"})
    assert (
        answers[1]["error"]["text"] == "AttributeError: module 'faulty_jobs' has no attribute 'no_such_call'"
    )
    assert answers[2]["error"]["text"] == "ModuleNotFoundError: No module named 'no_such_module'"


def test_limits_are_put_back_after_a_job() -> None:
    before = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_FSIZE)
    answer, goes_on = worker.run_job(request("answer", 100_000, answer=1))
    assert (json.loads(answer), goes_on) == ({"ok": 1}, True)
    assert (resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_FSIZE)) == before


def test_a_source_error_keeps_its_code_and_text_and_has_no_trace() -> None:
    assert worker.describe(SourceError("damaged", "cut\nshort")) == {"code": "damaged", "text": "cut short"}


def test_another_exception_has_a_trace_for_developers() -> None:
    with pytest.raises(ValueError, match="bad pdf") as caught:
        faulty_jobs.raise_value_error({"message": "bad pdf"})
    fault = worker.describe(caught.value)
    assert (fault["code"], fault["text"]) == ("crashed", "ValueError: bad pdf")
    assert "in raise_value_error" in fault["trace"]


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (MemoryError(), "out-of-memory", "MemoryError"),
        (
            OSError(12, "Cannot allocate memory"),
            "out-of-memory",
            "OSError: [Errno 12] Cannot allocate memory",
        ),
        (
            RuntimeError("code=2: calloc (3 x 5 bytes) failed"),
            "out-of-memory",
            "RuntimeError: code=2: calloc (3 x",
        ),
        (
            RuntimeError("Failed to allocate memory for requested buffer"),
            "out-of-memory",
            "RuntimeError: Failed to",
        ),
        (OSError(28, "No space left on device"), "disk", "OSError: [Errno 28] No space left on device"),
        (FileNotFoundError(2, "No such file"), "engine-failed", "FileNotFoundError: [Errno 2] No such file"),
        (ImportError("no module"), "engine-failed", "ImportError: no module"),
        (OSError("a library's own"), "crashed", "OSError: a library's own"),
        (ValueError("object at 0x7f3a5c0012d0"), "crashed", "ValueError: object at 0x…"),
        (ValueError("two\n lines"), "crashed", "ValueError: two lines"),
        (ValueError("\udcff name"), "crashed", "ValueError: \\udcff name"),
        (ValueError("x" * 600), "crashed", "ValueError: " + "x" * 487 + "…"),
    ],
)
def test_faults_have_a_code_and_one_line_that_is_the_same_in_every_run(
    error: Exception, code: str, text: str
) -> None:
    fault = worker.describe(error)
    assert fault["code"] == code
    assert fault["text"].startswith(text)
    assert len(fault["text"]) <= 500


def test_serving_stops_after_a_job_that_ran_out_of_memory() -> None:
    requests = [
        b"1 " + json.dumps(request(call, 100_000, answer=1)).encode()
        for call in ("answer", "fail_as_mupdf_does_without_memory")
    ]
    answers = io.BytesIO()
    worker.serve([*requests, requests[0]], answers)
    assert [set(json.loads(line[2:])) for line in answers.getvalue().splitlines()] == [{"ok"}, {"error"}]
