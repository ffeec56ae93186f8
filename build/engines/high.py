"""Engine `high`: marker-pdf reads structure, and text from pictures, with models that run on this machine.

What it needs beside the package, laid down beforehand, since no connection is opened to the outside:

    FAST_LAYOUT_MODEL_CHECKPOINT   folder of the layout model (or FAST_LAYOUT_SERVER_URL)
    FAST_ORDER_MODEL_CHECKPOINT    folder of the reading-order model; without it pages are read top down
    OCR_ERROR_MODEL_CHECKPOINT     folder of the model that tells bad text layers (or OCR_ERROR_SERVER_URL)
    SURYA_INFERENCE_URL            a server that reads pictures, or LLAMA_CPP_BINARY with
                                   SURYA_GGUF_LOCAL_MODEL_PATH and SURYA_GGUF_LOCAL_MMPROJ_PATH

The last two are for OCR: where they are missing, scanned pages stay pictures and a remark says so. marker
starts its model servers by itself and leaves them running for the next document; they end with the worker.
"""

import importlib
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from docshelf.build.converted import Block, ConversionEnd, EngineOptions, Reading, Remark
from docshelf.build.engines import fast
from docshelf.build.engines.marker_blocks import goes_on, marker_page_blocks
from docshelf.build.engines.notices import name_pages
from docshelf.build.engines.opening import open_pdf
from docshelf.serve.errors import MissingExtra, SourceError

KEPT_SHARE = 0.5
"""Share of a page's printed characters that marker must give back; below it the page is read as by `fast`."""
_SCAN_CODES = ("no-text-layer", "scanned-body", "no-unicode-map")
_LAYOUT_HELP = "lay the weights down and name their folder in FAST_LAYOUT_MODEL_CHECKPOINT and FAST_ORDER_MODEL_CHECKPOINT"
_OCR_HELP = (
    "set OCR_ERROR_MODEL_CHECKPOINT, and SURYA_INFERENCE_URL, or LLAMA_CPP_BINARY with"
    " SURYA_GGUF_LOCAL_MODEL_PATH and SURYA_GGUF_LOCAL_MMPROJ_PATH"
)


class Settings(Protocol):
    """The part of `surya.settings.settings` that says where models are."""

    MODEL_CACHE_DIR: str
    FAST_LAYOUT_MODEL_CHECKPOINT: str
    FAST_LAYOUT_SERVER_URL: str | None
    OCR_ERROR_MODEL_CHECKPOINT: str
    OCR_ERROR_SERVER_URL: str | None
    SURYA_INFERENCE_URL: str | None
    SURYA_GGUF_LOCAL_MODEL_PATH: str | None
    SURYA_GGUF_LOCAL_MMPROJ_PATH: str | None
    LLAMA_CPP_BINARY: str


def check_available() -> None:
    """Returns where marker-pdf is installed; nothing of it is imported.

    Raises: MissingExtra, which names the extra to install.
    """
    if importlib.util.find_spec("marker") is None:
        raise MissingExtra("high", "marker-pdf")


def read(source: Path, options: EngineOptions, *, pictures: Path, password: str | None) -> Reading:
    """The pages of the PDF `source` as marker reads them, on top of what `fast` knows of them.

    Raises: SourceError as `fast` does; `missing-weights` where the layout model is not on this machine;
        `engine-failed` where marker itself fails.
    """
    check_available()
    with _unlocked(source, password) as plain:
        output, with_ocr = _run_marker(plain)
    return (
        yield from merge(fast.read(source, options, pictures=pictures, password=password), output, with_ocr)
    )


def merge(reading: Reading, output: Mapping[int, Mapping[str, Any]], with_ocr: bool) -> Reading:
    """The pages of `reading` with the blocks of marker's pages; `output` is keyed by PDF page.

    A page on which marker lost most of the text keeps its own blocks, and a remark says so.
    """
    lost, recognised, scanned = list[int](), list[int](), list[int]()
    joins = False
    while True:
        try:
            page = next(reading)
        except StopIteration as stop:
            return _end(stop.value, lost, recognised, scanned, with_ocr)
        found = output.get(page.number, {})
        printed = [line for block in page.blocks for line in block.lines]
        blocks = marker_page_blocks(found, printed)
        if page.grade == "C" and not with_ocr:  # what marker has of it is what made it a C
            joins = False
        elif _signs(blocks) < KEPT_SHARE * _signs(page.blocks):
            lost.append(page.number)
            joins = False
        else:
            if page.grade == "C" and _signs(blocks):
                recognised.append(page.number)
                page = replace(page, grade="B")
            page = replace(page, blocks=_joined(blocks) if joins else tuple(blocks))
            joins = goes_on(found)
        if page.grade == "C":
            scanned.append(page.number)
        yield page


def _joined(blocks: list[Block]) -> tuple[Block, ...]:
    first = next((index for index, block in enumerate(blocks) if block.kind == "paragraph"), None)
    if first is not None:
        blocks[first] = replace(blocks[first], joined=True)
    return tuple(blocks)


def _signs(blocks: "list[Block] | tuple[Block, ...]") -> int:
    texts = [block.text for block in blocks] + [
        cell for block in blocks for row in block.rows for cell in row
    ]
    return sum(len("".join(text.split())) for text in texts)


