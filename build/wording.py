"""The words of the interface, in Russian and English, with their plurals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

Forms = tuple[str, str, str]
"""A noun after one, a few and many: «документ, документа, документов»."""

LANGUAGES = ("en", "ru")
"""Languages that DocShelf itself speaks."""

_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything DocShelf itself says to a reader, in one language."""

    language: str
    home: str
    contents: str
    on_this_page: str
    breadcrumbs: str
    skip: str
    """Text of the link that leads a keyboard past the head of the page."""
    source: str
    markdown: str
    previous: str
    next: str
    part: str
    categories_title: str
    documents_title: str
    sections_title: str
    beginning: str
    """Names the first section of a document in its contents where it has no title but the document's."""
    table: str
    figure: str
    scan_without_text: str
    """What a reader should know about a document of grade C, one sentence."""
    page_without_text: str
    guide_shelf: str
    """Paragraph of the shelf's and the categories' indexes: how to go on."""
    guide_document: str
    """Paragraph of a document's index: how to go on."""
    moved: str
    """Before the link of a page that stands where another one stood."""
    findings: str
    release: str
    built_with: str
    page_abbreviation: str
    plural: Callable[[int], int]
    """Which of three forms follows a number: 0 one, 1 few, 2 many."""
    document_forms: Forms
    category_forms: Forms
    section_forms: Forms
    page_forms: Forms
    part_forms: Forms

    def printed_pages(self, pages: str) -> str:
        """«с. 12–14», "p. 12–14"; "" stays ""."""
        return f"{self.page_abbreviation}\N{NO-BREAK SPACE}{pages}" if pages else ""

    def source_page(self, page: int) -> str:
        """«с. 12 PDF», "PDF p. 12": a page of the file, which may differ from the printed number."""
        if self.language == "ru":
            return f"{self.page_abbreviation}\N{NO-BREAK SPACE}{page}\N{NO-BREAK SPACE}PDF"
        return f"PDF\N{NO-BREAK SPACE}{self.page_abbreviation}\N{NO-BREAK SPACE}{page}"

    def documents(self, count: int) -> str:
        """«5 документов», "5 documents"."""
        return self._counted(count, self.document_forms)

    def categories(self, count: int) -> str:
        """«2 категории», "2 categories"."""
        return self._counted(count, self.category_forms)

    def sections(self, count: int) -> str:
        """«21 раздел», "21 sections"."""
        return self._counted(count, self.section_forms)

    def pages(self, count: int) -> str:
        """«3 страницы», "3 pages": how many, where `printed_pages` says which."""
        return self._counted(count, self.page_forms)

    def parts(self, count: int) -> str:
        """«2 части», "2 parts"."""
        return self._counted(count, self.part_forms)

    def _counted(self, count: int, forms: Forms) -> str:
        return f"{count}\N{NO-BREAK SPACE}{forms[self.plural(count)]}"


def interface_language(language: str, shelf_language: str) -> str:
    """The language that a page of `language` speaks around its text: its own, the shelf's, or English."""
    spoken = (primary_language(language), primary_language(shelf_language))
    return next((name for name in spoken if name in LANGUAGES), "en")


def wording(language: str) -> Wording:
    """The words in `language` (`ru-RU` means `ru`); English where there are none."""
    return _russian() if primary_language(language) == "ru" else _english()


def primary_language(language: str) -> str:
    """`ru` of `ru-RU` or `RU_ru`."""
    return language.replace("_", "-").partition("-")[0].lower()


def direction(language: str) -> str:
    """`rtl` for Arabic, Hebrew and the like, else `ltr`."""
    return "rtl" if primary_language(language) in _RIGHT_TO_LEFT else "ltr"


def _english_plural(count: int) -> int:
    return 0 if count == 1 else 2


def _russian_plural(count: int) -> int:
    if count % 10 == 1 and count % 100 != 11:
        return 0
    return 1 if count % 10 in (2, 3, 4) and count % 100 not in (12, 13, 14) else 2


@cache
def _english() -> Wording:
    return Wording(
        language="en",
        home="Home",
        contents="Contents",
        on_this_page="On this page",
        breadcrumbs="Where this page stands",
        skip="Skip to the text",
        source="source",
        markdown="Markdown",
        previous="Previous",
        next="Next",
        part="part",
        categories_title="Categories",
        documents_title="Documents",
        sections_title="Sections",
        beginning="Beginning",
        table="Table",
        figure="Figure",
        scan_without_text="Scan without text: this document can be looked at, but not searched or quoted.",
        page_without_text="page without text (scan)",
        guide_shelf="Follow one line to a document, then one line to a section, and cite its path and page. "
        "Notes say what stands behind a line: printed pages and size.",
        guide_document="Follow one line to a section. Notes give printed pages, size and the headings inside.",
        moved="This text now stands at",
        findings="Findings",
        release="Release",
        built_with="Built with DocShelf",
        page_abbreviation="p.",
        plural=_english_plural,
        document_forms=("document", "documents", "documents"),
        category_forms=("category", "categories", "categories"),
        section_forms=("section", "sections", "sections"),
        page_forms=("page", "pages", "pages"),
        part_forms=("part", "parts", "parts"),
    )


@cache
def _russian() -> Wording:
    return Wording(
        language="ru",
        home="Главная",
        contents="Содержание",
        on_this_page="На этой странице",
        breadcrumbs="Где находится эта страница",
        skip="Перейти к тексту",
        source="источник",
        markdown="Markdown",
        previous="Назад",
        next="Далее",
        part="часть",
        categories_title="Категории",
        documents_title="Документы",
        sections_title="Разделы",
        beginning="Начало",
        table="Таблица",
        figure="Рисунок",
        scan_without_text="Скан без текста: документ можно посмотреть, но по нему нельзя искать.",
        page_without_text="страница без текста (скан)",
        guide_shelf="Перейдите по одной строке к документу, затем по одной строке к разделу; ссылайтесь на путь "
        "и страницу. В примечании: печатные страницы и объём.",
        guide_document="Перейдите по одной строке к разделу. В примечании: печатные страницы, объём, "
        "заголовки внутри.",
        moved="Этот текст теперь находится здесь:",
        findings="Замечания",
        release="Выпуск",
        built_with="Собрано в DocShelf",
        page_abbreviation="с.",
        plural=_russian_plural,
        document_forms=("документ", "документа", "документов"),
        category_forms=("категория", "категории", "категорий"),
        section_forms=("раздел", "раздела", "разделов"),
        page_forms=("страница", "страницы", "страниц"),
        part_forms=("часть", "части", "частей"),
    )
