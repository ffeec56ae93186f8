import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pymupdf
import pytest

from docshelf.build.converted import Block, ConversionEnd, EngineOptions, Line, Page, Reading, Remark
from docshelf.build.engines import high
from docshelf.serve.errors import MissingExtra, SourceError

BOX = (72.0, 60.0, 300.0, 90.0)


def node(kind: str, html: str) -> dict[str, Any]:
    """A block as marker 2.0.0 writes it with its JSON renderer."""
    return {"id": f"/page/0/{kind}/1", "block_type": kind, "html": html, "bbox": list(BOX), "children": None}


def page_node(*children: dict[str, Any]) -> dict[str, Any]:
    return {**node("Page", ""), "children": list(children)}


def fast_page(number: int, text: str, grade: Any = "A") -> Page:
    blocks = (Block("paragraph", BOX, (Line(text, BOX, 10.0),)),) if text else ()
    return Page(number, str(number), 595.0, 842.0, grade, blocks)


def finish(
    pages: list[Page], output: Mapping[int, Mapping[str, Any]], *remarks: Remark, with_ocr: bool = True
) -> tuple[list[Page], ConversionEnd]:
    def reading() -> Reading:
        yield from pages
        return ConversionEnd("fast", remarks=remarks)

    merged, result = high.merge(reading(), output, with_ocr), []
    while True:
        try:
            result.append(next(merged))
        except StopIteration as stop:
            return result, stop.value


def text_page(text: str) -> dict[str, Any]:
    return page_node(node("Text", f"<p>{text}</p>"))


def test_a_page_takes_the_blocks_of_marker() -> None:
    (page,), end = finish(
        [fast_page(1, "Title and text")], {1: page_node(node("SectionHeader", "<h1>Title and text</h1>"))}
    )
    assert [block.kind for block in page.blocks] == ["heading"]
    assert (page.grade, end.engine, end.remarks) == ("A", "high", ())


def test_a_page_that_marker_lost_is_read_as_by_fast_and_said_so() -> None:
    pages, end = finish(
        [fast_page(1, "kept words"), fast_page(2, "turned page with words"), fast_page(3, "never seen")],
        {1: text_page("kept words"), 2: text_page("words")},
    )
    assert [page.blocks[0].text for page in pages] == ["kept words", "turned page with words", "never seen"]
    (remark,) = end.remarks
    assert (remark.code, remark.page) == ("text-lost", 2)
    assert remark.text.startswith("pages 2-3: marker lost most of the text")


def test_a_scanned_page_that_marker_read_is_grade_b_and_no_longer_called_unread() -> None:
    unread = Remark("warning", "no-text-layer", "page 1: no text layer (grade C)", 1)
    (page,), end = finish([fast_page(1, "", "C")], {1: text_page("read by a model")}, unread)
    assert (page.grade, page.blocks[0].text) == ("B", "read by a model")
    assert [remark.code for remark in end.remarks] == ["ocr-read"]


def test_without_ocr_models_a_scanned_page_stays_a_picture() -> None:
    unread = Remark("warning", "no-unicode-map", "page 1: the fonts do not say (grade C)", 1)
    (page,), end = finish(
        [fast_page(1, "", "C")], {1: text_page("\u0001\u0002 gibberish")}, unread, with_ocr=False
    )
    assert (page.grade, page.blocks) == ("C", ())
    assert [remark.code for remark in end.remarks] == ["no-unicode-map", "no-ocr-models"]
    assert "SURYA_INFERENCE_URL" in end.remarks[1].text


def test_a_paragraph_that_goes_on_over_the_page_end_is_joined() -> None:
    begins = page_node(node("Text", '<p block-type="Text" class="has-continuation">It begins</p>'))
    pages, _ = finish(
        [fast_page(1, "It begins"), fast_page(2, "and ends")], {1: begins, 2: text_page("and ends")}
    )
    assert [page.blocks[0].joined for page in pages] == [False, True]


