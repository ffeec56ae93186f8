"""How the captions of tables and figures begin."""

import re

_NUMBERED = r"\s*№?\s*[\dA-ZА-Я]{1,3}(?:[.\-–][\dA-ZА-Я]{1,3})*\b"
_FIGURE = r"(?:Figure|Fig\.|Рисунок|Рис\.)"
CAPTION = re.compile(rf"(?:Table|Таблица|Табл\.|{_FIGURE}){_NUMBERED}")
"""The beginning of a caption, with its number."""
FIGURE_CAPTION = re.compile(_FIGURE)
"""The beginning of one that is a figure's."""
