"""What was meant by letters typed under the wrong keyboard layout."""

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`" + '{}:"<>~'
_RUSSIAN = "йцукенгшщзхъфывапролджэячсмитьбюё" + "хъжэбюё"
_TO_RUSSIAN = str.maketrans(_LATIN, _RUSSIAN)
_TO_LATIN = str.maketrans(_RUSSIAN[:33], _LATIN[:33])


def other_layout(typed: str) -> str:
    """`typed` in lower case as the same keys give it under the other layout: `yfcnhjqrf` is «настройка»."""
    lower = typed.lower()
    cyrillic = any(sign in _RUSSIAN for sign in lower)
    return lower.translate(_TO_LATIN if cyrillic else _TO_RUSSIAN)