@dataclass
class Places:
    MODEL_CACHE_DIR: str = "/nowhere"
    FAST_LAYOUT_MODEL_CHECKPOINT: str = "hf://owner/layout"
    FAST_LAYOUT_SERVER_URL: str | None = None
    OCR_ERROR_MODEL_CHECKPOINT: str = "s3://ocr_error"
    OCR_ERROR_SERVER_URL: str | None = None
    SURYA_INFERENCE_URL: str | None = None
    SURYA_GGUF_LOCAL_MODEL_PATH: str | None = None
    SURYA_GGUF_LOCAL_MMPROJ_PATH: str | None = None
    LLAMA_CPP_BINARY: str = "llama-server"


LOCAL_OCR = {
    "SURYA_GGUF_LOCAL_MODEL_PATH": "/w/m",
    "SURYA_GGUF_LOCAL_MMPROJ_PATH": "/w/p",
    "LLAMA_CPP_BINARY": "/bin/sh",
}


@pytest.mark.parametrize(
    ("places", "here", "with_ocr"),
    [
        (Places(), {"hf://owner/layout"}, False),
        (Places(), {"hf://owner/layout", "s3://ocr_error"}, False),
        (
            Places(SURYA_INFERENCE_URL="http://127.0.0.1:8000/v1"),
            {"hf://owner/layout", "s3://ocr_error"},
            True,
        ),
        (Places(SURYA_INFERENCE_URL="http://127.0.0.1:8000/v1"), {"hf://owner/layout"}, False),
        (
            Places(
                FAST_LAYOUT_SERVER_URL="http://a",
                OCR_ERROR_SERVER_URL="http://b",
                SURYA_INFERENCE_URL="http://c",
            ),
            set(),
            True,
        ),
        (replace(Places(), **LOCAL_OCR), {"hf://owner/layout", "s3://ocr_error", "/w/m", "/w/p"}, True),
        (replace(Places(), **LOCAL_OCR), {"hf://owner/layout", "s3://ocr_error", "/w/m"}, False),
        (
            replace(Places(), **(LOCAL_OCR | {"LLAMA_CPP_BINARY": "no-such-program"})),
            {"hf://owner/layout", "s3://ocr_error", "/w/m", "/w/p"},
            False,
        ),
    ],
)
def test_ocr_needs_a_model_that_tells_and_a_model_that_reads(
    places: Places, here: set[str], with_ocr: bool
) -> None:
    assert high.find_models(places, here.__contains__) is with_ocr


def test_missing_weights_are_an_error_that_names_every_setting() -> None:
    with pytest.raises(SourceError) as caught:
        high.find_models(Places(), lambda checkpoint: False)
    assert caught.value.code == "missing-weights"
    for name in (
        "FAST_LAYOUT_MODEL_CHECKPOINT",
        "FAST_ORDER_MODEL_CHECKPOINT",
        "OCR_ERROR_MODEL_CHECKPOINT",
        "SURYA_INFERENCE_URL",
        "LLAMA_CPP_BINARY",
        "SURYA_GGUF_LOCAL_MODEL_PATH",
        "SURYA_GGUF_LOCAL_MMPROJ_PATH",
        "HF_HUB_OFFLINE=1",
    ):
        assert name in str(caught.value)


@pytest.mark.parametrize(
    "act",
    [
        high.check_available,
        lambda: next(high.read(Path("x"), EngineOptions(), pictures=Path(), password=None)),
    ],
)
def test_without_the_package_the_extra_to_install_is_named(
    act: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"'marker-pdf'.* pip install 'docshelf\[high\]'"):
        act()


