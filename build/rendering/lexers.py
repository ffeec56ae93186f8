"""Lexers of Pygments that give the same tokens sooner: at each place only the rules that may fit there are tried.

A lexer's state holds up to a hundred regular expressions, and nearly all of them fail at their first sign. Which
ASCII signs one may begin with is read from its parsed form. Listings of Python take half of the time so
(Pygments 2.21, December 2026).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

try:
    from re import _constants as ops  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except (
    ImportError
):  # Python has no public way to look into an expression; without this one nothing is sooner.
    parser = None

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_ASCII = frozenset(map(chr, range(128)))
_WORD = frozenset(sign for sign in _ASCII if sign.isalnum() or sign == "_")
_SPACE = frozenset(sign for sign in _ASCII if sign.isspace())
_DIGIT = frozenset("0123456789")

_MANY_RULES = 12
"""Fewer rules are tried one by one as soon."""

_Rule = tuple[Any, Any, Any]
"""As Pygments has it: the `match` of a regular expression, what becomes of the text, the next state."""


def quick_lexer(name: str) -> "Lexer":
    """The lexer of that name; it neither strips nor adds line ends."""
    from pygments.lexer import RegexLexer
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    if isinstance(lexer, RegexLexer) and parser is not None:
        states: Mapping[str, Sequence[_Rule]] = lexer._tokens
        lexer._tokens = {
            state: _Rules(rules) if len(rules) >= _MANY_RULES else rules for state, rules in states.items()
        }
    return lexer


class _Rules:
    """The rules of one state, as a lexer goes through them."""

    def __init__(self, rules: Sequence[_Rule]) -> None:
        self._rules = rules
        self._by_sign: dict[str, Sequence[_Rule]] = {}

    def __iter__(self) -> Iterator[_Rule]:
        fitting = self._rules

        def look(text: str, at: int, *_: int) -> None:
            """Stands before the rules as one that never fits, and learns where the lexer is."""
            nonlocal fitting
            sign = text[at : at + 1]
            fitting = self._by_sign.get(sign) or self._fitting(sign)

        yield look, None, None
        yield from fitting

    def _fitting(self, sign: str) -> Sequence[_Rule]:
        if sign not in _ASCII:
            return self._rules
        rules = [rule for rule in self._rules if sign in first_signs(getattr(rule[0], "__self__", None))]
        self._by_sign[sign] = rules
        return rules


@cache
def first_signs(pattern: object) -> frozenset[str]:
    """The ASCII signs before which the expression may match; all where it may match nothing at all."""
    if not isinstance(pattern, re.Pattern):
        return _ASCII
    signs, is_empty = _of_sequence(parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    return _ASCII if is_empty else signs


def _of_sequence(items: Iterable[tuple[Any, Any]], flags: int) -> tuple[frozenset[str], bool]:
    """First signs of what follows one another, and whether all of it may be empty."""
    signs: frozenset[str] = frozenset()
    for op, value in items:
        more, is_empty = _of_item(op, value, flags)
        signs |= more
        if not is_empty:
            return signs, False
    return signs, True


def _of_item(op: Any, value: Any, flags: int) -> tuple[frozenset[str], bool]:
    if op in (ops.LITERAL, ops.NOT_LITERAL, ops.IN):
        return _of_class([(op, value)] if op != ops.IN else value, flags), False
    if op in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return frozenset(), True
    if op == ops.SUBPATTERN:
        _, added, removed, inside = value
        return _of_sequence(inside, (flags | added) & ~removed)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        signs, is_empty = _of_sequence(value[2], flags)
        return signs, is_empty or value[0] == 0
    if op == ops.BRANCH:
        parts = [_of_sequence(part, flags) for part in value[1]]
        return frozenset().union(*(signs for signs, _ in parts)), any(is_empty for _, is_empty in parts)
    return _ASCII, True


def _of_class(items: Sequence[tuple[Any, Any]], flags: int) -> frozenset[str]:
    """The ASCII signs of a class of signs, such as `[^a-z\\s]`; too many where case does not count."""
    signs: set[str] = set()
    for op, value in items:
        if op in (ops.LITERAL, ops.NOT_LITERAL):
            signs.add(chr(value))
        elif op == ops.RANGE:
            signs.update(sign for sign in _ASCII if value[0] <= ord(sign) <= value[1])
        elif op == ops.CATEGORY:
            signs |= _of_category(value)
    is_negative = items[0][0] in (ops.NEGATE, ops.NOT_LITERAL)
    if flags & re.IGNORECASE:
        # Signs beyond ASCII have twins in ASCII: "ſ" is "s", the sign of Kelvin is "k".
        if is_negative or not signs <= _ASCII:
            return _ASCII
        signs |= {sign.swapcase() for sign in signs}
    return _ASCII - signs if is_negative else _ASCII & signs


def _of_category(category: Any) -> frozenset[str]:
    known = {ops.CATEGORY_WORD: _WORD, ops.CATEGORY_SPACE: _SPACE, ops.CATEGORY_DIGIT: _DIGIT}
    negative = {ops.CATEGORY_NOT_WORD: _WORD, ops.CATEGORY_NOT_SPACE: _SPACE, ops.CATEGORY_NOT_DIGIT: _DIGIT}
    return known[category] if category in known else _ASCII - negative[category]
