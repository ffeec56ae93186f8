"""Forms of words: the stem that inflected forms share, and the roots that derived words share.

The rules are data that a build writes into a release's search index, so that both readers of a release cut
words as its build did. They know Russian and English; a word in another script is its own stem.

A rule is `ENDING/REPLACEMENT/LEAST/AFTER`: where a word ends in ENDING and LEAST letters stay before it, a
vowel among them and one of AFTER at their end (any letter where AFTER is empty), the ending is replaced. Of
the rules of a group, the one with the longest ending that may be replaced counts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

LONGEST_ENDING = 8
_ROUNDS = 8
_VOWELS = frozenset("аеиоуыэюяaeiouy")
_KNOWN_WORDS = 1 << 16


def _rules(endings: str, least: int, after: str = "") -> str:
    return " ".join(f"{ending}//{least}/{after}" for ending in endings.split())


RUSSIAN_LETTERS, ENGLISH_LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюя", "abcdefghijklmnopqrstuvwxyz"

_HARD = "бвгджзклмнпрстфхцчшщ"

# Only endings that no common noun has for its own: «режим», «память», «канал», «лимит», «систем» stay whole.
# Verbs keep their theme vowel or «ит», «ил», «ат» here and lose it with the root.
_RUSSIAN_STEM = (
    f"{_rules('ся', 3, 'тьмйяшлехою')} лась/л/2 лось/л/2 лись/л/2 {_rules('юсь усь есь', 3)} шись/ш/2",
    " ".join(
        (
            _rules("а у ы е о и ь я ю й ой ей ою ею ом ам ям ах ях ами ями ов ев", 3),
            _rules("ий ие ия ию ии ием ией иям иях иями ье ья ью ьи ьям ьях ьями ьев ьем ьей", 3),
            _rules("ый ая яя ое ее ые ого его ому ему ым ых их ую юю ыми ими", 3),
            f"{_rules('им', 3, 'гкхшщч')} ним/н/2/{_HARD} {_rules('ем', 3, 'аяржшщчц')} лем/л/2/аеиоуыя",
            _rules("ует уют уешь уем уете", 3) + " " + _rules("ет ют ешь ете вши", 3, "ая"),
            _rules("йте", 3, "аеиоуя"),
        )
    ),
)
_RUSSIAN_ROOT = (
    " ".join(
        (
            _rules("а я е и о у ю ы ь й", 4),
            "ат/а/3 ят/я/3 ит/и/3 ет/е/5 ют/ю/3 ал/а/4 ял/я/3 ил/и/4",
            _rules("ирова ирован ировк ировщ ироч изирова изирован изир ир", 4),
            _rules("ова ева ива ыва ован еван ыван иван ающ яющ ующ", 4),
            _rules("изац изатор изационн ац яц иц ени ани яни ен енн анн янн ионн ационн онн", 4),
            _rules("атор ятор итор ител ател ятел тел тельн ительн ательн", 4) + " льн/л/3",
            _rules("еск ическ ичн ивн арн к ок ек ик оч еч", 4),
            _rules("ост ност ств енств щик чик ник ниц овк евк ант ент аж", 4),
            _rules("ющ ущ ящ ащ вш ивш ывш ейш айш", 4),
            _rules("н ов ев ан ян нн ец ц ем им ск", 5),
            # «установить» and «устанавливать»: л comes in after lip sounds.
            "вл/в/3 пл/п/3 бл/б/3 мл/м/3",
        )
    ),
)
_ENGLISH_STEM = (
    "sses/ss/2 ies/i/2 xes/x/2 ches/ch/2 shes/sh/2 zes/z/2 us/us/1 is/is/1 ss/ss/1 s//3",
    "eed/eed/1 ing//3 ed//3 ied/i/2",
    "bb/b/2 dd/d/2 ff/f/2 gg/g/2 ll/l/3 mm/m/2 nn/n/2 pp/p/2 rr/r/2 ss/s/2 tt/t/2 zz/z/2 e//3",
    f"y/i/3/{''.join(sorted(set(ENGLISH_LETTERS) - set('aeiou')))}",
)
_ENGLISH_ROOT = (
    " ".join(
        (
            _rules("ization izat iz ation at ition ion er or ment ness iti iv ativ abl ibl abiliti", 4),
            _rules("ical ic li ous ful less anc enc ant ent ag ism ist ur i e", 4),
            _rules("al", 5),
        )
    ),
    "bb/b/3 dd/d/3 ff/f/3 gg/g/3 ll/l/3 mm/m/3 nn/n/3 pp/p/3 rr/r/3 ss/s/3 tt/t/3",
)

_Group = Mapping[str, tuple[tuple[str, int, str], ...]]


@dataclass(frozen=True, slots=True)
class FormRules:
    """The rules for words of one script."""

    letters: str
    """A word is of this script when it is made of these letters alone."""
    stem: tuple[str, ...]
    """Groups that follow each other."""
    root: tuple[str, ...]
    """Groups that follow each other, up to eight times, from the stem on."""
    swaps: tuple[str, ...] = ()
    """`ENDING/FROM/TO`: a word with this ending on its way to the root has another root, where the last vowel
    before the ending, FROM, is TO: «обрабат-ывать» belongs to «обработ-ать»."""


RULES = (
    FormRules(RUSSIAN_LETTERS, _RUSSIAN_STEM, _RUSSIAN_ROOT, ("ива/а/о", "ыва/а/о")),
    FormRules(ENGLISH_LETTERS, _ENGLISH_STEM, _ENGLISH_ROOT),
)


class WordForms:
    """Stems and roots by a set of rules."""

    def __init__(self, rules: Iterable[FormRules] = RULES) -> None:
        self._scripts = [_Script(it) for it in rules]
        self.stem = lru_cache(_KNOWN_WORDS)(self._stem)
        self.roots = lru_cache(_KNOWN_WORDS)(self._roots)

    def _stem(self, word: str) -> str:
        """What the forms of a folded word in lower case share; the word itself where no rule fits."""
        script = self._script(word)
        return script.stem(word) if script else word

    def _roots(self, stem: str) -> tuple[str, ...]:
        """One or two beginnings, by which words derived from one another are known."""
        script = self._script(stem)
        return script.roots(stem) if script else (stem,)

    def _script(self, word: str) -> "_Script | None":
        return next((it for it in self._scripts if it.letters.issuperset(word)), None)


class _Script:
    def __init__(self, rules: FormRules) -> None:
        self.letters = frozenset(rules.letters)
        self._stem = [_group(text) for text in rules.stem]
        self._root = [_group(text) for text in rules.root]
        self._swaps = [swap.split("/") for swap in rules.swaps]

    def stem(self, word: str) -> str:
        for group in self._stem:
            word = _replaced(word, group)
        return word

    def roots(self, stem: str) -> tuple[str, ...]:
        root, other = stem, ""
        for _ in range(_ROUNDS):
            before = root
            for ending, vowel, instead in self._swaps:
                left = root.removesuffix(ending)
                at = max(map(left.rfind, _VOWELS))
                if left != root and left[at] == vowel:
                    other = left[:at] + instead + left[at + 1 :]
            for group in self._root:
                root = _replaced(root, group)
            if root == before:
                break
        return (root, *self.roots(other)[:1]) if other else (root,)


def _group(text: str) -> _Group:
    rules: dict[str, list[tuple[str, int, str]]] = {}
    for rule in text.split():
        ending, replacement, least, after = (rule + "/").split("/")[:4]
        rules.setdefault(ending, []).append((replacement, int(least), after))
    return {ending: tuple(found) for ending, found in rules.items()}


def _replaced(word: str, group: _Group) -> str:
    for length in range(min(LONGEST_ENDING, len(word) - 1), 0, -1):
        for replacement, least, after in group.get(word[-length:], ()):
            left = word[:-length]
            if len(left) >= least and (not after or left[-1] in after) and not _VOWELS.isdisjoint(left):
                return left + replacement
    return word
