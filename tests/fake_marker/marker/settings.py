"""Where marker looks for the font that it would fetch."""

from types import SimpleNamespace

settings = SimpleNamespace(FONT_PATH="/nowhere/font.ttf")
