"""The converter: what it is given is noted, what it gives is recorded or made of the PDF's own text."""

import builtins
import html
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymupdf

from marker import note, told
from marker.models import Server
from marker.settings import settings


class PdfConverter:
    def __init__(self, artifact_dict: dict[str, Server], renderer: str, config: dict[str, Any]) -> None:
        font = Path(settings.FONT_PATH).is_file()
        note("convert", renderer=renderer, config=config, font=font, models=sorted(artifact_dict))
        self.models = artifact_dict

    def __call__(self, filepath: str) -> Any:
        self.models["fast_layout_model"].start()
        if fails := told("fails"):
            if fails == "SIGKILL":
                os.kill(os.getpid(), 9)
            raise getattr(builtins, fails)("as the test wants it")
        document = json.loads(told("output.json") or json.dumps(text_of(filepath)))
        return SimpleNamespace(model_dump=lambda mode: document)


def text_of(filepath: str) -> dict[str, Any]:
    """A document with a block of text for each that MuPDF finds, hidden ones too."""
    with pymupdf.open(filepath) as document:
        found = [[block[4] for block in page.get_text("blocks")] for page in document]
    pages = [
        block("Page", number, [block("Text", number, None, text) for text in texts])
        for number, texts in enumerate(found)
    ]
    stats = [{"page_id": number, "text_extraction_method": "pdftext"} for number in range(len(found))]
    return {"children": pages, "metadata": {"page_stats": stats}}


def block(kind: str, page: int, children: list[dict[str, Any]] | None, text: str = "") -> dict[str, Any]:
    return {
        "id": f"/page/{page}/{kind}/0",
        "block_type": kind,
        "html": f"<p>{html.escape(' '.join(text.split()))}</p>",
        "bbox": [72, 60, 500, 200],
        "children": children,
    }
