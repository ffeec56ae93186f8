"""Stands in for surya-ocr: its settings alone."""
