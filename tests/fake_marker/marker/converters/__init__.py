"""marker's converters."""
