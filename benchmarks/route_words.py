"""Words as the scripted reader compares them: by their roots, in Russian and in English.

A root is the Snowball stem; of a Russian stem, suffixes that make nouns of verbs and the like are taken off
too, so that «установка», «установить» and «установленный» meet.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import snowballstemmer  # type: ignore[import-untyped]  # 3.1.1 has no annotations

_WORD = re.compile(r"[^\W_]+")
_CYRILLIC = re.compile("[а-я]")
_SUFFIXES = (
    "ировани", "ирован", "ировк", "ирова", "овани", "ован", "енн", "ени", "ен", "анн", "ани", "ан",
    "изаци", "изац", "аци", "ац", "ива", "ыва", "ова", "льн", "тель", "щик", "чик", "ник", "ост", "ств", "ск",
    "ей", "к", "н", "л", "й", "а", "и", "е",
)  # fmt: skip
_LEAST_ROOT = 4
_ROUNDS = 2
_STOP_WORDS_TEXT = """
а без бы был быть в во вы где для до его ее если есть еще же за и из или им их к как какая какие какими
какой каком какую когда кого кто ли между мне может можно мой на над надо не нет ни но нужен нужна нужно
нужны о об от по под после почему при с свой сколько со так то того только у уже чем через что чтобы эта
эти это я a after all an and any are as at be been before but by can do does each for from had has have
how i if in into is it its long many may more most much my no not of on one or other our out over own s
should so some such t than that the their them then there these they this those to under until up us use
used using was we were what when where which while who whom whose why will with without would you your
"""
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())

_COMMON_WORDS_TEXT = """
большой весь взять видеть вид войти время выбрать вызвать вывести готовый дать данные делать добавить
другой задать записать запись запустить знать изменить иметь искать использовать класть команда
компьютер место много набирать название называть найти написать начало начать новый номер ответ
отдельный первый переключить писать показать получить помочь поставить последний посчитать правильно
приводить пример проверить программа работать раз размер ряд сделать система следить слово случай
сообщить сослаться список стоит строка текст указать узнать увидеть файл хороший хотеть хранить часть
число читать add answer become begin belong bring call carry change choose come common computer copy
create different draw exit fail file find get give good group hold keep kept know large last let like
line list log look mean name need new number open part place possible print program promise put read
real remove run save say see set show small speak start stop system take tell text thing time try type
value wait want way word work write
"""
_COMMON_WORDS = frozenset(_COMMON_WORDS_TEXT.split())
_NAME = re.compile(r"[^\W_]*(?:[A-ZА-ЯЁ]|[0-9])[^\W_]*")
_COMMON_WEIGHT = 0.3
_NAME_WEIGHT = 2.0


class Roots:
    """The roots of words; each word is looked at once."""

    def __init__(self) -> None:
        self._english = snowballstemmer.stemmer("english")
        self._russian = snowballstemmer.stemmer("russian")
        self._known: dict[str, str] = {}
        self._common = frozenset(map(self._root, _COMMON_WORDS))

    def of(self, text: str) -> frozenset[str]:
        """The roots of the words of `text` that say something; words of one letter say nothing."""
        return frozenset(self.in_order(text))

    def in_order(self, text: str) -> list[str]:
        """The same, each as often as it stands in the text."""
        words = _WORD.findall(text.casefold().replace("ё", "е"))
        return [self._root(word) for word in words if len(word) > 1 and word not in _STOP_WORDS]

    def weighed(self, question: str) -> dict[str, float]:
        """The roots of a question's words, each with how much it says about the subject, as people see it.

        2 for names (words with a capital or a digit after the first word, Latin words among Russian ones),
        0.3 for words that fit any subject ("find", "file"), 1 for all others.
        """
        russian = _CYRILLIC.search(question.casefold())
        weights: dict[str, float] = {}
        for place, word in enumerate(_WORD.findall(question)):
            named = place and _NAME.fullmatch(word)
            for root in self.of(word):
                if named or (russian and word.isascii()):
                    weights[root] = _NAME_WEIGHT
                else:
                    weights[root] = _COMMON_WEIGHT if root in self._common else 1.0
        return weights

    def _root(self, word: str) -> str:
        root = self._known.get(word)
        if root is None:
            russian = _CYRILLIC.search(word)
            root = (self._russian if russian else self._english).stemWord(word)
            root = self._known[word] = _without_suffixes(root) if russian else root
        return root


def rarity(texts: Iterable[frozenset[str]], words: Iterable[str]) -> dict[str, float]:
    """What each of `words` tells among some texts: the more, the fewer of them hold it; never 0."""
    found: Sequence[frozenset[str]] = list(texts)
    held = Counter(word for text in found for word in text)
    return {word: math.log(1 + len(found) / max(1, held[word])) for word in words}


def speaks(text: str, language: str) -> bool:
    """Whether most letters of `text` are those that the language (`ru` or `en`) is written in."""
    letters = [sign for sign in text.casefold() if sign.isalpha()]
    own = sum("а" <= sign <= "ё" if language == "ru" else sign.isascii() for sign in letters)
    return 2 * own >= len(letters)


def _without_suffixes(stem: str) -> str:
    for _ in range(_ROUNDS):
        for suffix in _SUFFIXES:
            if stem.endswith(suffix) and len(stem) - len(suffix) >= _LEAST_ROOT:
                stem = stem.removesuffix(suffix)
                break
        else:
            break
    return stem