class FakeMarker:
    """Stands in for marker-pdf and surya: takes a file, gives JSON of one page."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, places: Places) -> None:
        self.config: dict[str, Any] = {}
        self.stopped = 0
        self.error: Exception | None = None
        self.settings = SimpleNamespace(FONT_PATH="/nowhere/font.ttf")
        modules: dict[str, dict[str, Any]] = {
            "surya.settings": {"settings": places},
            "marker": {"__spec__": importlib.util.spec_from_loader("marker", None)},
            "marker.settings": {"settings": self.settings},
            "marker.models": {"create_model_dict": dict, "shutdown_models": self.stop},
            "marker.converters.pdf": {"PdfConverter": self.converter},
        }
        for name, attributes in modules.items():
            module = ModuleType(name)
            vars(module).update(attributes)
            monkeypatch.setitem(sys.modules, name, module)
        monkeypatch.setitem(sys.modules, "marker.converters", ModuleType("marker.converters"))
        monkeypatch.setitem(sys.modules, "surya", ModuleType("surya"))
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")

    def stop(self, models: object) -> None:
        self.stopped += 1

    def converter(self, models: object, renderer: str, config: dict[str, Any]) -> Callable[[str], Any]:
        self.config = config
        return self.render

    def render(self, file: str) -> Any:
        if self.error:
            raise self.error
        with pymupdf.open(file) as document:
            text = document[0].get_text().strip()
        page = {**page_node(node("SectionHeader", f"<h1>{text}</h1>")), "id": "/page/0/Page/7"}
        return SimpleNamespace(model_dump=lambda mode: {"children": [page]})


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeMarker:
    return FakeMarker(monkeypatch, Places(FAST_LAYOUT_MODEL_CHECKPOINT=str(tmp_path)))


def write_pdf(file: Path, **how: Any) -> Path:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 90), "A short page")
        document.save(file, **how)
    return file


@pytest.mark.parametrize(
    ("how", "password"),
    [({}, None), ({"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": "key", "owner_pw": "o"}, "key")],
    ids=["open", "locked"],
)
def test_marker_reads_a_file_offline_and_its_servers_are_stopped(
    fake: FakeMarker, tmp_path: Path, how: dict[str, Any], password: str | None
) -> None:
    file = write_pdf(tmp_path / "short.pdf", **how)
    (page,) = high.read(file, EngineOptions(), pictures=tmp_path, password=password)
    assert [(block.kind, block.text) for block in page.blocks] == [("heading", "A short page")]
    assert (os.environ["HF_HUB_OFFLINE"], fake.stopped) == ("1", 1)
    assert fake.config["disable_ocr"] is True
    assert fake.settings.FONT_PATH != "/nowhere/font.ttf"


def test_what_marker_itself_fails_on_is_an_error_with_a_way_out(fake: FakeMarker, tmp_path: Path) -> None:
    fake.error = IndexError("no page 3")
    with pytest.raises(SourceError, match=r"IndexError: no page 3.*set \"quality\" to \"layout\"") as caught:
        next(high.read(write_pdf(tmp_path / "x.pdf"), EngineOptions(), pictures=tmp_path, password=None))
    assert (caught.value.code, fake.stopped) == ("engine-failed", 1)


def test_marker_without_memory_ends_the_worker(fake: FakeMarker, tmp_path: Path) -> None:
    fake.error = MemoryError()
    with pytest.raises(MemoryError):
        next(high.read(write_pdf(tmp_path / "x.pdf"), EngineOptions(), pictures=tmp_path, password=None))


def test_weights_laid_down_where_surya_keeps_them_are_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    places = Places(MODEL_CACHE_DIR=str(tmp_path), FAST_LAYOUT_MODEL_CHECKPOINT="s3://layout/1")
    FakeMarker(monkeypatch, places)
    file = write_pdf(tmp_path / "x.pdf")
    with pytest.raises(SourceError, match="FAST_LAYOUT_MODEL_CHECKPOINT"):
        next(high.read(file, EngineOptions(), pictures=tmp_path, password=None))
    (tmp_path / "layout" / "1").mkdir(parents=True)
    (tmp_path / "layout" / "1" / "manifest.json").write_text("{}")
    assert next(high.read(file, EngineOptions(), pictures=tmp_path, password=None)).number == 1