def _end(
    end: ConversionEnd, lost: list[int], recognised: list[int], scanned: list[int], with_ocr: bool
) -> ConversionEnd:
    """The end of the reading with the remarks on scans put right: marker may have read them."""
    remarks = [remark for remark in end.remarks if scanned or remark.code not in _SCAN_CODES]
    if recognised:
        text = f"{name_pages(recognised)}: the text was read from a picture and may hold reading errors"
        remarks.append(Remark("info", "ocr-read", text, recognised[0]))
    if lost:
        text = (
            f"{name_pages(lost)}: marker lost most of the text, so it is the engine fast's; compare the order"
        )
        remarks.append(Remark("warning", "text-lost", text, lost[0]))
    if scanned and not with_ocr:
        text = f"{name_pages(scanned)}: marker's OCR models are not on this machine; {_OCR_HELP}"
        remarks.append(Remark("warning", "no-ocr-models", text, scanned[0]))
    return replace(end, engine="high", remarks=tuple(remarks))


@contextmanager
def _unlocked(source: Path, password: str | None) -> Iterator[Path]:
    """The source, or a copy of it without its password in a private folder: marker opens no locked files."""
    import pymupdf

    with tempfile.TemporaryDirectory(prefix="docshelf-") as folder:
        copy = Path(folder) / "source.pdf"
        with open_pdf(source, password) as document:
            if not document.metadata or not document.metadata.get("encryption"):
                copy.symlink_to(source.absolute())
            else:
                document.save(copy, encryption=pymupdf.PDF_ENCRYPT_NONE)
        yield copy


def _run_marker(file: Path) -> tuple[dict[int, Mapping[str, Any]], bool]:
    """marker's pages as JSON by PDF page, and whether it could read pictures.

    Raises: SourceError `missing-weights` or `engine-failed`.
    """
    # Read by the libraries when they are imported; a worker is the only process this reaches.
    os.environ["HF_HUB_OFFLINE"] = "1"
    with_ocr = find_models(_surya_settings(), _is_here)
    config: dict[str, Any] = {"extract_images": False, "pdftext_workers": 1, "disable_tqdm": True}
    if not with_ocr:
        config |= {"mode": "fast", "disable_ocr": True}
    return convert_with_marker(file, config), with_ocr


def convert_with_marker(file: Path, config: Mapping[str, Any]) -> dict[int, Mapping[str, Any]]:
    """What marker makes of `file` with its own configuration `config`, page by page.

    Raises: SourceError `engine-failed`.
    """
    from marker.converters.pdf import PdfConverter
    from marker.models import create_model_dict, shutdown_models
    from marker.settings import settings

    # marker 2.0.0 fetches a font that only its HTML input and debug pictures need, unless a file is there.
    settings.FONT_PATH = str(file)
    models = create_model_dict()
    try:
        converter = PdfConverter(models, renderer="marker.renderers.json.JSONRenderer", config=dict(config))
        rendered = converter(str(file)).model_dump(mode="json")
    except MemoryError:
        raise
    except Exception as exc:
        raise SourceError(
            "engine-failed", f'marker cannot read it ({type(exc).__name__}: {exc}); set "quality" to "layout"'
        ) from exc
    finally:
        shutdown_models(models)
    return {int(page["id"].split("/")[2]) + 1: page for page in rendered["children"]}


def find_models(settings: Settings, is_here: Callable[[str], bool]) -> bool:
    """Whether the models for OCR are there; `is_here` tells it of one checkpoint.

    Raises: SourceError `missing-weights` where the layout model is not, which nothing works without.
    """
    if not settings.FAST_LAYOUT_SERVER_URL and not is_here(settings.FAST_LAYOUT_MODEL_CHECKPOINT):
        raise SourceError(
            "missing-weights",
            f"marker's layout model is not on this machine; {_LAYOUT_HELP}; for scanned pages also {_OCR_HELP}"
            ' (nothing is downloaded: HF_HUB_OFFLINE=1); or set "quality" to "layout"',
        )
    told = settings.OCR_ERROR_SERVER_URL or is_here(settings.OCR_ERROR_MODEL_CHECKPOINT)
    local = (settings.SURYA_GGUF_LOCAL_MODEL_PATH, settings.SURYA_GGUF_LOCAL_MMPROJ_PATH)
    reads = settings.SURYA_INFERENCE_URL or (
        shutil.which(settings.LLAMA_CPP_BINARY) and all(path and is_here(path) for path in local)
    )
    return bool(told and reads)


def _is_here(checkpoint: str) -> bool:
    """Whether a checkpoint as surya names it is on this disk: a path, `s3://…` or `hf://owner/name/…`."""
    kind, _, rest = checkpoint.rpartition("://")
    if kind == "s3":
        return (Path(_surya_settings().MODEL_CACHE_DIR) / rest / "manifest.json").is_file()
    if kind == "hf":
        try:
            hub = importlib.import_module("huggingface_hub")
            hub.snapshot_download("/".join(rest.split("/")[:2]), local_files_only=True)
        except FileNotFoundError:  # huggingface_hub's LocalEntryNotFoundError is one
            return False
        return True
    return Path(checkpoint).exists()


def _surya_settings() -> Settings:
    settings: Settings = importlib.import_module("surya.settings").settings
    return settings
