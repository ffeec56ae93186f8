"""The source folder that the questions are asked about: the corpus in folders as an owner would sort it."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of documents."""

    name: str
    title: str
    stems: str
    """File names without `.pdf`, apart by spaces; a last "*" stands for any name that begins so."""


FOLDERS = (
    Folder("debian-install", "Установка Debian · Installing Debian", "install-* cjk-install-*"),
    Folder("debian-packages", "Пакеты Debian · Packaging for Debian", "debmake-* maint-* devref-*"),
    Folder(
        "debian-about",
        "О Debian: вопросы, история, каталоги · About Debian: questions, history, directories",
        "debfaq-* ru-history cjk-history-* fhs",
    ),
    Folder("ups", "Источники бесперебойного питания, NUT · Uninterruptible power, NUT", "nut-* net-nut-*"),
    Folder("networks", "Сетевые службы · Network services", "bird bird-prog net-ndpi net-krb5-*"),
    Folder(
        "circuits", "Микроконтроллеры и схемы · Microcontrollers and circuits", "avrdude net-openocd ngspice"
    ),
    Folder(
        "plotting", "Вычисления и графики · Computing and drawing", "gnuplot octave refcard geotopo xfig-*"
    ),
    Folder(
        "tex",
        "TeX, LaTeX, MetaPost",
        "texlive-* mpman-* lshort-* bg-* ru-russ ru-numname ru-eskd sr-* uk-* rules90-* gost-* ru-ugost* ru-gost2*",
    ),
    Folder("standards", "Государственные стандарты · State standards", "ru-gost-*"),
    Folder("papers", "Статьи и книги · Papers and books", "tracemonkey lay-redp rtl-* lay-amt cam-*"),
)
OTHERS = Folder("samples", "Сканы и пробные файлы · Scans and test files", "*")


def gather_sources(corpus: Path, samples: Path, folder: Path) -> None:
    """Writes the source folder `folder`: the PDFs of `corpus` sorted into folders beside those of `samples`.

    `samples` is a source folder with settings of its own; titles of the new folders are added to them.
    """
    shutil.copytree(samples, folder, ignore=shutil.ignore_patterns(".make"))
    for file in sorted(corpus.glob("*.pdf")):
        place = folder / folder_of(file.stem).name
        place.mkdir(exist_ok=True)
        shutil.copyfile(file, place / file.name)
    settings = folder / ".docshelf.json"
    config = json.loads(settings.read_text(encoding="utf-8"))
    titles: Mapping[str, object] = {it.name: {"title": it.title} for it in (*FOLDERS, OTHERS)}
    config["categories"] = {**config["categories"], **titles}
    settings.write_text(json.dumps(config, ensure_ascii=False, indent=2), encoding="utf-8")


def folder_of(stem: str) -> Folder:
    """The folder that a document of the corpus is sorted into."""
    for folder in FOLDERS:
        if any(_fits(stem, pattern) for pattern in folder.stems.split()):
            return folder
    return OTHERS


def _fits(stem: str, pattern: str) -> bool:
    return stem.startswith(pattern[:-1]) if pattern.endswith("*") else stem == pattern
