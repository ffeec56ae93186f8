"""Short ASCII names for addresses and anchors, the same for the same text on every build."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from anyascii import anyascii

from docshelf.serve.anchors import RESERVED_ANCHOR

SLUG_BYTES = 80
"""Longest slug; a category, a document and a section name together stay under 255 bytes."""

_CYRILLIC = str.maketrans({"ё": "yo", "й": "y", "ъ": "", "ь": "", "'": "", "’": ""})
"""Where the general table reads worse or would make two letters one (GOST 7.79-2000 B: ё, й)."""

_RESERVED = re.compile(r"(con|aux|prn|nul|(com|lpt)[0-9]|index|subindex|llms|llms-full)(-[0-9].*)?")
"""Names that Windows or the shelf itself takes, nested indexes (`index-2`) among them."""


def slug(text: str, fallback: str, limit: int = SLUG_BYTES) -> str:
    """`text` as lower-case ASCII letters, digits and hyphens: 1 to `limit` bytes, never reserved.

    `fallback` (itself a slug) stands in where nothing is left and goes before a reserved name.
    """
    plain = unicodedata.normalize("NFC", text).lower().translate(_CYRILLIC)
    ascii_text = anyascii(plain).lower().replace("'", "").replace("+", " plus ").replace("#", " sharp ")
    name = re.sub(r"[^a-z0-9]+", "-", ascii_text).strip("-")
    if _RESERVED.fullmatch(name):
        name = f"{fallback}-{name}"
    return _cut(name, limit) or fallback


def unique_slugs(names: Sequence[tuple[str, str]]) -> list[str]:
    """One slug for each (slug, parent's slug), all different.

    Names that meet take the parent's slug in front; where that does not part them, -2, -3 … follow
    in the order given.
    """
    counts = Counter(name for name, _ in names)
    wanted = [_cut(f"{parent}-{name}") if counts[name] > 1 and parent else name for name, parent in names]
    alone = {name for name, _ in names if counts[name] == 1}
    taken: set[str] = set()
    following: dict[str, int] = {}
    result = []
    for (name, _), want in zip(names, wanted, strict=True):
        free = want
        while free in taken or (counts[name] > 1 and free in alone):
            number = following.get(want, 2)
            following[want] = number + 1
            free = f"{_cut(want, SLUG_BYTES - len(str(number)) - 1)}-{number}"
        taken.add(free)
        result.append(free)
    return result


def heading_anchors(titles: Sequence[str]) -> list[str]:
    """The id of each heading of a page, in order; none looks like a page anchor (`p12`)."""
    slugs = [slug(title, "part") for title in titles]
    safe = [f"h-{name}" if RESERVED_ANCHOR.match(name) else name for name in slugs]
    return unique_slugs([(name, "") for name in safe])


def _cut(name: str, limit: int = SLUG_BYTES) -> str:
    if len(name) <= limit:
        return name
    head = name[: limit + 1]
    at = head.rfind("-", limit // 2)
    return head[: at if at > 0 else limit].strip("-")
