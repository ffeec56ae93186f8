"""What nginx writes into `Link`: the Markdown of a page, and the nearest llms.txt above.

nginx knows no manifest. It looks on the disk whether a category above has an llms.txt of its own, three
folders deep; below a deeper one it names the third's.
"""

from collections.abc import Iterator

from docshelf.serve.nginx.options import NginxOptions
from docshelf.serve.nginx.words import block, pattern, quoted

_NO_TWIN = ("print", "search")
"""Pages without Markdown beside them."""
_DEPTH = 3
_NOWHERE = "-"
"""Behind the name of a tree: a folder that is not there."""


def link_maps(options: NginxOptions, name: str) -> list[str]:
    """Maps that `link_value` needs."""
    twin = block(
        f"map $uri ${name}_twin", 'default "";', f'"~/(?:{"|".join(_NO_TWIN)})\\.html$" "";',
        r'"~/(?<docshelf_stem>[^/]+)\.html$" "<$docshelf_stem.md>; rel=\"alternate\"; type=\"text/markdown\", ";',
    )  # fmt: skip
    link = f'"<{options.prefix}${name}_base${name}_llms>; rel=\\"describedby\\""'
    links = block(f"map $sent_http_content_type ${name}_link", 'default "";',
                  f'"~^text/(?:html|markdown)" {link};')  # fmt: skip
    return [twin, links]


def nearest_llms(options: NginxOptions, name: str) -> Iterator[str]:
    """Lines of a server that look for the nearest llms.txt.

    In a server block, `if` and `set` are asked in order. nginx counts variables: one is used for each folder.
    """
    begin, at = f"^{pattern(options.prefix)}", f"${name}_at"
    yield f'set ${name}_base "";'
    yield f"set ${name}_tree current;"
    yield f'if ($uri ~ "{begin}(/r/([0-9a-f]{{16}}))/") {{ set ${name}_base $1; set ${name}_tree releases/$2; }}'
    yield f"set ${name}_llms /llms.txt;"
    for depth in range(1, _DEPTH + 1):
        folder = rf"(?:/r/[0-9a-f]{{16}})?(/docs(?:/[^/]+){{{depth}}})/"
        file = f"{options.site}/${name}_tree{at}/llms.txt"
        yield f"set {at} {_NOWHERE};"
        yield f'if ($uri ~ "{begin}{folder}") {{ set {at} $1; }}'
        yield f'if (-f {quoted(file, variables=True)}) {{ set ${name}_llms "{at}/llms.txt"; }}'


def link_value(name: str) -> str:
    """The value of `Link`; empty where there is nothing to name."""
    return f'"${name}_twin${name}_link"'
