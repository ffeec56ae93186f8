"""Reads one JSON object of settings and collects every problem in it, not only the first."""

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from docshelf.serve.errors import ConfigError

Choice = TypeVar("Choice", bound=str)
Value = TypeVar("Value")

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    int: "a whole number",
}


class Settings:
    """One JSON object under the name `where`; wrong keys and values go to `problems`."""

    def __init__(self, value: object, where: str, problems: list[str]) -> None:
        self._where = where
        self._problems = problems
        self._values: dict[str, Any] = {}
        self._read: list[str] = []
        if isinstance(value, dict):
            self._values = value
        else:
            problems.append(f"{where}: must be an object, is {_kind(value)}")

    def text(self, key: str, default: str = "") -> str:
        """Text without control characters."""
        value = self._get(key, str, default)
        if any(ord(sign) < 32 for sign in value):
            self.reject(key, "must be one line of text")
            return default
        return " ".join(value.split())

    def optional_text(self, key: str) -> str | None:
        """Text, or None where the key is absent."""
        return None if self._absent(key) else self.text(key)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return self._get(key, bool, default)

    def optional_flag(self, key: str) -> bool | None:
        """True or false, or None where the key is absent."""
        return None if self._absent(key) else self.flag(key, False)

    def number(self, key: str, default: int, *, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        value = self._get(key, int, default)
        if not low <= value <= high:
            self.reject(key, f"must be {low} to {high}, is {value}")
            return default
        return value

    def choice(self, key: str, valid: Iterable[Choice], default: Choice) -> Choice:
        """One of the words of `valid`."""
        return self._one(key, self._get(key, str, default), tuple(valid), default)

    def optional_choice(self, key: str, valid: Iterable[Choice]) -> Choice | None:
        """One of the words of `valid`, or None where the key is absent."""
        if self._absent(key):
            return None
        words = tuple(valid)
        return self.choice(key, words, words[0])

    def choices(self, key: str, valid: Iterable[Choice], default: tuple[Choice, ...]) -> tuple[Choice, ...]:
        """A list of different words of `valid`."""
        words = tuple(valid)
        values = self._get(key, list, list(default))
        if len(set(map(str, values))) != len(values):
            self.reject(key, "names a word twice")
            return default
        return tuple(self._one(key, value, words, words[0]) for value in values)

    def table(self, key: str) -> "Settings":
        """The object under `key`, empty where it is absent."""
        return Settings(self._get(key, dict, {}), f"{self._where}: {key}", self._problems)

    def tables(self) -> dict[str, "Settings"]:
        """Every key as an object of its own: for tables whose keys the user names."""
        self._read.extend(self._values)
        return {
            key: Settings(value, f"{self._where}: {key}", self._problems)
            for key, value in self._values.items()
        }

    def reject(self, key: str, problem: str) -> None:
        """Notes a problem with the value of `key`."""
        self._problems.append(f"{self._where}: {key}: {problem}")

    def close(self) -> None:
        """Notes every key that nothing has read; call it last."""
        for key in self._values:
            if key not in self._read:
                valid = ", ".join(self._read)
                self._problems.append(f"{self._where}: unknown key {key!r}; valid keys: {valid}")

    def _absent(self, key: str) -> bool:
        self._read.append(key)
        return key not in self._values

    def _get(self, key: str, kind: type[Value], default: Value) -> Value:
        self._read.append(key)
        value = self._values.get(key, default)
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        self.reject(key, f"must be {_KINDS[kind]}, is {_kind(value)}")
        return default

    def _one(self, key: str, value: object, valid: tuple[Choice, ...], default: Choice) -> Choice:
        for word in valid:
            if value == word:
                return word
        self.reject(key, f"{value!r} is none of {', '.join(valid)}")
        return default


def parse_object(text: bytes, where: str) -> dict[str, object]:
    """The JSON object in `text` (UTF-8, a BOM is allowed, no key twice).

    Raises: ConfigError naming `where` and the line.
    """
    try:
        value = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_unique)
    except json.JSONDecodeError as exc:
        raise ConfigError([f"{where}, line {exc.lineno}: {exc.msg}"]) from exc
    except (UnicodeDecodeError, ValueError, RecursionError) as exc:
        raise ConfigError([f"{where}: {exc}"]) from exc
    if not isinstance(value, dict):
        raise ConfigError([f"{where}: must be an object, is {_kind(value)}"])
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        raise ValueError(f"key {', '.join(twice)} stands twice")
    return values


def _kind(value: object) -> str:
    if value is None:
        return "null"
    return _KINDS.get(type(value), type(value).__name__)
