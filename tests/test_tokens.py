"""Tokens from a file: what a line may be, who is known, and what happens when the file changes."""

import base64
import logging
import os
from pathlib import Path

import pytest

from docshelf.serve.errors import ConfigError
from docshelf.serve.http.tokens import TokenFile, find_token, parse_tokens, presented_token

ANNA = "6f1d2c3b4a5968778695a4b3c2d1e0f0"
BORIS = "Zm9vYmFyYmF6cXV4Cg._~+/-padded=="


def token_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    """A file of tokens with these rights."""
    file = folder / "tokens"
    file.touch(0o600)
    file.write_text(text)
    file.chmod(mode)
    return file


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        parse_tokens(text.encode(), "tokens")
    return caught.value.problems


def test_a_line_is_a_name_and_a_token() -> None:
    tokens = parse_tokens(f"\ufeff# who reads\n\nanna {ANNA}\n  boris-2\t{BORIS}  \r\n".encode(), "tokens")

    assert [token.name for token in tokens] == ["anna", "boris-2"]
    assert find_token(tokens, ANNA.encode()) == tokens[0]
    assert find_token(tokens, BORIS.encode()) == tokens[1]
    for wrong in (b"", b"anna", ANNA[:-1].encode(), (ANNA + " ").encode(), ANNA.upper().encode()):
        assert find_token(tokens, wrong) is None


def test_every_wrong_line_is_named_and_no_secret_is_shown() -> None:
    lines = [
        "only-one-word-that-may-be-a-secret",
        f"anna {ANNA} more",
        f"an/na {ANNA}",
        "boris short",
        "boris with-a-sign-that-is-not-allowed-€",
        f"carl {ANNA}",
        f"dora {ANNA}",
        f"carl {BORIS}",
        f"eva {'x' * 600}",
    ]

    problems = problems_of("\n".join(lines))

    assert [problem.split(":")[0] for problem in problems] == [
        f"tokens, line {number}" for number in (1, 2, 3, 4, 5, 7, 8, 9)
    ]
    for word in ("only-one", "more", "an/na", "short", "not-allowed-€", ANNA, BORIS, "xxx"):
        assert word not in "".join(problems).replace("openssl rand -hex 32", "")


def test_a_file_without_a_token_is_wrong() -> None:
    assert problems_of("# nobody yet\n") == ("tokens: holds no token; write lines of NAME TOKEN",)


def basic(text: str) -> bytes:
    return b"Basic " + base64.b64encode(text.encode())


@pytest.mark.parametrize(
    ("header", "secret"),
    [
        (b"Bearer abc", b"abc"),
        (b"bearer  abc ", b"abc"),
        (basic("anyone:abc"), b"abc"),
        (basic(":a:b:c"), b"a:b:c"),
        (basic("abc"), None),
        (basic("abc:"), None),
        (b"Basic not-base64!", None),
        (b"Bearer", None),
        (b"Bearer ", None),
        (b"Digest abc", None),
        (b"", None),
    ],
)
def test_a_token_comes_as_bearer_or_as_a_password(header: bytes, secret: bytes | None) -> None:
    assert presented_token(header) == secret


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o660, 0o620])
def test_a_file_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    file = token_file(tmp_path, f"anna {ANNA}\n", mode)

    with pytest.raises(ConfigError, match=rf"\(mode {mode:04o}\); run: chmod 640 {file}"):
        TokenFile(file)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o400, 0o440])
def test_a_group_may_read_the_file(tmp_path: Path, mode: int) -> None:
    assert len(TokenFile(token_file(tmp_path, f"anna {ANNA}\n", mode)).tokens()) == 1


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, message in (("pipe", "is no file"), (".", "cannot be read"), ("none", "cannot be read")):
        with pytest.raises(ConfigError, match=message):
            TokenFile(tmp_path / name)
    with pytest.raises(ConfigError, match="is larger than 1048576 bytes"):
        TokenFile(token_file(tmp_path, "#" * (1024 * 1024 + 1)))


def test_a_changed_file_counts_after_a_second(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    now_s = [100.0]
    file = token_file(tmp_path, f"anna {ANNA}\n")
    tokens = TokenFile(file, lambda: now_s[0])
    token_file(tmp_path, f"boris {BORIS}\ncarl {ANNA}\n")

    assert [token.name for token in tokens.tokens()] == ["anna"]
    now_s[0] += 1
    assert [token.name for token in tokens.tokens()] == ["boris", "carl"]
    assert caplog.messages == [f"{file} has changed: 2 tokens in force"]


def test_a_file_is_read_at_once_where_its_keeper_asks(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.touch(0o600)
    file.write_text(f"anna {'a' * 32}\n")
    tokens = TokenFile(file, clock=lambda: 0.0)
    file.write_text(f"boris {'b' * 32}\n")
    assert [token.name for token in tokens.tokens()] == ["anna"]

    tokens.reload()

    assert [token.name for token in tokens.tokens()] == ["boris"]


@pytest.mark.parametrize("spoiled", ["", "anna short\n", "world", "gone"])
def test_a_file_that_goes_bad_leaves_the_last_tokens_and_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spoiled: str
) -> None:
    now_s = [100.0]
    file = token_file(tmp_path, f"anna {ANNA}\n")
    tokens = TokenFile(file, lambda: now_s[0])
    if spoiled == "gone":
        file.unlink()
    elif spoiled == "world":
        file.chmod(0o644)
    else:
        token_file(tmp_path, spoiled)

    for _ in range(3):
        now_s[0] += 1
        assert [token.name for token in tokens.tokens()] == ["anna"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert caplog.messages[0].startswith(
        "the tokens read before stay in force, for the file cannot be used: "
    )
    assert str(file) in caplog.messages[0]

    if spoiled == "gone":
        token_file(tmp_path, f"boris {BORIS}\n")
    file.chmod(0o600)
    file.write_text(f"boris {BORIS}\n")
    now_s[0] += 1
    assert [token.name for token in tokens.tokens()] == ["boris"]


def test_a_file_that_is_replaced_by_a_link_is_seen(tmp_path: Path) -> None:
    now_s = [100.0]
    file = token_file(tmp_path, f"anna {ANNA}\n")
    tokens = TokenFile(file, lambda: now_s[0])
    (tmp_path / "new").mkdir()
    other = token_file(tmp_path / "new", f"boris {BORIS}\n")
    (tmp_path / "link").symlink_to(other)
    (tmp_path / "link").rename(file)

    now_s[0] += 1
    assert [token.name for token in tokens.tokens()] == ["boris"]
