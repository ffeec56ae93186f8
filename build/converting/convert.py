"""Turns one source into a stored conversion with the engine asked for. Runs in a worker."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docshelf.build.caching.versions import code_version
from docshelf.build.converting.converted import Engine, EngineOptions, dump_conversion
from docshelf.serve.config import EngineName, Quality

if TYPE_CHECKING:
    from docshelf.build.engines.page_reading import PageReader

PAGES_FILE = "pages.jsonl"
"""Name of the conversion's text in its folder; the other files there are pictures."""
MODELS_LIMIT_S = 1500
"""How long the models of `high` may take to load: its servers give themselves 300, 300 and 600 s."""


def convert(job: dict[str, Any]) -> dict[str, Any]:
    """Converts the file `job["source"]` into the folder `job["out"]`, which must exist and be empty.

    The job is JSON: `source`, `out`, `engine`, `options`, `password` (or None), `limits`. The result is
    JSON: `pages`, how many were read.

    Raises: SourceError with a code and what to do where nothing can be read.
    """
    out = Path(job["out"])
    read = find_engine(job["engine"])
    reading = read(
        Path(job["source"]), EngineOptions(**job["options"]), pictures=out, password=job["password"]
    )
    lines = 0
    with (out / PAGES_FILE).open("w", encoding="utf-8") as file:
        for line in dump_conversion(reading):
            file.write(line)
            lines += 1
    return {"pages": lines - 1}


def start_models(job: dict[str, Any]) -> None:
    """Makes this worker ready for conversions by `high`; nothing is read of the job.

    Raises: SourceError where a model is missing or does not start.
    """
    from docshelf.build.engines import high

    high.start_models()


def worker_keys(engine: EngineName) -> dict[str, Any]:
    """What a conversion's job tells the pool beside its limits (keys `lane` and `warm_up` of `build.pool`).

    The models of `high` fill a machine's memory and take minutes to load: its documents go one after
    another to one worker, and the loading is not charged to the first of them.
    """
    if engine != "high":
        return {}
    call = f"{start_models.__module__}:{start_models.__name__}"
    return {"lane": engine, "warm_up": {"call": call, "time_s": MODELS_LIMIT_S}}


def choose_engine(quality: Quality) -> EngineName:
    """The engine that a quality stands for; `auto` is what measures best (docs/conversion.md)."""
    return "fast" if quality == "auto" else quality


def check_engine(name: EngineName) -> None:
    """Returns where the engine's packages are installed.

    Raises: MissingExtra, which names the extra to install.
    """
    if name == "high":
        from docshelf.build.engines.high import check_available

        check_available()


def find_engine(name: EngineName) -> Engine:
    """The engine's reading function; its library is imported only when it reads."""
    match name:
        case "fast":
            from docshelf.build.engines.fast import read
        case "layout":
            from docshelf.build.engines.layout import read
        case "high":
            from docshelf.build.engines.high import read
    return read


def find_reader(name: EngineName) -> "type[PageReader]":
    """How an engine reads a page on its own, where it does (`fast` and `layout`)."""
    if name == "layout":
        from docshelf.build.engines.layout import LayoutReader

        return LayoutReader
    from docshelf.build.engines.page_reading import PageReader

    return PageReader


def engine_versions(name: EngineName) -> str:
    """What decides how an engine reads, besides its options: the library's version and our own code."""
    package = {"fast": "pymupdf", "layout": "pymupdf4llm", "high": "marker-pdf"}[name]
    code = code_version("build/characters.py", "build/converting", "build/engines")
    return f"{package} {_version(package)}, code {code}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
