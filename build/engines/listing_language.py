"""The language of a listing where its text leaves no doubt; better none than a wrong one."""

import json
import re
from collections.abc import Callable, Sequence

_PROMPT = re.compile(r"(?:\$ |[\w.-]+@[\w.-]+(?:[: ][^\s#$]*)?[#$] |\[[\w.-]+@[^\]]+\][#$] )\S")
_INTERPRETERS = (
    (re.compile(r"#! ?/\S*\b(?:ba|da|z|k)?sh\b"), "bash"),
    (re.compile(r"#! ?/\S*(?:/env )?\bpython[\d.]*\b"), "python"),
    (re.compile(r"#! ?/\S*(?:/env )?\bperl\b"), "perl"),
)
_INCLUDE = re.compile(r"#\s*include\s*[<\"][\w./+-]+[>\"]")
_CPP = re.compile(r"\bstd::|\bcout\b|^\s*(?:template\s*<|namespace \w|class \w+[^;]*\{|using )", re.MULTILINE)
_DEFINITION = re.compile(r"(?:async )?(?:def \w+\(.*\)(?: -> .+)?|class \w+(?:\([\w., ]*\))?):\s*(?:#.*)?$")
_IMPORT = re.compile(r"(?:from [\w.]+ import [\w*]|import [\w.]+(?: as \w+)?$)")
_SECTION = re.compile(r"\[[\w .:/@-]+\]$")
_SETTING = re.compile(r"[\w.\-]+ ?=(?: ?\S|$)")
_COMMENT = ("#", ";")
_MAPPING = re.compile(r"(?P<indent> *)(?:- )*[\w.\-/\"']+:(?P<value> .+)?$")
_ITEM = re.compile(r" *- \S")
_QUERY = re.compile(r"(?:SELECT|INSERT INTO|CREATE TABLE|UPDATE|ALTER TABLE|DELETE FROM)\b")
_HTML = re.compile(r"<!doctype html|<html[\s>]", re.IGNORECASE)
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z][\w:.-]*)(?:\s[^<>]*)?>")
MAX_JSON_SIGNS = 50_000


def name_language(lines: Sequence[str]) -> str:
    """Info string of a listing's fence (`console`, `bash`, `c`, `json`, …), "" where it is not plain."""
    filled = [line.rstrip() for line in lines if line.strip()]
    if not filled:
        return ""
    first = filled[0].lstrip()
    prompts = sum(bool(_PROMPT.match(line.lstrip())) for line in filled)
    if prompts:
        return "console" if prompts > 1 or _PROMPT.match(first) else ""
    for pattern, language in _INTERPRETERS:
        if pattern.match(first):
            return language
    return next((language for is_written_in, language in _TESTS if is_written_in(filled)), "")


def _is_json(lines: Sequence[str]) -> bool:
    text = "\n".join(lines)
    if len(lines) < 2 or text.lstrip()[0] not in "{[" or '"' not in text or len(text) > MAX_JSON_SIGNS:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_xml(lines: Sequence[str]) -> bool:
    first = lines[0].strip()
    if first.startswith("<?xml "):
        return True
    root = _ELEMENT.match(first)
    return root is not None and lines[-1].strip().endswith(f"</{root['name']}>")


def _is_html(lines: Sequence[str]) -> bool:
    return bool(_HTML.match(lines[0].strip()))


def _is_diff(lines: Sequence[str]) -> bool:
    return all(any(line.startswith(sign) for line in lines) for sign in ("--- ", "+++ ", "@@ -"))


def _is_cpp(lines: Sequence[str]) -> bool:
    return _has_includes(lines) and bool(_CPP.search("\n".join(lines)))


def _is_c(lines: Sequence[str]) -> bool:
    return _has_includes(lines) and any(line.rstrip().endswith((";", "{")) for line in lines)


def _has_includes(lines: Sequence[str]) -> bool:
    return any(_INCLUDE.match(line.lstrip()) for line in lines)


def _is_python(lines: Sequence[str]) -> bool:
    starts = [line.lstrip() for line in lines]
    defined = sum(bool(_DEFINITION.match(start)) for start in starts)
    imported = sum(bool(_IMPORT.match(start)) for start in starts)
    braces = any(line.endswith((";", "{")) for line in lines)
    return not braces and len(lines) > 1 and (defined > 0 or (imported > 0 and imported == len(lines)))


def _is_ini(lines: Sequence[str]) -> bool:
    plain = [line.strip() for line in lines if not line.lstrip().startswith(_COMMENT)]
    sections = sum(bool(_SECTION.match(line)) for line in plain)
    settings = sum(bool(_SETTING.match(line)) for line in plain)
    return sections > 0 and settings > 0 and sections + settings == len(plain)


def _is_yaml(lines: Sequence[str]) -> bool:
    plain = [line for line in lines if not line.lstrip().startswith("#") and line.strip() != "---"]
    found = [_MAPPING.match(line) for line in plain]
    if len(plain) < 3 or not all(
        match or _ITEM.match(line) for match, line in zip(found, plain, strict=True)
    ):
        return False
    nested = any(
        above and not above["value"] and len(below) - len(below.lstrip()) > len(above["indent"])
        for above, below in zip(found, plain[1:], strict=False)
    )
    return nested and sum(bool(match and match["value"]) for match in found) > 0


def _is_sql(lines: Sequence[str]) -> bool:
    return bool(_QUERY.match(lines[0].strip())) and lines[-1].rstrip().endswith(";")


_TESTS: tuple[tuple[Callable[[Sequence[str]], bool], str], ...] = (
    (_is_html, "html"),
    (_is_xml, "xml"),
    (_is_json, "json"),
    (_is_diff, "diff"),
    (_is_cpp, "cpp"),
    (_is_c, "c"),
    (_is_python, "python"),
    (_is_ini, "ini"),
    (_is_yaml, "yaml"),
    (_is_sql, "sql"),
)
