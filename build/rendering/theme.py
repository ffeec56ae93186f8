"""Templates and assets: the built-in theme, and a folder of the user's own laid over it.

A theme folder holds `templates/*.html` and `assets/*`. A file of the same name takes the place of the
built-in one, which stays in reach as `default/NAME`. Every file is read once, when the theme is loaded:
a build never sees half of an edit, and a template reaches nothing outside of the two folders.
"""

import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, Environment, PrefixLoader, StrictUndefined
from jinja2.exceptions import TemplateError, TemplateSyntaxError, UndefinedError

from docshelf.serve.errors import ConfigError

BUILT_IN = Path(__file__).parent.parent.parent / "themes" / "default"

_CSS_URL = re.compile(r"""url\(\s*(["']?)([A-Za-z0-9_./-]+)\1\s*\)""")
_TEXT_BESIDE = (".md", ".txt")
_UTF8_ONLY = (".html", ".css")
_FINGERPRINT_LETTERS = 8
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Fingerprints without digits: whoever looks for a number in a page finds only the document's own."""

Files = Mapping[str, bytes]
"""Content by name, relative to `templates/` or `assets/`, with "/" between folders."""

_Items = tuple[tuple[str, bytes], ...]
"""The same as one value that has a hash."""


@dataclass(frozen=True, slots=True, eq=False)
class Theme:
    """How pages look; the same files give the same theme, as one object."""

    environment: Environment
    """Jinja2 with escaping always on; an unknown name is an error, not an empty place."""
    published: Mapping[str, tuple[str, bytes]]
    """Asset name → shelf path with a fingerprint of the content, and the content."""
    fingerprint: str
    """16 hex digits over all templates and assets: part of a rendered page's cache key."""

    def assets(self) -> dict[str, bytes]:
        """Shelf path, such as `assets/style-1a2b3c4d.css`, → content; sorted."""
        return dict(sorted(self.published.values()))

    def asset_path(self, name: str) -> str:
        """Shelf path of the asset `name`.

        Raises: ConfigError where a template asks for an asset that the theme lacks.
        """
        if name not in self.published:
            known = ", ".join(sorted(self.published))
            raise ConfigError(
                [f"theme: there is no asset {name!r}; put it into assets/ or use one of: {known}"]
            )
        return self.published[name][0]

    def render(self, template: str, context: Mapping[str, Any]) -> str:
        """The template filled in.

        Raises: ConfigError where the user's template names what is not there.
        """
        try:
            return self.environment.get_template(template).render(context)
        except TemplateError as exc:
            raise ConfigError([_template_problem(template, exc)]) from exc


def load_theme(override: Path | None = None) -> Theme:
    """The built-in theme, with the templates and assets of the folder `override` laid over it.

    Raises: ConfigError, all problems at once: no such folder, a file outside of templates/ and assets/,
    a link that leaves the folder, a template or stylesheet that is no UTF-8, a syntax error.
    """
    problems: list[str] = []
    own_templates, own_assets = ({}, {}) if override is None else _read_override(override, problems)
    templates, assets = _read(BUILT_IN, "templates", problems), _read(BUILT_IN, "assets", problems)
    theme, wrong = _compiled(
        *(tuple(it.items()) for it in (templates, own_templates, {**assets, **own_assets}))
    )
    where = (BUILT_IN if override is None else override) / "templates"
    problems += [f"{where}/{problem}; mend the template" for problem in wrong]
    if problems:
        raise ConfigError(problems)
    return theme


@functools.lru_cache(maxsize=2)
def _compiled(templates: _Items, own_templates: _Items, assets: _Items) -> tuple[Theme, tuple[str, ...]]:
    """The theme of these files, and what is wrong with its templates; a build that follows compiles none anew."""
    parts = dict(templates), dict(own_templates), dict(assets)
    environment = _environment(*parts[:2])
    wrong = _syntax_problems(environment, {*parts[0], *parts[1]})
    return Theme(environment, _published(parts[2]), _fingerprint(parts)), tuple(wrong)


