"""What a person sees whose browser asked for a page that is not on the shelf: the way on."""

import re
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from docshelf.serve.answering.citing import section_of
from docshelf.serve.http.responses import PAGE_POLICY
from docshelf.serve.media import HTML
from docshelf.serve.releases.addresses import ROOT_INDEX, html_page
from docshelf.serve.releases.tree import Release

_STYLE = re.compile(r"assets/(?:style|custom)-[a-p]{8}\.css")
_COLOURS = re.compile(r"assets/colours-[a-p]{8}\.js")
_SEARCH = "search.html"


@dataclass(frozen=True, slots=True)
class _Words:
    title: str
    explained: str
    near: str
    search: str
    contents: str


def wants_page(request: Request) -> bool:
    """Whether a browser asks that opens an address: it names HTML in Accept, programs seldom do."""
    return "text/html" in request.headers.get("accept", "").lower()


def not_found_page(request: Request, release: Release, path: str) -> Response:
    """The answer 404 as a page, with links to what is on the shelf; all of them are relative."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    root = "../" * max(raw.count(b"/") - 1, 0)
    content = _page(release, path, root).encode("utf-8", "replace")
    headers = {
        "Content-Type": HTML,
        "Cache-Control": "no-store",
        "Vary": "Accept",
        "Content-Security-Policy": PAGE_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    return Response(content, 404, headers)


def _page(release: Release, path: str, root: str) -> str:
    language = "ru" if release.manifest.language.lower().partition("-")[0] == "ru" else "en"
    words, name = _words(language), escape(release.manifest.name)
    assets = [it for it in release.files if it.startswith("assets/")]
    styles = [it for it in assets if _STYLE.fullmatch(it)]
    scripts = [it for it in assets if _COLOURS.fullmatch(it)]
    head = [f'<link rel="stylesheet" href="{root}{it}">' for it in sorted(styles, reverse=True)]
    head += [f'<script src="{root}{it}"></script>' for it in scripts]
    ways = [(page, words.search) for page in (_SEARCH,) if page in release.files]
    ways.append((_readable(release, ROOT_INDEX), words.contents))
    near = [(_readable(release, it), _title(release, it)) for it in release.addresses.nearest(path)]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{language}"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{words.title} — {name}</title>",
            *head,
            '</head><body class="lost">',
            f'<header class="bar"><a class="name" href="{root}{_readable(release, ROOT_INDEX)}"><span>{name}</span></a></header>',
            f'<div class="frame"><main id="_text"><h1>{words.title}</h1>',
            f"<p>{words.explained}</p>",
            *([f"<h2>{words.near}</h2>", "<ul>"] if near else []),
            *(f"<li>{_link(*it, root)}</li>" for it in near),
            *(["</ul>"] if near else []),
            f"<p>{' · '.join(_link(*way, root) for way in ways)}</p>",
            "</main></div></body></html>",
            "",
        ]
    )


def _link(path: str, title: str, root: str) -> str:
    return f'<a href="{root}{quote(path)}">{escape(title)}</a>'


def _readable(release: Release, path: str) -> str:
    """The page of a Markdown file; a checkout may hold none."""
    page = html_page(path)
    return page if page in release.files else path


def _title(release: Release, path: str) -> str:
    """The title of a section or document; the path of what has none."""
    entry = release.addresses.document(path)
    if entry is None:
        return path
    meta = release.meta(entry.meta)
    section = section_of(meta, path)
    return meta.title if section is None or section.title == meta.title else f"{section.title} — {meta.title}"


def _words(language: str) -> _Words:
    if language == "ru":
        return _Words(
            "Такой страницы на полке нет",
            "Адрес набран с ошибкой, или документ переименован либо снят с полки.",
            "Похожие страницы",
            "Поиск по полке",
            "Содержание полки",
        )
    return _Words(
        "There is no such page on the shelf",
        "The address is mistyped, or the document was renamed or taken from the shelf.",
        "Pages that look like it",
        "Search the shelf",
        "Contents of the shelf",
    )
