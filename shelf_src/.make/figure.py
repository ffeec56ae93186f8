"""Line drawings of the sample documents: boxes, lines and labels."""

from __future__ import annotations

from typing import Any

from reportlab.graphics.shapes import Drawing, Line, Rect, String
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from styles import ACCENT, INK, PAPER

_SIZE = 9


def draw_figure(lines: list[str], width: float, height_mm: int) -> Any:
    """A drawing as wide as the text. Lines count millimetres from the lower left corner:
    `box x y w h text`, `line x1 y1 x2 y2 label`, `text x y label`; ` / ` in a text breaks the line."""
    drawing = Drawing(width, height_mm * mm)
    for line in lines:
        kind, _, rest = line.partition(" ")
        count = {"box": 4, "line": 4, "text": 2}[kind]
        *numbers, label = [*rest.split(maxsplit=count), ""][: count + 1]
        points = [float(number) * mm for number in numbers]
        for shape in {"box": _box, "line": _line, "text": _text}[kind](points, label):
            drawing.add(shape)
    return drawing


def _box(points: list[float], label: str) -> list[Any]:
    x, y, w, h = points
    frame = Rect(x, y, w, h, strokeColor=ACCENT, fillColor=PAPER, strokeWidth=0.8, rx=2, ry=2)
    return [frame, *_centred(x + w / 2, y + h / 2, label)]


def _line(points: list[float], label: str) -> list[Any]:
    x1, y1, x2, y2 = points
    line = Line(x1, y1, x2, y2, strokeColor=INK, strokeWidth=0.8)
    return [line, *_centred((x1 + x2) / 2, (y1 + y2) / 2 + 9, label)]


def _text(points: list[float], label: str) -> list[Any]:
    return _centred(points[0], points[1], label)


def _centred(x: float, y: float, label: str) -> list[Any]:
    parts = label.split(" / ") if label else []
    top = y + (len(parts) - 1) * _SIZE * 0.6 - _SIZE * 0.33
    return [
        String(x - stringWidth(part, "Sans", _SIZE) / 2, top - row * _SIZE * 1.2, part,
               fontName="Sans", fontSize=_SIZE, fillColor=INK)
        for row, part in enumerate(parts)
    ]  # fmt: skip
