"""What a reader is told of a finding: in Russian, or as its author is told.

The author's sentences are English and say what to do with the file. A reader can do nothing with the file, but
should know what of the text to compare with the source; names and counts stay in the author's report.
"""

import re

from docshelf.build.converting.converted import Remark
from docshelf.build.rendering.pages import LinkTo, ReaderFinding

RUSSIAN = {
    "active-content": "в файле есть сценарии, запуск программ или вложения; они не перенесены и не запускались",
    "bookmarks-not-located": "часть закладок файла не совпадает с напечатанными заголовками; "
    "их названия добавлены в текст",
    "cut-link": "ссылки, оборванные в конце строки, не перенесены; их текст сохранён",
    "damaged": "файл повреждён и прочитан после восстановления; части текста может не быть",
    "damaged-page": "страница повреждена и не прочитана; смотрите источник",
    "doubtful-text": "текст мог быть распознан с ошибками; сверьте его с источником",
    "hidden-text": "текст, которого не видно на странице, не перенесён",
    "invisible-characters": "невидимые знаки не перенесены",
    "layout-failed": "порядок абзацев и колонок мог нарушиться; сверьте его с источником",
    "mixed-alphabets": "в заголовках смешаны латинские и русские буквы; поиск может их не найти",
    "no-ocr-models": "текст на изображениях страниц не распознан",
    "no-picture": "изображения страницы нет; смотрите источник",
    "no-text-layer": "это скан без текста; поиск его не видит",
    "no-unicode-map": "шрифты не сообщают, какие буквы в них нарисованы; вместо текста показано изображение",
    "notes-left-out": "пометки рецензентов не перенесены",
    "ocr-layer": "текст распознан по изображению, в нём могут быть ошибки",
    "ocr-read": "текст распознан по изображению, в нём могут быть ошибки",
    "odd-page-box": "размеры страницы в файле заданы неверно; она прочитана целиком",
    "outline-cut": "закладок в файле слишком много; взята их часть",
    "outline-damaged": "закладки файла повреждены; прочитана их часть",
    "outline-dead-entries": "часть закладок файла никуда не ведёт; они не взяты",
    "outline-loop": "закладки файла идут по кругу; каждая взята один раз",
    "right-to-left": "текст идёт справа налево; сверьте порядок слов и чисел с источником",
    "scanned-body": "это скан, у которого есть лишь несколько слов текста; остального поиск не видит",
    "table-flattened": "объединённые ячейки таблиц разделены; сверьте таблицы с источником",
    "text-lost": "порядок абзацев мог нарушиться; сверьте его с источником",
    "text-mended": "буквы в файле были записаны неверно и восстановлены; сверьте текст с источником",
}
"""One sentence without its stop by a remark's code."""

_PAGES = re.compile(r"pages? ([\d, -]+?)(?: and (\d+) more)?: ")


def reader_finding(remark: Remark, place: LinkTo | None, language: str) -> ReaderFinding:
    """The remark in `language`, a language of the interface; in English where it has no words in it."""
    named = _PAGES.match(remark.text)
    numbers, more = named.groups() if named else ("", None)
    if language == "ru" and remark.code in RUSSIAN:
        return ReaderFinding(
            RUSSIAN[remark.code], remark.severity, place, _russian_pages(numbers, more), language
        )
    if not named:
        return ReaderFinding(remark.text, remark.severity, place)
    pages = named[0].removesuffix(": ")
    return ReaderFinding(remark.text[named.end() :], remark.severity, place, pages)


def _russian_pages(numbers: str, more: str | None) -> str:
    if not numbers:
        return ""
    name = "страница" if numbers.isdigit() else "страницы"
    runs = numbers.replace("-", "\N{EN DASH}")
    return f"{name} PDF {runs}" + (f" и ещё {more}" if more else "")
