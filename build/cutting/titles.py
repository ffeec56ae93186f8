"""What a document is called and which language it speaks, from what it holds."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from docshelf.build.converting.converted import ConvertedDocument, Line, Page

_TOOL_TITLE = re.compile(
    r"^(microsoft (word|powerpoint|excel|office)\b.*|untitled.*|без имени.*|(новый )?документ ?\d*|document ?\d*"
    r"|presentation ?\d*|презентация ?\d*|slide ?\d*|title|default|scan(ned)?[ _-]?\d*|print|output|test|\(?(anonymous|unspecified|unknown|none|null|no title)\)?|-+)$",
    re.IGNORECASE,
)
_FILE_TITLE = re.compile(
    r"\.(docx?|pptx?|xlsx?|pdf|odt|rtf|tex|dvi|indd|qxd|fm|p65|cdr|dwg|html?|txt)$", re.IGNORECASE
)
_PART_TITLE = re.compile(
    r"^(table of )?contents$|^(title|cover)( page)?$|^(front|half) ?(cover|title)$|^preface$|^foreword$|^abstract$"
    r"|^introduction$|^overview$|^about( this .*)?$|^acknowledge?ments$|^(copyright|legal)( notice)?$|^licen[cs]e$"
    r"|^содержание$|^оглавление$|^предисловие$|^аннотация$|^обложка$|^титул\w*( (лист|страница|сторінка))?$"
    r"|^введение$|^благодарности$|^зміст$|^передмова$|^вступ$|^заглавна страница$|^предговор$|^увод$"
    r"|^съдържание$|^inhalt(sverzeichnis)?$|^目次$|^目录$"
    r"|^((concept|subject|general|alphabetical) )?index$|^bibliography$|^references$|^glossary$"
    r"|^((предметн|алфавитн|именн)ый )?указатель$|^(список )?литератур[аы]$|^глоссарий$"
    r"|^(азбучен|предметен) указател$|^(алфавітний|предметний) покажчик$"
    r"|^(chapter|part|section|appendix|глава|часть|раздел|приложение|розділ|частина)\W+[\dIVXLCA-ZА-Я]+\b"
    r"|^\d+(\.\d+)*[.)]?\s",
    re.IGNORECASE,
)
"""Headings that every document may have, and numbered ones: they name a part, not the document."""

_MARKUP = re.compile(r"\]\(|</?[a-z!]|^#{1,6} ", re.IGNORECASE)
_TITLE_CHARACTERS = 300

_LETTERS_OF = {"be": "ў", "uk": "іїєґ", "mk": "ѓќѕ", "sr": "јљњђћџ"}
"""Letters that Russian lacks, for each language that has them; the first that fits decides."""

_LANGUAGE_SAMPLE = 20_000
_TITLE_PAGES = 2
_TITLE_SIZE = 1.2
"""A title is set at least so many times larger than the text around it."""


def document_title(sidecar: str | None, metadata: str, headings: Iterable[str], stem: str) -> str:
    """The title from the sidecar, else sane metadata, else the first heading that says more
    than its place (not "Contents"), else the file's name.

    One line of NFC text, never empty, at most 300 characters.
    """
    named = (heading for heading in headings if not _PART_TITLE.match(_one_line(heading)))
    candidates = [sidecar or "", metadata if is_sane_title(metadata) else "", next(named, "")]
    for candidate in (*candidates, stem.replace("_", " "), "Document"):
        title = _one_line(candidate)
        if any(sign.isalnum() for sign in title):
            return title[:_TITLE_CHARACTERS]
    raise AssertionError("the last candidate always serves")


def title_page(document: ConvertedDocument) -> str:
    """The largest text before the first heading, where it stands out as a title does; else "".

    Headings are decided already: this is what a title page prints above the first of them.
    """
    sizes: Counter[float] = Counter()
    for page in document.pages:
        for block in page.blocks:
            for line in block.lines:
                sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    candidates = list(_before_first_heading(document.pages[:_TITLE_PAGES]))
    largest = max((line.size for lines in candidates for line in lines), default=0.0)
    if not largest or largest < _TITLE_SIZE * body:
        return ""
    found = next(lines for lines in candidates if any(line.size == largest for line in lines))
    title = " ".join(line.text for line in found if line.size >= largest - 0.5)
    return title if sum(sign.isalpha() for sign in title) >= 3 and len(title) <= _TITLE_CHARACTERS else ""


def _before_first_heading(pages: Iterable[Page]) -> Iterator[tuple[Line, ...]]:
    for page in pages:
        for block in page.blocks:
            if block.kind == "heading":
                return
            if block.kind == "paragraph":
                yield block.lines


def is_sane_title(title: str) -> bool:
    """Whether a title in a file's metadata was meant for readers: no tool's default, file name or markup."""
    title = _one_line(title)
    letters = [sign for sign in title if sign.isalpha()]
    if len(letters) < 3 or _TOOL_TITLE.match(title) or _FILE_TITLE.search(title) or _MARKUP.search(title):
        return False
    # Cyrillic bytes read as Latin-1 are nearly all letters from À to ÿ.
    doubtful = sum("\u00c0" <= sign <= "\u00ff" or sign in "\ufffd¬¦§" for sign in title)
    return 2 * doubtful < len(letters)


def first_text(document: ConvertedDocument) -> str:
    """The first text of a document, enough to tell its language; listings are English everywhere and left out."""
    texts: list[str] = []
    size = 0
    for page in document.pages:
        for block in page.blocks:
            if block.kind != "code" and size < _LANGUAGE_SAMPLE:
                texts.append(block.text or " ".join(cell for row in block.rows for cell in row))
                size += len(texts[-1])
    return "\n".join(texts)


def text_language(text: str, default: str) -> str:
    """The language of `text` as far as its alphabet tells: uk, be, ru, en, ja, zh, ko, ar, he, el or `default`."""
    counts = Counter[str]()
    for sign, times in Counter(text).items():
        if sign.isalpha():
            counts[_script(sign)] += times
    if not counts:
        return default
    script = max(sorted(counts), key=lambda name: counts[name])
    if script == "cyrillic":
        return _cyrillic_language(text.lower(), default)
    if script == "latin":
        # Other Latin languages cannot be told by letters alone: the shelf's own word holds.
        return default if _script_of_language(default) == "latin" else "en"
    if script == "han":
        return "ja" if counts.get("kana", 0) * 20 > counts["han"] else "zh"
    return {"kana": "ja", "hangul": "ko", "arabic": "ar", "hebrew": "he", "greek": "el"}.get(script, default)


def _cyrillic_language(text: str, default: str) -> str:
    letters = max(1, sum("а" <= sign <= "я" for sign in text))
    for language, own in _LETTERS_OF.items():
        if 200 * sum(text.count(sign) for sign in own) > letters:
            return language
    # Bulgarian has no ы and э, and ъ is one of its vowels.
    if 100 * text.count("ъ") > letters and "ы" not in text and "э" not in text:
        return "bg"
    return default if _script_of_language(default) == "cyrillic" else "ru"


def _script_of_language(language: str) -> str:
    primary = language.partition("-")[0]
    if primary in ("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg"):
        return "cyrillic"
    return "other" if primary in ("ja", "zh", "ko", "ar", "he", "el", "fa", "ur") else "latin"


def _script(sign: str) -> str:
    point = ord(sign)
    if point < 0x250:
        return "latin"
    if 0x370 <= point < 0x400:
        return "greek"
    if 0x400 <= point < 0x530:
        return "cyrillic"
    if 0x590 <= point < 0x600:
        return "hebrew"
    if 0x600 <= point < 0x780:
        return "arabic"
    if 0x3040 <= point < 0x3100:
        return "kana"
    if 0x3400 <= point < 0xA000:
        return "han"
    if 0xAC00 <= point < 0xD7B0:
        return "hangul"
    return "other"


def _one_line(text: str) -> str:
    plain = "".join(
        " " if unicodedata.category(sign) in ("Cc", "Zl", "Zp", "Cf", "Co") else sign for sign in text
    )
    return unicodedata.normalize("NFC", " ".join(plain.split()))
