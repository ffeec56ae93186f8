"""Who may read: tokens from a file, one `NAME TOKEN` a line, known by their digests.

The file is read again when it changes, so tokens come and go without a restart. A file that cannot be used
leaves the last good tokens in force.
"""

import base64
import binascii
import hashlib
import hmac
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from docshelf.serve.errors import ConfigError

_TOKEN_CHARACTERS = (20, 512)
_FILE_BYTES = 1024 * 1024
_LOOK_S = 1.0
"""The file is looked at no more often than this."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")
"""What a Bearer header may hold (RFC 6750, 2.1)."""

_logger = logging.getLogger(__name__)

_Identity = tuple[int, int, int, int]
_UNKNOWN: _Identity = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Token:
    """One right to read."""

    name: str
    """Whose it is; stands in the trace."""
    digest: bytes
    """sha256 of the secret, which itself is not kept."""


def parse_tokens(content: bytes, where: str) -> tuple[Token, ...]:
    """The tokens of a file: a line is `NAME TOKEN`; empty lines and those that begin with `#` are skipped.

    Raises: ConfigError naming every wrong line by its number. No message holds what stands in the line: it
    may be a secret.
    """
    tokens: dict[str, Token] = {}
    digests: set[bytes] = set()
    problems: list[str] = []
    for number, raw in enumerate(content.decode("utf-8-sig", "replace").splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        token = _token(line)
        if isinstance(token, str):
            problems.append(f"{where}, line {number}: {token}")
        elif token.name in tokens or token.digest in digests:
            problems.append(f"{where}, line {number}: the name or the token stands in a line above, too")
        else:
            tokens[token.name] = token
            digests.add(token.digest)
    if not tokens and not problems:
        problems.append(f"{where}: holds no token; write lines of NAME TOKEN")
    if problems:
        raise ConfigError(problems)
    return tuple(tokens.values())


def presented_token(authorization: bytes) -> bytes | None:
    """The secret of an Authorization header: Bearer, or the password of Basic; None where it has neither."""
    scheme, _, value = authorization.strip().partition(b" ")
    value = value.strip()
    if scheme.lower() == b"bearer":
        return value or None
    if scheme.lower() != b"basic":
        return None
    try:
        _, colon, password = base64.b64decode(value, validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return None
    return password if colon and password else None


def find_token(tokens: Iterable[Token], secret: bytes) -> Token | None:
    """The token with this secret. Every token is compared, each in constant time."""
    digest, found = hashlib.sha256(secret).digest(), None
    for token in tokens:
        if hmac.compare_digest(token.digest, digest):
            found = token
    return found


class TokenFile:
    """The tokens of a file as it stands now."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Reads the file.

        Raises: ConfigError where it cannot be used.
        """
        self._file = file
        self._clock = clock
        self._looked_s = clock()
        self._identity, self._tokens = _read(file)

    def tokens(self) -> tuple[Token, ...]:
        """The tokens in force; a change of the file counts after a second at most."""
        now_s = self._clock()
        if now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            self._look()
        return self._tokens

    def reload(self) -> None:
        """Reads the file now, whether it seems changed or not."""
        self._identity = _UNKNOWN
        self._look()

    def _look(self) -> None:
        try:
            identity = _identity(self._file.stat())
        except OSError:
            identity = _UNKNOWN
        if identity == self._identity:
            return
        self._identity = identity
        try:
            self._identity, self._tokens = _read(self._file)
        except ConfigError as exc:
            _logger.error("the tokens read before stay in force, for the file cannot be used: %s", exc)
        else:
            _logger.warning("%s has changed: %d tokens in force", self._file, len(self._tokens))


def _read(file: Path) -> tuple[_Identity, tuple[Token, ...]]:
    try:
        # O_NONBLOCK: a pipe in the place of the file must not hold the server.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            facts = os.fstat(descriptor)
            _check_rights(file, facts)
            content = stream.read(_FILE_BYTES + 1)
    except OSError as exc:
        raise ConfigError(
            [f"{file}: cannot be read ({exc.strerror}); name a file of lines NAME TOKEN"]
        ) from exc
    if len(content) > _FILE_BYTES:
        raise ConfigError([f"{file}: is larger than {_FILE_BYTES} bytes; name a file of lines NAME TOKEN"])
    return _identity(facts), parse_tokens(content, str(file))


def _check_rights(file: Path, facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise ConfigError([f"{file}: is no file; name a file of lines NAME TOKEN"])
    if facts.st_mode & (stat.S_IRWXO | stat.S_IWGRP):
        mode = stat.S_IMODE(facts.st_mode)
        raise ConfigError([f"{file}: others may read or change it (mode {mode:04o}); run: chmod 640 {file}"])


def _identity(facts: os.stat_result) -> _Identity:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _token(line: str) -> Token | str:
    """The token of a line, or what is wrong with it."""
    name, *rest = line.split()
    low, high = _TOKEN_CHARACTERS
    if len(rest) != 1:
        return "must be NAME TOKEN, two words"
    if not _NAME.fullmatch(name):
        return "the name must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit"
    if not low <= len(rest[0]) <= high:
        return f"the token must have {low} to {high} characters; make one with: openssl rand -hex 32"
    if not _TOKEN.fullmatch(rest[0]):
        return "the token must be of A-Z a-z 0-9 . _ ~ + / = - only; make one with: openssl rand -hex 32"
    return Token(name, hashlib.sha256(rest[0].encode()).digest())
