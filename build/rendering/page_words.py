"""What the frame of an HTML page says, in Russian and English; scripts bring their own words."""

from dataclasses import dataclass
from functools import cache

from docshelf.build.wording import primary_language


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words around a page's text, in one language."""

    search: str
    search_shelf: str
    """On the shelf's home, where there is room for more than one word."""
    needs_script: str
    menu: str
    colours: str
    """Name of the button that changes between light and dark."""
    help: str
    tree: str
    """Name of the document's tree."""
    copy_markdown: str
    open_markdown: str
    cite: str
    source: str
    whole: str
    """The link to the whole document on one page."""
    grades: dict[str, str]
    """What a document of grade A, B or C is like, in a few words."""
    grade: str
    findings: str
    all_findings: str
    """On a page that shows those of its own pages, or none."""
    finding_page: str
    """Before the number of a PDF page."""
    kept: str
    """Name of what a reader should know before the text."""
    last_good: str
    """On the pages of a document that is shown in the version of the last good build."""
    neighbours: str
    """Name of the links to what stands before and after."""

    def grade_words(self, grade: str) -> str:
        """What the grade means."""
        return self.grades.get(grade, "")


def page_words(language: str) -> PageWords:
    """The words in `language`; English where there are none."""
    return _russian() if primary_language(language) == "ru" else _english()


@cache
def _english() -> PageWords:
    return PageWords(
        search="Search",
        search_shelf="Search the shelf: words, commands, part numbers",
        needs_script="Searching needs JavaScript. Without it, go through the contents of the shelf.",
        menu="Contents of the document",
        colours="Colours",
        help="Keys",
        tree="Sections of the document",
        copy_markdown="Copy as Markdown",
        open_markdown="Markdown",
        cite="Cite this place",
        source="Source",
        whole="Whole document",
        grades={"A": "text with structure", "B": "text only", "C": "pictures of pages"},
        grade="Grade",
        findings="Findings of the build",
        all_findings="Findings in the whole document",
        finding_page="PDF page",
        kept="Please note",
        last_good="This is the last good version: the file that is in the source folder now cannot be read.",
        neighbours="Neighbouring sections",
    )


@cache
def _russian() -> PageWords:
    return PageWords(
        search="Поиск",
        search_shelf="Поиск по полке: слова, команды, обозначения",
        needs_script="Для поиска нужен JavaScript. Без него пользуйтесь содержанием полки.",
        menu="Содержание документа",
        colours="Цвета",
        help="Клавиши",
        tree="Разделы документа",
        copy_markdown="Копировать как Markdown",
        open_markdown="Markdown",
        cite="Сослаться",
        source="Источник",
        whole="Документ целиком",
        grades={"A": "текст со структурой", "B": "только текст", "C": "изображения страниц"},
        grade="Оценка",
        findings="Замечания сборки",
        all_findings="Замечания ко всему документу",
        finding_page="страница PDF",
        kept="Обратите внимание",
        last_good="Это последняя удачная версия: файл, который сейчас лежит в папке, прочитать не удалось.",
        neighbours="Соседние разделы",
    )
