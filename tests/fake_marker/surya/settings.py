"""Where surya looks for models: its own defaults, which the environment overrides."""

import os
from types import SimpleNamespace

DEFAULTS = {
    "MODEL_CACHE_DIR": "/nowhere",
    "FAST_LAYOUT_MODEL_CHECKPOINT": "s3://layout/1",
    "FAST_LAYOUT_SERVER_URL": None,
    "OCR_ERROR_MODEL_CHECKPOINT": "s3://ocr_error_detection/2025_02_18",
    "OCR_ERROR_SERVER_URL": None,
    "SURYA_INFERENCE_URL": None,
    "SURYA_GGUF_LOCAL_MODEL_PATH": None,
    "SURYA_GGUF_LOCAL_MMPROJ_PATH": None,
    "LLAMA_CPP_BINARY": "llama-server",
}

settings = SimpleNamespace(**{name: os.environ.get(name, value) for name, value in DEFAULTS.items()})
