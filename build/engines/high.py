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
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from docshelf.build.converting.converted import EngineOptions, Reading
from docshelf.build.engines import fast
from docshelf.build.engines.marker_merging import FROM_PICTURE, OCR_HELP, merge
from docshelf.build.engines.opening import open_pdf
from docshelf.serve.errors import MissingExtra, SourceError

_LAYOUT_HELP = "lay the weights down and name their folder in FAST_LAYOUT_MODEL_CHECKPOINT and FAST_ORDER_MODEL_CHECKPOINT"

MarkerPage: TypeAlias = Mapping[str, Any]
"""A page as marker's JSON has it, with the key FROM_PICTURE."""


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


def start_models() -> None:
    """Returns when the models that documents will need have been loaded by marker's servers.

    The servers are children of this process and stay; what reads a document finds them by itself.

    Raises: SourceError `missing-weights`; `engine-failed` where a server does not start.
    """
    check_available()
    with_ocr = _find_models_offline()
    from PIL import Image

    with _marker_faults("cannot load its models"), _marker_models() as models:
        models["fast_layout_model"]([Image.new("RGB", (64, 64), "white")])
        if with_ocr:
            models["ocr_error_model"](["A line of text."])
            models["inference_manager"].start()


def _run_marker(file: Path) -> tuple[dict[int, MarkerPage], bool]:
    """marker's pages as JSON by PDF page, and whether it could read pictures.

    Raises: SourceError `missing-weights` or `engine-failed`.
    """
    with_ocr = _find_models_offline()
    config: dict[str, Any] = {"extract_images": False, "pdftext_workers": 1, "disable_tqdm": True}
    if not with_ocr:
        config |= {"mode": "fast", "disable_ocr": True}
    return convert_with_marker(file, config), with_ocr


def convert_with_marker(file: Path, config: Mapping[str, Any]) -> dict[int, MarkerPage]:
    """What marker makes of `file` with its own configuration `config`, as JSON by PDF page.

    Each page has the key FROM_PICTURE beside marker's own.

    Raises: SourceError `engine-failed`.
    """
    from marker.converters.pdf import PdfConverter
    from marker.settings import settings

    # marker 2.0.0 fetches a font that only its HTML input and debug pictures need, unless a file is there.
    settings.FONT_PATH = str(file)
    with _marker_faults("cannot read it"), _marker_models() as models:
        converter = PdfConverter(models, renderer="marker.renderers.json.JSONRenderer", config=dict(config))
        rendered = converter(str(file)).model_dump(mode="json")
    methods = {it["page_id"]: it["text_extraction_method"] for it in rendered["metadata"]["page_stats"]}
    pages = {int(page["id"].split("/")[2]): page for page in rendered["children"]}
    return {
        number + 1: page | {FROM_PICTURE: methods.get(number) == "surya"} for number, page in pages.items()
    }


@contextmanager
def _marker_models() -> Iterator[dict[str, Any]]:
    """marker's clients of its model servers, which it is told to shut down when they are no longer needed."""
    from marker.models import create_model_dict, shutdown_models

    # With an NVIDIA card marker would fetch and run a container image for the model that reads pictures.
    backend = None if _surya_settings().SURYA_INFERENCE_URL else "llamacpp"
    models = create_model_dict(inference_backend=backend)
    try:
        yield models
    finally:
        shutdown_models(models)


@contextmanager
def _marker_faults(what: str) -> Iterator[None]:
    """Raises: SourceError `engine-failed` for whatever marker fails with but for want of memory."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as exc:
        raise SourceError(
            "engine-failed", f'marker {what} ({type(exc).__name__}: {exc}); set "quality" to "layout"'
        ) from exc


def _find_models_offline() -> bool:
    # Read by the libraries when they are imported; a worker is the only process this reaches.
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return find_models(_surya_settings(), _is_here)


def find_models(settings: Settings, is_here: Callable[[str], bool]) -> bool:
    """Whether the models for OCR are there; `is_here` tells it of one checkpoint.

    Raises: SourceError `missing-weights` where the layout model is not, which nothing works without.
    """
    if not settings.FAST_LAYOUT_SERVER_URL and not is_here(settings.FAST_LAYOUT_MODEL_CHECKPOINT):
        raise SourceError(
            "missing-weights",
            f"marker's layout model is not on this machine; {_LAYOUT_HELP}; for scanned pages also {OCR_HELP}"
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
