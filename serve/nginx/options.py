"""What `docshelf nginx` is told, held against what nginx can be told without harm.

Words of a configuration can be quoted, but a dollar sign always begins a variable, and a line feed ends a
comment: what nginx would read otherwise than it was meant is refused.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from docshelf.serve.errors import ConfigError
from docshelf.serve.http.origins import make_allow_list

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*|\[[0-9a-fA-F:.]{2,45}\]")
_NAME_CHARACTERS = 253
_ADDRESS = re.compile(r"([A-Za-z0-9._-]+|\[[0-9a-fA-F:.]{2,45}\]):([0-9]{1,5})")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_PLAIN_PORT, _TLS_PORT = "80", "443"


@dataclass(frozen=True, slots=True)
class NginxOptions:
    """What an nginx in front of a shelf is to do; `checked_options` makes it whole."""

    site: Path
    """The folder that `docshelf build` writes to."""
    server_names: tuple[str, ...] = ("localhost",)
    """What the server is called; other names are refused."""
    listen: tuple[str, ...] = ()
    """Ports, or addresses with a port; empty: 80, or 443 with a certificate."""
    prefix: str = ""
    """Where the shelf stands, such as `/docs`."""
    upstream: str | None = "127.0.0.1:8080"
    """Where `docshelf serve` listens; None: there is none, files only."""
    origins: tuple[str, ...] = ()
    """Web pages of other hosts that may read the files, such as `https://chat.lan`."""
    private: bool = False
    """Whether files need a token of `docshelf serve`, too."""
    brotli: bool = False
    """Whether nginx has the module brotli_static."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    log_folder: Path = Path("/var/log/nginx")


def checked_options(options: NginxOptions) -> NginxOptions:
    """The same with absolute paths and no defaults left open.

    Raises: ConfigError naming every value that nginx could not be told.
    """
    problems = [*_wrong_paths(options), *_wrong_names(options), *_contradictions(options)]
    origins: tuple[str, ...] = ()
    try:
        origins = tuple(sorted(make_allow_list("localhost", (), options.origins).origins))
    except ConfigError as exc:
        problems += [problem.replace("--allow-origin", "--cors") for problem in exc.problems]
    if problems:
        raise ConfigError(problems)
    return replace(
        options,
        site=options.site.absolute(),
        server_names=tuple(name.lower() for name in options.server_names),
        listen=options.listen or (_PLAIN_PORT if options.tls_cert is None else _TLS_PORT,),
        prefix=_bare(options.prefix),
        origins=origins,
        tls_cert=None if options.tls_cert is None else options.tls_cert.absolute(),
        tls_key=None if options.tls_key is None else options.tls_key.absolute(),
        log_folder=options.log_folder.absolute(),
    )


def serve_command(options: NginxOptions) -> str:
    """How `docshelf serve` is started behind this nginx."""
    assert options.upstream is not None
    host, _, port = options.upstream.rpartition(":")
    words = ["docshelf", "serve", str(options.site)]
    if host not in ("127.0.0.1", "localhost"):
        words += ["--host", host.strip("[]")]
    words += ["--port", port]
    for name in options.server_names:
        if name != "localhost":
            words += ["--allow-host", name.strip("[]")]
    for origin in options.origins:
        words += ["--allow-origin", origin]
    return shlex.join([*words, *(["--token-file", "FILE"] if options.private else [])])


def _wrong_paths(options: NginxOptions) -> Iterator[str]:
    paths = {"SITE": options.site, "--log-folder": options.log_folder,
             "--tls-cert": options.tls_cert, "--tls-key": options.tls_key}  # fmt: skip
    for option, path in paths.items():
        if path is not None and ("$" in str(path.absolute()) or not str(path.absolute()).isprintable()):
            yield f"{option} {str(path)!r}: nginx cannot be told of a path with a dollar sign or a control character"
    if (options.site / "shelf.json").exists():
        yield f"SITE {options.site}: is one release; name the folder that holds `current`"


def _wrong_names(options: NginxOptions) -> Iterator[str]:
    for name in options.server_names:
        if len(name) > _NAME_CHARACTERS or not _NAME.fullmatch(name):
            yield f"--server-name {name!r}: must be a name such as shelf.lan, or an address"
    checks: list[tuple[str, Sequence[str], Callable[[str], bool], str]] = [
        ("--listen", options.listen, _is_listened, "a port, or like 127.0.0.1:8080 or [::]:80"),
        ("--upstream", (options.upstream,) if options.upstream is not None else (), _is_address,
         "like 127.0.0.1:8080"),
        ("--prefix", (options.prefix,), _is_prefix, "like /docs, of A-Z a-z 0-9 . _ ~ -"),
    ]  # fmt: skip
    for option, values, fits, must_be in checks:
        yield from (f"{option} {value!r}: must be {must_be}" for value in values if not fits(value))


def _contradictions(options: NginxOptions) -> Iterator[str]:
    if not options.server_names:
        yield "--server-name: give at least one; other names are refused"
    if options.tls_key is not None and options.tls_cert is None:
        yield "--tls-key: belongs to a certificate; give --tls-cert, too"
    if options.private and options.upstream is None:
        yield "--private: docshelf serve knows the tokens; leave out --files-only"


def _is_listened(text: str) -> bool:
    return _is_port(text) or _is_address(text)


def _is_address(text: str) -> bool:
    match = _ADDRESS.fullmatch(text)
    return match is not None and _is_port(match[2])


def _is_port(text: str) -> bool:
    return re.fullmatch("[0-9]{1,5}", text) is not None and 0 < int(text) <= 65535


def _is_prefix(text: str) -> bool:
    return _PREFIX.fullmatch(_bare(text)) is not None


def _bare(prefix: str) -> str:
    """With one slash in front and none behind; the root is empty."""
    inner = prefix.strip("/")
    return f"/{inner}" if inner else ""