def _environment(templates: Files, own_templates: Files) -> Environment:
    built_in = DictLoader(_text(templates))
    loaders = [DictLoader(_text(own_templates)), built_in, PrefixLoader({"default": built_in})]
    return Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


def _text(files: Files) -> dict[str, str]:
    # Signs that are no UTF-8 are named by _read before a page is made.
    return {name: content.decode("utf-8", "replace") for name, content in files.items()}


def _read_override(folder: Path, problems: list[str]) -> tuple[Files, Files]:
    if not folder.is_dir():
        problems.append(f"theme {folder}: there is no such folder; mend `theme` or remove it")
        return {}, {}
    for entry in sorted(folder.iterdir()):
        expected = entry.name in ("templates", "assets") if entry.is_dir() else entry.suffix in _TEXT_BESIDE
        if not expected and not entry.name.startswith("."):
            problems.append(f"theme {entry}: not used here; move it into templates/ or assets/")
    found = _read(folder, "templates", problems), _read(folder, "assets", problems)
    if not any(found):
        problems.append(f"theme {folder}: holds no template and no asset; add templates/ or assets/")
    return found


def _read(theme: Path, part: str, problems: list[str]) -> Files:
    """Every file under the folder `part` that is not hidden; a link may not lead out of the theme."""
    inside, files = theme.resolve(), {}
    for file in sorted((theme / part).rglob("*")):
        name = file.relative_to(theme / part)
        if any(step.startswith(".") for step in name.parts) or file.is_dir():
            continue
        if not file.resolve().is_relative_to(inside) or not file.is_file():
            problems.append(f"theme {file}: leads out of the theme or is no file; put a copy there")
            continue
        content = file.read_bytes()
        if file.suffix in _UTF8_ONLY and not _is_utf8(content):
            problems.append(f"theme {file}: is no UTF-8 text; save it as UTF-8")
        files[name.as_posix()] = content
    return files


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _syntax_problems(environment: Environment, names: Iterable[str]) -> Iterator[str]:
    for name in sorted(names):
        try:
            environment.get_template(name)
        except TemplateSyntaxError as exc:
            yield f"{name}, line {exc.lineno}: {exc.message}"


def _template_problem(template: str, error: TemplateError) -> str:
    if isinstance(error, TemplateSyntaxError):
        return f"theme, {error.name}, line {error.lineno}: {error.message}; mend the template"
    why = "a name that is not there" if isinstance(error, UndefinedError) else type(error).__name__
    return f"theme, {template} or a template it uses: {why}: {error.message}; mend the template"


def _published(assets: Files) -> dict[str, tuple[str, bytes]]:
    """Each asset at its fingerprinted path; stylesheets last, as they name other assets."""
    published: dict[str, tuple[str, bytes]] = {}
    for name in sorted(assets, key=lambda name: (name.endswith(".css"), name)):
        content = assets[name]
        if name.endswith(".css"):
            content = _with_published_urls(name, content, published)
        path = PurePosixPath("assets", name)
        digest = hashlib.sha256(content).hexdigest()[:_FINGERPRINT_LETTERS].translate(_LETTERS)
        published[name] = (str(path.with_name(f"{path.stem}-{digest}{path.suffix}")), content)
    return published


def _with_published_urls(name: str, css: bytes, published: Mapping[str, tuple[str, bytes]]) -> bytes:
    """The stylesheet with `url(font.woff2)` leading to that asset's fingerprinted name."""
    depth = name.count("/")

    def mended(match: re.Match[str]) -> str:
        target = PurePosixPath(name).parent / match[2]
        if str(target) not in published:
            return match[0]
        inside = published[str(target)][0].removeprefix("assets/")
        return f'url("{"../" * depth}{inside}")'

    return _CSS_URL.sub(mended, css.decode("utf-8", "replace")).encode()


def _fingerprint(parts: tuple[Files, ...]) -> str:
    digest = hashlib.sha256()
    for files in parts:
        digest.update(b"part\0")
        for name, content in sorted(files.items()):
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
